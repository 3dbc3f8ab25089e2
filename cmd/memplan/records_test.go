package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Files without one record give no answer: neither an empty table nor a gate
// that passes.
func TestNoRecordsNoAnswer(t *testing.T) {
	empty, torn := put(t, "empty.jsonl", ""), put(t, "torn.jsonl", `{"schema": 1, "plann`)
	some := filepath.Join(t.TempDir(), "some.jsonl")
	if code, _, says := call("bench", "six-fits", "--planner", "no-reuse", "--records", some, "-o", "/dev/null"); code != exitDone {
		t.Fatal(says)
	}
	for _, args := range [][]string{
		{"regress", empty, some}, {"regress", some, empty}, {"regress", empty, empty}, {"regress", torn, some}, {"regress", empty, some, "--accept"},
		{"table", empty}, {"table", empty, torn}, {"merge", empty}, {"report", empty},
		{"plot", "profile", empty}, {"plot", "gap", torn}, {"plot", "growth", empty}, {"plot", "profile", some, "--planner", "exact"},
	} {
		if code, out, says := call(args...); code != exitUsage || out != "" || !strings.Contains(says, "not one record") {
			t.Errorf("%v: exit %d, %q, %q", args, code, out, says)
		}
	}
	if data := readFile(t, empty); len(data) > 0 {
		t.Errorf("the empty baseline was written: %s", data)
	}
	if code, _, says := call("table", empty, some); code != exitDone { // a shard may be empty
		t.Errorf("exit %d, %q", code, says)
	}
}

// An instance is the same wherever it lies: a folder with another name is no new
// set of instances.
func TestRenamedFolder(t *testing.T) {
	folder := t.TempDir()
	old, renamed := filepath.Join(folder, "old"), filepath.Join(folder, "renamed")
	if code, _, says := call("corpus", "six-fits", "seven-above", "-o", old); code != exitDone {
		t.Fatal(says)
	}
	base, now := filepath.Join(folder, "base.jsonl"), filepath.Join(folder, "now.jsonl")
	bench := func(from, to string) {
		if code, _, says := call("bench", from, "--planner", "no-reuse,skyline", "--records", to, "--resume", "-o", "/dev/null"); code != exitDone {
			t.Fatal(says)
		}
	}
	bench(old, base)
	if err := os.Rename(old, renamed); err != nil {
		t.Fatal(err)
	}
	bench(renamed, now)
	if code, out, says := call("regress", base, now); code != exitDone || out != "0 worse, 0 better, 0 new, 4 the same\n" {
		t.Errorf("exit %d, %q, %q", code, out, says)
	}
	_, want, _ := call("table", base)
	if _, got, _ := call("table", now, base); got != want {
		t.Errorf("both together:\n%s\nwant\n%s", got, want)
	}
	before := readFile(t, base)
	if bench(renamed, base); string(readFile(t, base)) != string(before) {
		t.Error("a resumed run does again what was done in the folder's old name")
	}
}
