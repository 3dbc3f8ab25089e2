package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A picture is what its file's name says, of the size asked for, or an error
// before anything is written.
func TestPlotFormats(t *testing.T) {
	folder := t.TempDir()
	at := func(name string) string { return filepath.Join(folder, name) }
	table, records := put(t, "x.csv", eightAbove), at("r.jsonl")
	if code, _, says := call("bench", table, "--planner", "skyline,exact", "--records", records, "-o", os.DevNull); code != exitDone {
		t.Fatal(says)
	}
	if code, _, says := call("plan", table, "-o", at("plan.csv")); code != exitDone {
		t.Fatal(says)
	}
	for ext, begins := range map[string]string{"svg": "<", "png": "\x89PNG", "PDF": "%PDF", "tex": "%% gonum", "tikz": "%% gonum", "pgf": "%% gonum"} {
		for _, what := range [][]string{{"profile", records}, {"gap", records}, {"growth", records}, {"plan", table, at("plan.csv")}} {
			out := at(what[0] + "." + ext)
			args := append([]string{"plot"}, what...)
			if code, _, says := call(append(args, "-o", out, "--width", "480", "--height", "320")...); code != exitDone {
				t.Fatalf("%v: exit %d, %s", args, code, says)
			}
			if data := string(readFile(t, out)); !strings.HasPrefix(data, begins) || ext == "svg" && what[0] == "profile" && !strings.Contains(data, `width="360pt" height="240pt"`) {
				t.Errorf("%s begins with %.120q", out, data)
			}
		}
	}
	for _, args := range [][]string{
		{"-o", at("x.jpg")}, {"-o", at("x.eps")}, {"--format", "gif"}, {"-o", at("x.svg"), "--width", "10"}, {"--height", "1000000"}, {"--width", "-4"},
	} {
		if code, out, says := call(append([]string{"plot", "profile", records}, args...)...); code != exitUsage || out != "" || says == "" {
			t.Errorf("%v: exit %d, %q, %q", args, code, out, says)
		}
	}
}
