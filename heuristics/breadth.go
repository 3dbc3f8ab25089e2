package heuristics

import (
	"cmp"
	"context"
	"slices"

	"memplan/model"
)

// Breadth is approximate. Order: sections by live bytes descending, then
// earlier; in each its buffers that are not yet placed, by size descending,
// then index. Fit: first.
// Cost: O(n log n + m). Guarantee: none.
// Source: greedy by breadth, Pisarchyk and Lee 2020.
type Breadth struct{}

func (Breadth) Name() string { return "breadth" }
func (Breadth) Definition() string {
	return "steps by live bytes descending, at each its unplaced buffers by size descending; first fit"
}

func (Breadth) Plan(ctx context.Context, in *model.Instance) (model.Result, error) {
	return list(ctx, in, byBreadth, FirstFit)
}

// byBreadth uses that a body's turn comes with the widest section it is live
// in, the earliest of equals.
func byBreadth(t *draft, items []item) {
	w := newWidths(t.in)
	widest := make([]int, len(t.bodies))
	for _, it := range items {
		widest[it.body] = t.widest(w, it)
	}
	slices.SortFunc(items, func(a, b item) int {
		if x, y := widest[a.body], widest[b.body]; x != y {
			if w.wider(x, y) == x {
				return -1
			}
			return 1
		}
		return cmp.Or(cmp.Compare(b.size, a.size), cmp.Compare(a.body, b.body))
	})
}

// widest is the widest section that the item is live in, -1 if there is none.
func (t *draft) widest(w *widths, it item) int {
	best := -1
	for _, i := range t.bodies[it.body] {
		for part := range t.in.Buffers[i].Live() {
			best = w.wider(best, w.widest(part))
		}
	}
	return best
}

// widths is a tree over the sections of an instance: node v > 0 holds the
// widest of the sections below it, leaf section s is node n+s.
type widths struct {
	ends  []int64 // last step + 1 of each section
	start []int64
	bytes []int64
	node  []int32 // index of a section
}

func newWidths(in *model.Instance) *widths {
	w := &widths{}
	for s := range in.Sections() {
		w.start, w.ends, w.bytes = append(w.start, s.Steps.Start), append(w.ends, s.Steps.End), append(w.bytes, s.Bytes)
	}
	n := len(w.bytes)
	w.node = make([]int32, 2*n)
	for s := range n {
		w.node[n+s] = int32(s)
	}
	for v := n - 1; v > 0; v-- {
		w.node[v] = int32(w.wider(int(w.node[2*v]), int(w.node[2*v+1])))
	}
	return w
}

// wider is the wider of two sections, the earlier of equals; -1 is none.
func (w *widths) wider(s, r int) int {
	switch {
	case s < 0:
		return r
	case r < 0:
		return s
	case w.bytes[s] != w.bytes[r]:
		if w.bytes[s] > w.bytes[r] {
			return s
		}
		return r
	}
	return min(s, r)
}

// widest is the widest section that life meets, -1 if it meets none.
func (w *widths) widest(life model.Interval) int {
	n := len(w.bytes)
	from, _ := slices.BinarySearch(w.ends, life.Start+1)
	to, _ := slices.BinarySearch(w.start, life.End)
	best := -1
	for l, r := from+n, to+n; l < r; l, r = l/2, r/2 {
		if l&1 == 1 {
			best = w.wider(best, int(w.node[l]))
			l++
		}
		if r&1 == 1 {
			r--
			best = w.wider(best, int(w.node[r]))
		}
	}
	return best
}
