package ilp_test

import (
	"context"
	"testing"
	"time"

	"memplan/heuristics"
	"memplan/ilp"
	"memplan/ilp/highs"
	"memplan/internal/shared"
	"memplan/model"
	"memplan/model/csv"
	"memplan/verify"
)

// sharedCase reads an instance of the shared cases.
func sharedCase(t *testing.T, path string) *model.Instance {
	t.Helper()
	doc, err := csv.Read(shared.Open(t, "cases/"+path), path)
	if err != nil {
		t.Fatal(err)
	}
	return doc.Instance
}

// The optima of EXPECT.md, each proven.
func TestSharedCases(t *testing.T) {
	for _, c := range []struct {
		path string
		want int64
	}{
		{"23-offset-overflow/input.csv", 6917529027641081856},
		{"23-offset-overflow/max-size-aligned.csv", 9223372036854775807},
		{"25-empty-and-single/input.csv", 0},
		{"25-empty-and-single/one.csv", 100},
		{"27-alignment-larger-than-size/input.csv", 158},
		{"27-alignment-larger-than-size/tiny.csv", 129},
		{"27-alignment-larger-than-size/fill-the-hole.csv", 192},
		{"29-leading-gap/input.csv", 160},
		{"31-big-M-and-tiny-sizes/input.csv", 1<<40 + 28},
		{"31-big-M-and-tiny-sizes/one-huge-at-a-time.csv", 1<<40 + 1},
		{"33-time-limit-status/chain.csv", 1028},
		{"33-time-limit-status/input.csv", 1000},
		{"35-fixed-offsets/input.csv", 246},
		{"35-fixed-offsets/over-2^31.csv", 1<<32 + 32},
		{"35-fixed-offsets/touching-in-time.csv", 112},
		{"37-verifier-plans/input.csv", 138},
		{"39-capacity-between/input.csv", 28},
	} {
		t.Run(c.path, func(t *testing.T) {
			in := sharedCase(t, c.path)
			for _, p := range []ilp.Planner{
				{Solver: highs.Solver{}, Start: heuristics.ChooseBest{}},
				{Solver: highs.Solver{}},
			} {
				if res, peak := mustPlan(t, p, in); peak != c.want || res.Bound != c.want {
					t.Errorf("peak %d, bound %d, want %d", peak, res.Bound, c.want)
				}
			}
		})
	}
}

// Big-M beside tiny sizes: the other formulations get it right as well, thanks
// to the reductions, or leave the bound at what they can vouch for.
func TestTrapInEveryFormulation(t *testing.T) {
	in := sharedCase(t, "31-big-M-and-tiny-sizes/input.csv")
	const want = 1<<40 + 28
	for _, f := range []ilp.Formulation{ilp.CsumPeak, ilp.Tight, ilp.Raw} {
		res, peak := mustPlan(t, ilp.Planner{Solver: highs.Solver{}, Start: heuristics.ChooseBest{}, Formulation: f}, in)
		if peak < want || res.Bound > want {
			t.Errorf("%v: peak %d, bound %d, want %d", f, peak, res.Bound, int64(want))
		}
		if f != ilp.Raw && (peak != want || res.Bound != want) {
			t.Errorf("%v: peak %d, bound %d: not proven", f, peak, res.Bound)
		}
	}
}

// No plan fits: an error, from the first planner or from the solver.
func TestBeyondInt64(t *testing.T) {
	in := sharedCase(t, "23-offset-overflow/align-up-overflow.csv")
	for _, p := range []ilp.Planner{{Solver: highs.Solver{}}, {Solver: highs.Solver{}, Start: heuristics.ChooseBest{}}} {
		if res, err := p.Plan(context.Background(), in); err == nil {
			t.Errorf("no error, but %+v", res)
		}
	}
}

// At a limit: the start's plan or a better one, a bound that holds, no error,
// and "optimal" for no wrong value.
func TestLimits(t *testing.T) {
	for path, best := range map[string]int64{
		"33-time-limit-status/input.csv": 1000,
		"33-time-limit-status/chain.csv": 1028,
		"33-time-limit-status/hard.csv":  100000,
	} {
		in := sharedCase(t, path)
		first, err := heuristics.ChooseBest{}.Plan(context.Background(), in)
		if err != nil {
			t.Fatal(err)
		}
		for _, limit := range []time.Duration{time.Millisecond, time.Duration(shared.Many(250)) * time.Millisecond} {
			for _, f := range []ilp.Formulation{ilp.Csum, ilp.CsumPeak, ilp.Tight, ilp.Raw} {
				ctx, cancel := context.WithTimeout(context.Background(), limit)
				res, err := ilp.Planner{Solver: highs.Solver{}, Start: given{*first.Plan}, Formulation: f}.Plan(ctx, in)
				cancel()
				if err != nil || res.Plan == nil {
					t.Fatalf("%s, %v, %v: plan %v, error %v", path, limit, f, res.Plan, err)
				}
				peak := res.Plan.Peak(in)
				if err := verify.Plan(in, *res.Plan); err != nil || peak > first.Plan.Peak(in) || peak < best || res.Bound > best || res.Bound < in.Load() {
					t.Errorf("%s, %v, %v: peak %d, bound %d, optimum %d: %v", path, limit, f, peak, res.Bound, best, err)
				}
			}
		}
	}
}

// given is a planner that has its plan already.
type given struct{ plan model.Plan }

func (given) Name() string { return "given" }

func (g given) Plan(context.Context, *model.Instance) (model.Result, error) {
	return model.Result{Plan: &g.plan}, nil
}
