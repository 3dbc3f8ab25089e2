package results

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"memplan/internal/oracle"
	"memplan/internal/shared"
	"memplan/model"
	"memplan/model/csv"
	"memplan/model/json"
	"memplan/verify"
)

// With pairs of both kinds, pins, alignments, gaps and ties every exact planner
// finds the optimum that brute force over all offsets finds, in bytes and times
// a thousand million; no bound is above it; both checkers accept the
// certificates, and none that says more. Heuristics keep to the pairs.
func TestPairsAgainstBruteForce(t *testing.T) {
	instances, above, gain := shared.Many(100), 0, 0
	judge := newJudge(t)
	for seed := range int64(instances) {
		in, plan := oracle.Paired(t, seed)
		best := plan.Peak(in)
		if seed%4 == 1 {
			in, best = oracle.Scaled(in, 1_000_000_000), best*1_000_000_000
		}
		above += btoi(best > in.Load())
		apart, _ := first{}.Plan(t.Context(), in.Apart())
		gain += btoi(best < apart.Plan.Peak(in))
		compare(t, seed, in, best, func(c *model.Certificate) { judge.add(in, c) })
	}
	t.Logf("%d instances, %d optima above the load, %d below what is best apart; %d certificates", instances, above, gain, judge.done())
	if above < instances/10 || gain < instances/10 {
		t.Error("the test has lost its point")
	}
}

// compare checks what exact planners and a heuristic give against the optimum, and
// hands on the certificates.
func compare(t *testing.T, seed int64, in *model.Instance, best int64, add func(*model.Certificate)) {
	t.Helper()
	for _, p := range comparedWithPairs(seed) {
		res, err := Solve(t.Context(), p, in)
		if err != nil {
			t.Fatalf("seed %d, %s: %v", seed, p.Name(), err)
		}
		if err := truth(in, res, best); err != nil {
			t.Errorf("seed %d, %s: bound %d, optimum %d: %v", seed, p.Name(), res.Bound, best, err)
		}
		if p.Name() != "anytime" && (res.Bound != best || res.Plan.Peak(in) != best) {
			t.Errorf("seed %d, %s: [%d, %d], optimum %d", seed, p.Name(), res.Bound, res.Plan.Peak(in), best)
		}
		add(res.Certificate)
	}
	heuristic := Planners(Settings{Limit: -1})[int(seed)%len(Heuristics())]
	if _, err := Solve(t.Context(), heuristic.Planner, in); err != nil {
		t.Errorf("seed %d, %s: %v", seed, heuristic.Planner.Name(), err)
	}
}

func comparedWithPairs(seed int64) []model.Planner {
	s := Settings{Threads: 1, Seed: seed, Rounds: 8}
	least := s
	least.Rounds = 1
	all := []model.Planner{race(s, "exact", everything), race(s, "search", searches), program(s)}
	if seed%8 == 0 {
		all = append(all, race(least, "anytime", finders))
	}
	return all
}

// A judge has certificates checked a second time, by verify/testdata/check.py,
// and once more with a bound that is one higher than the optimum, which it must
// refuse.
type judge struct {
	t     *testing.T
	dir   string
	lines strings.Builder
	count int
}

func newJudge(t *testing.T) *judge { return &judge{t: t, dir: t.TempDir()} }

func (j *judge) add(in *model.Instance, c *model.Certificate) {
	j.t.Helper()
	var table bytes.Buffer
	if err := csv.Write(&table, in, nil, nil); err != nil {
		j.t.Fatal(err)
	}
	j.addTable(table.String(), in, c)
}

// addTable adds a certificate of an instance that is read from a table.
func (j *judge) addTable(table string, in *model.Instance, c *model.Certificate) {
	j.t.Helper()
	var certificates bytes.Buffer
	list := json.Certificates{Schema: 1}
	for _, c := range []*model.Certificate{c, raised(c)} {
		list.List = append(list.List, json.Certificate{Instance: in.Name, Certificate: c})
	}
	if err := list.Write(&certificates); err != nil {
		j.t.Fatal(err)
	}
	if verify.Certificate(in, raised(c)) == nil {
		j.t.Errorf("accepted a bound of %d in place of %d", c.Bound+1, c.Bound)
	}
	j.lines.WriteString(strings.ReplaceAll(table, "\n", "|") + "\t" + certificates.String())
	j.count += 2
}

// raised claims one byte more, and one more of the height.
func raised(c *model.Certificate) *model.Certificate {
	up := *c
	up.Bound++
	if c.Refutation != nil {
		r := *c.Refutation
		r.Height++
		up.Refutation = &r
	}
	return &up
}

// done runs the second checker over all of them.
func (j *judge) done() int {
	path, err := exec.LookPath("python3")
	if err != nil {
		shared.Missing(j.t, "python3 is missing")
	}
	const each = `
import sys
sys.path.insert(0, "../verify/testdata")
sys.dont_write_bytecode = True
import check
for line in open(sys.argv[1]):
    table, text = line.split("\t", 1)
    said = check.verdicts(table.replace("|", "\n").encode(), text.encode())
    if len(said) != 2 or said[0] != "accepted" or said[1] == "accepted":
        print(said, line)
`
	file := filepath.Join(j.dir, "all")
	if err := os.WriteFile(file, []byte(j.lines.String()), 0o600); err != nil {
		j.t.Fatal(err)
	}
	out, err := exec.Command(path, "-c", each, file).CombinedOutput()
	if err != nil || len(out) > 0 {
		j.t.Errorf("check.py: %v: %.3000s", err, out)
	}
	return j.count
}
