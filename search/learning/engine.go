package learning

import (
	"cmp"
	"context"
	"slices"

	"memplan/model"
)

// An Engine proves bounds by refuting heights, from the known bound upwards,
// until the bound meets the best peak: at each height it asks windows of growing
// width and the whole, a little at a time, then more, until one is refuted or the
// whole has a plan. It implements model.Engine.
//
// Exact; complete, since the whole gets ever more work. An instance too large
// for the whole only gets bounds from windows.
type Engine struct {
	Instance *model.Instance
	Seed     int64

	begun  bool
	unit   int64 // of which every peak is a multiple
	tasks  []*task
	height int64 // what the tasks ask about
	turn   int   // the task that is next
	share  int64 // units for each task in this pass over them
}

// A task is the question whether one window fits below the height.
type task struct {
	window model.Interval
	width  int // sections
	whole  bool
	search *solver // nil: not begun at this height
	over   bool    // fits, or is too large: it will prove nothing
}

const (
	firstShare = 4 << 10 // units for each task in the first pass
	setUp      = 1 << 10 // units that it costs to state a problem
	bite       = 1 << 15 // units between looks at the clock
)

// Name is "learning".
func (e *Engine) Name() string { return "learning" }

// Run implements model.Engine.
func (e *Engine) Run(ctx context.Context, known model.Result, work int64) (model.Finding, error) {
	e.begin()
	found := model.Finding{Result: model.Result{Bound: known.Bound}}
	peak := int64(model.MaxBytes)
	if known.Plan != nil {
		peak = known.Plan.Peak(e.Instance)
	}
	for found.Work < work && found.Bound < peak && !found.Done && ctx.Err() == nil {
		if ask := e.ask(found.Bound, peak); ask != e.height {
			e.aim(ask)
		}
		t := e.next()
		if t == nil {
			found.Done = true
			break
		}
		e.work(ctx, t, &found, min(e.share, work-found.Work))
		if found.Plan != nil {
			peak = min(peak, found.Plan.Peak(e.Instance))
		}
	}
	if found.Certificate == nil {
		found.Bound = 0
	}
	return found, nil
}

// begin lists the windows.
func (e *Engine) begin() {
	if e.begun {
		return
	}
	e.begun, e.height = true, -1
	e.unit = unit(e.Instance)
	var steps []model.Interval
	for s := range e.Instance.Sections() {
		steps = append(steps, s.Steps)
	}
	if len(steps) == 0 {
		return
	}
	for width := 4; width < len(steps); width *= 2 {
		for from := 0; ; from += width / 2 {
			to := min(from+width, len(steps))
			e.tasks = append(e.tasks, &task{window: model.Interval{Start: steps[from].Start, End: steps[to-1].End}, width: width})
			if to == len(steps) {
				break
			}
		}
	}
	e.tasks = append(e.tasks, &task{window: model.Interval{Start: steps[0].Start, End: steps[len(steps)-1].End}, width: len(steps), whole: true})
}

// unit is the greatest common divisor of all that peaks are sums of: every
// offset of a plan without slack is a sum of sizes, rounded up to alignments,
// from a pin or the bottom upwards.
func unit(in *model.Instance) int64 {
	u := int64(0)
	for i := range in.Buffers {
		b := &in.Buffers[i]
		u = gcd(u, b.Size)
		if b.Align > 1 {
			u = gcd(u, b.Align)
		}
		if b.Offset != nil {
			u = gcd(u, *b.Offset)
		}
		if b.Tie != nil {
			u = gcd(u, b.Tie.Delta)
		}
	}
	return max(u, 1)
}

// ask is the height to refute next: the largest at which nothing more is asked
// than at the bound, and below the best peak.
func (e *Engine) ask(bound, peak int64) int64 {
	ask, fits := model.AlignUp(bound, e.unit)
	if fits {
		ask, fits = model.Add(ask, e.unit-1)
	}
	if !fits {
		return peak - 1
	}
	return min(ask, peak-1)
}

// aim begins a height. The window that was refuted last is asked first.
func (e *Engine) aim(height int64) {
	e.height, e.turn, e.share = height, 0, firstShare
	for _, t := range e.tasks {
		t.search = nil
	}
	e.tasks = slices.DeleteFunc(e.tasks, func(t *task) bool { return t.over })
}

// next is the task whose turn it is; after each pass the shares double. nil:
// none is left.
func (e *Engine) next() *task {
	if len(e.tasks) == 0 {
		return nil
	}
	for range 2 * len(e.tasks) {
		if e.turn == len(e.tasks) {
			e.turn, e.share = 0, 2*e.share
		}
		t := e.tasks[e.turn]
		e.turn++
		if !t.over {
			return t
		}
	}
	return nil
}

// work goes on with a task for about so many units.
func (e *Engine) work(ctx context.Context, t *task, found *model.Finding, units int64) {
	if t.search == nil {
		p := newProblem(e.Instance, t.window, e.height, nil)
		found.Work += setUp
		if p == nil {
			t.over = true
			return
		}
		t.search = newSolver(p, e.Seed)
	}
	before, learnt := t.search.work, t.search.conflicts
	v := unknown
	for stop := before + units*workUnit; v == unknown && t.search.work < stop && ctx.Err() == nil; {
		v = t.search.solve(min(units, bite))
	}
	found.Work += (t.search.work - before) / workUnit
	found.Stats.Conflicts += t.search.conflicts - learnt
	switch v {
	case refuted:
		e.refuted(t, found)
	case planned:
		t.over = true
		if t.whole {
			found.Plan = e.plan(t.search)
		}
	}
}

// refuted turns a refutation into a bound.
func (e *Engine) refuted(t *task, found *model.Finding) {
	found.Bound = e.height + 1
	found.Certificate = &model.Certificate{
		Proof: model.ProofSearch, Bound: found.Bound,
		Refutation: t.search.refutation(t.window, e.height),
	}
	slices.SortStableFunc(e.tasks, func(a, b *task) int {
		if (a == t) != (b == t) {
			if a == t {
				return -1
			}
			return 1
		}
		return cmp.Compare(a.width, b.width)
	})
	e.height = -1
}

// plan is the whole's plan; nil when it does not keep the ties.
func (e *Engine) plan(s *solver) *model.Plan {
	p := &model.Plan{Offsets: make([]int64, len(e.Instance.Buffers))}
	placed := make([]bool, len(p.Offsets))
	for k, off := range s.offsets() {
		p.Offsets[s.p.buffer[k]], placed[s.p.buffer[k]] = off, true
	}
	for i := range e.Instance.Buffers {
		if b := &e.Instance.Buffers[i]; !placed[i] && b.Offset != nil {
			p.Offsets[i] = *b.Offset
		}
	}
	for i := range e.Instance.Buffers {
		t := e.Instance.Buffers[i].Tie
		if t == nil {
			continue
		}
		at := p.Offsets[t.To] + t.Delta
		if placed[i] && p.Offsets[i] != at {
			return nil
		}
		p.Offsets[i] = at
	}
	return p
}
