//go:build unix

package main

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"memplan/internal/shared"
)

// others are an experiment with three planners that are programs: one lies, one
// hangs, one forks children and leaves them behind; and one that is as it should
// be. Each notes its process group.
const others = `{"schema": 1, "time_limit": "none", "instances": ["six-fits", "seven-above", "eight-above", "uniform-100-20-1"], "planners": ["skyline",
 {"name": "lies", "command": ["./note.sh", "printf 'id,offset\\n'; tail -n +2 | sed 's/,.*/,0/'"]},
 {"name": "hangs", "command": ["./note.sh", "sleep 1000"], "time_limit": "300ms"},
 {"name": "forks", "command": ["./note.sh", "(sleep 1000 & sleep 1000) & setsid sh -c 'sleep 1000 & wait' & awk -F, 'NR == 1 { print \"id,offset\"; next } { print $1 \",\" 0+at; at += $4 }'"]},
 {"name": "no-reuse-by-awk", "command": ["./note.sh", "awk -F, 'NR == 1 { print \"id,offset\"; next } { print $1 \",\" 0+at; at += $4 }'"]}]}`

// Programs of other people stand in one table with our planners: what is wrong
// with one is a bad row of its own. A run of them is sharded, killed and resumed
// like any other, and leaves nothing running.
func TestOtherPeoplesPlanners(t *testing.T) {
	root := t.TempDir()
	groups := filepath.Join(root, "groups")
	note := fmt.Sprintf("#!/bin/sh\necho $$ >> %s\neval \"$1\"\n", groups)
	for name, text := range map[string]string{"x.json": others, "note.sh": note} {
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	run := func(line string) (int, string) {
		var says bytes.Buffer
		cmd := program(t, strings.Fields(line)...)
		cmd.Dir, cmd.Stderr = root, &says
		_ = cmd.Run()
		return cmd.ProcessState.ExitCode(), says.String()
	}
	read := func(name string) string { return string(readFile(t, filepath.Join(root, name))) }
	if code, says := run("bench -f x.json --records whole.jsonl -o whole.txt"); code != exitInternal || !strings.Contains(says, "8 of 20 runs failed") {
		t.Fatalf("exit %d, %s", code, says)
	}
	for planner, want := range map[string]string{"lies": `"error":"plan 1 does not hold: `, "hangs": `"error":"it wrote no plan within its limit"`, "forks": `"status":"feasible"`, "no-reuse-by-awk": `"trace":[{"nanoseconds":`} {
		if n := countLines(read("whole.jsonl"), `"planner":"`+planner+`"`, want); n != 4 {
			t.Errorf("%s: %d records of 4 have %s:\n%s", planner, n, want, read("whole.jsonl"))
		}
	}
	if n := countLines(read("whole.jsonl"), `"planner":"forks"`, `"error"`); n > 0 {
		t.Errorf("%d good plans count for nothing because of children", n)
	}
	// A shard that is killed at some moment, and both begun again.
	killed := program(t, strings.Fields("bench -f x.json --shard 0/2 --records part.jsonl -o /dev/null --jobs 1")...)
	killed.Dir = root
	if err := killed.Start(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(250 * time.Millisecond)
	_ = killed.Process.Kill()
	_ = killed.Wait()
	for _, shard := range []string{"0/2 --records part.jsonl", "1/2 --records other.jsonl"} {
		if code, says := run("bench -f x.json -o /dev/null --resume --shard " + shard); code != exitInternal {
			t.Fatalf("shard %s: exit %d, %s", shard, code, says)
		}
	}
	if code, says := run("merge part.jsonl other.jsonl -o merged.jsonl"); code != exitDone {
		t.Fatal(says)
	}
	if code, says := run("table merged.jsonl -o merged.txt"); code != exitDone {
		t.Fatal(says)
	}
	if got, want := read("merged.txt"), read("whole.txt"); got != want {
		t.Errorf("shards together:\n%s\nwant\n%s", got, want)
	}
	begun := strings.Fields(read("groups"))
	if len(begun) < 32 {
		t.Errorf("%d programs were begun", len(begun))
	}
	for _, group := range begun {
		id, _ := strconv.Atoi(group)
		for k := 0; syscall.Kill(-id, 0) == nil; k++ {
			if k == 6000 { // a minute: the machine may be busy
				t.Fatalf("process group %d is left", id)
			}
			time.Sleep(10 * time.Millisecond)
		}
	}
}

func countLines(text string, with ...string) (n int) {
	for line := range strings.Lines(text) {
		all := true
		for _, part := range with {
			all = all && strings.Contains(line, part)
		}
		if all {
			n++
		}
	}
	return n
}

// What an experiment cannot say of a planner.
func TestPlannersOfExperiments(t *testing.T) {
	for planner, says := range map[string]string{
		`{"name": "mine", "command": []}`:                     "its command is empty",
		`{"name": "", "command": ["true"]}`:                   "has no name",
		`{"name": "exact", "command": ["true"]}`:              "one of our own has that name",
		`{"name": "mine", "command": ["true"], "rounds": 2}`:  "not for a command",
		`{"name": "mine", "command": ["true"], "memory": -1}`: "-1 is below 0",
		`{"name": "exact", "draws": true}`:                    "for one with a command",
		`{"name": "mine", "command": "true"}`:                 "command",
		`{"name": "mine"}`:                                    `no planner "mine"`,
		`{"name": "mine", "command": ["./no-such-program"]}`:  "no-such-program",
	} {
		file := put(t, "x.json", `{"schema": 1, "instances": ["six-fits"], "planners": [`+planner+`]}`)
		code, _, got := call("bench", "-f", file)
		if code != exitUsage && !strings.Contains(planner, "such") || code == exitDone || !strings.Contains(got, says) {
			t.Errorf("%s: exit %d, %q; want %q", planner, code, got, says)
		}
	}
}

// The examples of the documentation plan what memplan plans.
func TestExamplePlanners(t *testing.T) {
	python := cmp.Or(os.Getenv("PYTHON"), "python3")
	if _, err := exec.LookPath(python); err != nil {
		shared.Missing(t, python+" is missing")
	}
	example, err := filepath.Abs("../../docs/planners/first_fit.py")
	if err != nil {
		t.Fatal(err)
	}
	file := put(t, "x.json", fmt.Sprintf(`{"schema": 1, "instances": ["six-fits", "uniform-100-20-1", "uniform-200-40-2"], "planners": ["first-fit-decreasing", {"name": "mine", "command": [%q, %q], "time_limit": "60s"}]}`, python, example))
	code, out, says := call("bench", "-f", file, "--format", "json")
	if code != exitDone || countLines(out, `"planner":"mine"`, `"peak":`) != 3 {
		t.Errorf("exit %d, %s\n%s", code, says, out)
	}
}

// MiniMalloc's example asks for less and less capacity. What stands in for the
// program here takes the flags of its own README.
func TestMiniMallocExample(t *testing.T) {
	python := cmp.Or(os.Getenv("PYTHON"), "python3")
	if _, err := exec.LookPath(python); err != nil {
		shared.Missing(t, python+" is missing")
	}
	example, err := filepath.Abs("../../docs/planners/mini.py")
	if err != nil {
		t.Fatal(err)
	}
	program := put(t, "minimalloc", fmt.Sprintf("#!/bin/sh\nfor flag in \"$@\"; do case $flag in\n--capacity=*) capacity=${flag#*=} ;;\n--input=*) input=${flag#*=} ;;\n"+
		"--output=*) output=${flag#*=} ;;\nesac; done\nMEMPLAN_TEST_AS_PROGRAM=1 exec %q plan \"$input\" --capacity \"$capacity\" -o \"$output\" 2> /dev/null\n", mustExecutable(t)))
	if err := os.Chmod(program, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", filepath.Dir(program)+string(os.PathListSeparator)+os.Getenv("PATH"))
	file := put(t, "x.json", fmt.Sprintf(`{"instances": ["six-fits", "seven-above"], "planners": [{"name": "minimalloc", "command": [%q, %q], "time_limit": "60s"}]}`, python, example))
	code, out, says := call("bench", "-f", file, "--format", "csv")
	if code != exitDone || !strings.Contains(out, "six-fits,six-fits,6,10,10,10,10,minimalloc,0,10,") || !strings.Contains(out, "seven-above,seven-above,7,4,5,5,5,minimalloc,0,5,") {
		t.Errorf("exit %d, %s\n%s", code, says, out)
	}
}
