package highs_test

import (
	"context"
	"math"
	"testing"
	"time"

	"memplan/ilp"
	"memplan/ilp/highs"
)

var inf = math.Inf(1)

// terms makes a row's terms of columns and their coefficients, in turn.
func terms(of ...float64) (all []ilp.Term) {
	for k := 0; k < len(of); k += 2 {
		all = append(all, ilp.Term{Column: int(of[k]), Coef: of[k+1]})
	}
	return all
}

// knapsack: a small program with the optimum -9, at (1, 0, 1).
func knapsack() *ilp.Program {
	p := &ilp.Program{Rows: []ilp.Row{{Lower: -inf, Upper: 5, Terms: terms(0, 2, 1, 3, 2, 3)}}}
	for _, worth := range []float64{4, 4, 5} {
		p.Columns = append(p.Columns, ilp.Column{Cost: -worth, Upper: 1, Integer: true})
	}
	return p
}

// split is a market-split program: several equations over binaries, whose
// slack is to be least. Nothing of this size is solved in a minute.
func split() (*ilp.Program, []float64) {
	const n, m = 50, 6
	p := &ilp.Program{}
	var start []float64
	for range n {
		p.Columns = append(p.Columns, ilp.Column{Upper: 1, Integer: true})
		start = append(start, 0)
	}
	seed := uint32(1)
	for range m {
		row := ilp.Row{}
		sum := 0.0
		for k := range n {
			seed = seed*1664525 + 1013904223
			a := float64(seed >> 25)
			sum += a
			row.Terms = append(row.Terms, ilp.Term{Column: k, Coef: a})
		}
		half := math.Floor(sum / 2)
		row.Lower, row.Upper = half, half
		row.Terms = append(row.Terms, ilp.Term{Column: len(p.Columns), Coef: 1}, ilp.Term{Column: len(p.Columns) + 1, Coef: -1})
		p.Columns = append(p.Columns, ilp.Column{Cost: 1, Upper: inf}, ilp.Column{Cost: 1, Upper: inf})
		p.Rows = append(p.Rows, row)
		start = append(start, half, 0)
	}
	return p, start
}

// holds checks the values against the rows, to within the solver's tolerance.
func holds(t *testing.T, p *ilp.Program, x []float64) {
	t.Helper()
	if len(x) != len(p.Columns) {
		t.Fatalf("%d values for %d columns", len(x), len(p.Columns))
	}
	for k, r := range p.Rows {
		sum := 0.0
		for _, term := range r.Terms {
			sum += term.Coef * x[term.Column]
		}
		if sum < r.Lower-1e-4 || sum > r.Upper+1e-4 {
			t.Errorf("row %d is %g, outside [%g, %g]", k, sum, r.Lower, r.Upper)
		}
	}
}

// Of a program without integers the rows' duals prove the bound.
func TestDuals(t *testing.T) {
	p := knapsack()
	for k := range p.Columns {
		p.Columns[k].Integer = false
	}
	out := solve(t, context.Background(), p, ilp.Options{})
	if out.Verdict != ilp.Solved || len(out.Duals) != 1 {
		t.Fatalf("%+v", out)
	}
	bound := out.Duals[0] * p.Rows[0].Upper
	for k, c := range p.Columns {
		bound += min(0, c.Cost-out.Duals[0]*p.Rows[0].Terms[k].Coef)
	}
	if out.Duals[0] >= 0 || math.Abs(bound-out.Dual) > 1e-6 || out.Dual > -9 {
		t.Errorf("the duals %v give %g, the bound is %g", out.Duals, bound, out.Dual)
	}
	p.Columns[0].Integer = true
	if out := solve(t, context.Background(), p, ilp.Options{}); out.Duals != nil {
		t.Errorf("duals of a program with integers: %v", out.Duals)
	}
}

func solve(t *testing.T, ctx context.Context, p *ilp.Program, o ilp.Options) ilp.Outcome {
	t.Helper()
	out, err := highs.Solver{}.Solve(ctx, p, o)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestVersion(t *testing.T) {
	if v := (highs.Solver{}).Version(); v != "HiGHS 1.15.1" {
		t.Errorf("version %q, want the one that requirements.txt pins", v)
	}
}

func TestSolves(t *testing.T) {
	p := knapsack()
	out := solve(t, context.Background(), p, ilp.Options{})
	if out.Verdict != ilp.Solved || math.Abs(out.Objective+9) > 1e-6 || math.Abs(out.Dual+9) > 1e-6 {
		t.Fatalf("got %+v, want the optimum -9", out)
	}
	holds(t, p, out.Values)
	for k, want := range []float64{1, 0, 1} {
		if math.Abs(out.Values[k]-want) > 1e-6 {
			t.Errorf("column %d is %g, want %g", k, out.Values[k], want)
		}
	}
}

// A program may grow between runs: rows are added, and the run begins anew.
func TestRowsAddedBetweenRuns(t *testing.T) {
	p := knapsack()
	p.Rows = append(p.Rows, ilp.Row{Lower: -inf, Upper: 1, Terms: terms(0, 1, 2, 1)})
	if out := solve(t, context.Background(), p, ilp.Options{}); math.Abs(out.Objective+8) > 1e-6 {
		t.Errorf("with one more row: %g, want -8", out.Objective)
	}
	p.Rows = append(p.Rows, ilp.Row{Lower: 3, Upper: inf, Terms: terms(0, 1, 1, 1, 2, 1)})
	out := solve(t, context.Background(), p, ilp.Options{})
	if out.Verdict != ilp.Infeasible || out.Values != nil {
		t.Errorf("with two more rows: %+v, want infeasible", out)
	}
}

func TestNodeLimitKeepsTheStart(t *testing.T) {
	p, start := split()
	worth := 0.0
	for k, c := range p.Columns {
		worth += c.Cost * start[k]
	}
	run := func() ilp.Outcome { return solve(t, context.Background(), p, ilp.Options{Start: start, Nodes: 20}) }
	out := run()
	if out.Verdict != ilp.Stopped || out.Objective > worth+1e-6 {
		t.Fatalf("got %+v, want a limit and at most the start's %g", out, worth)
	}
	holds(t, p, out.Values)
	if again := run(); again.Objective != out.Objective || again.Dual != out.Dual || again.Iterations != out.Iterations {
		t.Errorf("a second run differs: %+v, first %+v", again, out)
	}
}

func TestTimeLimitKeepsTheIncumbent(t *testing.T) {
	p, start := split()
	var out ilp.Outcome
	for limit := 50 * time.Millisecond; out.Values == nil && limit < time.Minute; limit *= 2 { // until it has begun in time
		ctx, cancel := context.WithTimeout(context.Background(), limit)
		out = solve(t, ctx, p, ilp.Options{Start: start})
		cancel()
	}
	if out.Verdict != ilp.Stopped || out.Values == nil {
		t.Fatalf("got verdict %v with %d values, want a limit with an incumbent", out.Verdict, len(out.Values))
	}
	holds(t, p, out.Values)
	if out.Dual > out.Objective {
		t.Errorf("dual bound %g above the objective %g", out.Dual, out.Objective)
	}
}

func TestInterrupt(t *testing.T) {
	p, start := split()
	ctx, cancel := context.WithCancel(context.Background())
	var seen []ilp.Progress
	found := 0
	out := solve(t, ctx, p, ilp.Options{Start: start, Watch: func(now ilp.Progress) bool {
		seen = append(seen, now)
		if now.Values != nil {
			found++
			holds(t, p, now.Values)
		}
		if len(seen) == 100 {
			cancel()
		}
		return true
	}})
	if out.Verdict != ilp.Stopped || out.Values == nil {
		t.Fatalf("cancelled: got verdict %v with %d values", out.Verdict, len(out.Values))
	}
	if found == 0 {
		t.Error("no solution shown on the way")
	}
	if len(seen) > 110 {
		t.Errorf("%d more calls after the cancellation", len(seen)-100)
	}
	for k := 1; k < len(seen); k++ {
		a, b := seen[k-1], seen[k]
		if b.Primal > a.Primal || b.Dual < a.Dual || b.Nodes < a.Nodes || b.Iterations < a.Iterations {
			t.Fatalf("progress goes back: %+v after %+v", b, a)
		}
	}
	calls := 0
	solve(t, context.Background(), p, ilp.Options{Watch: func(ilp.Progress) bool { calls++; return false }})
	if calls == 0 || calls > 10 {
		t.Errorf("asked to stop at once, it called %d times", calls)
	}
	if out := solve(t, ctx, p, ilp.Options{}); out.Verdict != ilp.Stopped || out.Values != nil || !math.IsInf(out.Dual, -1) {
		t.Errorf("a run that ended before it began says %+v", out)
	}
}

func TestThreads(t *testing.T) {
	for _, threads := range []int{2, 1, 2} {
		if out := solve(t, context.Background(), knapsack(), ilp.Options{Threads: threads}); out.Verdict != ilp.Solved {
			t.Errorf("%d threads: %+v", threads, out)
		}
	}
}

func TestRefusals(t *testing.T) {
	for name, p := range map[string]*ilp.Program{
		"no columns":     {},
		"no such column": {Columns: make([]ilp.Column, 1), Rows: []ilp.Row{{Terms: terms(5, 1)}}},
		"not a number":   {Columns: make([]ilp.Column, 1), Rows: []ilp.Row{{Terms: terms(0, math.NaN())}}},
	} {
		if out, err := (highs.Solver{}).Solve(context.Background(), p, ilp.Options{}); err == nil {
			t.Errorf("%s: no error, but %+v", name, out)
		}
	}
	if _, err := (highs.Solver{}).Solve(context.Background(), knapsack(), ilp.Options{Start: []float64{1}}); err == nil {
		t.Error("a start that is too short: no error")
	}
}
