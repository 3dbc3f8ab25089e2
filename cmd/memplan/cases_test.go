package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"memplan/internal/shared"
)

// Plans of buffers and of a graph: exactly those named ok are accepted, and the
// buffers at fault are named.
func TestVerifierCases(t *testing.T) {
	folder := shared.Path(t, "cases/37-verifier-plans")
	names := map[string]string{ // what the message of a bad plan must hold
		"bad-end-overflows": `"d"`, "bad-interval-changed": `"d"`, "bad-misaligned": `"c"`, "bad-missing-row": `"d"`, "bad-negative": `"d"`,
		"bad-offset-text": `"d"`, "bad-overlap-contained": `"b" at [64,128) and "d" at [70,80)`, "bad-overlap-one-byte": `"a" at [0,64) and "d" at [63,73)`,
		"bad-row-twice": `"d"`, "bad-same-offset": `"a" at [0,64) and "b" at [0,64)`, "bad-size-changed": `"d"`, "bad-unknown-row": `"q"`,
		"bad-shifted": `"a" at [16,80) and "b" at [48,112)`,
	}
	plans := 0
	for _, of := range [][2]string{{"input.csv", "plans"}, {"graph.json", "graph-plans"}} {
		files, _ := filepath.Glob(filepath.Join(folder, of[1], "*.csv"))
		for _, file := range files {
			plans++
			code, out, says := call("verify", filepath.Join(folder, of[0]), file)
			name := strings.TrimSuffix(filepath.Base(file), ".csv")
			if strings.HasPrefix(name, "ok") {
				if code != exitDone || out != "" || says != "" {
					t.Errorf("%s: exit %d, %q", name, code, says)
				}
			} else if code == exitDone || names[name] == "" || !strings.Contains(says, names[name]) {
				t.Errorf("%s: exit %d, %q; want one that names %q", name, code, says, names[name])
			}
		}
	}
	if plans != 18 {
		t.Errorf("%d plans", plans)
	}
}

// planned is what plan --format json prints.
func planned(t *testing.T, args ...string) (code int, plan map[string]any) {
	t.Helper()
	code, out, says := call(append([]string{"plan", "--format", "json"}, args...)...)
	if out == "" {
		t.Errorf("%v: exit %d, %s", args, code, says)
		return code, nil
	}
	d := json.NewDecoder(strings.NewReader(out))
	d.UseNumber()
	if err := d.Decode(&plan); err != nil {
		t.Fatalf("%v: %v", args, err)
	}
	return code, plan
}

// What a plan is reported to be worth, in plain integers.
func TestPlanCases(t *testing.T) {
	for _, c := range []struct{ file, peak string }{
		{"23-offset-overflow/input.csv", "6917529027641081856"},
		{"23-offset-overflow/max-size-aligned.csv", "9223372036854775807"},
		{"25-empty-and-single/input.csv", "0"},
		{"25-empty-and-single/header-no-newline.csv", "0"},
		{"25-empty-and-single/empty.json", "0"},
		{"25-empty-and-single/one.csv", "100"},
		{"35-fixed-offsets/input.csv", "246"},
		{"35-fixed-offsets/over-2^31.csv", "4294967328"},
		{"35-fixed-offsets/touching-in-time.csv", "112"},
		{"21-fusion/input.json", "160"},
		{"21-fusion/escaping.json", "240"},
		{"01-unread-op-output/input.json", "256"},
	} {
		file := shared.Path(t, "cases/"+c.file)
		code, plan := planned(t, file, "--time-limit", "2s")
		if code != exitDone || plan["peak"].(json.Number).String() != c.peak {
			t.Errorf("%s: exit %d, peak %v, want %s", c.file, code, plan["peak"], c.peak)
		}
		code, out, says := call("bench", file, "--time-limit", "1s")
		overflow := strings.HasPrefix(c.file, "23-") && code == exitInternal && strings.Contains(says, "int64") // no-reuse's sum
		if code != exitDone && !overflow || strings.Contains(out, "NaN") || strings.Contains(out, "Inf") {
			t.Errorf("%s: exit %d, %s\n%s", c.file, code, says, out)
		}
	}
	for _, file := range []string{"23-offset-overflow/too-big.csv", "25-empty-and-single/zero-bytes.csv", "25-empty-and-single/not-json.json",
		"35-fixed-offsets/conflict.csv", "35-fixed-offsets/misaligned.csv", "35-fixed-offsets/negative.csv", "15-reversed-and-empty-intervals/reversed.csv",
		"17-duplicate-ids/rows.csv", "19-unsorted-and-cyclic/cycle.json", "23-offset-overflow/align-up-overflow.csv"} {
		path := shared.Path(t, "cases/"+file)
		if code, out, says := call("plan", path, "--rounds", "1"); code != exitUsage || out != "" || says == "" {
			t.Errorf("%s: exit %d, %q, %q", file, code, out, says)
		}
	}
}

// Workspaces are in the first pool: a plan that puts one elsewhere, or nowhere,
// is refused, as it is for tensors.
func TestPoolsOfPlans(t *testing.T) {
	g := shared.Path(t, "found/55-pool-of-scratch/scratch_pool_graph.json")
	plan := string(readFile(t, shared.Path(t, "found/55-pool-of-scratch/scratch_pool_plan.json")))
	for _, c := range []struct {
		tensor, scratch, says string
		code                  int
	}{
		{"A", "A", "", exitDone},
		{"A", "NOSUCH", `buffer "o0.scratch": there is no pool "NOSUCH"`, exitUsage},
		{"A", "B", `buffer "o0.scratch": the plan puts it into pool "B"; workspaces are in the first, "A"`, exitUsage}, // where it would lie on t1
		{"NOSUCH", "A", `buffer "t0": there is no pool "NOSUCH"`, exitUsage},
	} {
		text := strings.NewReplacer(`"t0": "A"`, `"t0": "`+c.tensor+`"`, "NOSUCH", c.scratch).Replace(plan)
		if code, out, says := call("verify", g, put(t, "plan.json", text)); code != c.code || !strings.Contains(says, c.says) {
			t.Errorf("%s, %s: exit %d: %s%s", c.tensor, c.scratch, code, out, says)
		}
	}
}
