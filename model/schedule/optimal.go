package schedule

import (
	"cmp"
	"slices"
)

// DefaultStates is how many sets of units the search for an optimal schedule
// visits, unless told otherwise; of parts with many units fewer (see weight). A
// state of a part with n units takes about n/8 + 100 bytes.
const DefaultStates = 1 << 20

// Optimal finds an order with the least load. Exact, unless the limit of
// states ends it; then Bound is still proven, and the order is the best found.
//
// The graph is cut at its narrow points: where everything before must run
// before everything after, the two are ordered apart. Within a part, a state is
// the set of units that ran (a downset of the dag); what is live depends on
// nothing else. States are taken by the least load needed to reach them, so
// the first complete one is best (Dijkstra's algorithm for the least maximum);
// and from both ends by turns, since what either end cannot reach settles it
// (see search). A chain of units that needs no more than was needed already,
// and leaves no more live than before, runs at once (see block). What needs
// nothing and makes an operand of one other unit, such as the dequantization of
// a filter, runs right before that (see late). The starts give the first upper
// bound, and bound the first lower one; they often meet at once.
//
// The downsets as the state space are those of Ahn et al., "Ordering Chaos:
// Memory-Aware Scheduling of Irregularly Wired Neural Networks", 2020.
func (c *Problem) Optimal(starts [][]int, states int) ([]int, Found) {
	if states == 0 {
		states = DefaultStates
	}
	best := slices.MinFunc(starts, func(a, b []int) int { return cmp.Compare(c.Load(a), c.Load(b)) })
	found := Found{Kind: Optimal, Load: c.Load(best), Bound: c.Bound()}
	if found.Load <= found.Bound {
		return best, found
	}
	if before, any := c.late(); any {
		return c.optimalJoined(before, starts, states)
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
	found.Load = c.Load(order)
	return order, found
}

// optimalJoined is Optimal where late units run right before those that need them.
func (c *Problem) optimalJoined(before []int, starts [][]int, states int) ([]int, Found) {
	j, units := c.joined(before)
	number := make([]int, len(before))
	for n, list := range units {
		number[list[len(list)-1]] = n
	}
	var few [][]int
	for _, start := range starts {
		var order []int
		for _, u := range start {
			if before[u] < 0 {
				order = append(order, number[u])
			}
		}
		few = append(few, order)
	}
	short, found := j.Optimal(few, states)
	var order []int
	for _, n := range short {
		order = append(order, units[n]...)
	}
	found.Load, found.Bound = c.Load(order), max(found.Bound, c.Bound())
	return order, found
}
