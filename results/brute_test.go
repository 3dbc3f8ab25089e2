package results

import (
	"errors"
	"math/rand"
	"testing"

	"memplan/internal/oracle"
	"memplan/internal/shared"
	"memplan/model"
	"memplan/search"
	"memplan/verify"
)

// What the planners say of random small instances with every feature but ties,
// beside brute force: exact ones find and prove the optimum, or that the capacity
// is too small; none says more than is true, and what can be replayed holds. More
// of it: go test ./results -run BruteForce -v -times 200.
func TestPlannersAgainstBruteForce(t *testing.T) {
	instances, above, tight, words := shared.Many(100), 0, 0, map[string]int{}
	for seed := range int64(instances) {
		r := rand.New(rand.NewSource(seed))
		in := oracle.Random(r, oracle.Features{Align: seed%2 == 0, Pins: seed%3 == 0, Gaps: seed%5 < 2})
		plan, ok := oracle.Optimum(in)
		if !ok {
			t.Fatalf("seed %d: no optimum up to %d", seed, oracle.Highest)
		}
		best := plan.Peak(in)
		in.Capacity = r.Int63n(2) * max(1, best-1+r.Int63n(3))
		above += btoi(best > in.Load())
		tight += btoi(in.Capacity > 0 && in.Capacity < best)
		for _, p := range compared(seed) {
			res, err := p.Plan(t.Context(), in)
			if err != nil || res.Plan == nil {
				t.Fatalf("seed %d, %s: %v, %v", seed, p.Name(), res.Plan, err)
			}
			if err := truth(in, res, best); err != nil {
				t.Errorf("seed %d, %s: bound %d, optimum %d: %v", seed, p.Name(), res.Bound, best, err)
			}
			words[p.Name()] += btoi(res.Certificate.Proof == model.ProofMIP)
			if p.Name() != "anytime" && (res.Bound != best || res.Plan.Peak(in) != best) {
				t.Errorf("seed %d, %s: [%d, %d], optimum %d", seed, p.Name(), res.Bound, res.Plan.Peak(in), best)
			}
		}
	}
	t.Logf("%d instances, %d optima above the load, %d capacities too small, bounds by HiGHS's word: %v", instances, above, tight, words)
	if above < instances/50 || tight < instances/20 || words["search"] > 0 {
		t.Error("the test has lost its point")
	}
}

// compared are the exact planners, within a limit that small instances do not
// reach, and the anytime search with little work.
func compared(seed int64) []model.Planner {
	s := Settings{Threads: 1, Seed: seed, Rounds: 8}
	quick := plainImprover(s).(search.Anytime)
	quick.Work = 1 << 12
	return []model.Planner{race(s, "exact", everything), race(s, "search", searches), program(s), quick}
}

// truth checks what a result claims of an instance with that optimum.
func truth(in *model.Instance, res model.Result, best int64) error {
	free := *in
	free.Capacity = 0
	if err := verify.Plan(&free, *res.Plan); err != nil {
		return err
	}
	if err := verify.Certificate(in, res.Certificate); err != nil && !errors.Is(err, verify.ErrWord) {
		return err
	}
	status, fits := res.Status(in), in.Capacity == 0 || best <= in.Capacity
	switch {
	case res.Bound > best || res.Certificate.Bound != res.Bound:
		return errors.New("the bound is false")
	case status == model.Infeasible && fits, (status == model.Optimal || status == model.Feasible) && !fits:
		return errors.New(status.String())
	case status == model.Optimal && res.Plan.Peak(in) != best:
		return errors.New("not optimal")
	}
	return nil
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}
