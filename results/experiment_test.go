package results

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"memplan/model"
)

func TestReadExperiment(t *testing.T) {
	x, err := ReadExperiment(strings.NewReader(`{"instances":["a"],"planners":["no-reuse",{"name":"exact","time_limit":"1m","rounds":3}],"seeds":[4,5],"time_limit":"none"}`), "x")
	if err != nil {
		t.Fatal(err)
	}
	if x.Planners[0].Name != "no-reuse" || x.Planners[0].TimeLimit.Or(x.TimeLimit.Or(9)) != -1 ||
		x.Planners[1].Name != "exact" || x.Planners[1].TimeLimit.Or(9) != time.Minute || x.Planners[1].Rounds != 3 || fmt.Sprint(x.Seeds) != "[4 5]" {
		t.Errorf("read %+v", x)
	}
	for text, want := range map[string]string{
		`{"instances":["a"],"planers":[]}`:             `x.json:1: experiment: unknown key "planers"`,
		`{"instances":["a"],"planners":[{"nam":"x"}]}`: "x.json:1: planner: unknown key \"nam\"\nx.json:1: a planner has no name",
		`{"instances":["a"],"time_limit":"soon"}`:      `x.json:1: time_limit "soon": want a time such as 10s, or none`,
		`{"instances":["a"],"time_limit":"-1s"}`:       `x.json:1: time_limit "-1s": want a time such as 10s, or none`,
		`{"instances":["a"],"time_limit":5}`:           `x.json:1: time_limit: want a text such as "10s" or "none"`,
		`{"schema":2,"instances":["a"]}`:               "x.json:1: schema 2: only 1 is known",
		`{"schema":1}`:                                 "x.json: no instances",
		`{"instances":["a"]} {}`:                       "x.json:1: text after the end of the object",
		`{"instances":["a"],}`:                         "x.json:1: not JSON: invalid character '}'",
		``:                                             "x.json:1: not JSON: the text ends too soon",
		`{"instances":["a"],"rounds":-1}`:              "x.json:1: rounds: -1 is below 0",
		`{"instances":["a"],"planners":[{"name":"m","command":"python3"}]}`:    "x.json:1: command: want a list",
		`{"instances":["a"],"planners":[{"name":"m","command":[]}]}`:           `x.json:1: planner "m": its command is empty`,
		`{"instances":["a"],"planners":[{"name":"exact","command":["true"]}]}`: `x.json:1: planner "exact": one of our own has that name`,
		`{"instances":["a"],"planners":[{"name":"exact","memory":5}]}`:         `x.json:1: planner "exact": memory and draws are for one with a command`,
		"{\"instances\":\"a\",\n\"planners\":[\"no-such\",\n{\"name\":\"m\",\"command\":[\"x\"],\"threads\":2}]}": "x.json:1: instances: want a list\nx.json:2: there is no planner \"no-such\"; memplan planners lists them\n" +
			`x.json:3: planner "m": rounds and threads are not for a command, which may have them as arguments`,
	} {
		if _, err := ReadExperiment(strings.NewReader(text), "x.json"); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

func TestParseShard(t *testing.T) {
	slurm := map[string]string{"SLURM_ARRAY_TASK_ID": "12", "SLURM_ARRAY_TASK_MIN": "10", "SLURM_ARRAY_TASK_COUNT": "4"}
	pod := map[string]string{"JOB_COMPLETION_INDEX": "3"}
	for _, c := range []struct {
		text string
		env  map[string]string
		want Shard
		ok   bool
	}{
		{"", nil, Shard{0, 1}, true},
		{"2/8", nil, Shard{2, 8}, true},
		{"2/8", slurm, Shard{2, 8}, true},
		{"", slurm, Shard{2, 4}, true},
		{"/8", slurm, Shard{2, 8}, true},
		{"/8", pod, Shard{3, 8}, true},
		{"", pod, Shard{}, false},
		{"/3", pod, Shard{}, false},
		{"/8", nil, Shard{}, false},
		{"8/8", nil, Shard{}, false},
		{"-1/8", nil, Shard{}, false},
		{"8", nil, Shard{}, false},
		{"a/b", nil, Shard{}, false},
	} {
		got, err := ParseShard(c.text, func(k string) string { return c.env[k] })
		if got != c.want || (err == nil) != c.ok {
			t.Errorf("%q in %v: %v, %v; want %v", c.text, c.env, got, err, c.want)
		}
	}
}

// The shards of a run are a partition of it.
func TestShardsPartition(t *testing.T) {
	cases := make([]Case, 23)
	for i := range cases {
		cases[i].Name = fmt.Sprint(i)
	}
	for n := 1; n < 30; n++ {
		seen := make(map[string]int)
		for i := range n {
			for _, c := range (Shard{i, n}).Part(cases) {
				seen[c.Name]++
			}
		}
		if len(seen) != len(cases) {
			t.Errorf("%d shards: %d cases", n, len(seen))
		}
		for name, times := range seen {
			if times != 1 {
				t.Errorf("%d shards: case %s %d times", n, name, times)
			}
		}
	}
}

// Each way of getting worse, and of getting better, is seen; seconds are not.
func TestRegress(t *testing.T) {
	base := func() Record {
		r := sample()[0]
		r.Nodes, r.Placements, r.Conflicts = 100, 100, 100
		return r
	}
	for _, c := range []struct {
		name   string
		change func(old, now *Record)
		worse  string
		better string
	}{
		{"the same", func(_, now *Record) { now.Nanoseconds *= 100 }, "", ""},
		{"peak up", func(_, now *Record) { now.Peak = ptr(23); now.Status = "feasible" }, "peak 23, was 22", ""},
		{"peak down", func(old, _ *Record) { old.Peak = ptr(23); old.Status = "feasible" }, "", "peak 22, was 23"},
		{"plan lost", func(_, now *Record) { now.Peak = nil }, "no plan, was peak 22", ""},
		{"plan found", func(old, _ *Record) { old.Peak, old.Status = nil, "unknown" }, "", "peak 22, was no plan"},
		{"proof lost", func(_, now *Record) { now.Bound, now.Status = 21, "feasible" }, "proof lost: bound 21, was 22", ""},
		{"bound down", func(old, now *Record) { old.Status, now.Status, now.Bound = "feasible", "feasible", 20 }, "bound 20, was 22", ""},
		{"bound up", func(old, _ *Record) { old.Status, old.Bound = "feasible", 20 }, "", "bound 22, was 20"},
		{"HiGHS's word", func(_, now *Record) { now.Proof = model.ProofMIP }, "proof mip, was search", ""},
		{"a real proof", func(old, _ *Record) { old.Proof = model.ProofMIP }, "", "proof search, was mip"},
		{"an error", func(_, now *Record) { now.Error = "boom" }, "failed: boom", ""},
		{"no error", func(old, _ *Record) { old.Error = "boom" }, "", "no longer fails"},
		{"more work", func(_, now *Record) { now.Nodes = 111 }, "nodes 111, was 100", ""},
		{"a little more", func(_, now *Record) { now.Nodes = 110 }, "", ""},
	} {
		old, now := base(), base()
		c.change(&old, &now)
		r := Regress([]Record{old}, []Record{now}, 0.1)
		worse, better := "", ""
		if len(r.Worse) == 1 {
			worse = r.Worse[0].Why
		}
		if len(r.Better) == 1 {
			better = r.Better[0].Why
		}
		if worse != c.worse || better != c.better || len(r.Worse)+len(r.Better)+r.Same != 1 {
			t.Errorf("%s: worse %q, better %q; want %q, %q", c.name, worse, better, c.worse, c.better)
		}
	}
	r := Regress(sample()[:2], sample()[1:3], 0)
	if len(r.Worse) != 1 || r.Worse[0].Why != "missing" || len(r.Added) != 1 || r.Same != 1 {
		t.Errorf("missing and added: %+v", r)
	}
	accepted := r.Accepted(sample()[:2])
	if len(accepted) != 3 {
		t.Errorf("accepted %d records, want the two old and the new one", len(accepted))
	}
}
