package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"memplan/internal/shared"
)

const published = "../../results/published/"

// The published results are what this program gives: no planner's peak, bound,
// proof or work is worse than what is committed, and the tables and pictures are
// those of the records. `make results` writes them anew, the long ones too.
// It takes minutes, and is a target of its own, `make published`.
func TestPublished(t *testing.T) {
	for _, c := range []struct {
		name, by, data string
		long           bool // too long to be run again here
	}{
		{name: "built-in", by: "instance"},
		{name: "minimalloc", by: "instance", data: "minimalloc"},
		{name: "minimalloc-long", by: "instance", long: true},
		{name: "models", by: "instance", data: "tflite"},
		{name: "overlaps", by: "instance"},
		{name: "corpus", by: "family"}, // its records are too many to be kept
	} {
		name := c.name
		t.Run(name, func(t *testing.T) {
			if c.data != "" {
				shared.Path(t, c.data)
			}
			now := published + name + ".jsonl"
			if !c.long {
				now = again(t, name)
			}
			if c.by == "instance" && !c.long {
				gate(t, published+name+".jsonl", now)
			}
			for _, made := range [][]string{
				{"table", "--by", c.by, "--format", "markdown", name + ".md"},
				{"plot", "profile", name + ".svg"},
			} {
				file := made[len(made)-1]
				out := filepath.Join(t.TempDir(), file)
				args := append(made[:len(made)-1:len(made)-1], now, "-o", out)
				if code, _, says := call(args...); code != exitDone {
					t.Fatalf("%v: exit %d: %s", args, code, says)
				}
				want, err := os.ReadFile(published + file)
				if err != nil {
					t.Fatal(err)
				}
				if got, _ := os.ReadFile(out); !bytes.Equal(got, want) {
					t.Errorf("%s differs from what the records give", file)
				}
			}
		})
	}
}

// The README's picture is what `make results` draws.
func TestPublishedPicture(t *testing.T) {
	out := t.TempDir()
	table, plan, picture := filepath.Join(out, "seven-above.csv"), filepath.Join(out, "plan.csv"), filepath.Join(out, "seven-above.svg")
	for _, args := range [][]string{
		{"corpus", "seven-above", "-o", out},
		{"plan", table, "-o", plan},
		{"plot", "plan", table, plan, "--width", "800", "--height", "300", "-o", picture},
	} {
		if code, _, says := call(args...); code != exitDone {
			t.Fatalf("%v: exit %d: %s", args, code, says)
		}
	}
	got, err := os.ReadFile(picture)
	if err != nil {
		t.Fatal(err)
	}
	if want, err := os.ReadFile(published + "seven-above.svg"); err != nil || !bytes.Equal(got, want) {
		t.Errorf("seven-above.svg differs from what is drawn now, %v", err)
	}
}

// again runs a published experiment, and returns the file of its records.
func again(t *testing.T, name string) string {
	t.Helper()
	now := filepath.Join(t.TempDir(), name+".jsonl")
	if code, _, says := call("bench", "-f", published+name+".json", "--format", "json", "-o", now); code != exitDone {
		t.Fatalf("exit %d: %s", code, says)
	}
	return now
}

// gate fails where records are worse than a baseline, or better: then the
// baseline is behind.
func gate(t *testing.T, baseline, now string) {
	t.Helper()
	if code, out, says := call("regress", baseline, now); code != exitDone {
		t.Errorf("exit %d, %s\n%s", code, says, out)
	} else if !strings.HasPrefix(out, "0 worse, 0 better, 0 new,") {
		t.Errorf("the published records are behind; `make results` writes them anew:\n%s", out)
	}
}
