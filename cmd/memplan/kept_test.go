package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Every plan of an experiment is kept, whatever its seed and parameters, and can
// be verified again, from another folder too.
func TestKeptPlans(t *testing.T) {
	root := t.TempDir()
	at := func(name string) string { return filepath.Join(root, name) }
	graph := `{"pools":[{"id":"fast","capacity":64},{"id":"slow"}],"tensors":[{"id":"a","bytes":64,"pool":"fast","alignment":16},{"id":"b","bytes":100,"pool":"slow"},{"id":"c","bytes":10,"pool":"fast"}],"ops":[{"id":"f","inputs":["a"],"outputs":["b"]},{"id":"g","inputs":["b"],"outputs":["c"]}],"inputs":["a"],"outputs":["c"]}`
	pinned := "id,lower,upper,size,alignment,offset,gaps,tie\nx,0,4,8,8,16,,\ny,0,4,4,,,1-2,\nz,2,4,4,,,,y+4\n"
	experiment := `{"schema": 1, "instances": ["seven-above", "six-fits", "two.json", "pinned.csv", "gapped-25-1"], "seeds": [1, 2],
		"planners": ["skyline", "tvm-hill-climb", {"name": "exact", "rounds": 4}, {"name": "exact", "rounds": 8}]}`
	for name, text := range map[string]string{"two.json": graph, "pinned.csv": pinned, "x.json": experiment} {
		if err := os.WriteFile(at(name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	run := func(folder, line string) (string, string) {
		var out, says bytes.Buffer
		cmd := program(t, strings.Fields(line)...)
		cmd.Dir, cmd.Stdout, cmd.Stderr = folder, &out, &says
		_ = cmd.Run()
		return fmt.Sprintf("%d %s", cmd.ProcessState.ExitCode(), out.String()), says.String()
	}
	if got, says := run(root, "bench -f x.json --records r.jsonl --plans kept -o /dev/null"); got != "0 " {
		t.Fatal(got, says)
	}
	const all = "0 35 plans hold, 0 do not, 0 were not kept\n" // 5 instances by 1 + 2 + 2 + 2 planners
	for folder, records := range map[string]string{root: "r.jsonl", t.TempDir(): at("r.jsonl")} {
		if got, says := run(folder, "verify --records "+records); got != all {
			t.Errorf("in %s: %q, %q; want %q", folder, got, says, all)
		}
	}
	plans, _ := filepath.Glob(at("kept/*-*-*.csv"))
	if len(plans) < 35 {
		t.Errorf("%d plans are kept: %v", len(plans), plans)
	}
	// A plan that is changed, lost or another's is found out, and named.
	victim := filepath.Join(root, "kept", "")
	for _, p := range plans {
		if strings.Contains(p, "six-fits") && strings.Contains(p, "skyline") {
			victim = p
		}
	}
	was := readFile(t, victim)
	for _, damage := range []string{"id,offset\n", strings.Replace(string(was), ",0\n", ",1\n", 1), "", strings.ReplaceAll(string(was), "b0", "b9")} {
		if err := os.WriteFile(victim, []byte(damage), 0o644); err != nil {
			t.Fatal(err)
		}
		if got, says := run(root, "verify --records r.jsonl"); !strings.HasPrefix(got, "1 34 plans hold, 1 do not") || !strings.Contains(says, "skyline on six-fits") {
			t.Errorf("%q: %q, %q", damage, got, says)
		}
	}
	if got, says := run(root, "verify --records r.jsonl two.json"); got != "2 " || !strings.Contains(says, "beside it") {
		t.Errorf("%q, %q", got, says)
	}
	if got, says := run(root, "bench six-fits --planner skyline --records bare.jsonl -o /dev/null"); got != "0 " {
		t.Error(got, says)
	}
	if got, says := run(root, "verify --records bare.jsonl"); got != "2 " || !strings.Contains(says, "bench --plans") {
		t.Errorf("%q, %q", got, says)
	}
}
