package ilp

import (
	"context"
	"math"

	"memplan/model"
	"memplan/model/reduce"
)

// minimise asks for a plan of least peak, among those within the roof.
func (c *climb) minimise(ctx context.Context, s *stage, roof int64) error {
	if tooLarge(s.Instance, c.form) {
		return nil
	}
	l, start, q := c.programme(s, roof)
	if l == nil {
		return s.refute(roof)
	}
	moot := func() bool { return c.met() || s.Height(c.bound) >= min(s.peak, roof) }
	found := func(values []float64) error { return c.found(s, l, values) }
	out, err := c.solve(ctx, l, Options{Gap: 0.9, Start: start}, question{moot: moot, found: found})
	if err != nil {
		return err
	}
	if err := found(out.Values); err != nil {
		return err
	}
	if out.Verdict == Infeasible {
		return s.refute(q*l.room.Height + q - 1)
	}
	s.low = max(s.low, q*min(roundUp(out.Dual, l.room.Height), l.room.Height+1))
	return nil
}

// found takes over what a solution says, if it makes a better plan.
func (c *climb) found(s *stage, l *layout, values []float64) error {
	plan, ok := l.decode(values)
	if ok {
		plan, ok = restack(s.Instance, l.in, plan)
	}
	if !ok || !s.improve(plan) {
		return nil
	}
	return c.lift()
}

// tooLarge estimates the terms of a program.
func tooLarge(in *model.Instance, f Formulation) bool {
	terms := 6 * in.Conflicts()
	if f == Csum || f == CsumPeak {
		for _, c := range reduce.Cliques(in) {
			terms += 2 * int64(len(c)) * int64(len(c))
		}
	}
	return terms > maxTerms
}

// restack gives an instance the orders of a plan of its coarse form.
func restack(in, rough *model.Instance, plan model.Plan) (model.Plan, bool) {
	if in == rough {
		return plan, true
	}
	return reduce.Stack(in, reduce.Orders(in, plan))
}

// programme is the program that minimises the part's peak within the roof, in
// units of q, and its start, if there is one. l is nil when already the rooms
// say that there is no such plan.
func (c *climb) programme(s *stage, roof int64) (l *layout, start []float64, q int64) {
	in, plan, least, sym := s.Instance, s.plan, s.low, symmetries(s.Instance)
	if c.form == Raw {
		least, sym, roof = 0, symmetry{}, model.MaxBytes
	}
	if room, ok := roomy(in); ok && room < roof {
		roof = room
	}
	if s.peak > roof || c.form == Raw {
		plan = model.Plan{}
	} else if plan.Offsets != nil {
		plan = sym.arrange(in, plan)
	}
	in, room, q := c.room(in, roof, sym.orders())
	if room == nil {
		return nil, nil, 0
	}
	for i := range plan.Offsets {
		plan.Offsets[i] /= q
	}
	if l = newLayout(in, room, c.form.whole(), least/q); plan.Offsets != nil {
		start = l.encode(plan)
	}
	return l, start, q
}

// whole is the formulation of a program that minimises.
func (f Formulation) whole() Formulation {
	if f == Csum {
		return CsumPeak
	}
	return f
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
