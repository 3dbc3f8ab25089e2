package pairs

import (
	"context"

	"memplan/model"
)

// An Engine proves bounds of an instance with pairs by trees of cases, and finds
// plans. It implements model.Engine; only the instance is needed.
//
// It asks windows of growing width, and at last the whole, for a plan below the
// best peak, then below what that gave, down to the bound: what is refuted is a
// bound. Each is asked a little at first and twice as much each time round.
//
// Exact, and complete as long as the whole has at most 255 buffers. Units of
// work are about a microsecond.
type Engine struct {
	Instance *model.Instance

	tasks  []*task
	turn   int
	share  int64   // steps for a task this time round
	asked  bool    // some task was asked this time round
	active *search // the search of the task whose turn it is
}

const (
	firstShare = 1 << 20 // steps of a few nanoseconds, in the first round
	stepsAUnit = 1 << 9  // of work
	maxBuffers = 255     // of a window
	bite       = 1 << 18 // steps between looks at the context
)

// A task is a window and what is known of it.
type task struct {
	window model.Interval
	whole  bool
	scene  *scene
	peak   int64 // of a plan of the window; MaxBytes before there is one
	over   bool
}

// Name is "sharing".
func (e *Engine) Name() string { return "pairs" }

// Run implements model.Engine.
func (e *Engine) Run(ctx context.Context, known model.Result, work int64) (model.Finding, error) {
	e.begin()
	var f model.Finding
	bound, peak := known.Bound, int64(model.MaxBytes)
	if known.Plan != nil {
		peak = known.Plan.Peak(e.Instance)
	}
	for steps := work * stepsAUnit; steps > 0 && bound < peak && ctx.Err() == nil; {
		t := e.next(bound, peak)
		if t == nil {
			f.Done = true
			break
		}
		spent, v := e.ask(ctx, t, bound, peak, steps)
		steps -= spent
		f.Work += spent
		switch {
		case v == refuted:
			bound = t.scene.height + 1
			f.Certificate = &model.Certificate{Proof: model.ProofSearch, Bound: bound, Refutation: &model.Refutation{
				Window: t.window, Height: t.scene.height, Buffers: t.scene.buffers, Tree: e.active.numbers()}}
			t.over = t.over || bound >= t.peak
		case v == planned:
			plan := model.Plan{Offsets: e.active.plan}
			t.peak = topOf(t.scene, e.active.plan)
			if t.whole && t.peak < peak {
				peak = t.peak
				f.Plan = &plan
			}
			f.Stats.Placements++
		}
		if v != unknown {
			e.active = nil
		}
	}
	f.Stats.Nodes = f.Work
	f.Work /= stepsAUnit
	if f.Certificate != nil {
		f.Bound = bound
	}
	return f, nil
}

func topOf(s *scene, at []int64) (top int64) {
	for k, x := range at {
		if s.size[k] > 0 {
			top = max(top, x+s.size[k])
		}
	}
	return top
}

// begin lists the windows, the narrow ones first.
func (e *Engine) begin() {
	if e.tasks != nil {
		return
	}
	e.share = firstShare
	var steps []model.Interval
	for s := range e.Instance.Sections() {
		steps = append(steps, s.Steps)
	}
	for width := 1; width < len(steps); width += max(1, width/2) {
		for k := 0; k+width <= len(steps); k++ {
			e.tasks = append(e.tasks, &task{window: model.Interval{Start: steps[k].Start, End: steps[k+width-1].End}, peak: model.MaxBytes})
		}
	}
	e.tasks = append(e.tasks, &task{window: model.Always, whole: true, peak: model.MaxBytes})
}

// next is the task whose turn it is; nil when none is left. While a search is
// under way it is that search's.
func (e *Engine) next(bound, peak int64) *task {
	for range 2 {
		for ; e.turn < len(e.tasks); e.turn++ {
			t := e.tasks[e.turn]
			if !t.over && min(t.peak, peak) > bound && (t.scene != nil || e.set(t)) {
				e.asked = true
				return t
			}
			e.active = nil
		}
		if !e.asked {
			return nil
		}
		e.turn, e.share, e.asked = 0, 2*e.share, false
	}
	return nil
}

// set makes a task's scene; false where it is not taken on, or nothing shares.
func (e *Engine) set(t *task) bool {
	var here []int
	for i := range e.Instance.Buffers {
		b := &e.Instance.Buffers[i]
		if t.whole || b.Size > 0 && liveIn(b, t.window) {
			here = append(here, i)
		}
		if len(here) > maxBuffers {
			t.over = true
			return false
		}
	}
	t.scene = newScene(e.Instance, t.window, here)
	t.over = t.scene == nil || !t.whole && !t.scene.sharing
	return !t.over
}

func liveIn(b *model.Buffer, w model.Interval) bool {
	for part := range b.Live() {
		if part.Meets(w) {
			return true
		}
	}
	return false
}

// ask goes on with a task for what is left of its share, or of the slice.
func (e *Engine) ask(ctx context.Context, t *task, bound, peak, steps int64) (spent int64, v verdict) {
	height := min(min(t.peak, peak)-1, most)
	if e.active == nil || e.active.s != t.scene || t.scene.height != height {
		t.scene.height = height
		e.active = newSearch(t.scene)
	}
	before := e.active.work
	for v == unknown && ctx.Err() == nil && e.active.work-before < steps {
		v = e.active.run(min(bite, steps))
		if e.active.work >= e.share {
			break
		}
	}
	if v == unknown && e.active.work >= e.share {
		e.turn++
		spent = e.active.work - before
		e.active = nil
		return spent + 1, v
	}
	return e.active.work - before + 1, v
}
