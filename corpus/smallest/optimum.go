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
	b.place(0, 0, g.N)
	offsets = make([]int64, g.N)
	for v := range offsets {
		offsets[v] = b.best[v] - sizes[v]
	}
	return b.peak, offsets
}

type brute struct {
	g          *Graph
	sizes, top []int64
	enough     int64
	peak       int64
	best       []int64 // tops
}

func (b *brute) place(placed uint16, peak int64, last int) {
	if peak >= b.peak {
		return
	}
	if placed == b.g.all() {
		b.peak, b.best = peak, append(b.best[:0], b.top...)
		return
	}
	for left := b.g.all() &^ placed; left != 0 && b.peak > b.enough; left &= left - 1 {
		v := bits.TrailingZeros16(left)
		if v < last && last < b.g.N && !b.g.edge(v, last) {
			continue
		}
		low := int64(0)
		for m := b.g.Near[v] & placed; m != 0; m &= m - 1 {
			low = max(low, b.top[bits.TrailingZeros16(m)])
		}
		b.top[v] = low + b.sizes[v]
		b.place(placed|1<<v, max(peak, b.top[v]), v)
	}
}
