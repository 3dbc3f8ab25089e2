package schedule

import (
	"math/rand"
	"slices"
	"testing"
)

// filtered is a random problem: units that read what others made, some over what they
// read, and units without operands that make one of theirs.
func filtered(r *rand.Rand) *Problem {
	n := 2 + r.Intn(3)
	late := r.Intn(4)
	c := New(n + late)
	edge := func(a, b int) {
		if !slices.Contains(c.DAG.After[a], b) {
			c.DAG.After[a], c.DAG.Before[b] = append(c.DAG.After[a], b), append(c.DAG.Before[b], a)
		}
	}
	item := func(u int) int {
		c.Items = append(c.Items, Item{Bytes: int64(1 + r.Intn(9)), Firsts: []int{u}, Users: []int{u}, Forever: r.Intn(8) == 0})
		return len(c.Items) - 1
	}
	reads := func(u, i int) {
		edge(c.Items[i].Firsts[0], u)
		c.Items[i].Users = append(c.Items[i].Users, u)
	}
	for u := range n {
		mine := item(u)
		c.Scratch[u] = int64(r.Intn(3))
		for x := range mine {
			if r.Intn(2) == 0 {
				if reads(u, x); r.Intn(3) == 0 {
					c.Leads[u] = append(c.Leads[u], Pair{X: x, Y: mine, Bytes: 1 + r.Int63n(min(c.Items[x].Bytes, c.Items[mine].Bytes))})
				}
			}
		}
	}
	for u := n; u < n+late; u++ {
		reads(r.Intn(n), item(u))
		if r.Intn(6) == 0 {
			c.Scratch[u] = int64(r.Intn(9))
		}
	}
	if r.Intn(4) == 0 {
		c.Items = append(c.Items, Item{Bytes: int64(1 + r.Intn(9))}) // at the first step alone
	}
	c.Finish()
	return c
}

// leastLoad is the least of all orders.
func leastLoad(c *Problem, order []int) int64 {
	if len(order) == len(c.touched) {
		return c.Load(order)
	}
	least := int64(1 << 40)
	for u := range c.touched {
		if !slices.Contains(order, u) && !slices.ContainsFunc(c.DAG.Before[u], func(b int) bool { return !slices.Contains(order, b) }) {
			least = min(least, leastLoad(c, append(slices.Clone(order), u)))
		}
	}
	return least
}

// Units that run right before those that need them leave the least load as it is.
func TestLate(t *testing.T) {
	joined, hard := 0, 0
	for seed := range int64(1500) {
		c := filtered(rand.New(rand.NewSource(seed)))
		least := leastLoad(c, nil)
		before, any := c.late()
		if any {
			joined++
			j, units := c.joined(before)
			if got := leastLoad(j, nil); got != least || len(units) >= len(before) {
				t.Errorf("seed %d: %v: the least load is %d joined, %d apart", seed, before, got, least)
			}
		}
		start := c.DAG.Kahn(make([]int, len(c.touched)))
		if c.Load(start) > least && any {
			hard++
		}
		order, found := c.Optimal([][]int{start}, 0)
		if found.Load != least || found.Bound != least || c.Load(order) != least {
			t.Errorf("seed %d: %+v, order %v takes %d; the least is %d", seed, found, order, c.Load(order), least)
		}
	}
	if t.Log(joined, hard); joined < 500 || hard < 100 {
		t.Errorf("%d problems with late units, %d whose first order is not best: too few to tell", joined, hard)
	}
}
