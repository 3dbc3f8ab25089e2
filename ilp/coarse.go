package ilp

import (
	"slices"

	"memplan/model"
	"memplan/model/reduce"
)

// maxUnits is the greatest height, in grains, that a solver is believed
// about. Its binaries may be off by 1e-6: times a big-M of maxUnits that is a
// quarter of a grain, so that no row is switched off. HiGHS was seen to call
// wrong plans optimal, and feasible programs infeasible, with numbers beyond
// 1e8, and no sooner.
const maxUnits = 1 << 18

// quantum is what sizes are divided by before a solver sees them.
func quantum(in *model.Instance, height int64) int64 {
	if height/grain(in) <= maxUnits {
		return 1
	}
	return ceil(height, maxUnits)
}

// room works out what a height and the given orders force, in integers, and again in
// units of q where numbers are too large for the solver. It is nil where there is no
// such plan.
func (c *climb) room(in *model.Instance, height int64, given []reduce.Order) (units *model.Instance, room *reduce.Room, q int64) {
	force := reduce.Force
	if c.form == Tight || c.form == Raw {
		force = reduce.Open
	}
	room, ok := force(in, height, given)
	if q = quantum(in, height); ok && q > 1 {
		in = coarse(in, q)
		room, ok = force(in, height/q, room.Orders())
	}
	if !ok {
		return nil, nil, 0
	}
	return in, room, q
}

// coarse is the instance in units of q, rounded down: when it has no plan
// within height/q, then the instance has none within height.
//
// For take a plan within the height, and floor(o/q) for each offset o. Of two
// buffers one above the other, o' >= o+z, floor(o'/q) >= floor(o/q) +
// floor(z/q), and so at the top. Pins go to floor(pin/q), ties whose distance q
// divides stay exact, and other ties are dropped, as is what q does not leave
// of an alignment: fewer constraints, so the argument holds. The orders of
// conflicting pairs stay what they are.
func coarse(in *model.Instance, q int64) *model.Instance {
	out := &model.Instance{Name: in.Name, Buffers: slices.Clone(in.Buffers)}
	for i := range out.Buffers {
		b := &out.Buffers[i]
		b.Size /= q
		if b.Alignment()%q == 0 {
			b.Align = b.Alignment() / q
		} else {
			b.Align = 1
		}
		if b.Offset != nil {
			pin := *b.Offset / q
			b.Offset = &pin
		}
		if b.Tie != nil && b.Tie.Delta%q == 0 {
			b.Tie = &model.Tie{To: b.Tie.To, Delta: b.Tie.Delta / q}
		} else {
			b.Tie = nil
		}
	}
	return out
}

// roomy is a height within which there is room for everything side by side,
// above the highest pin; false when that does not fit in int64.
func roomy(in *model.Instance) (height int64, ok bool) {
	ok = true
	add := func(b int64) {
		var fits bool
		height, fits = model.Add(height, b)
		ok = ok && fits
	}
	for i := range in.Buffers {
		if b := &in.Buffers[i]; b.Offset != nil {
			height = max(height, *b.Offset+b.Size)
		}
	}
	for i := range in.Buffers {
		b := &in.Buffers[i]
		add(b.Size)
		add(b.Alignment() - 1)
		if b.Tie != nil {
			add(b.Tie.Delta)
		}
	}
	return height, ok
}
