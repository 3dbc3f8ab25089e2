package results

import (
	"math/rand"
	"testing"

	"memplan/internal/oracle"
	"memplan/internal/shared"
	"memplan/model"
	"memplan/verify"
)

// The optimum of small instances with ties is proven, and the proof replays.
func TestTiesAreProven(t *testing.T) {
	above := 0
	for seed := range int64(shared.Many(100)) {
		r := rand.New(rand.NewSource(seed))
		in := oracle.Random(r, oracle.Features{Align: seed%3 == 0, Gaps: seed%4 == 0})
		for i := range in.Buffers {
			if k := r.Intn(len(in.Buffers)); k != i && in.Buffers[k].Tie == nil && r.Intn(3) == 0 {
				in.Buffers[i].Tie = &model.Tie{To: k, Delta: r.Int63n(5)}
			}
			if in.Validate() != nil {
				in.Buffers[i].Tie = nil
			}
		}
		res, err := Solve(t.Context(), race(Settings{Threads: 1, Rounds: 8}, "exact", everything), in)
		if err != nil || res.Plan == nil || res.Status(in) != model.Optimal {
			t.Fatalf("seed %d: %+v, %v", seed, res, err)
		}
		above += btoi(res.Bound > in.Load())
		if err := verify.Certificate(in, res.Certificate); err != nil {
			t.Errorf("seed %d: %d by %s: %v", seed, res.Bound, res.Certificate.Proof, err)
		}
	}
	if above < 5 {
		t.Errorf("%d optima above the load: the test has lost its point", above)
	}
}

// A planner with a bound and no certificate is not believed, and told so.
func TestBoundWithoutCertificate(t *testing.T) {
	in := &model.Instance{Buffers: []model.Buffer{{ID: "a", Life: model.Interval{End: 2}, Size: 4}}}
	p := &Given{Label: "bold"}
	p.Add(in, model.Result{Plan: &model.Plan{Offsets: []int64{3}}, Bound: 7}, 0)
	if res, err := Solve(t.Context(), p, in); err == nil || res.Bound != 4 || res.Certificate.Proof != model.ProofLoad {
		t.Errorf("%+v, %v", res, err)
	}
}
