package ilp_test

import (
	"context"
	"errors"
	"math"
	"math/rand"
	"slices"
	"testing"

	"memplan/ilp"
	"memplan/ilp/highs"
	"memplan/internal/oracle"
	"memplan/model"
)

// The fewest bytes that must move are those of the plan, of all that there are
// within the peak, that moves fewest; with every feature.
func TestMovesAgainstBruteForce(t *testing.T) {
	tried, moving := 0, 0
	for seed := int64(0); tried < 1000; seed++ {
		r := rand.New(rand.NewSource(seed))
		in := oracle.Random(r, oracle.Features{Align: r.Intn(2) == 0, Pins: r.Intn(4) == 0, Gaps: r.Intn(3) == 0, Ties: r.Intn(3) == 0})
		start, _ := oracle.Optimum(in)
		peak := start.Peak(in)
		if len(in.Buffers) > 5 || peak > 9 {
			continue
		}
		var old []int64 // one of the plans, with some offsets changed
		seen := 0
		for at := range oracle.Plans(in, peak, 1<<20) {
			if seen++; r.Intn(seen) == 0 {
				old = slices.Clone(at)
			}
		}
		if old == nil { // one without bytes is pinned above the peak
			continue
		}
		tried++
		for i := range old {
			if r.Intn(3) == 0 {
				old[i] = r.Int63n(peak+2) - 1
			}
		}
		fewest := int64(model.MaxBytes)
		for at := range oracle.Plans(in, peak, 1<<20) {
			fewest = min(fewest, model.Plan{Offsets: at}.Moved(in, old))
		}
		got, err := ilp.Moves{Solver: highs.Solver{}}.Fewest(context.Background(), in, old, peak, start)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if got.Bytes != fewest || got.Least != fewest || got.Plan.Moved(in, old) != fewest {
			t.Errorf("seed %d: %d bytes move, %d at least, where the fewest are %d", seed, got.Bytes, got.Least, fewest)
		}
		if err := in.Check(got.Plan); err != nil || got.Plan.Peak(in) > peak {
			t.Errorf("seed %d: %v, peak %d of %d", seed, err, got.Plan.Peak(in), peak)
		}
		if fewest < start.Moved(in, old) {
			moving++
		}
	}
	if moving < 200 {
		t.Errorf("in only %d of %d cases the plan to start from was not the best", moving, tried)
	}
}

// What the program knows nothing of, and what a solver says that is not so.
func TestMovesDeclines(t *testing.T) {
	in := &model.Instance{Buffers: []model.Buffer{{ID: "a", Life: model.Interval{End: 1}, Size: 2}, {ID: "b", Life: model.Interval{End: 1}, Size: 1}}}
	old, start := []int64{0, 0}, model.Plan{Offsets: []int64{0, 2}}
	ask := func(s ilp.Solver, in *model.Instance) (ilp.Moved, error) {
		return ilp.Moves{Solver: s}.Fewest(context.Background(), in, slices.Clone(old), 3, start)
	}
	says := func(out ilp.Outcome) liar {
		return func(*ilp.Program, ilp.Options) (ilp.Outcome, error) { return out, nil }
	}
	paired := &model.Instance{Buffers: in.Buffers, Pairs: []model.Pair{{Over: 0, Under: 1, Equal: true}}}
	if got, err := ask(highs.Solver{}, paired); !errors.Is(err, ilp.ErrPairs) || got.Bytes != 1 {
		t.Errorf("pairs: %v, %d bytes", err, got.Bytes)
	}
	if got, err := ask(says(ilp.Outcome{Verdict: ilp.Infeasible}), in); err == nil || !slices.Equal(got.Plan.Offsets, start.Offsets) {
		t.Errorf("a plan that is denied: %v, %v", err, got)
	}
	if got, err := ask(says(ilp.Outcome{Verdict: ilp.Solved, Dual: 1e9}), in); err == nil || !slices.Equal(got.Plan.Offsets, start.Offsets) {
		t.Errorf("a false bound: %v, %v", err, got)
	}
	if got, err := ask(says(ilp.Outcome{Dual: math.NaN()}), in); err != nil || got.Bytes != 1 || got.Least != 0 {
		t.Errorf("no numbers: %v, %v", err, got)
	}
	if got, err := ask(says(ilp.Outcome{Verdict: ilp.Solved, Dual: -3, Values: make([]float64, 99)}), in); err != nil || got.Bytes != 1 || got.Least != 0 {
		t.Errorf("values of another program: %v, %v", err, got)
	}
}
