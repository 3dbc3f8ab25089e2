//go:build !static && (linux || darwin || windows) && (amd64 || arm64)

package highs

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"time"

	"memplan/ilp"
)

// patience is how long a run that was called off may take to notice. HiGHS
// looks between nodes and between cuts, not within a relaxation, and has been
// seen not to come back at all from one with numbers beyond 1e9.
const patience = 2 * time.Second

// Solve implements ilp.Solver. Each run has an operating-system thread of its
// own: HiGHS keeps its workers, and their number, by thread. A run that does
// not notice the end of ctx is left behind, and its result is lost.
func (Solver) Solve(ctx context.Context, p *ilp.Program, o ilp.Options) (ilp.Outcome, error) {
	l, err := find()
	if err != nil {
		return ilp.Outcome{}, err
	}
	if ctx.Err() != nil {
		return ilp.Outcome{Dual: math.Inf(-1)}, nil
	}
	if o.Start != nil && len(o.Start) != len(p.Columns) {
		return ilp.Outcome{}, fmt.Errorf("highs: a start of %d values for %d columns", len(o.Start), len(p.Columns))
	}
	type answer struct {
		out ilp.Outcome
		err error
	}
	done := make(chan answer, 1)
	go func() {
		runtime.LockOSThread() // and never unlocked: the thread ends with the goroutine
		out, err := l.solve(ctx, p, o)
		done <- answer{out, err}
	}()
	var late <-chan time.Time
	for over := ctx.Done(); ; {
		select {
		case a := <-done:
			return a.out, a.err
		case <-over:
			over, late = nil, time.After(patience)
		case <-late:
			return ilp.Outcome{Dual: math.Inf(-1)}, nil
		}
	}
}

func (l *library) solve(ctx context.Context, p *ilp.Program, o ilp.Options) (out ilp.Outcome, err error) {
	seconds := -1.0
	if end, ok := ctx.Deadline(); ok { // a little later, so that ctx ends first
		seconds = max(0, time.Until(end).Seconds()) + 0.1
	}
	h := l.create()
	if h == 0 {
		return out, errors.New("highs: it does not begin")
	}
	defer l.destroy(h)
	if !l.limit(h, o, seconds) {
		return out, errors.New("highs: it refuses its options")
	}
	if !l.pass(h, p) {
		return out, errors.New("highs: it refuses the program")
	}
	if o.Start != nil && l.setSolution(h, o.Start, nil, nil, nil) == statusError {
		return out, errors.New("highs: it refuses the start")
	}
	number := enter(watch(ctx, o.Watch))
	defer leave(number)
	// A warning from run is no failure: it comes with every limit.
	if l.setCallback(h, called(), number) == statusError ||
		l.startCallback(h, callbackInterrupt) == statusError ||
		l.startCallback(h, callbackImprovingSolution) == statusError ||
		l.run(h) == statusError {
		return out, errors.New("highs: the run failed")
	}
	return l.read(h, p)
}

// limit sets the options of a run: silent, exact, and the same in every run.
func (l *library) limit(h handle, o ilp.Options, seconds float64) bool {
	nodes := o.Nodes
	if nodes <= 0 || nodes > math.MaxInt32 {
		nodes = math.MaxInt32
	}
	ok := l.setBool(h, "output_flag", 0) == statusOk &&
		l.setInt(h, "threads", int32(max(1, o.Threads))) == statusOk &&
		l.setInt(h, "random_seed", int32(o.Seed&math.MaxInt32)) == statusOk &&
		l.setInt(h, "mip_max_nodes", int32(nodes)) == statusOk &&
		l.setDouble(h, "mip_rel_gap", 0) == statusOk &&
		l.setDouble(h, "mip_abs_gap", o.Gap) == statusOk
	return ok && (seconds < 0 || l.setDouble(h, "time_limit", seconds) == statusOk)
}

// pass hands the program over, row by row. HiGHS checks it, but not for
// coefficients that are no numbers.
func (l *library) pass(h handle, p *ilp.Program) bool {
	n, m := len(p.Columns), len(p.Rows)
	cost, lower, upper, integer := make([]float64, n), make([]float64, n), make([]float64, n), make([]int32, n)
	for k, c := range p.Columns {
		cost[k], lower[k], upper[k] = c.Cost, c.Lower, c.Upper
		if c.Integer {
			integer[k] = 1
		}
	}
	least, most, start := make([]float64, m), make([]float64, m), make([]int32, m)
	var index []int32
	var value []float64
	for k, r := range p.Rows {
		least[k], most[k], start[k] = r.Lower, r.Upper, int32(len(index))
		for _, t := range r.Terms {
			if math.IsNaN(t.Coef) {
				return false
			}
			index, value = append(index, int32(t.Column)), append(value, t.Coef)
		}
	}
	if n == 0 || len(index) > math.MaxInt32 {
		return false
	}
	return l.passMip(h, int32(n), int32(m), int32(len(index)), rowwise, minimize, 0, cost, lower, upper,
		least, most, start, index, value, integer) == statusOk
}

// verdicts are the model statuses that say what became of a run; the others are
// failures.
var verdicts = map[int32]ilp.Verdict{
	6: ilp.Solved, 7: ilp.Solved, // empty, optimal
	8:  ilp.Infeasible,
	13: ilp.Stopped, 14: ilp.Stopped, 16: ilp.Stopped, 17: ilp.Stopped, // time, iterations, solutions, interrupt
}

// read asks what a run gave. What HiGHS has no figure for stays 0; of a program
// without integers the bound is the objective.
func (l *library) read(h handle, p *ilp.Program) (out ilp.Outcome, err error) {
	status := l.modelStatus(h)
	verdict, known := verdicts[status]
	var primal, iterations int32
	l.infoInt(h, "primal_solution_status", &primal)
	l.infoInt(h, "simplex_iteration_count", &iterations)
	l.infoInt64(h, "mip_node_count", &out.Nodes)
	l.infoDouble(h, "objective_function_value", &out.Objective)
	l.infoDouble(h, "mip_dual_bound", &out.Dual)
	out.Verdict, out.Nodes, out.Iterations = verdict, max(0, out.Nodes), max(0, int64(iterations))
	if !known {
		return out, fmt.Errorf("highs: the run ended with model status %d", status)
	}
	if linear := !slices.ContainsFunc(p.Columns, func(c ilp.Column) bool { return c.Integer }); linear {
		out.Dual = math.Inf(-1)
		if verdict == ilp.Solved && primal == solutionFeasible {
			out.Dual, out.Duals = out.Objective, make([]float64, len(p.Rows))
		}
	}
	if primal == solutionFeasible {
		out.Values = make([]float64, len(p.Columns))
		if l.solution(h, out.Values, nil, nil, out.Duals) == statusError {
			return out, errors.New("highs: it does not give its solution")
		}
	}
	return out, nil
}
