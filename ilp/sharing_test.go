package ilp_test

import (
	"math"
	"testing"

	"memplan/ilp"
	"memplan/ilp/highs"
	"memplan/internal/oracle"
	"memplan/internal/shared"
	"memplan/model"
	"memplan/verify"
)

// With pairs of both kinds the program's optimum is that of brute force, with a
// start and without, in bytes and in so many that the solver sees a coarse form;
// then the bound is no more than the optimum.
func TestSharing(t *testing.T) {
	if _, _, err := highs.Find(); err != nil {
		shared.Missing(t, err.Error())
	}
	gain, above := 0, 0
	for seed := range int64(shared.Many(40)) {
		in, plan := oracle.Paired(t, seed)
		best := plan.Peak(in)
		if apart, ok := oracle.WithPairs(in.Apart()); ok && apart.Peak(in) > best {
			gain++
		}
		if best > in.Load() {
			above++
		}
		for k, known := range []model.Result{{}, {Plan: &plan}} {
			e := &ilp.Engine{Instance: in, Solver: highs.Solver{}}
			f, err := e.Run(t.Context(), known, math.MaxInt64/2)
			e.Close()
			if err != nil || !f.Done {
				t.Fatalf("seed %d: %v", seed, err)
			}
			if f.Plan != nil {
				if err := verify.Plan(in, *f.Plan); err != nil {
					t.Errorf("seed %d: %v", seed, err)
				}
			}
			if f.Bound != best || k == 0 && (f.Plan == nil || f.Plan.Peak(in) != best) {
				t.Errorf("seed %d, %d: %+v, optimum %d", seed, k, f, best)
			}
		}
		const many = 1_000_003
		large, most := oracle.Scaled(in, many), best*many
		for i := range large.Buffers { // so that nothing divides all offsets
			if in.Buffers[i].Alignment() == 1 {
				large.Buffers[i].Align = 1
			}
		}
		e := &ilp.Engine{Instance: large, Solver: highs.Solver{}}
		f, err := e.Run(t.Context(), model.Result{}, math.MaxInt64/2)
		e.Close()
		if err != nil || f.Bound > most || f.Plan != nil && verify.Plan(large, *f.Plan) != nil {
			t.Errorf("seed %d: %+v, optimum %d: %v", seed, f, most, err)
		}
	}
	if t.Log(gain, above); min(gain, above) < 5 {
		t.Errorf("pairs lower %d optima, %d are above the load: too few to tell", gain, above)
	}
}
