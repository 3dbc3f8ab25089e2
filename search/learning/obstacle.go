package learning

import (
	"cmp"
	"slices"

	"memplan/model"
)

// Obstacle finds buffers that cannot all be placed within a capacity below a
// certificate's bound, and none of which can be left out: a smallest set by
// inclusion, and the proof. It starts from what the certificate speaks of and
// does without one buffer after another, the smallest first, while the rest
// still do not fit. Where the work runs out on the way, minimal is false: the set
// holds, but may be larger than need be. Where it does not suffice for a first
// proof, or the capacity is not below the bound, the result is nil.
//
// A buffer that is refuted alone, since it is pinned too high, is its own
// obstacle, even without bytes.
//
// Exact. Units of work are about a microsecond. Cost: a decision a buffer.
func Obstacle(in *model.Instance, c *model.Certificate, capacity, work int64) (r *model.Refutation, minimal bool) {
	if capacity >= c.Bound {
		return nil, false
	}
	if r := c.Refutation; r != nil && len(r.Buffers) == 1 {
		return &model.Refutation{Window: r.Window, Height: capacity, Buffers: r.Buffers}, true
	}
	q := Question{Window: model.Always, Height: capacity}
	switch {
	case c.Proof == model.ProofLoad:
		q.Window = model.Interval{Start: c.Step, End: c.Step + 1}
	case c.Refutation != nil:
		q.Window = c.Refutation.Window
		q.Only = func(i int) bool { return slices.Contains(c.Refutation.Buffers, i) }
	}
	first := Decide(in, q, work)
	if first.Refutation == nil {
		return nil, false
	}
	work -= first.Work
	order := slices.Clone(first.Buffers)
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(in.Buffers[i].Size, in.Buffers[j].Size) })
	r, minimal = first.Refutation, true
	for _, gone := range order {
		rest := slices.DeleteFunc(slices.Clone(r.Buffers), func(i int) bool { return i == gone })
		q.Only = func(i int) bool { return slices.Contains(rest, i) }
		a := Decide(in, q, work)
		work -= a.Work
		switch {
		case a.Refutation != nil:
			r = a.Refutation
		case a.Offsets == nil:
			return r, false
		}
	}
	return r, minimal
}
