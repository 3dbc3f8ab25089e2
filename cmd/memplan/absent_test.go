package main

import (
	"bytes"
	"errors"
	"os/exec"
	"strings"
	"testing"
)

// Without HiGHS all works but what asks for it by name, which says where it was
// looked for.
func TestWithoutHiGHS(t *testing.T) {
	file := put(t, "seven.csv", "id,lower,upper,size\nb0,0,1,2\nb1,0,2,2\nb2,1,3,1\nb3,1,4,1\nb4,2,4,1\nb5,3,5,2\nb6,4,5,2\n")
	nine := put(t, "nine.csv", "id,lower,upper,size\nb0,1,4,7\nb1,1,3,1\nb2,0,2,4\nb3,4,6,7\nb4,5,6,8\nb5,3,7,7\nb6,3,5,7\nb7,0,4,4\nb8,0,3,9\n") // one where the planner ilp asks the solver
	spaces := put(t, "spaces.json", `{"schema": 1, "tensors": [{"id": "x", "bytes": 6, "pool": ["a", "b"]}, {"id": "y", "bytes": 6, "pool": ["a", "b"]}, {"id": "z", "bytes": 4, "pool": ["a", "b"]}],
		"ops": [{"id": "o", "inputs": ["x", "z"], "outputs": ["y"]}], "inputs": ["x", "z"], "outputs": ["y"], "pools": [{"id": "a", "capacity": 10}, {"id": "b", "capacity": 6}]}`)
	for _, c := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"version"}, exitDone, "HiGHS: there is no HiGHS; tried, in this order:\n  /nowhere/libhighs: no such file"},
		{[]string{"plan", file, "--format", "text"}, exitDone, "proven     optimal (proof: search)"},
		{[]string{"plan", nine, "--planner", "ilp", "-o", "/dev/null"}, exitInternal, "/nowhere/libhighs: no such file"},
		{[]string{"plan", spaces, "--assign", "exact"}, exitInternal, "/nowhere/libhighs: no such file"},
		{[]string{"bench", file, "--planner", "search,exact", "--format", "csv"}, exitDone, "exact,0,5,1.000,5,optimal,search"},
	} {
		cmd := program(t, c.args...)
		cmd.Env = append(cmd.Env, "MEMPLAN_HIGHS=/nowhere/libhighs")
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &out
		err := cmd.Run()
		code := 0
		if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
			code = exit.ExitCode()
		}
		if code != c.code || !strings.Contains(out.String(), c.says) {
			t.Errorf("%q: exit %d, want %d; it says\n%s", c.args, code, c.code, out.String())
		}
	}
}
