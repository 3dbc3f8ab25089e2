package ilp

import (
	"context"
	"fmt"
	"slices"

	"memplan/model"
	"memplan/model/reduce"
)

// A climb closes the gap between the best plan and the bound of one instance,
// part by part. Most optima are the load or a little more. So it asks for a plan
// of the part as low as the bound, along time (see course): when there is none,
// the bound is above that, and it asks again, one height after another. While it
// has no answer it asks now and then for one between bound and peak.
//
// Where peaks are too many to climb so, or numbers too large for the solver, it
// asks whether some window of the part has no plan so low, and then for the lowest
// plan of the whole part that is at most a little above the bound; of a part too
// large for one program, windows alone.
type climb struct {
	ledger
	in      *model.Instance
	red     *reduce.Reduction
	stages  []*stage
	solver  Solver
	form    Formulation
	threads int
}

// A stage is what is known of one part, in its units.
type stage struct {
	*reduce.Part
	low   int64       // no plan has a lower peak
	peak  int64       // of plan; MaxBytes when there is none
	plan  model.Plan  // the best known
	open  reduce.Part // the same part, its own original: to cut windows from
	seen  windows
	stuck int64 // the bound at which the solver could not answer, -1: none

	courses [2]course // at the bound, and between bound and peak
	turn    int       // of the course that is next; as often has there been no answer
	vague   bool      // plans along time are not within the heights asked for
}

// windows is how far the windows of a part have been asked: those narrower,
// or as wide and earlier, hold no refutation of the height, nor of any above.
type windows struct{ height, width, from int64 }

const (
	firstWidth = 4  // cliques
	fewHeights = 16 // a gap of so many heights is climbed one by one
	// maxTerms is the size of a program that is still worth asking: beyond it
	// the first relaxation alone takes minutes.
	maxTerms = 1_500_000
	// windowIterations ends the question about a window: those that refute do
	// so soon. The whole is asked without a limit.
	windowIterations = 2_000
)

func newClimb(in *model.Instance, s Solver, f Formulation, threads int) *climb {
	off := reduce.Step(0)
	if f == Raw {
		off = reduce.Compress | reduce.Cut | reduce.Universal | reduce.Last
	}
	c := &climb{in: in, red: reduce.Reduce(in, off), solver: s, form: f, threads: threads}
	for k := range c.red.Parts {
		p := &c.red.Parts[k]
		open := reduce.Part{Instance: p.Instance, Unit: 1}
		for i := range p.Index {
			open.Index = append(open.Index, i)
		}
		c.stages = append(c.stages, &stage{Part: p, low: reach(p.Instance, p.Instance.Load()), peak: model.MaxBytes, open: open, stuck: -1})
	}
	slices.SortStableFunc(c.stages, func(a, b *stage) int { return len(a.Index) - len(b.Index) }) // quick ones first
	return c
}

// run climbs until best and bound meet, it is called off, or nothing
// more can be asked. An error is a solver's failure, or a false claim found out.
func (c *climb) run(ctx context.Context) error {
	floor := c.red.Floor
	for _, s := range c.stages {
		floor = max(floor, s.Bytes(s.low))
	}
	if err := c.raise(floor, c.in); err != nil {
		return err
	}
	for c.alive() {
		c.adopt()
		s := c.next()
		if c.met() || s == nil {
			return c.lift()
		}
		if err := c.step(ctx, s); err != nil {
			return err
		}
	}
	return nil
}

// adopt makes the best plan known, from wherever, the stages' own.
func (c *climb) adopt() {
	if !c.fresh {
		return
	}
	c.fresh = false
	for _, s := range c.stages {
		if plan, ok := s.Project(*c.best); ok {
			s.improve(plan)
		}
	}
}

// improve takes over a plan of the part if it is valid and better.
func (s *stage) improve(plan model.Plan) bool {
	if peak := plan.Peak(s.Instance); (s.plan.Offsets == nil || peak < s.peak) && s.Instance.Check(plan) == nil {
		s.plan, s.peak = plan, peak
		return true
	}
	return false
}

// next is the first stage whose peak is above the bound, and for which the
// solver is not stuck at that; nil when there is none.
func (c *climb) next() *stage {
	for _, s := range c.stages {
		if (s.plan.Offsets == nil || s.peak > s.Height(c.bound)) && s.stuck != c.bound {
			return s
		}
	}
	return nil
}

// lift puts the stages' plans together.
func (c *climb) lift() error {
	plans := make([]model.Plan, len(c.red.Parts))
	for k := range plans {
		for _, s := range c.stages {
			if s.Part == &c.red.Parts[k] {
				plans[k] = s.plan
			}
		}
		if plans[k].Offsets == nil {
			return nil
		}
	}
	plan, err := c.red.Lift(plans)
	if err != nil {
		return err
	}
	return c.offer(plan, c.in)
}

// step works on one stage: it raises its bound, lowers its peak, or is stuck.
func (c *climb) step(ctx context.Context, s *stage) error {
	more, err := c.inquire(ctx, s)
	if err != nil {
		return err
	}
	if s.low > s.peak && s.plan.Offsets != nil {
		return denied(s.Bytes(s.low), s.Bytes(s.peak))
	}
	if err := c.lift(); err != nil {
		return err
	}
	if s.low > s.Height(c.bound) {
		return c.raise(s.Bytes(s.low), c.in)
	}
	if !more {
		s.stuck = c.bound
	}
	return nil
}

// inquire asks one question, or, where it cannot be asked along time, about
// windows and then about the whole, and reports whether there is more to ask.
// Formulations other than Csum ask about the whole once.
func (c *climb) inquire(ctx context.Context, s *stage) (more bool, err error) {
	if c.form != Csum {
		return false, c.minimise(ctx, s, s.peak)
	}
	low, peak := max(s.low, s.Height(c.bound)), s.peak
	roof := min(s.peak, model.SaturatingAdd(low, low/16+1))
	wide := roof-low > fewHeights
	if !s.vague && !(wide && s.courses[0].height > 0) && !tooLarge(s.Instance, Csum) {
		return true, c.follow(ctx, s, low, roof)
	}
	height := low
	if wide {
		height += (roof - low) / 2
	}
	if refuted, err := c.windows(ctx, s, height); refuted || err != nil {
		return true, err
	}
	if err := c.minimise(ctx, s, roof); err != nil {
		return false, err
	}
	return s.low > low || s.peak < peak || c.fresh || s.Height(c.bound) > low, nil
}

// refute notes that there is no plan within the height.
func (s *stage) refute(height int64) error {
	if height == model.MaxBytes {
		return fmt.Errorf("ilp: in every plan %w", model.ErrOverflow)
	}
	if room, ok := roomy(s.Instance); ok && height >= room {
		return fmt.Errorf("ilp: the solver claims that no plan is below %d, where all lie side by side", height+1)
	}
	s.low = max(s.low, reach(s.Instance, height+1))
	return nil
}

// reach is the least height from h upwards at which a buffer can end: its
// offset is a multiple of its body's alignment, above that of its tie.
func reach(in *model.Instance, h int64) int64 {
	least := int64(model.MaxBytes)
	for i := range in.Buffers {
		b := &in.Buffers[i]
		end, align := b.Size, b.Alignment()
		switch {
		case b.Offset != nil:
			end, align = b.Size+*b.Offset, model.MaxBytes
		case b.Tie != nil:
			end, align = b.Size+b.Tie.Delta, in.Buffers[b.Tie.To].Alignment()
		}
		if end >= h {
			least = min(least, end)
		} else if up, ok := model.AlignUp(h-end, align); ok && align < model.MaxBytes && up <= model.MaxBytes-end {
			least = min(least, end+up)
		}
	}
	return least
}

func lastStep(in *model.Instance) (end int64) {
	for _, b := range in.Buffers {
		end = max(end, b.Life.End)
	}
	return end
}

// windows asks whether some window has no plan within the height: windows of
// growing width, up to a quarter of the part.
func (c *climb) windows(ctx context.Context, s *stage, height int64) (refuted bool, err error) {
	if height < s.seen.height || s.seen.width == 0 {
		s.seen = windows{width: firstWidth}
	}
	end := lastStep(s.Instance)
	for s.seen.height = height; 4*s.seen.width < end; s.seen.next(end) {
		refuted, err = c.window(ctx, s, height)
		if refuted {
			err = s.refute(height)
		}
		if refuted || err != nil || c.moot(s, height) || !c.alive() {
			return refuted, err
		}
	}
	return false, nil
}

// moot reports whether others have answered a question about a height.
func (c *climb) moot(s *stage, height int64) bool {
	return c.met() || s.Height(c.bound) > height || c.peak <= s.Bytes(height)
}

// next moves on by half a width; after the last window, to twice the width.
func (w *windows) next(end int64) {
	if w.from += w.width / 2; w.from+w.width/2 >= end {
		w.width, w.from = 2*w.width, 0
	}
}

// window asks whether some part of the window at hand is refuted.
func (c *climb) window(ctx context.Context, s *stage, height int64) (refuted bool, err error) {
	if !c.pay(c.in, int64(len(s.Index))) {
		return false, nil
	}
	w := s.open.Window(model.Interval{Start: s.seen.from, End: s.seen.from + s.seen.width})
	if s.plan.Offsets != nil {
		if plan, ok := w.Project(s.plan); ok && plan.Peak(w.Instance) <= height {
			return false, nil // it fits as it is
		}
	}
	red := reduce.Reduce(w.Instance, 0)
	refuted = red.Floor > height
	for k := 0; k < len(red.Parts) && !refuted && err == nil; k++ {
		p := &red.Parts[k]
		var v Verdict
		v, _, err = c.decide(ctx, p.Instance, p.Height(height), symmetries(p.Instance).orders(), 0,
			question{iterations: windowIterations, moot: func() bool { return c.moot(s, height) }})
		refuted = v == Infeasible
	}
	return refuted, err
}

// decide asks for the orders of a plan of the instance within the height that has
// those given. What the height forces is worked out first, in integers, and may be
// the answer. Where the solver's plan is none, it is Solved without orders.
func (c *climb) decide(ctx context.Context, in *model.Instance, height int64, given []reduce.Order, seed int64, ask question) (v Verdict, found []reduce.Order, err error) {
	if tooLarge(in, Csum) {
		return Stopped, nil, nil
	}
	in, room, _ := c.room(in, height, given)
	if room == nil {
		return Infeasible, nil, nil
	}
	l := newLayout(in, room, Csum, 0)
	out, err := c.solve(ctx, l, Options{Seed: seed}, ask)
	if err != nil || out.Verdict != Solved {
		return out.Verdict, nil, err
	}
	if plan, ok := l.decode(out.Values); ok {
		found = reduce.Orders(in, plan)
	}
	return Solved, found, nil
}
