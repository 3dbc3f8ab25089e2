package ilp

import "context"

// A Program is a mixed-integer linear program: minimise the cost of the
// columns within the bounds of columns and rows. Infinite bounds are ±math.Inf.
type Program struct {
	Columns []Column
	Rows    []Row
}

// A Column is one variable.
type Column struct {
	Cost, Lower, Upper float64
	Integer            bool
}

// A Row bounds a linear expression.
type Row struct {
	Lower, Upper float64
	Terms        []Term // each column at most once
}

// A Term is a coefficient on a column, by index in Program.Columns.
type Term struct {
	Column int
	Coef   float64
}

// A Solver solves programs. ilp trusts nothing that it says but "infeasible"
// and the dual bound, and marks what rests on those as the solver's word.
type Solver interface {
	// Version names the solver, for the provenance of results.
	Version() string
	// Solve works on p until it is done or a limit comes: the end of ctx, the
	// node limit, or Watch's wish. A limit is no error. p is not changed.
	Solve(ctx context.Context, p *Program, o Options) (Outcome, error)
}

// Options of one run of a Solver.
type Options struct {
	Threads int       // 0 = 1; only 1 repeats exactly
	Nodes   int64     // node limit; 0 = none
	Seed    int64     // of what the solver draws; of its lower bits only
	Gap     float64   // stop once best - dual bound is at most this, in units of the objective
	Start   []float64 // a value for each column, to begin with; nil = none
	// Watch, when not nil, is told how far the run is, often, and from another
	// goroutine; it may block the run. It returns false to end the run.
	Watch func(Progress) bool
}

// Progress is how far a run is. Primal and Dual only ever improve, and are for
// display: the bound to rely on is Outcome.Dual.
type Progress struct {
	Primal, Dual      float64   // best objective and bound; ±Inf before there is one
	Nodes, Iterations int64     // nodes of the tree, iterations of the simplex method
	Values            []float64 // a better solution just found; nil: none
}

// Verdict is a solver's model status.
type Verdict int

const (
	Stopped    Verdict = iota // a limit came first
	Solved                    // optimal, to within Options.Gap
	Infeasible                // no solution
)

// An Outcome is what a run gave. Values is nil unless the primal status is
// feasible, whatever the verdict.
type Outcome struct {
	Verdict           Verdict
	Values            []float64 // of the columns, in floating point
	Objective         float64   // of Values
	Dual              float64   // lower bound on the objective; -Inf = none
	Duals             []float64 // of the rows, where no column is an integer and the program is solved; else nil
	Nodes, Iterations int64
}
