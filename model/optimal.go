package model

import (
	"cmp"
	"iter"
	"slices"
)

// DefaultStates is how many sets of units the search for an optimal schedule
// visits, unless told otherwise; of parts with many units fewer (see weight). A
// state of a part with n units takes about n/8 + 100 bytes.
const DefaultStates = 1 << 20

// optimal finds an order with the least load. Exact, unless the limit of
// states ends it; then Bound is still proven, and the order is the best found.
//
// The graph is cut at its narrow points: where everything before must run
// before everything after, the two are ordered apart. Within a part, a state is
// the set of units that ran (a downset of the dag); what is live depends on
// nothing else. States are taken by the least load needed to reach them, so
// the first complete one is best (Dijkstra's algorithm for the least maximum);
// and from both ends by turns, since what either end cannot reach settles it
// (see search). A chain of units that needs no more than was needed already,
// and leaves no more live than before, runs at once (see block). The starts
// give the first upper bound, and bound the first lower one; they often meet at
// once.
//
// The downsets as the state space are those of Ahn et al., "Ordering Chaos:
// Memory-Aware Scheduling of Irregularly Wired Neural Networks", 2020.
func (c *costs) optimal(starts [][]int, states int) ([]int, Scheduled) {
	if states == 0 {
		states = DefaultStates
	}
	best := slices.MinFunc(starts, func(a, b []int) int { return cmp.Compare(c.load(a), c.load(b)) })
	found := Scheduled{Kind: OptimalOrder, Load: c.load(best), Bound: c.bound()}
	if found.Load <= found.Bound {
		return best, found
	}
	order := slices.Clone(best)
	target := found.Bound // what cannot be avoided anyway
	all, done, spent := c.start(), 0, 0
	for units := range c.parts(best) {
		p := newPart(all, units, target)
		if room := (states - spent) / p.weight(); p.load > target && (room >= len(units) || p.weight() == 1) {
			p.prepare()
			p.beam()
			if bound := p.search(room); bound > target {
				found.Bound = max(found.Bound, bound)
			}
			found.States += p.visited
			spent += p.visited * p.weight()
			target = max(target, p.load)
			for j, local := range p.order {
				order[done+j] = units[local]
			}
		}
		done += len(units)
		for _, u := range units {
			all.do(u)
		}
	}
	found.Load = c.load(order)
	return order, found
}

// parts yields the units between narrow points of an order.
func (c *costs) parts(order []int) iter.Seq[[]int] {
	cuts := c.cuts(order)
	return func(yield func([]int) bool) {
		for k := 1; k < len(cuts) && yield(order[cuts[k-1]:cuts[k]]); k++ {
		}
	}
}

// cuts lists the narrow points of an order, as positions, with its two ends:
// the places next to a unit that all before lead to and all after come from.
// Of the units so far only it has no successor among them; of the rest only it
// has no predecessor. Cost: linear.
func (c *costs) cuts(order []int) []int {
	n := len(order)
	place := make([]int, n)
	for k, u := range order {
		place[u] = k
	}
	ends := make([]int, n+1)   // by position: how the number of ends of the prefix changes
	begins := make([]int, n+1) // how the number of beginnings of the rest changes
	for k, u := range order {
		first, last := n, -1
		for _, a := range c.dag.after[u] {
			first = min(first, place[a])
		}
		for _, b := range c.dag.before[u] {
			last = max(last, place[b])
		}
		ends[k]++
		ends[first]--
		begins[last+1]++
		begins[k+1]--
	}
	cuts := []int{0}
	prefix, rest := 0, 0
	for k := range n {
		prefix += ends[k]
		rest += begins[k]
		if prefix == 1 && rest == 1 {
			cuts = append(cuts, k, k+1)
		}
	}
	return slices.Compact(append(cuts, n))
}
