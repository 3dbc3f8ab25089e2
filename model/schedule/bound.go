package schedule

import (
	"slices"

	"memplan/model"
)

// boundLimit is up to how many units of a part the bound looks at what must be
// live besides a unit's own operands; its cost is quadratic.
const boundLimit = 1024

// Bound is live bytes that no order avoids: those of some unit's step, of what
// it touches, and of what is written before it and used after it in any order.
// Narrow points cut the graph into parts. Cost: O(units items operands / 64)
// for each part up to boundLimit, else linear.
func (c *Problem) Bound() int64 {
	r := c.start()
	bound := model.SaturatingAdd(r.live, c.atStart)
	order := c.DAG.Kahn(model.Identity(len(c.touched)))
	for units := range c.parts(order) {
		bound = max(bound, r.restricted(units).least(r.live))
		for _, u := range units {
			r.do(u)
		}
	}
	return bound
}

// least is the least that is live at some unit in any order, with that many
// bytes live before.
func (c *Problem) least(live int64) int64 {
	for i := range c.Items {
		if it := &c.Items[i]; len(it.Firsts) == 0 {
			live -= it.Bytes // counted where it must be live
		}
	}
	precedes := c.precedes()
	bound := int64(0)
	for u := range c.touched {
		sum := model.SaturatingAdd(live, c.Scratch[u])
		if precedes == nil {
			for _, i := range c.touched[u] {
				if len(c.Items[i].Laid) == 0 {
					sum = model.SaturatingAdd(sum, c.Items[i].Bytes)
				}
			}
		} else {
			for i := range c.Items {
				if c.mustLive(i, u, precedes) {
					sum = model.SaturatingAdd(sum, c.Items[i].Bytes)
				}
			}
		}
		bound = max(bound, sum-c.couldSave(u))
	}
	return bound
}

// mustLive reports whether item i is live at u in every order.
func (c *Problem) mustLive(i, u int, precedes func(a, b int) bool) bool {
	it := &c.Items[i]
	for _, laid := range it.Laid {
		if !precedes(u, laid) {
			return false
		}
	}
	if len(it.Firsts) > 0 && !slices.ContainsFunc(it.Firsts, func(f int) bool { return f == u || precedes(f, u) }) {
		return false
	}
	if it.Forever {
		return true
	}
	for _, user := range it.Users {
		if user == u || precedes(u, user) {
			return true
		}
	}
	return false
}

// couldSave is what u's pairs save at most.
func (c *Problem) couldSave(u int) int64 {
	if len(c.Pairs[u])+len(c.Leads[u]) == 0 {
		return 0
	}
	r := &run{Problem: c, left: make([]int, len(c.Items))}
	return r.saved(u)
}

// precedes tells whether a must run before b, from the set of each unit's
// ancestors; beyond boundLimit it knows nothing.
func (c *Problem) precedes() func(a, b int) bool {
	n := len(c.touched)
	if n > boundLimit {
		return nil
	}
	words := (n + 63) / 64
	before := make([]uint64, n*words)
	c.DAG.Run(func(u int) {
		mine := before[u*words : (u+1)*words]
		for _, b := range c.DAG.Before[u] {
			for w, set := range before[b*words : (b+1)*words] {
				mine[w] |= set
			}
			mine[b/64] |= 1 << (b % 64)
		}
	})
	return func(a, b int) bool { return before[b*words+a/64]>>(a%64)&1 == 1 }
}
