package spill

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"memplan/ilp"
	"memplan/model"
)

// ErrTooLarge is why a question is not asked: its costs are beyond what floating
// point can tell apart.
var ErrTooLarge = errors.New("the bytes that may be moved, times what one costs, are 2^50 or more")

// Solve finds the choice of least cost. A limit, of ctx or of what Pack can
// decide, is no error: the answer has the best that was found, and the bound.
// Exact: where the bound meets the cost of what was found; that rests on the
// solver's word, and what was found does not. An operator that does not fit by
// itself is a proof that nothing fits.
//
// The program has a column for each event, gap and reload of each value: at
// most three for every operand. It is solved again for each proven clash; each
// adds a row that leaves out at least the last choice, so it ends.
func Solve(ctx context.Context, q *Question, t Tools) (*Answer, error) {
	k, err := newTask(q)
	if err != nil {
		return nil, err
	}
	p, ok := newProgram(k)
	if !ok {
		return nil, ErrTooLarge
	}
	a := &Answer{Columns: len(p.lp.Columns), program: p}
	if list := p.alone(); len(list) > 0 {
		a.None = &list[0].Proof
		return a, nil
	}
	for {
		done, err := p.round(ctx, t, a)
		if done || err != nil {
			return a, err
		}
	}
}

// round solves the program once, and places what it says. It reports whether
// there is nothing more to do.
func (p *program) round(ctx context.Context, t Tools, a *Answer) (done bool, err error) {
	out, err := p.solve(ctx, t, a)
	if err != nil {
		return true, err
	}
	if !p.withheld {
		a.raise(out.Dual, p.unit)
	}
	if out.Verdict == ilp.Infeasible && p.narrow() {
		a.States = true
		return true, nil
	}
	if out.Verdict == ilp.Infeasible {
		return true, fmt.Errorf("spill: the solver says that nothing fits, and no operator is too large")
	}
	if out.Values == nil {
		return true, nil
	}
	f, err := p.k.fit(p.read(out.Values))
	if err != nil {
		return true, fmt.Errorf("spill: what was fitted is no graph: %w", err)
	}
	in := f.Lowered.Arenas[0]
	res, err := t.pack(ctx, in)
	switch {
	case err != nil:
		return true, err
	case res.Plan != nil && res.Plan.Peak(in) <= in.Capacity:
		if a.Fitted == nil || f.Cost() < a.Fitted.Cost() {
			a.Fitted = f
		}
		return true, nil
	case res.Proven != nil && res.Proven.Bound > in.Capacity:
		if p.withhold() {
			return false, nil
		}
		a.Cuts++
		if !p.cut(f, res.Proven) {
			if a.States = p.narrow(); !a.States {
				a.None = &Proof{in, res.Proven}
			}
			return true, nil
		}
		return out.Verdict != ilp.Solved, nil
	}
	return true, p.roomier(ctx, t, a)
}

// pack plans within half of the time that is left, so that there is some where the
// plan is not decided.
func (t *Tools) pack(ctx context.Context, in *model.Instance) (model.Result, error) {
	if end, limited := ctx.Deadline(); limited {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeout(ctx, time.Until(end)/2)
		defer stop()
	}
	return t.Pack(ctx, in)
}

// maxTries is how often less fast memory is tried where it is not known whether a
// choice can be placed.
const maxTries = 6

// roomier looks for an answer that can be placed, though it may not be the best: the
// least for less fast memory, an eighth less each time, is placed in all of it.
func (p *program) roomier(ctx context.Context, t Tools, a *Answer) error {
	defer func() { a.Rows = len(p.lp.Rows) }()
	q := *p.k.q
	for range maxTries {
		q.Capacity -= q.Capacity / 8
		k, err := newTask(&q)
		if err != nil {
			return err
		}
		less, ok := newProgram(k)
		if !ok || ctx.Err() != nil || len(less.alone()) > 0 {
			return nil
		}
		less.withhold()
		out, err := less.solve(ctx, t, a)
		if err != nil || out.Values == nil {
			return err
		}
		f, err := p.k.fit(less.read(out.Values))
		if err != nil {
			return fmt.Errorf("spill: what was fitted is no graph: %w", err)
		}
		in := f.Lowered.Arenas[0]
		res, err := t.pack(ctx, in)
		if err != nil {
			return err
		}
		if res.Plan != nil && res.Plan.Peak(in) <= in.Capacity {
			a.Fitted = f
			return nil
		}
	}
	return nil
}

// narrow reports whether states may do more than the program says: where one is in
// fast memory because the operators that reach it reach no other, or a result might
// take the place of a copy. That nothing fits does not follow then.
func (p *program) narrow() bool {
	if p.withheld {
		return true
	}
	for v := range p.cols {
		if p.k.values[v].stays() && p.cols[v].kept == never {
			return true
		}
	}
	return false
}

// solve runs the solver, and counts that for an answer; a program without columns
// has nothing to choose.
func (p *program) solve(ctx context.Context, t Tools, a *Answer) (out ilp.Outcome, err error) {
	a.Rows = len(p.lp.Rows)
	if len(p.lp.Columns) == 0 {
		out = ilp.Outcome{Verdict: ilp.Solved, Values: []float64{}}
	} else if out, err = t.Solver.Solve(ctx, &p.lp, ilp.Options{Threads: t.Threads}); err != nil {
		return out, err
	}
	a.Solved++
	a.Nodes += out.Nodes
	return out, nil
}

// raise takes a bound of the solver's, in units, with half a unit for what its
// floating point may be wrong by.
func (a *Answer) raise(dual float64, unit int64) {
	if math.IsInf(dual, 0) || math.IsNaN(dual) || math.Abs(dual) > largest {
		return
	}
	if bound := int64(math.Ceil(dual-0.5)) * unit; bound > a.Bound {
		a.Bound, a.Word = bound, true
	}
}
