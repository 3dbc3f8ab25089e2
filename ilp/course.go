package ilp

import (
	"context"

	"memplan/model"
	"memplan/model/reduce"
)

// A course is how far a part has been planned within a height, along time: a plan
// of its first steps is followed by one of some more, in which the orders of pairs
// that met a while ago are as they were. Where there is none, fewer orders are kept,
// at last none: when there still is none, nothing is within the height. So nothing
// is lost, and most programs are small. A plan within a height is one within any
// above, and is gone on with there.
type course struct {
	height int64
	until  int64          // the plan is of the steps before
	orders []reduce.Order // of the plan
	free   int64          // orders of pairs that met so many steps before until, or more, may be kept
}

// stride is the steps that a plan is lengthened by; there is one for each clique.
// Tests make it small.
var stride int64 = 16

// patientIterations ends a question about a plan along time when it is asked
// first. Each time that there was no answer there are twice as many.
const patientIterations = 4_000

// follow asks for a plan within the least height, or, every other time that there
// is no answer, between that and the roof.
func (c *climb) follow(ctx context.Context, s *stage, low, roof int64) error {
	at := &s.courses[s.turn%2]
	switch {
	case s.turn%2 == 0:
		at.raise(low)
	case roof-low < 2:
		s.turn++
		return nil
	case at.height <= low || at.height >= roof:
		*at = s.courses[0]
		at.raise(low + (roof-low)/2)
	}
	v, err := c.toTheEnd(ctx, s, at)
	if err != nil {
		return err
	}
	switch v {
	case Infeasible:
		s.turn += s.turn % 2
		return s.refute(at.height)
	case Solved:
		s.turn += s.turn % 2
		if plan, ok := reduce.Stack(s.Instance, at.orders); ok {
			s.improve(plan)
		}
		s.vague = s.peak > at.height
	default:
		s.turn++
	}
	return nil
}

// raise makes the height that or more: other orders than before may be kept.
func (r *course) raise(height int64) {
	if height > r.height {
		r.height, r.free = height, 0
	}
}

// toTheEnd lengthens a course's plan until it is one of the part.
func (c *climb) toTheEnd(ctx context.Context, s *stage, at *course) (v Verdict, err error) {
	end := lastStep(s.Instance)
	for v = Solved; at.until < end && v == Solved && err == nil; {
		v, err = c.lengthen(ctx, s, at, min(at.until+stride, end))
	}
	return v, err
}

// lengthen makes a course's plan one of the steps before end. Where nothing of it
// can be kept, the part is asked about at once: that takes hardly longer. It is
// Infeasible when there is no plan, whatever the orders.
func (c *climb) lengthen(ctx context.Context, s *stage, at *course, end int64) (Verdict, error) {
	w := s.open.Window(model.Interval{End: end})
	ask := question{iterations: patientIterations << min(s.turn/2, 40), moot: func() bool { return c.moot(s, at.height) }}
	for free := max(at.free, stride); ; free += stride / 2 {
		keep := at.until - free
		if keep <= 0 && at.until > stride {
			w, end = s.open, lastStep(s.Instance)
		}
		v, orders, err := c.decide(ctx, w.Instance, at.height, s.given(w.Index, at.orders, keep), int64(s.turn), ask)
		switch {
		case v == Solved:
			at.orders, at.until, at.free = at.orders[:0:0], end, 0
			for _, o := range orders {
				at.orders = append(at.orders, reduce.Order{Lower: int32(w.Index[o.Lower]), Upper: int32(w.Index[o.Upper])})
			}
			return v, err
		case v == Infeasible && keep > 0:
			at.free = free + stride/2
		}
		if keep <= 0 || err != nil {
			return v, err
		}
		if ask.moot() || !c.alive() {
			return Stopped, nil
		}
	}
}

// given are the orders that a plan of the part's first steps is to have: those of
// pairs that meet before a step, and those that symmetry lets it have. index lists
// the buffers of these steps, in whose numbers the orders are.
func (s *stage) given(index []int, orders []reduce.Order, before int64) (list []reduce.Order) {
	place := make(map[int32]int32)
	for k, i := range index {
		place[int32(i)] = int32(k)
	}
	add := func(o reduce.Order) {
		lower, ok := place[o.Lower]
		upper, also := place[o.Upper]
		if ok && also {
			list = append(list, reduce.Order{Lower: lower, Upper: upper})
		}
	}
	for _, o := range symmetries(s.Instance).orders() {
		add(o)
	}
	for _, o := range orders {
		if first, _ := s.Instance.Buffers[o.Lower].FirstShared(&s.Instance.Buffers[o.Upper]); first.Start < before {
			add(o)
		}
	}
	return list
}
