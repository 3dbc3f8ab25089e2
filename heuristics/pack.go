package heuristics

import (
	"cmp"
	"slices"
)

// A packing is an exact search for the lowest peak of a few items, within a
// budget of work. Items are placed in the order of their offsets, each at the
// lowest offset that those below it leave: some optimal plan looks like that.
// A branch ends where a section cannot stay below the best peak with all that
// is still to come there.
type packing struct {
	items  []item
	from   []int // the sections [from[i], to[i]) are those of item i
	to     []int
	floor  []int64 // of each section, the highest end so far
	rest   []int64 // of each section, the bytes still to be placed
	offset []int64 // of each item placed, -1 of the others
	best   []int64
	peak   int64 // of best
	load   int64
	work   int // sections still to be looked at
}

// pack gives the items offsets with the lowest peak there is, and says so if it
// ends within work; start is a plan of them to begin with.
func pack(items []item, start []int64, work int) (offsets []int64, exact bool) {
	p := newPacking(items, start, work)
	if p.peak > p.load {
		p.search(0, -1, len(items))
	}
	return p.best, p.work >= 0
}

func newPacking(items []item, start []int64, work int) *packing {
	p := &packing{items: items, best: start, work: work}
	var steps []int64
	for i, it := range items {
		p.peak = max(p.peak, start[i]+it.size)
		steps = append(steps, it.life.Start, it.life.End)
	}
	p.load = hulls(items).Load()
	slices.Sort(steps)
	steps = slices.Compact(steps)
	p.floor, p.rest = make([]int64, len(steps)), make([]int64, len(steps))
	for _, it := range items {
		from, _ := slices.BinarySearch(steps, it.life.Start)
		to, _ := slices.BinarySearch(steps, it.life.End)
		p.from, p.to, p.offset = append(p.from, from), append(p.to, to), append(p.offset, -1)
		for s := from; s < to; s++ {
			p.rest[s] += it.size
		}
	}
	return p
}

// lowest is where item i would lie now.
func (p *packing) lowest(i int) int64 {
	p.work -= p.to[i] - p.from[i]
	return slices.Max(p.floor[p.from[i]:p.to[i]])
}

// search places the items that are left above the last one placed.
func (p *packing) search(last int64, index, left int) {
	if left == 0 {
		p.best, p.peak = slices.Clone(p.offset), slices.Max(p.floor)
		return
	}
	type branch struct {
		offset int64
		item   int
	}
	var next []branch
	for i := range p.items {
		if p.offset[i] >= 0 {
			continue
		}
		if off := p.lowest(i); off > last || off == last && i > index {
			next = append(next, branch{off, i})
		}
	}
	slices.SortFunc(next, func(a, b branch) int {
		return cmp.Or(cmp.Compare(a.offset, b.offset), cmp.Compare(p.items[b.item].size, p.items[a.item].size), cmp.Compare(a.item, b.item))
	})
	for _, n := range next {
		if p.work < 0 || p.peak == p.load {
			return
		}
		p.try(n.item, n.offset, left)
	}
}

// try searches below the choice of one item.
func (p *packing) try(i int, offset int64, left int) {
	from, to := p.from[i], p.to[i]
	size := p.items[i].size
	before := slices.Clone(p.floor[from:to])
	p.offset[i] = offset
	hopeful := true
	for s := from; s < to; s++ {
		p.floor[s] = offset + size
		p.rest[s] -= size
		hopeful = hopeful && p.floor[s]+p.rest[s] < p.peak
	}
	p.work -= to - from
	if hopeful {
		p.search(offset, i, left-1)
	}
	p.offset[i] = -1
	copy(p.floor[from:to], before)
	for s := from; s < to; s++ {
		p.rest[s] += size
	}
}
