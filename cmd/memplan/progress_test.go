package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// On a terminal, what takes more than a second shows how far it is, on that
// terminal alone; in a pipe nothing is shown.
func TestProgress(t *testing.T) {
	script, err := exec.LookPath("script")
	if err != nil {
		t.Skip("NOT TESTED: there is no script(1) to make a terminal")
	}
	folder := t.TempDir()
	// Open for much longer than they are given.
	args := []string{"bench", "pinwheel-1001-1", "pinwheel-1001-2", "--planner", "exact", "--time-limit", "1.5s", "--jobs", "1"}
	run := fmt.Sprintf("%q %s > %s", mustExecutable(t), strings.Join(args, " "), filepath.Join(folder, "table"))
	cmd := exec.Command(script, "-qec", run, "/dev/null")
	cmd.Env = append(os.Environ(), "MEMPLAN_TEST_AS_PROGRAM=1")
	terminal, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, terminal)
	}
	if !strings.Contains(string(terminal), "1/2") || !strings.Contains(string(terminal), "left") || !strings.HasSuffix(string(terminal), "\r\x1b[K") {
		t.Errorf("the terminal shows %q", terminal)
	}
	// One round of a search may take long: the line is there from the first second
	// on, and moves in it.
	one := fmt.Sprintf("%q plan pinwheel-1001-1 --planner ilp --time-limit 2.5s > /dev/null", mustExecutable(t))
	cmd = exec.Command(script, "-qec", one, "/dev/null")
	cmd.Env = append(os.Environ(), "MEMPLAN_TEST_AS_PROGRAM=1")
	if terminal, err := cmd.CombinedOutput(); err != nil || different(regexp.MustCompile(`[0-9]+\.[0-9] s  `).FindAllString(string(terminal), -1)) < 3 {
		t.Errorf("a search: %v, %q", err, terminal)
	}
	records := filepath.Join(folder, "records")
	if code, _, says := call("bench", "six-fits", "--planner", "no-reuse", "--records", records, "-o", "/dev/null"); code != exitDone {
		t.Fatal(says)
	}
	views := fmt.Sprintf("%q report --view pinwheel-1001-1,pinwheel-1001-2 --time-limit 1s -o /dev/null %s", mustExecutable(t), records)
	cmd = exec.Command(script, "-qec", views, "/dev/null")
	cmd.Env = append(os.Environ(), "MEMPLAN_TEST_AS_PROGRAM=1")
	if terminal, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(terminal), "1/2") {
		t.Errorf("a report: %v, %q", err, terminal)
	}
	table, err := os.ReadFile(filepath.Join(folder, "table"))
	if err != nil || strings.ContainsAny(string(table), "\r\x1b#") {
		t.Errorf("the table holds %q, %v", table, err)
	}
	if out, err := program(t, args...).CombinedOutput(); err != nil || strings.ContainsAny(string(out), "\r\x1b#") {
		t.Errorf("in a pipe: %v, %q", err, out)
	}
	if out, err := program(t, "bench", "six-fits", "--planner", "no-reuse", "--json", "-o", "/dev/null").CombinedOutput(); err != nil || string(out) != `{"event":"progress","done":1,"total":1}`+"\n" {
		t.Errorf("events: %v, %q", err, out)
	}
}

// different counts the texts that differ.
func different(texts []string) int {
	slices.Sort(texts)
	return len(slices.Compact(texts))
}
