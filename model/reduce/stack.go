package reduce

import (
	"cmp"
	"slices"

	"memplan/model"
)

// An Order says that of two buffers that conflict, Lower lies below Upper.
type Order struct{ Lower, Upper int32 }

// Orders is the order of every conflicting pair by offset, then size, then
// index: in a plan, its orders; otherwise, orders without a cycle all the same.
// They are sorted from the bottom up.
func Orders(in *model.Instance, plan model.Plan) []Order {
	rank := func(i, j int32) int {
		return cmp.Or(cmp.Compare(plan.Offsets[i], plan.Offsets[j]), cmp.Compare(in.Buffers[i].Size, in.Buffers[j].Size), cmp.Compare(i, j))
	}
	var orders []Order
	for i, near := range in.Neighbours() {
		for _, j := range near {
			if rank(int32(i), j) < 0 {
				orders = append(orders, Order{int32(i), j})
			}
		}
	}
	slices.SortFunc(orders, func(a, b Order) int { return cmp.Or(rank(a.Lower, b.Lower), rank(a.Upper, b.Upper)) })
	return orders
}

// Stack gives every buffer its least offset under the given orders: the
// longest path to it, in integers, aligned upwards. Any plan that has these
// orders is at least as high everywhere. It reports false when there is no
// such plan - orders in a cycle, a pin too low, offsets beyond int64 - and may
// do so for orders of tied bodies that only converge after very many rounds.
// Cost: rounds as many as buffers are stacked upon each other, of O(orders).
func Stack(in *model.Instance, orders []Order) (model.Plan, bool) {
	s := stacking{in: in, at: make([]int64, len(in.Buffers)), bodies: in.Bodies(), ok: true}
	for i := range in.Buffers {
		if pin := in.Buffers[i].Offset; pin != nil {
			s.at[i] = *pin
		}
	}
	s.settle()
	rounds := len(in.Buffers) + 1
	if len(s.bodies) < len(in.Buffers) {
		rounds *= 4
	}
	for s.changed = true; s.changed && s.ok; rounds-- {
		if rounds == 0 {
			return model.Plan{}, false
		}
		s.changed = false
		for _, o := range orders {
			end, fits := model.Add(s.at[o.Lower], in.Buffers[o.Lower].Size)
			s.ok = s.ok && fits
			s.raise(int(o.Upper), end)
		}
		s.settle()
	}
	return model.Plan{Offsets: s.at}, s.ok
}

// A stacking raises offsets until nothing changes.
type stacking struct {
	in          *model.Instance
	at          []int64
	bodies      [][]int
	changed, ok bool
}

func (s *stacking) raise(i int, least int64) {
	if least <= s.at[i] {
		return
	}
	up, fits := model.AlignUp(least, s.in.Buffers[i].Align)
	_, ends := model.Add(up, s.in.Buffers[i].Size)
	s.ok = s.ok && fits && ends && s.in.Buffers[i].Offset == nil
	s.at[i], s.changed = up, true
}

// settle makes each body one again: its root as high as any of its buffers
// asks, and the others at their distances from it.
func (s *stacking) settle() {
	for _, body := range s.bodies {
		for _, i := range body[1:] {
			s.raise(body[0], s.at[i]-s.in.Buffers[i].Tie.Delta)
		}
		for _, i := range body[1:] {
			off, fits := model.Add(s.at[body[0]], s.in.Buffers[i].Tie.Delta)
			_, ends := model.Add(off, s.in.Buffers[i].Size)
			s.ok = s.ok && fits && ends
			s.at[i] = off
		}
	}
}

// Project gives the plan of the part that has the orders of a plan of the
// original instance: at most as high, as the part's height of its peak. It
// reports false where Stack does.
func (p *Part) Project(plan model.Plan) (model.Plan, bool) {
	own := model.Plan{Offsets: make([]int64, len(p.Index))}
	for k, i := range p.Index {
		own.Offsets[k] = plan.Offsets[i]
	}
	return Stack(p.Instance, Orders(p.Instance, own))
}

// Window is the part as it is during some of its steps: what is not live then
// is left out, what is is cut off at its ends, and ties to what is left out
// are dropped. Every plan of the part holds a plan of the window, no higher:
// the window's bound is the part's. It is no more than that. Base and Unit
// stay.
func (p Part) Window(w model.Interval) Part {
	var keep []int
	in := &model.Instance{Name: p.Instance.Name, Buffers: slices.Clone(p.Instance.Buffers)}
	for i := range in.Buffers {
		b := &in.Buffers[i]
		var parts []model.Interval
		for v := range b.Live() {
			if v = v.Intersect(w); !v.Empty() && b.Size > 0 {
				parts = append(parts, v)
			}
		}
		if len(parts) == 0 {
			continue
		}
		b.SetLive(parts)
		keep = append(keep, i)
	}
	p.Instance = in
	return p.only(keep)
}
