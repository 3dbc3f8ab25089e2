package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"memplan/internal/shared"
)

// What a shell sent standard output to is written to as it stands: neither
// replaced by another file nor begun anew.
func TestOutputOfTheShell(t *testing.T) {
	table := put(t, "t.csv", "id,lower,upper,size\na,0,1,4\n")
	log := put(t, "log", "")
	before, err := os.Stat(log)
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", "/dev//stdout"} {
		f, err := os.OpenFile(log, os.O_WRONLY|os.O_TRUNC, 0)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.WriteString("first\n"); err != nil {
			t.Fatal(err)
		}
		cmd := program(t, "plan", table, "-o", path)
		cmd.Stdout = f
		if err := cmd.Run(); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		_, _ = f.WriteString("last\n")
		_ = f.Close()
		after, err := os.Stat(log)
		want := "first\nid,lower,upper,size,offset\na,0,1,4,0\nlast\n"
		if got, _ := os.ReadFile(log); err != nil || !os.SameFile(before, after) || string(got) != want {
			t.Errorf("%s: %v, %q; want %q in the same file", path, err, got, want)
		}
	}
	if code, out, _ := call("plan", table, "-o", "/dev/stdout"); code != exitDone || !strings.HasPrefix(out, "id,") {
		t.Errorf("exit %d, %q", code, out)
	}
}

// Outputs that are one file, or an input that would be lost, are errors before
// anything is read or written.
func TestOutputsAreDistinct(t *testing.T) {
	model := shared.Path(t, "tflite/mlperftiny__vww_96_int8.tflite")
	folder := t.TempDir()
	if err := os.Symlink(folder, filepath.Join(folder, "link")); err != nil {
		t.Fatal(err)
	}
	at := func(name string) string { return filepath.Join(folder, name) }
	table, graph, records := put(t, "t.csv", eightAbove), put(t, "g.json", smallGraph), put(t, "r.jsonl", "")
	kept := map[string][]byte{model: readFile(t, model), table: readFile(t, table), graph: readFile(t, graph), records: nil}
	for _, args := range [][]string{
		{"tflm", model, "-o", at("same"), "--c-header", at("same")},
		{"tflm", model, "-o", at("same"), "--c-header", at("link/same")},
		{"tflm", model, "--c-header", model},
		{"tflm", model, "-o", "-", "--c-header", "-"},
		{"plan", table, "-o", at("same"), "--certificate", at("same")},
		{"plan", table, "--certificate", table},
		{"plan", graph, "-o", graph},
		{"lower", graph, "-o", graph},
		{"bench", table, "--records", at("same"), "-o", at("same")},
		{"bench", table, "-o", table},
		{"table", records, "-o", records},
		{"report", records, "-o", records},
		{"plot", "profile", records, "-o", records, "--format", "svg"},
		{"adversary", "-o", at("same"), "--certificate", at("same")},
	} {
		code, out, says := call(args...)
		if code != exitUsage || out != "" || !strings.Contains(says, "same file") && !strings.Contains(says, "take the place") {
			t.Errorf("%v: exit %d, %q, %q", args, code, out, says)
		}
	}
	if _, err := os.Stat(at("same")); err == nil {
		t.Error("something was written")
	}
	for file, was := range kept {
		if !bytes.Equal(readFile(t, file), was) {
			t.Errorf("%s was changed", file)
		}
	}
}

// Planning a model in place, again and again, leaves one plan in it.
func TestTFLMInPlaceDoesNotGrow(t *testing.T) {
	old := readFile(t, shared.Path(t, "tflite/mlperftiny__vww_96_int8.tflite"))
	file := put(t, "m.tflite", string(old))
	var first []byte
	for k := range 3 {
		if code, _, says := call("tflm", file, "-o", file); code != exitDone {
			t.Fatalf("exit %d: %s", code, says)
		}
		now := readFile(t, file)
		if first == nil {
			first = now
		}
		if !bytes.Equal(now, first) || !bytes.HasSuffix(now, old) {
			t.Errorf("after %d times more the file has %d bytes, was %d", k, len(now), len(first))
		}
	}
	// Another plan takes the place of the first.
	if code, _, says := call("tflm", file, "-o", file, "--alias-views", "--scratch", "CONV_2D=64KiB"); code != exitDone {
		t.Fatalf("exit %d: %s", code, says)
	}
	if now := readFile(t, file); len(now) != len(first) || bytes.Equal(now, first) {
		t.Errorf("%d bytes, %d before; the same: %v", len(now), len(first), bytes.Equal(now, first))
	}
}
