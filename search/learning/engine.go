package learning

import (
	"context"

	"memplan/model"
	"memplan/model/reduce"
)

// An Engine proves bounds by refuting heights, and finds plans where heights
// cannot be refuted. It implements model.Engine; only the instance is needed.
//
// It works on the independent parts that package reduce leaves. In each part,
// from the known bound upwards, it asks windows of growing width and the whole,
// each a little at a time, then more, until one is refuted or the whole has a
// plan. A window with a plan has one at greater heights too, and is not asked
// again. Where refutations come cheaply the next height is further up, about
// twice as far each time. As much work goes to probes, which ask the whole at
// heights between the bound and the best peak.
//
// Exact, and complete: the wholes get ever more work. A part too large for the
// search gets bounds from windows only. Units of work are about a microsecond.
type Engine struct {
	Instance *model.Instance
	Seed     int64 // of the order in which pairs are first tried; 0: by size

	reduction *reduce.Reduction // nil: not begun
	stages    []*stage
	turn      int   // whose it is
	share     int64 // units for a query in this pass over the stages
}

// Name is "learning".
func (e *Engine) Name() string { return "learning" }

// Run implements model.Engine.
func (e *Engine) Run(ctx context.Context, known model.Result, work int64) (model.Finding, error) {
	e.begin()
	l := account{ctx: ctx, bound: known.Bound, peak: model.MaxBytes}
	if known.Plan != nil {
		l.peak = known.Plan.Peak(e.Instance)
	}
	e.floor(&l)
	if len(e.stages) == 0 {
		e.offer(&l)
	}
	for !l.Done && l.Work < work && l.bound < l.peak && ctx.Err() == nil {
		if t := e.next(&l); t != nil {
			e.ask(&l, t, work)
		} else {
			l.Done = !e.slow()
		}
	}
	if l.Certificate != nil {
		l.Bound = l.bound
	}
	return l.Finding, nil
}

// An account is of one call of Run.
type account struct {
	model.Finding
	ctx         context.Context
	bound, peak int64 // the best known
}

// begin cuts the instance into parts.
func (e *Engine) begin() {
	if e.reduction != nil {
		return
	}
	e.reduction, e.share = reduce.Reduce(e.Instance, 0), tuned.firstShare
	for k := range e.reduction.Parts {
		e.stages = append(e.stages, newStage(e.Instance, e.reduction, k))
	}
}

// floor raises the bound to what needs no search: the load, and the end of
// whatever has bytes and is pinned.
func (e *Engine) floor(l *account) {
	if step, load := e.Instance.LoadStep(); load > l.bound {
		l.bound, l.Certificate = load, &model.Certificate{Proof: model.ProofLoad, Bound: load, Step: step}
	}
	for i := range e.Instance.Buffers {
		b := &e.Instance.Buffers[i]
		at, pinned := e.Instance.Pin(i)
		if !pinned || b.Size == 0 || at+b.Size <= l.bound || at+b.Size > maxBytes {
			continue
		}
		l.bound = at + b.Size
		l.Certificate = &model.Certificate{Proof: model.ProofSearch, Bound: l.bound,
			Refutation: &model.Refutation{Window: b.Life, Height: l.bound - 1, Buffers: []int{i}}}
	}
}

// next is the query whose turn it is; nil when none is open. After each pass
// over all of them the share doubles.
func (e *Engine) next(l *account) *query {
	for range 2 {
		for ; e.turn < len(e.stages); e.turn++ {
			s := e.stages[e.turn]
			s.aim(l.bound, l.peak)
			if t := s.next(l.peak); t != nil {
				return t
			}
		}
		e.turn, e.share = 0, 2*e.share
	}
	e.share = tuned.firstShare
	return nil
}

// slow takes back strides, and reports whether there were any.
func (e *Engine) slow() (were bool) {
	for _, s := range e.stages {
		were = were || s.stride > 0
		s.stride = 0
	}
	return were
}

// ask works on a query for its share, or what is left of the slice.
func (e *Engine) ask(l *account, t *query, work int64) {
	s := t.stage
	if t.search == nil {
		p := newProblem(e.Instance, t.window, t.height, s.only)
		l.Work += s.setUp
		if p == nil {
			t.standing = declined
			return
		}
		t.search = newSolver(p, t.seed(e.Seed))
	}
	units := min(t.due(e.share), work-l.Work)
	work0, learnt := t.search.work, t.search.learnt
	v := unknown
	for v == unknown && t.search.work-work0 < units*tuned.stepsPerUnit && l.ctx.Err() == nil {
		v = t.search.solve(min(units, tuned.clockUnits))
	}
	done := (t.search.work - work0) / tuned.stepsPerUnit
	l.Work += done
	t.pay(done)
	l.Stats.Learnt += t.search.learnt - learnt
	switch v {
	case refuted:
		l.bound = t.height + 1
		l.Certificate = &model.Certificate{Proof: model.ProofSearch, Bound: l.bound, Refutation: t.search.refutation(t.window, t.height)}
		e.share = tuned.firstShare
		s.refuted(t)
	case planned:
		if s.fits(t) {
			e.offer(l)
		}
	}
}

// offer puts the plans of the parts together, once all have one.
func (e *Engine) offer(l *account) {
	plans := make([]model.Plan, len(e.stages))
	for k, s := range e.stages {
		if s.plan == nil {
			return
		}
		plans[k] = *s.plan
	}
	plan, err := e.reduction.Lift(plans)
	if err == nil && plan.Peak(e.Instance) < l.peak {
		l.Plan, l.peak = &plan, plan.Peak(e.Instance)
	}
}
