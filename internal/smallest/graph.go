package smallest

import (
	"math/bits"

	"memplan/model"
)

// most is the largest number of buffers that can be looked at.
const most = 12

// A Graph says which buffers conflict; bit j of Near[i] is set when i and j do.
// The optimum depends on nothing else: lifetimes that meet pairwise share a
// step, so its cliques are the live sets, and the heaviest is the load.
type Graph struct {
	N    int
	Near [most]uint16
}

// Of is the graph and the sizes of an instance of at most 12 buffers that have
// neither alignments nor pins nor ties.
func Of(in *model.Instance) (g Graph, sizes []int64) {
	g, sizes = Graph{N: len(in.Buffers)}, make([]int64, len(in.Buffers))
	for i := range in.Buffers {
		sizes[i] = in.Buffers[i].Size
		for j := range in.Buffers {
			if i != j && in.Buffers[i].Conflicts(&in.Buffers[j]) {
				g.Near[i] |= 1 << j
			}
		}
	}
	return g, sizes
}

func (g *Graph) edge(i, j int) bool { return g.Near[i]>>j&1 != 0 }

// with is g and one more vertex, which meets the given ones.
func (g Graph) with(near uint16) Graph {
	v := g.N
	g.N++
	g.Near[v] = near
	for m := near; m != 0; m &= m - 1 {
		g.Near[bits.TrailingZeros16(m)] |= 1 << v
	}
	return g
}

// all is the set of vertices.
func (g *Graph) all() uint16 { return 1<<g.N - 1 }

// Connected reports whether no step cuts the instance in two.
func (g *Graph) Connected() bool {
	reached := uint16(1)
	for todo := reached; todo != 0; {
		v := bits.TrailingZeros16(todo)
		fresh := g.Near[v] &^ reached
		reached |= fresh
		todo = todo&(todo-1) | fresh
	}
	return reached == g.all()
}

// Universal reports whether some buffer meets all others.
func (g *Graph) Universal() bool {
	for v := range g.N {
		if g.Near[v]|1<<v == g.all() {
			return true
		}
	}
	return false
}

// Cliques lists the maximal cliques, as sets of vertices.
func (g *Graph) Cliques() []uint16 {
	var all []uint16
	var grow func(in, may, out uint16)
	grow = func(in, may, out uint16) {
		if may|out == 0 {
			all = append(all, in)
		}
		for may != 0 {
			v := bits.TrailingZeros16(may)
			bit := uint16(1) << v
			grow(in|bit, may&g.Near[v], out&g.Near[v])
			may, out = may&^bit, out|bit
		}
	}
	grow(0, g.all(), 0)
	return all
}

// Comparable reports whether g has a transitive orientation: whether no edge,
// directed one way, forces the same edge the other way, where a to b forces a
// to c if c meets a and not b, and c to b if c meets b and not a (Golumbic,
// Algorithmic Graph Theory and Perfect Graphs, chapter 5).
func (g *Graph) Comparable() bool {
	for a := range g.N {
		for b := range a {
			if g.edge(a, b) && g.forcesReverse(a, b) {
				return false
			}
		}
	}
	return true
}

func (g *Graph) forcesReverse(a, b int) bool {
	var seen [most]uint16 // bit y of seen[x]: x to y is forced
	seen[a] = 1 << b
	for todo := [][2]int{{a, b}}; len(todo) > 0; {
		x, y := todo[0][0], todo[0][1]
		todo = todo[1:]
		for c := range g.N {
			if c != y && g.edge(x, c) && !g.edge(y, c) && seen[x]>>c&1 == 0 {
				seen[x] |= 1 << c
				todo = append(todo, [2]int{x, c})
			}
			if c != x && g.edge(y, c) && !g.edge(x, c) && seen[c]>>y&1 == 0 {
				seen[c] |= 1 << y
				todo = append(todo, [2]int{c, y})
			}
		}
	}
	return seen[b]>>a&1 != 0
}

// Intervals calls visit once for each graph of n intervals, up to isomorphism,
// until it returns false. Each is built in the order of births: what is live is
// a clique, of which any part may have died before the next is born.
func Intervals(n int, visit func(Graph) bool) {
	type state struct {
		g    Graph
		live uint16
	}
	level := []state{{}}
	for range n {
		seen := map[string]bool{}
		var next []state
		for _, s := range level {
			for kept := s.live; ; kept = (kept - 1) & s.live {
				t := state{s.g.with(kept), kept | 1<<s.g.N}
				if key := t.g.canon(members(t.live)); !seen[key] {
					seen[key] = true
					next = append(next, t)
				}
				if kept == 0 {
					break
				}
			}
		}
		level = next
	}
	seen := map[string]bool{}
	for _, s := range level {
		if key := s.g.canon(marks{}); !seen[key] {
			seen[key] = true
			if !visit(s.g) {
				return
			}
		}
	}
}

// members marks the members of a set.
func members(set uint16) (mark marks) {
	for ; set != 0; set &= set - 1 {
		mark[bits.TrailingZeros16(set)] = 1
	}
	return mark
}
