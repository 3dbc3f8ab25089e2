package ilp

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"memplan/model"
	"memplan/model/reduce"
)

// A climb closes the gap between the best plan and the bound of one instance
// by asking a solver, part by part: is there a plan within this height? "No"
// raises the part's bound, "yes" lowers its peak. It asks at the bound first,
// as most optima are the load; where the gap is wide, in the middle after that.
type climb struct {
	clerk
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
	asked bool
	stuck int64 // the bound at which the solver could not answer, -1: none
}

// windows is how far the windows of a part have been asked: those narrower,
// or as wide and earlier, hold no refutation of the height, nor of any above.
type windows struct{ height, width, from int64 }

const (
	firstWidth = 4 // cliques
	fewHeights = 8 // a gap of so many heights is climbed one by one
	// mostTerms is the size of a program that is still worth asking: beyond it
	// the first relaxation alone takes minutes.
	mostTerms = 1_500_000
	// windowIterations ends the question about a window: those that refute do
	// so soon. The whole is asked without a limit.
	windowIterations = 2_000
)

// answer is what is known of a height: refuted when there is no plan within
// it; where there is one, the plan says so.
type answer int

const (
	undecided answer = iota
	refuted
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

// run climbs until best and bound meet, the clerk calls it off, or nothing
// more can be asked. An error is a solver's failure, or a lie found out.
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
	if peak := plan.Peak(s.Instance); (s.plan.Offsets == nil || peak < s.peak) && reduce.Check(s.Instance, plan) == nil {
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
	var more bool
	var err error
	if c.form == Csum {
		more, err = c.inquire(ctx, s)
	} else {
		more, err = c.minimise(ctx, s)
	}
	if err != nil {
		return err
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

// inquire asks about one height, and reports whether it learnt something.
func (c *climb) inquire(ctx context.Context, s *stage) (bool, error) {
	height, peak := s.ask(c.bound), s.peak
	a, err := c.decide(ctx, s, height)
	if a == refuted && height == model.MaxBytes {
		return false, fmt.Errorf("ilp: in every plan %w", model.ErrOverflow)
	}
	if a == refuted {
		s.low = reach(s.Instance, height+1)
		if s.low > s.peak {
			return false, lie(s.Bytes(s.low), s.Bytes(s.peak))
		}
	}
	return a == refuted || s.peak < peak || c.fresh || c.bound > s.Bytes(height), err
}

// ask chooses the height to ask about next: what the bound leaves, or, where
// that has been asked and the gap is wide, the middle between it and the peak.
func (s *stage) ask(bound int64) int64 {
	low := max(s.low, s.Height(bound))
	if s.asked && s.peak-low > fewHeights {
		low += (min(s.peak-low, low)) / 2
	}
	s.asked = true
	return low
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

// moot reports whether a question has been answered by others.
func (c *climb) moot(s *stage, height int64) bool {
	return c.met() || c.bound > s.Bytes(height) || c.peak <= s.Bytes(height)
}

// decide answers whether the part has a plan within the height: windows of
// growing width first, up to half of it, and then the whole.
func (c *climb) decide(ctx context.Context, s *stage, height int64) (answer, error) {
	moot := func() bool { return c.moot(s, height) }
	if height < s.seen.height || s.seen.width == 0 {
		s.seen = windows{width: firstWidth}
	}
	end := lastStep(s.Instance)
	for s.seen.height = height; 2*s.seen.width < end; s.seen.next(end) {
		a, err := c.window(ctx, s, height, moot)
		if a == refuted || err != nil || moot() || !c.alive() {
			return a, err
		}
	}
	a, plan, err := c.fit(ctx, s.Instance, height, 0, moot)
	if plan != nil {
		s.improve(*plan)
	}
	return a, err
}

// next moves on by half a width; after the last window, to twice the width.
func (w *windows) next(end int64) {
	if w.from += w.width / 2; w.from+w.width/2 >= end {
		w.width, w.from = 2*w.width, 0
	}
}

// window asks whether some part of the window at hand is refuted.
func (c *climb) window(ctx context.Context, s *stage, height int64, moot func() bool) (answer, error) {
	w := s.open.Window(model.Interval{Start: s.seen.from, End: s.seen.from + s.seen.width})
	if s.plan.Offsets != nil {
		if plan, ok := w.Project(s.plan); ok && plan.Peak(w.Instance) <= height {
			return undecided, nil // it fits as it is
		}
	}
	red := reduce.Reduce(w.Instance, 0)
	if red.Floor > height {
		return refuted, nil
	}
	for k := range red.Parts {
		p := &red.Parts[k]
		if a, _, err := c.fit(ctx, p.Instance, p.Height(height), windowIterations, moot); a == refuted || err != nil {
			return a, err
		}
	}
	return undecided, nil
}

// fit has the solver answer whether the instance has a plan within the height,
// and gives its plan, if it has one, whatever its peak. What the height forces
// is worked out first, in integers, and may be the answer.
func (c *climb) fit(ctx context.Context, in *model.Instance, height, iterations int64, moot func() bool) (answer, *model.Plan, error) {
	room, ok := reduce.Force(in, height, symmetries(in).orders())
	if !ok {
		return refuted, nil, nil
	}
	l := newLayout(in, room, Csum, 0)
	if q := quantum(in, height); q > 1 {
		if room, ok = reduce.Force(coarse(in, q), height/q, room.Orders()); !ok {
			return refuted, nil, nil
		}
		l = newLayout(coarse(in, q), room, Csum, 0)
	}
	out, err := c.solve(ctx, l, Options{}, iterations, moot)
	if err != nil || out.Verdict == Infeasible {
		return refuted, nil, err
	}
	plan, ok := l.decode(out.Values)
	if ok {
		plan, ok = restack(in, l.in, plan)
	}
	if !ok {
		return undecided, nil, nil
	}
	return undecided, &plan, nil
}

// restack gives in the orders of a plan of its coarse form.
func restack(in, rough *model.Instance, plan model.Plan) (model.Plan, bool) {
	if in == rough {
		return plan, true
	}
	return reduce.Stack(in, reduce.Orders(in, plan))
}

// minimise solves the part as one program, and is done with it.
func (c *climb) minimise(ctx context.Context, s *stage) (more bool, err error) {
	if s.asked {
		return false, nil
	}
	s.asked = true
	l, start, q := c.programme(s)
	if l == nil {
		return false, nil
	}
	out, err := c.solve(ctx, l, Options{Gap: 0.9, Start: start}, 0, c.met)
	if err != nil {
		return false, err
	}
	if out.Verdict == Infeasible {
		return false, errors.New("ilp: the solver says infeasible, but there is a plan")
	}
	s.low = max(s.low, q*roundUp(out.Dual, l.room.Height))
	if plan, ok := l.decode(out.Values); ok {
		if plan, ok = restack(s.Instance, l.in, plan); ok {
			s.improve(plan)
		}
	}
	if s.low > s.peak {
		return false, lie(s.Bytes(s.low), s.Bytes(s.peak))
	}
	return true, nil
}

// programme is the program that minimises the part's peak in units of q, and
// its start; nil when its numbers do not fit.
func (c *climb) programme(s *stage) (l *layout, start []float64, q int64) {
	in, plan, height, least, sym := s.Instance, s.plan, s.peak, s.low, symmetries(s.Instance)
	if c.form == Raw {
		plan, least, sym = model.Plan{}, 0, symmetry{}
	}
	if plan.Offsets != nil {
		plan = sym.arrange(in, plan)
	} else if roof, ok := roomy(in); ok {
		height = roof
	} else {
		return nil, nil, 0
	}
	if q = quantum(in, height); q > 1 {
		in, height, least = coarse(in, q), height/q, least/q
		for i := range plan.Offsets {
			plan.Offsets[i] /= q
		}
	}
	force := reduce.Open
	if c.form == CsumPeak {
		force = reduce.Force
	}
	room, ok := force(in, height, sym.orders())
	if !ok {
		return nil, nil, 0
	}
	if l = newLayout(in, room, c.form, least); plan.Offsets != nil {
		start = l.encode(plan)
	}
	return l, start, q
}

// roundUp makes a bound in integers of one in floating point: a peak is an
// integer, so the bound is the next one. The solver's tolerances are relative
// to its numbers, and so is what is given away for them.
func roundUp(dual float64, height int64) int64 {
	b := math.Ceil(dual - 1e-6*float64(max(1, height)))
	if !(b > 0) || b > 1<<52 {
		return 0
	}
	return int64(b)
}
