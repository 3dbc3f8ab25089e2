package ilp_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand"
	"slices"
	"testing"

	"memplan/heuristics"
	"memplan/ilp"
	"memplan/ilp/highs"
	"memplan/internal/oracle"
	"memplan/model"
	"memplan/verify"
)

// A liar is a solver that may say anything.
type liar func(p *ilp.Program, o ilp.Options) (ilp.Outcome, error)

func (liar) Version() string { return "liar" }

func (l liar) Solve(_ context.Context, p *ilp.Program, o ilp.Options) (ilp.Outcome, error) {
	return l(p, o)
}

func values(p *ilp.Program, of func(k int) float64) []float64 {
	v := make([]float64, len(p.Columns))
	for k := range v {
		v[k] = of(k)
	}
	return v
}

func constant(x float64) func(int) float64 { return func(int) float64 { return x } }

// liars, each with its own kind of lie. Those that say "infeasible", or give a
// dual bound that no plan at hand refutes, cannot be found out; their word must
// at least be marked as theirs.
func liars(r *rand.Rand) map[string]liar {
	none := math.Inf(-1)
	return map[string]liar{
		"all zero, optimal": func(p *ilp.Program, _ ilp.Options) (ilp.Outcome, error) {
			return ilp.Outcome{Verdict: ilp.Solved, Values: values(p, constant(0))}, nil
		},
		"all one, optimal": func(p *ilp.Program, _ ilp.Options) (ilp.Outcome, error) {
			return ilp.Outcome{Verdict: ilp.Solved, Values: values(p, constant(1)), Dual: 1}, nil
		},
		"halves": func(p *ilp.Program, _ ilp.Options) (ilp.Outcome, error) {
			return ilp.Outcome{Verdict: ilp.Solved, Values: values(p, constant(0.5)), Dual: none}, nil
		},
		"orders at random, mostly cycles": func(p *ilp.Program, _ ilp.Options) (ilp.Outcome, error) {
			return ilp.Outcome{Verdict: ilp.Solved, Values: values(p, func(int) float64 { return float64(r.Intn(2)) }), Dual: none}, nil
		},
		"no numbers": func(p *ilp.Program, _ ilp.Options) (ilp.Outcome, error) {
			return ilp.Outcome{Verdict: ilp.Solved, Values: values(p, constant(math.NaN())), Dual: math.NaN(), Objective: math.NaN()}, nil
		},
		"infinities": func(p *ilp.Program, _ ilp.Options) (ilp.Outcome, error) {
			return ilp.Outcome{Verdict: ilp.Solved, Values: values(p, constant(math.Inf(1))), Dual: math.Inf(1)}, nil
		},
		"too few values": func(*ilp.Program, ilp.Options) (ilp.Outcome, error) {
			return ilp.Outcome{Verdict: ilp.Solved, Values: []float64{1}, Dual: none}, nil
		},
		"optimal, without values": func(*ilp.Program, ilp.Options) (ilp.Outcome, error) {
			return ilp.Outcome{Verdict: ilp.Solved}, nil
		},
		"nothing at all": func(*ilp.Program, ilp.Options) (ilp.Outcome, error) { return ilp.Outcome{}, nil },
		"an error":       func(*ilp.Program, ilp.Options) (ilp.Outcome, error) { return ilp.Outcome{}, errors.New("broken") },
		"infeasible":     func(*ilp.Program, ilp.Options) (ilp.Outcome, error) { return ilp.Outcome{Verdict: ilp.Infeasible}, nil },
		"a bound above everything": func(*ilp.Program, ilp.Options) (ilp.Outcome, error) {
			return ilp.Outcome{Verdict: ilp.Stopped, Dual: 1e9}, nil
		},
		"a bound one too high": func(p *ilp.Program, o ilp.Options) (ilp.Outcome, error) {
			out, err := highs.Solver{}.Solve(context.Background(), p, o)
			out.Dual++
			return out, err
		},
		"an objective one too low": func(p *ilp.Program, o ilp.Options) (ilp.Outcome, error) {
			out, err := highs.Solver{}.Solve(context.Background(), p, o)
			out.Objective--
			return out, err
		},
		"now this, now that": func(p *ilp.Program, _ ilp.Options) (ilp.Outcome, error) {
			return ilp.Outcome{Verdict: ilp.Verdict(r.Intn(3)), Values: values(p, func(int) float64 { return r.Float64() }), Dual: float64(r.Intn(40))}, nil
		},
	}
}

// Whatever the solver says: plans hold, no bound is above a plan at hand, and a
// bound that is not the load is marked as the solver's word, so that a wrong
// one is never more than that.
func TestLiars(t *testing.T) {
	caught, marked, right := map[string]int{}, map[string]int{}, map[string]int{}
	for seed := range int64(150) {
		r := rand.New(rand.NewSource(seed))
		in := oracle.Random(r, oracle.Features{Align: seed%3 == 0, Pins: seed%5 == 0, Gaps: seed%2 == 0, Ties: seed%7 == 0})
		if seed%2 == 0 { // few random instances are left for the solver
			in = generate(t, fmt.Sprint("chain-8-12-", seed))
		}
		plan, ok := oracle.Optimum(in)
		if !ok {
			t.Fatal("no optimum")
		}
		best := plan.Peak(in)
		all := liars(r)
		for _, name := range slices.Sorted(maps.Keys(all)) {
			p := ilp.Planner{Solver: all[name], Formulation: ilp.Formulation(seed % 4)}
			if seed%3 > 0 {
				p.Start = heuristics.NoReuse{}
			}
			res, err := p.Plan(context.Background(), in)
			if err != nil {
				caught[name]++
			}
			if res.Plan != nil {
				if err := verify.Plan(in, *res.Plan); err != nil {
					t.Fatalf("seed %d, %s: %v", seed, name, err)
				}
				if peak := res.Plan.Peak(in); res.Bound > peak {
					t.Fatalf("seed %d, %s: bound %d above the peak %d", seed, name, res.Bound, peak)
				}
			}
			switch c := res.Certificate; {
			case c == nil || c.Bound != res.Bound:
				t.Fatalf("seed %d, %s: bound %d with certificate %v", seed, name, res.Bound, c)
			case c.Proof == model.ProofLoad && res.Bound != in.Load():
				t.Fatalf("seed %d, %s: the load %d is said to prove %d", seed, name, in.Load(), res.Bound)
			case c.Proof != model.ProofLoad && c.Proof != model.ProofMIP:
				t.Fatalf("seed %d, %s: proof %q", seed, name, c.Proof)
			case res.Bound > best:
				marked[name]++
			default:
				right[name]++
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(liars(nil))) {
		t.Logf("%-32s found out %3d, wrong but marked %3d, bound right %3d", name, caught[name], marked[name], right[name])
	}
	for _, name := range []string{"nothing at all", "an error", "a bound above everything"} {
		if caught[name] < 30 {
			t.Errorf("%s: found out only %d times", name, caught[name])
		}
	}
	if marked["infeasible"] == 0 {
		t.Error("no wrong bound was believed: this says little")
	}
	for _, name := range []string{"all zero, optimal", "all one, optimal", "halves", "orders at random, mostly cycles", "no numbers", "too few values", "optimal, without values", "nothing at all", "an error", "an objective one too low"} {
		if marked[name] > 0 {
			t.Errorf("%s: %d wrong bounds", name, marked[name])
		}
	}
}

// A panic inside a climb is an error.
func TestClimbReportsPanics(t *testing.T) {
	spoilt := liar(func(p *ilp.Program, _ ilp.Options) (ilp.Outcome, error) {
		return ilp.Outcome{Dual: p.Columns[len(p.Columns)].Cost}, nil
	})
	_, err := ilp.Planner{Solver: spoilt}.Plan(context.Background(), generate(t, "chain-14-15-72"))
	var bug *model.Panic
	if !errors.As(err, &bug) {
		t.Errorf("%v", err)
	}
}
