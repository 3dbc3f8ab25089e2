package smallest

import (
	"math"
	"math/bits"
)

// Load is the weight of the heaviest of the given cliques.
func Load(cliques []uint16, sizes []int64) int64 {
	load := int64(0)
	for _, c := range cliques {
		load = max(load, weight(c, sizes))
	}
	return load
}

func weight(set uint16, sizes []int64) int64 {
	sum := int64(0)
	for ; set != 0; set &= set - 1 {
		sum += sizes[bits.TrailingZeros16(set)]
	}
	return sum
}

// Optimum is the lowest peak for buffers of those sizes, or the first found at
// or below enough, with its offsets: by brute force over the orders of offset,
// each buffer as low as those before it allow. Of buffers that do not meet and
// come one after the other, only the order by index is tried.
func (g *Graph) Optimum(sizes []int64, enough int64) (peak int64, offsets []int64) {
	b := brute{g: g, sizes: sizes, enough: enough, peak: math.MaxInt64, top: make([]int64, g.N)}
	b.place(0, 0, 0, 0)
	offsets = make([]int64, g.N)
	for v := range offsets {
		offsets[v] = b.best[v] - sizes[v]
	}
	return b.peak, offsets
}

type brute struct {
	g          *Graph
	sizes, top []int64
	cliques    []uint16
	enough     int64
	peak       int64
	best       []int64 // tops
}

// place puts every unplaced buffer next, at level or above; last was put at it.
func (b *brute) place(placed uint16, peak, level int64, last int) {
	if peak >= b.peak || b.hopeless(placed) {
		return
	}
	if placed == b.g.all() {
		b.peak, b.best = peak, append(b.best[:0], b.top...)
		return
	}
	for left := b.g.all() &^ placed; left != 0 && b.peak > b.enough; left &= left - 1 {
		v := bits.TrailingZeros16(left)
		low := b.highest(b.g.Near[v] & placed)
		if low < level || low == level && v < last && !b.g.edge(v, last) {
			continue
		}
		b.top[v] = low + b.sizes[v]
		b.place(placed|1<<v, max(peak, b.top[v]), low, v)
	}
}

// highest is the highest top of a set.
func (b *brute) highest(set uint16) int64 {
	top := int64(0)
	for ; set != 0; set &= set - 1 {
		top = max(top, b.top[bits.TrailingZeros16(set)])
	}
	return top
}

// hopeless reports whether some clique is bound to reach the best peak so far.
func (b *brute) hopeless(placed uint16) bool {
	for _, c := range b.cliques {
		if b.highest(c&placed)+weight(c&^placed, b.sizes) >= b.peak {
			return true
		}
	}
	return false
}
