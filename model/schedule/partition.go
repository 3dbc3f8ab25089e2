package schedule

import (
	"iter"
	"slices"
)

// parts yields the units between narrow points of an order.
func (c *Problem) parts(order []int) iter.Seq[[]int] {
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
func (c *Problem) cuts(order []int) []int {
	n := len(order)
	place := make([]int, n)
	for k, u := range order {
		place[u] = k
	}
	ends := make([]int, n+1)   // by position: how the number of ends of the prefix changes
	begins := make([]int, n+1) // how the number of beginnings of the rest changes
	for k, u := range order {
		first, last := n, -1
		for _, a := range c.DAG.After[u] {
			first = min(first, place[a])
		}
		for _, b := range c.DAG.Before[u] {
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

// restricted is the costs of some units, renumbered, after the run. What is
// used by others later is live to the end; what was laid into a concat's
// result before, or is born later, has no bytes.
func (r *run) restricted(units []int) *Problem {
	n := len(units)
	place := make(map[int]int, n)
	for k, u := range units {
		place[u] = k
	}
	c := New(n)
	c.movable, c.atStart = r.movable, r.atStart
	number := make(map[int]int) // of each item
	var items []int             // by number
	for k, u := range units {
		c.Scratch[k] = r.Scratch[u]
		for _, b := range r.DAG.Before[u] {
			if from, inside := place[b]; inside {
				c.DAG.Before[k] = append(c.DAG.Before[k], from)
			}
		}
		for _, i := range r.touched[u] {
			local, seen := number[i]
			if !seen {
				local = len(items)
				number[i] = local
				items = append(items, i)
				c.Items = append(c.Items, r.itemIn(i, place))
			}
			c.Items[local].Users = append(c.Items[local].Users, k)
			c.touched[k] = append(c.touched[k], local)
		}
		for _, p := range r.Pairs[u] {
			c.Pairs[k] = append(c.Pairs[k], Pair{number[p.X], number[p.Y], p.Bytes})
		}
		for _, p := range r.Leads[u] {
			c.Leads[k] = append(c.Leads[k], Pair{number[p.X], number[p.Y], p.Bytes})
		}
		for _, i := range r.Lays[u] {
			c.Lays[k] = append(c.Lays[k], number[i])
			c.Items[number[i]].Laid = append(c.Items[number[i]].Laid, k)
		}
	}
	c.DAG.Mirror()
	for local, i := range items {
		it := &c.Items[local]
		it.Forever = it.Forever || r.left[i] > len(it.Users)
		for _, u := range it.Firsts {
			c.born[u] = append(c.born[u], local)
		}
	}
	return c
}

// itemIn is item i to units that are placed so, without its users.
func (r *run) itemIn(i int, place map[int]int) Item {
	it := Item{Bytes: r.Items[i].Bytes, Forever: r.Items[i].Forever}
	if r.fresh(i) {
		for _, w := range r.Items[i].Firsts {
			if first, inside := place[w]; inside {
				it.Firsts = append(it.Firsts, first)
			}
		}
		if len(it.Firsts) == 0 {
			it.Bytes = 0
		}
	}
	if r.gone[i] {
		it.Bytes = 0
	}
	return it
}
