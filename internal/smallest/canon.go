package smallest

import (
	"cmp"
	"encoding/binary"
	"math/bits"
	"slices"
)

// canon is the same for two graphs with marks at their vertices when, and only when,
// one is the other with its vertices renamed: of all orders of the vertices by
// colour, the least list of rows, where a row is the mark and the neighbours
// earlier in the order.
func (g *Graph) canon(mark marks) string {
	c := canon{g: g, mark: mark, colour: g.refine(mark)}
	for v := range g.N {
		c.byColour = append(c.byColour, v)
	}
	slices.SortFunc(c.byColour, func(a, b int) int { return cmp.Compare(c.colour[a], c.colour[b]) })
	c.extend(nil, nil)
	key := []byte{byte(g.N)}
	for _, row := range c.best {
		key = binary.BigEndian.AppendUint32(key, row)
	}
	return string(key)
}

// marks are small numbers at the vertices.
type marks [most]uint16

type canon struct {
	g        *Graph
	mark     marks
	colour   [most]int
	byColour []int
	best     []uint32
}

// extend tries every vertex of the next colour, of twins only one.
func (c *canon) extend(order []int, rows []uint32) {
	depth := len(order)
	if depth == c.g.N {
		c.best = slices.Clone(rows)
		return
	}
	var tried []int
	for _, v := range c.byColour {
		if c.colour[v] != c.colour[c.byColour[depth]] || slices.Contains(order, v) ||
			slices.ContainsFunc(tried, func(u int) bool { return c.g.twins(u, v) }) {
			continue
		}
		tried = append(tried, v)
		row := uint32(c.mark[v])
		for _, u := range order {
			row = row<<1 | uint32(c.g.Near[v]>>u&1)
		}
		next := append(rows, row)
		if c.best == nil || slices.Compare(next, c.best[:depth+1]) <= 0 {
			c.extend(append(order, v), next)
		}
	}
}

// twins reports whether exchanging u and v changes nothing.
func (g *Graph) twins(u, v int) bool {
	both := uint16(1)<<u | 1<<v
	return g.Near[u]&^both == g.Near[v]&^both
}

// refine colours the vertices so that what can be renamed into one another has
// equal colours: by mark and degree, then by the colours around, until nothing
// changes.
func (g *Graph) refine(mark marks) (colour [most]int) {
	for v := range g.N {
		colour[v] = bits.OnesCount16(g.Near[v])<<16 | int(mark[v])
	}
	for distinct := 0; ; {
		keys := make([][]int, g.N)
		for v := range g.N {
			var around []int
			for u := range g.N {
				if g.edge(u, v) {
					around = append(around, colour[u])
				}
			}
			slices.Sort(around)
			keys[v] = append([]int{colour[v]}, around...)
		}
		ranks := slices.Clone(keys)
		slices.SortFunc(ranks, slices.Compare)
		ranks = slices.CompactFunc(ranks, slices.Equal)
		if len(ranks) == distinct {
			return colour
		}
		distinct = len(ranks)
		for v, key := range keys {
			colour[v], _ = slices.BinarySearchFunc(ranks, key, slices.Compare)
		}
	}
}
