package ilp

import (
	"context"
	"errors"
	"fmt"

	"memplan/model"
)

// A ledger is the books of a climb: what is known, what is news since the
// last report, and how much of the slice of work is left. When it is used up,
// whoever pays waits in the middle of its work for the next slice: a solver's
// run goes on where it was.
type ledger struct {
	ctx     context.Context
	turns   <-chan turn
	reports chan<- report
	left    int64

	best  *model.Plan
	peak  int64 // of best; MaxBytes when there is none
	bound int64
	fresh bool // best has come since the climb last looked
	news  model.Finding
}

// A turn is a slice of work, and a report what came of it.
type turn struct {
	known model.Result
	work  int64
}

type report struct {
	found model.Finding
	err   error
}

// alive reports whether the climb is to go on.
func (c *ledger) alive() bool { return c.ctx.Err() == nil }

// met reports whether best and bound meet.
func (c *ledger) met() bool { return c.best != nil && c.peak <= c.bound }

// pay counts work, and waits when there is none left. It reports whether to go
// on.
func (c *ledger) pay(in *model.Instance, work int64) bool {
	c.left -= work
	c.news.Work += work
	if c.left <= 0 && c.alive() {
		c.reports <- report{found: c.news}
		c.wait(in)
	}
	return c.alive()
}

// wait takes the next slice, and with it what others have found. Plans are
// checked; bounds are taken on trust, as they only say where to ask.
func (c *ledger) wait(in *model.Instance) {
	c.news = model.Finding{}
	select {
	case t := <-c.turns:
		c.left = t.work
		c.bound = max(c.bound, t.known.Bound)
		if p := t.known.Plan; p != nil && in.Check(*p) == nil {
			if peak := p.Peak(in); c.best == nil || peak < c.peak {
				c.best, c.peak, c.fresh = p, peak, true
			}
		}
	case <-c.ctx.Done():
	}
}

// offer notes a checked plan, if it is the best.
func (c *ledger) offer(p model.Plan, in *model.Instance) error {
	peak := p.Peak(in)
	if c.best == nil || peak < c.peak {
		c.best, c.peak = &p, peak
		c.news.Plan = &p
	}
	if c.peak < c.bound {
		return denied(c.bound, c.peak)
	}
	return nil
}

// raise notes a bound, if it is the highest. Where it is the load it is proven
// by that; beyond it, it is the solver's word.
func (c *ledger) raise(bound int64, in *model.Instance) error {
	if bound > c.peak {
		return denied(bound, c.peak)
	}
	if bound < c.bound || bound == c.bound && c.news.Certificate != nil {
		return nil
	}
	c.bound = bound
	c.news.Bound, c.news.Certificate = bound, &model.Certificate{Proof: model.ProofMIP, Bound: bound}
	if step, load := in.LoadStep(); bound == load {
		*c.news.Certificate = model.Certificate{Proof: model.ProofLoad, Bound: load, Step: step}
	}
	return nil
}

// denied is the error for a bound above a checked plan.
func denied(bound, peak int64) error {
	return fmt.Errorf("ilp: the solver claims that no plan is below %d, but there is one at %d", bound, peak)
}

// Work, in about microseconds: of a simplex iteration with what goes with it,
// of a call back, and of a term of a program to build.
const (
	iterationWork = 400
	callWork      = 1000
	termWork      = 1
)

// A question is a program's run as the climb sees it.
type question struct {
	iterations int64                        // after which it is given up; 0: never
	moot       func() bool                  // whether others have answered it
	found      func(values []float64) error // told of solutions on the way; may be nil
}

// solve has the solver run, paying for it as it goes. The run ends when the
// question does. A solver that stops for no such reason has failed.
func (c *climb) solve(ctx context.Context, l *layout, o Options, q question) (Outcome, error) {
	if !c.pay(c.in, int64(l.terms())*termWork) {
		return Outcome{}, nil
	}
	if len(l.Columns) == 0 {
		return Outcome{Verdict: Solved, Values: []float64{}}, nil
	}
	var paid int64
	var called bool // off, for a reason
	var failed error
	o.Threads = c.threads
	o.Watch = func(now Progress) (going bool) {
		defer model.Recover(&failed) // or it would pass through the solver
		if now.Values != nil && q.found != nil && failed == nil {
			failed = q.found(now.Values)
		}
		work := callWork + iterationWork*max(0, now.Iterations-paid)
		paid = max(paid, now.Iterations)
		going = c.pay(c.in, work) && failed == nil && !q.moot() && (q.iterations == 0 || now.Iterations < q.iterations)
		called = called || !going
		return going
	}
	out, err := c.solver.Solve(ctx, &l.Program, o)
	c.news.Stats.Nodes += out.Nodes
	switch {
	case err != nil:
		return out, fmt.Errorf("ilp: %w", err)
	case failed != nil:
		return out, failed
	case out.Verdict == Stopped && !called && c.alive():
		return out, errors.New("ilp: the solver stopped for no reason")
	}
	return out, nil
}
