package heuristics

import (
	"container/heap"
	"context"

	"memplan/model"
)

// Skyline is approximate. Rule: take the lowest stretch of the skyline, the
// earliest of equals; place on it the longest-lived buffer whose life lies
// inside it (the earliest, then the first by index, of equals); where none
// does, lift it to its lower neighbour. Stretches of one height are one.
// A body is its hull, an offset is aligned up, a pinned body lifts what would
// meet it.
// Cost: O(n log n) stretches and searches, each O(log n) where the longest
// lives fit, O(n) at worst. Guarantee: none.
// Source: Sekiyama et al. 2018, after best-fit strip packing (Burke, Kendall and
// Whitwell 2004).
type Skyline struct{}

func (Skyline) Name() string { return "skyline" }
func (Skyline) Definition() string {
	return "the longest-lived buffer that fits on the lowest stretch of the skyline, else lift the stretch"
}

func (Skyline) Plan(ctx context.Context, in *model.Instance) (model.Result, error) {
	t := newDraft(in)
	items := t.withBytes(t.items())
	if len(items) == 0 {
		return t.result(), nil
	}
	wait := newPending(items)
	sky := newSkyline(items)
	for left := len(items); left > 0; {
		if t.count%1024 == 0 && ctx.Err() != nil {
			return model.Result{Stats: model.Stats{Placements: t.count}}, nil
		}
		low := sky.heap[0]
		i := wait.longest(low.steps, model.Interval{Start: low.steps.Start, End: low.steps.End})
		if i < 0 {
			sky.lift(low)
			continue
		}
		it := wait.take(i)
		b := t.bodies[it.body]
		off, err := t.arena.find(in, b, FirstFit, low.height)
		if err != nil {
			return model.Result{}, err
		}
		sky.raise(low, it.life, off+t.set(b, off))
		left--
	}
	return t.result(), nil
}

// A skyline is the stretches of time at their heights, linked in order of time,
// and a heap of them.
type skyline struct{ heap stretches }

func newSkyline(items []item) *skyline {
	all := items[0].life
	for _, it := range items {
		all = model.Interval{Start: min(all.Start, it.life.Start), End: max(all.End, it.life.End)}
	}
	k := &skyline{}
	heap.Push(&k.heap, &stretch{steps: all})
	return k
}

// raise lifts the part steps of s to height.
func (k *skyline) raise(s *stretch, steps model.Interval, height int64) {
	k.split(s, steps, height)
	k.join(s)
}

// split lifts the part steps of s to height, and leaves equal neighbours apart.
func (k *skyline) split(s *stretch, steps model.Interval, height int64) {
	if before := (model.Interval{Start: s.steps.Start, End: steps.Start}); !before.Empty() {
		k.insert(s.prev, s, &stretch{steps: before, height: s.height})
	}
	if after := (model.Interval{Start: steps.End, End: s.steps.End}); !after.Empty() {
		k.insert(s, s.next, &stretch{steps: after, height: s.height})
	}
	s.steps, s.height = steps, height
	heap.Fix(&k.heap, s.at)
}

// lift raises s to its lower neighbour. It has one: the highest stretches hold
// whatever is left.
func (k *skyline) lift(s *stretch) {
	switch {
	case s.prev == nil:
		s.height = s.next.height
	case s.next == nil:
		s.height = s.prev.height
	default:
		s.height = min(s.prev.height, s.next.height)
	}
	heap.Fix(&k.heap, s.at)
	k.join(s)
}

// insert links s between its neighbours.
func (k *skyline) insert(prev, next, s *stretch) {
	s.prev, s.next = prev, next
	if prev != nil {
		prev.next = s
	}
	if next != nil {
		next.prev = s
	}
	heap.Push(&k.heap, s)
}

// join absorbs the neighbours of s that have its height.
func (k *skyline) join(s *stretch) {
	if p := s.prev; p != nil && p.height == s.height {
		k.remove(p)
		s.steps.Start = p.steps.Start
		heap.Fix(&k.heap, s.at)
	}
	if n := s.next; n != nil && n.height == s.height {
		k.remove(n)
		s.steps.End = n.steps.End
	}
}

func (k *skyline) remove(s *stretch) {
	heap.Remove(&k.heap, s.at)
	if s.prev != nil {
		s.prev.next = s.next
	}
	if s.next != nil {
		s.next.prev = s.prev
	}
}
