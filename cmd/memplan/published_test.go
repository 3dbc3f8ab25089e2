package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const published = "../../results/published/"

// The published results are what this program gives: no planner's peak, bound,
// proof or work is worse than what is committed, and the tables and pictures are
// those of the records. `make results` writes them anew.
func TestPublished(t *testing.T) {
	for _, name := range []string{"built-in", "minimalloc", "models"} {
		t.Run(name, func(t *testing.T) {
			if name != "built-in" {
				sharedFile(t, "minimalloc")
			}
			now := filepath.Join(t.TempDir(), name+".jsonl")
			if code, _, says := call("bench", "-f", published+name+".json", "--format", "json", "-o", now); code != exitDone {
				t.Fatalf("exit %d: %s", code, says)
			}
			if code, out, says := call("regress", published+name+".jsonl", now); code != exitDone {
				t.Errorf("exit %d, %s\n%s", code, says, out)
			} else if !strings.HasPrefix(out, "0 worse, 0 better, 0 new,") {
				t.Errorf("the published records are behind; `make results` writes them anew:\n%s", out)
			}
			for _, made := range [][]string{
				{"table", "--format", "markdown", name + ".md"},
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
