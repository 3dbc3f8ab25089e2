package heuristics

import (
	"cmp"
	"slices"

	"memplan/model"
)

// A pending set holds items that are not yet placed and finds the longest-lived
// one within a window of time. It is a tree over the items by birth: node v > 0
// knows the longest life and the range of the deaths below it; the leaf of item
// i is node n+i, and a leaf that was taken holds nothing.
//
// Cost: O(n log n) to build; O(log n) to take; to find, O(log n) while the
// longest lives of a window fit into it, O(n) at worst.
type pending struct {
	items  []item // by birth, then index
	births []int64
	nodes  []span
}

// A span sums up the items below a node: the longest life, 0 for none, and the
// deaths.
type span struct {
	longest     uint64
	first, last int64
}

func newPending(items []item) *pending {
	p := &pending{items: slices.Clone(items)}
	byBirth(nil, p.items)
	n := len(items)
	p.births = make([]int64, n)
	p.nodes = make([]span, 2*n)
	for i, it := range p.items {
		p.births[i] = it.life.Start
		p.nodes[n+i] = span{duration(it.life), it.life.End, it.life.End}
	}
	for v := n - 1; v > 0; v-- {
		p.sum(v)
	}
	return p
}

// sum makes node v agree with its children.
func (p *pending) sum(v int) {
	l, r := p.nodes[2*v], p.nodes[2*v+1]
	switch {
	case l.longest == 0:
		p.nodes[v] = r
	case r.longest == 0:
		p.nodes[v] = l
	default:
		p.nodes[v] = span{max(l.longest, r.longest), min(l.first, r.first), max(l.last, r.last)}
	}
}

// take removes the item at i.
func (p *pending) take(i int) item {
	v := len(p.items) + i
	p.nodes[v] = span{}
	for v /= 2; v > 0; v /= 2 {
		p.sum(v)
	}
	return p.items[i]
}

// longest finds the longest-lived item that is born in [birth.Start,
// birth.End) and dies in (death.Start, death.End], the earliest of equals, then
// the first by index; -1 if there is none.
func (p *pending) longest(birth, death model.Interval) int {
	from, _ := slices.BinarySearch(p.births, birth.Start)
	to, _ := slices.BinarySearch(p.births, birth.End)
	best, life := -1, uint64(0)
	n := len(p.items)
	var right [64]int // nodes of the right flank, in reverse
	k := 0
	for l, r := from+n, to+n; l < r; l, r = l/2, r/2 {
		if l&1 == 1 {
			best, life = p.below(l, death, best, life)
			l++
		}
		if r&1 == 1 {
			r--
			right[k] = r
			k++
		}
	}
	for k--; k >= 0; k-- {
		best, life = p.below(right[k], death, best, life)
	}
	return best
}

// below improves on best, which lives life, by the items below node v.
func (p *pending) below(v int, death model.Interval, best int, life uint64) (int, uint64) {
	s := p.nodes[v]
	if s.longest <= life || s.first > death.End || s.last <= death.Start {
		return best, life
	}
	if v >= len(p.items) {
		return v - len(p.items), s.longest
	}
	best, life = p.below(2*v, death, best, life)
	return p.below(2*v+1, death, best, life)
}

// A stretch is a maximal run of steps at one height of a skyline.
type stretch struct {
	steps      model.Interval
	height     int64
	prev, next *stretch
	at         int // in the heap; -1 when it is not in it
}

// stretches is a heap of stretches, the lowest at the root, the earliest of
// equals.
type stretches []*stretch

func (h stretches) Len() int { return len(h) }
func (h stretches) Less(i, j int) bool {
	return cmp.Or(cmp.Compare(h[i].height, h[j].height), cmp.Compare(h[i].steps.Start, h[j].steps.Start)) < 0
}
func (h stretches) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].at, h[j].at = i, j
}
func (h *stretches) Push(x any) {
	s := x.(*stretch)
	s.at = len(*h)
	*h = append(*h, s)
}
func (h *stretches) Pop() any {
	s := pop((*[]*stretch)(h))
	s.at = -1
	return s
}
