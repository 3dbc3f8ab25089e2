package heuristics

import (
	"context"

	"memplan/model"
)

// A draft is an instance on its way to a plan: what is placed and where.
type draft struct {
	in      *model.Instance
	bodies  [][]int // as Instance.Bodies
	arena   *arena
	offsets []int64
	count   int64 // bodies placed
}

// newDraft places the pinned bodies of in.
func newDraft(in *model.Instance) *draft {
	t := blankDraft(in)
	t.open()
	return t
}

// blankDraft is a draft before open.
func blankDraft(in *model.Instance) *draft {
	return &draft{in: in, bodies: in.Bodies()}
}

// open makes the arena, and places the pinned bodies.
func (t *draft) open() {
	t.offsets, t.arena = make([]int64, len(t.in.Buffers)), newArena(t.in)
	for _, b := range t.bodies {
		if off := t.in.Buffers[b[0]].Offset; off != nil {
			t.put(b, *off)
		}
	}
}

// set gives body b the offset off of its root, without keeping others away,
// and returns the bytes from there to its highest end.
func (t *draft) set(b []int, off int64) (reach int64) {
	t.count++
	for _, i := range b {
		delta := distance(&t.in.Buffers[i])
		t.offsets[i] = off + delta
		if size := t.in.Buffers[i].Size; size > 0 { // what has no bytes takes no room
			reach = max(reach, delta+size)
		}
	}
	return reach
}

// put places body b with its root at off, and returns what set does.
func (t *draft) put(b []int, off int64) (reach int64) {
	reach = t.set(b, off)
	for _, i := range b {
		t.arena.insert(i, model.Interval{Start: t.offsets[i], End: t.offsets[i] + t.in.Buffers[i].Size})
	}
	return reach
}

// result is the finished plan.
func (t *draft) result() model.Result {
	return model.Result{Plan: &model.Plan{Offsets: t.offsets}, Stats: model.Stats{Placements: t.count}}
}

// An item is a body that is not pinned, as orders see it: its hull.
type item struct {
	body int // index in draft.bodies; rises with the root's index
	size int64
	life model.Interval
}

// duration is the number of steps of life, even where it exceeds int64.
func duration(life model.Interval) uint64 { return uint64(life.End) - uint64(life.Start) }

// items lists the hulls of the bodies that are not pinned, in index order.
func (t *draft) items() []item {
	list := make([]item, 0, len(t.bodies))
	for k, b := range t.bodies {
		root := &t.in.Buffers[b[0]]
		if root.Offset != nil {
			continue
		}
		it := item{k, root.Size, root.Life}
		for _, i := range b[1:] {
			m := &t.in.Buffers[i]
			if m.Size > 0 { // as in set
				it.size = max(it.size, m.Tie.Delta+m.Size)
			}
			it.life.Start = min(it.life.Start, m.Life.Start)
			it.life.End = max(it.life.End, m.Life.End)
		}
		list = append(list, it)
	}
	return list
}

// An order sorts the items of a draft, which are in index order, into the sequence in which to place them.
type order func(t *draft, items []item)

// list places the bodies of in one after another: pinned ones, then the others
// by the order, each by the fit. It gives no plan when ctx ends before.
func list(ctx context.Context, in *model.Instance, by order, fit Fit) (model.Result, error) {
	t := blankDraft(in)
	items := t.items()
	by(t, items)
	bodies := sequence(items)
	t.open() // only now that the items are no longer needed: it takes as much memory as they
	return t.list(ctx, bodies, fit)
}

// sequence lists the items' bodies, in an eighth of the memory.
func sequence(items []item) []int32 {
	bodies := make([]int32, len(items))
	for k := range items {
		bodies[k] = int32(items[k].body)
	}
	return bodies
}

// list places bodies in sequence.
func (t *draft) list(ctx context.Context, bodies []int32, fit Fit) (model.Result, error) {
	for _, k := range bodies {
		if t.count%1024 == 0 && ctx.Err() != nil {
			return model.Result{Stats: model.Stats{Placements: t.count}}, nil
		}
		b := t.bodies[k]
		off, err := t.arena.find(t.in, b, fit, 0)
		if err != nil {
			return model.Result{}, err
		}
		t.put(b, off)
	}
	return t.result(), nil
}
