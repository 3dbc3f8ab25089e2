package pairs

import (
	"context"
	"math/rand"
	"strconv"
	"testing"

	"memplan/heuristics"
	"memplan/internal/oracle"
	"memplan/model"
	"memplan/verify"
)

// exhaustive is a planner of plain instances that knows the truth.
type exhaustive struct{}

func (exhaustive) Name() string { return "exhaustive" }

func (exhaustive) Plan(_ context.Context, in *model.Instance) (model.Result, error) {
	if err := in.Validate(); err != nil {
		return model.Result{}, err
	}
	plan, ok := oracle.Optimum(in)
	if !ok {
		return model.Result{}, nil
	}
	return model.Result{Plan: &plan}, nil
}

// What a merged instance's plan comes to is a plan, never below the optimum, and
// often it. Merging what costs no byte is not free: two buffers of equal size, of
// which one dies where the other is born, may have to lie apart.
func TestMerged(t *testing.T) {
	var merged, tied, optimal, costly int
	for seed := range int64(800) {
		r := rand.New(rand.NewSource(seed))
		in := oracle.RandomPairs(r, oracle.All)
		best, _ := oracle.WithPairs(in)
		res, err := Planner{Of: exhaustive{}}.Plan(t.Context(), in)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if err := verify.Plan(in, *res.Plan); err != nil {
			t.Fatalf("seed %d: %v: %+v", seed, err, in)
		}
		peak := res.Plan.Peak(in)
		if peak < best.Peak(in) {
			t.Fatalf("seed %d: %d below the optimum %d", seed, peak, best.Peak(in))
		}
		m := in.Merge(model.TakeAll)
		merged += min(m.Taken, 1)
		for i := range m.Instance.Buffers {
			if m.Instance.Buffers[i].Tie != nil {
				tied++
			}
		}
		if peak == best.Peak(in) {
			optimal++
		}
		equal := in.Merge(free)
		if plan, ok := oracle.Optimum(equal.Instance); equal.Taken > 0 && ok && peak < plan.Peak(equal.Instance) {
			costly++
		}
	}
	t.Log(merged, tied, optimal, costly)
	if merged < 150 || tied < 10 || optimal < 400 || costly < 1 {
		t.Error("the test has lost its point")
	}
}

// A long chain of pairs is merged as far as the work for that goes, and planned all
// the same.
func TestMergingEnds(t *testing.T) {
	const n = 20_000
	in := &model.Instance{Buffers: make([]model.Buffer, n)}
	for i := range in.Buffers {
		in.Buffers[i] = model.Buffer{ID: strconv.Itoa(i), Life: model.Interval{Start: int64(i), End: int64(i) + 2}, Size: 4}
		if i > 0 {
			in.Pairs = append(in.Pairs, model.Pair{Over: i, Under: i - 1, Equal: true})
		}
	}
	res, err := Planner{Of: heuristics.Decreasing{}}.Plan(t.Context(), in)
	if err != nil || verify.Plan(in, *res.Plan) != nil {
		t.Errorf("%v", err)
	}
}
