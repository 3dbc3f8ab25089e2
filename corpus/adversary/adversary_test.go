package adversary

import (
	"context"
	"reflect"
	"testing"

	"memplan/heuristics"
	"memplan/internal/oracle"
	"memplan/internal/smallest"
	"memplan/model"
)

// brute is an exact planner for a dozen buffers without features.
type brute struct{}

func (brute) Name() string { return "brute" }

func (brute) Plan(_ context.Context, in *model.Instance) (model.Result, error) {
	g, sizes := smallest.Of(in)
	peak, offsets := g.Optimum(sizes, in.Load())
	return model.Result{Plan: &model.Plan{Offsets: offsets}, Bound: peak}, nil
}

// silent is brute that proves nothing.
type silent struct{ brute }

func (s silent) Plan(ctx context.Context, in *model.Instance) (model.Result, error) {
	r, err := s.brute.Plan(ctx, in)
	r.Bound = in.Load() - 1
	return r, err
}

var bestFit = heuristics.Decreasing{Fit: heuristics.BestFit}

func TestFindIsTrue(t *testing.T) {
	for _, victim := range []model.Planner{bestFit, heuristics.ByArea{}, heuristics.Online{}} {
		f, err := Search{Victim: victim, Oracle: brute{}, Buffers: 7, Tries: 5_000}.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Instance.Validate(); err != nil {
			t.Fatal(err)
		}
		r, _ := victim.Plan(t.Context(), f.Instance)
		if peak := r.Plan.Peak(f.Instance); peak != f.Peak {
			t.Errorf("%s: peak %d, said to be %d", victim.Name(), peak, f.Peak)
		}
		r, _ = brute{}.Plan(t.Context(), f.Instance)
		if best := r.Plan.Peak(f.Instance); best != f.Best || f.Best != f.Result.Bound {
			t.Errorf("%s: optimum %d, said to be %d", victim.Name(), best, f.Best)
		}
		if f.Peak*10 < f.Best*13 || len(f.Instance.Buffers) > 7 {
			t.Errorf("%s: only %d / %d found, with %d buffers", victim.Name(), f.Peak, f.Best, len(f.Instance.Buffers))
		}
		t.Logf("%s: %d / %d, %v", victim.Name(), f.Peak, f.Best, rowsOf(f.Instance))
	}
}

func TestRepeats(t *testing.T) {
	s := Search{Victim: bestFit, Oracle: brute{}, Buffers: 6, Tries: 3_000, Seed: 5}
	a, err := s.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	b, _ := s.Run(t.Context())
	if !reflect.DeepEqual(a, b) {
		t.Errorf("%v, then %v", rowsOf(a.Instance), rowsOf(b.Instance))
	}
	s.Seed = 6
	if c, _ := s.Run(t.Context()); reflect.DeepEqual(a.Instance, c.Instance) {
		t.Error("the seed changes nothing")
	}
}

// TestReduced: no buffer of a find can be left out, and nothing divides its sizes.
func TestReduced(t *testing.T) {
	f, err := Search{Victim: bestFit, Oracle: brute{}, Tries: 3_000, Seed: 2}.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	rows := rowsOf(f.Instance)
	c := climb{Search: Search{Victim: bestFit, Oracle: brute{}}, ctx: t.Context()}
	for k := range rows {
		fewer := append(append([]row{}, rows[:k]...), rows[k+1:]...)
		if g, err := c.judge(fewer, f); err != nil || g != nil {
			t.Errorf("without buffer %d the ratio is no less: %v", k, rows)
		}
	}
	divisor := int64(0)
	for _, r := range rows {
		divisor = model.GCD(divisor, r.size)
	}
	if divisor != 1 {
		t.Errorf("%d divides the sizes of %v", divisor, rows)
	}
}

func TestRival(t *testing.T) {
	f, err := Search{Victim: bestFit, Rival: heuristics.ByArea{}, Buffers: 6, Tries: 3_000}.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	r, _ := heuristics.ByArea{}.Plan(t.Context(), f.Instance)
	if f.Peak <= f.Best || r.Plan.Peak(f.Instance) != f.Best {
		t.Errorf("%d against %d", f.Peak, f.Best)
	}
}

func TestUnprovenIsPassedOver(t *testing.T) {
	if f, err := (Search{Victim: bestFit, Oracle: silent{}, Tries: 100}).Run(t.Context()); err == nil {
		t.Errorf("found %v", f)
	}
	if _, err := (Search{Victim: bestFit}).Run(t.Context()); err == nil {
		t.Error("nobody to compare with, and no error")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := (Search{Victim: bestFit, Oracle: brute{}}).Run(ctx); err == nil {
		t.Error("no time, and a find")
	}
}

// paired is an exact planner for a few buffers of a few bytes, with pairs.
type paired struct{}

func (paired) Name() string { return "paired" }

func (paired) Plan(_ context.Context, in *model.Instance) (model.Result, error) {
	plan, _ := oracle.WithPairs(in)
	return model.Result{Plan: &plan, Bound: plan.Peak(in)}, nil
}

// With pairs a planner that keeps buffers apart is far worse than one that does
// not; what is found has them, and is as it says.
func TestFindOverlaps(t *testing.T) {
	f, err := Search{Victim: bestFit, Oracle: paired{}, Buffers: 5, MaxSize: 4, Steps: 4, Tries: 2_000, Overlaps: true}.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Instance.Validate(); err != nil {
		t.Fatal(err)
	}
	plan, _ := oracle.WithPairs(f.Instance)
	if peak := plan.Peak(f.Instance); peak != f.Best || len(f.Instance.Pairs) == 0 || f.Peak*10 < f.Best*15 {
		t.Errorf("%d / %d, optimum %d: %v", f.Peak, f.Best, peak, rowsOf(f.Instance))
	}
	if got := instance(rowsOf(f.Instance)); !reflect.DeepEqual(got.Pairs, f.Instance.Pairs) {
		t.Errorf("pairs %v of rows, want %v", got.Pairs, f.Instance.Pairs)
	}
	t.Logf("%d / %d, %v", f.Peak, f.Best, rowsOf(f.Instance))
}
