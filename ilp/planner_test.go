package ilp_test

import (
	"context"
	"fmt"
	"math/rand"
	"testing"

	"memplan/heuristics"
	"memplan/ilp"
	"memplan/ilp/highs"
	"memplan/internal/oracle"
	"memplan/internal/shared"
	"memplan/model"
	"memplan/search/learning"
	"memplan/verify"
)

func mustPlan(t *testing.T, p ilp.Planner, in *model.Instance) (model.Result, int64) {
	t.Helper()
	res, err := p.Plan(context.Background(), in)
	if err != nil {
		t.Fatal(err)
	}
	if res.Plan == nil {
		t.Fatalf("%v: no plan, bound %d", p.Formulation, res.Bound)
	}
	if err := verify.Plan(in, *res.Plan); err != nil {
		t.Fatal(err)
	}
	return res, res.Plan.Peak(in)
}

// Every formulation finds the optimum that brute force finds, and proves it,
// with every feature.
func TestAgainstBruteForce(t *testing.T) {
	above := 0
	for seed := range int64(2000) {
		r := rand.New(rand.NewSource(seed))
		in := oracle.Random(r, oracle.Features{Align: r.Intn(2) == 0, Pins: r.Intn(3) == 0, Gaps: r.Intn(2) == 0, Ties: r.Intn(3) == 0})
		plan, ok := oracle.Optimum(in)
		if !ok {
			t.Fatal("no optimum")
		}
		best := plan.Peak(in)
		if best > in.Load() {
			above++
		}
		p := ilp.Planner{Solver: highs.Solver{}, Formulation: ilp.Formulation(seed % 4)}
		if r.Intn(2) == 0 {
			p.Start = heuristics.ChooseBest{}
		}
		res, peak := mustPlan(t, p, in)
		if peak != best || res.Bound != best {
			t.Fatalf("seed %d, %v: peak %d, bound %d, optimum %d", seed, p.Formulation, peak, res.Bound, best)
		}
		if res.Certificate.Proof == model.ProofLoad && res.Bound != in.Load() {
			t.Fatalf("seed %d: the load %d is said to prove %d", seed, in.Load(), res.Bound)
		}
	}
	t.Log(above)
}

// Plans that grow by two steps at a time come to the same optima: what is kept of
// them costs time at most.
func TestCoursesAgainstBruteForce(t *testing.T) {
	ilp.WithStride(t, 2)
	for seed := range int64(shared.Many(60)) {
		var in *model.Instance
		var best int64
		if seed%2 == 0 {
			in = oracle.Random(rand.New(rand.NewSource(seed)), oracle.All)
			plan, _ := oracle.Optimum(in)
			best = plan.Peak(in)
		} else {
			in = generate(t, fmt.Sprint("mixed-6-", seed))
			best = oracle.Peak(in)
		}
		p := ilp.Planner{Solver: highs.Solver{}, Start: heuristics.NoReuse{}}
		if res, peak := mustPlan(t, p, in); peak != best || res.Bound != best {
			t.Fatalf("seed %d: peak %d, bound %d, optimum %d", seed, peak, res.Bound, best)
		}
	}
}

// What is hard without the balances and without going along time takes so much work,
// a unit being about a microsecond, and no more. Longer by four steps at a time some
// plans cannot be gone on with, which is no refutation. More of them with -times 4.
func TestLongChains(t *testing.T) {
	for k, c := range []struct {
		name        string
		stride      int64
		best, limit int64
	}{
		{"long-chain-60-20-1", 16, 21, 500_000},
		{"long-chain-60-50-1", 4, 51, 3_000_000},
		{"long-chain-100-20-1", 16, 21, 1_000_000},
		{"long-chain-120-20-1", 16, 21, 3_000_000},
		{"long-chain-150-20-1", 16, 21, 3_000_000},
		{"long-chain-200-20-1", 16, 21, 10_000_000},
		{"long-chain-100-50-1", 16, 51, 20_000_000},
	} {
		if k == shared.Many(3) {
			break
		}
		ilp.WithStride(t, c.stride)
		e := &ilp.Engine{Instance: generate(t, c.name), Solver: highs.Solver{}}
		f, err := e.Run(context.Background(), model.Result{}, c.limit)
		t.Logf("%s: %d units, %d nodes", c.name, f.Work, f.Stats.Nodes)
		if err != nil || f.Bound != c.best || f.Plan == nil || f.Plan.Peak(e.Instance) != c.best {
			t.Errorf("%s: bound %d after %d units, want %d: %v", c.name, f.Bound, f.Work, c.best, err)
		}
		e.Close()
	}
}

func prover(in *model.Instance) model.Engine { return &learning.Engine{Instance: in} }

// With a prover a bound above the load has a proof that needs no solver's word.
func TestProver(t *testing.T) {
	above := 0
	for seed := range int64(200) {
		in := generate(t, fmt.Sprint("mixed-6-", seed))
		p := ilp.Planner{Solver: highs.Solver{}, Start: heuristics.ChooseBest{}, Prover: prover}
		res, peak := mustPlan(t, p, in)
		if err := verify.Certificate(in, res.Certificate); err != nil || res.Bound != peak {
			t.Fatalf("seed %d: peak %d, bound %d: %v", seed, peak, res.Bound, err)
		}
		if peak > in.Load() {
			above++
		}
	}
	if above < 30 {
		t.Errorf("only %d above the load: this says little", above)
	}
}

// A solver that denies plans which the prover finds is found out.
func TestProverAgainstLiars(t *testing.T) {
	denial := liar(func(*ilp.Program, ilp.Options) (ilp.Outcome, error) { return ilp.Outcome{Verdict: ilp.Infeasible}, nil })
	wrong, caught := 0, 0
	for seed := range int64(200) {
		in := generate(t, fmt.Sprint("chain-8-12-", seed))
		p := ilp.Planner{Solver: denial, Start: heuristics.NoReuse{}}
		if res, _ := p.Plan(context.Background(), in); res.Certificate.Proof != model.ProofMIP {
			continue
		}
		wrong++
		p.Prover = prover
		res, err := p.Plan(context.Background(), in)
		if err != nil {
			caught++
		}
		if err := verify.Certificate(in, res.Certificate); err != nil {
			t.Fatalf("seed %d: bound %d: %v", seed, res.Bound, err)
		}
	}
	if wrong == 0 || caught != wrong {
		t.Errorf("%d lies, %d of them found out", wrong, caught)
	}
}
