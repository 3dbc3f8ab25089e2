package model

// boundLimit is up to how many units of a part the bound looks at what must be
// live besides a unit's own operands; its cost is quadratic.
const boundLimit = 1024

// bound is live bytes that no order avoids: those of some unit's step, of what
// it touches, and of what is written before it and used after it in any order.
// Narrow points cut the graph into parts. Cost: O(units items operands / 64)
// for each part up to boundLimit, else linear.
func (c *costs) bound() int64 {
	r := c.start()
	bound := saturated(r.live, c.atStart)
	order := c.dag.smallest(identity(len(c.touched)))
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
func (c *costs) least(live int64) int64 {
	for i := range c.items {
		if it := &c.items[i]; it.first < 0 {
			live -= it.bytes // counted where it must be live
		}
	}
	precedes := c.precedes()
	bound := int64(0)
	for u := range c.touched {
		sum := saturated(live, c.scratch[u])
		if precedes == nil {
			for _, i := range c.touched[u] {
				if len(c.items[i].laid) == 0 {
					sum = saturated(sum, c.items[i].bytes)
				}
			}
		} else {
			for i := range c.items {
				if c.mustLive(i, u, precedes) {
					sum = saturated(sum, c.items[i].bytes)
				}
			}
		}
		bound = max(bound, sum-c.couldSave(u))
	}
	return bound
}

// mustLive reports whether item i is live at u in every order.
func (c *costs) mustLive(i, u int, precedes func(a, b int) bool) bool {
	it := &c.items[i]
	for _, laid := range it.laid {
		if !precedes(u, laid) {
			return false
		}
	}
	if it.first >= 0 && it.first != u && !precedes(it.first, u) {
		return false
	}
	if it.forever {
		return true
	}
	for _, user := range it.users {
		if user == u || precedes(u, user) {
			return true
		}
	}
	return false
}

// couldSave is what u's in-place pairs save at most.
func (c *costs) couldSave(u int) int64 {
	if len(c.pairs[u]) == 0 {
		return 0
	}
	r := &run{costs: c, left: make([]int, len(c.items))}
	return r.saved(u)
}

// precedes tells whether a must run before b, from the set of each unit's
// ancestors; beyond boundLimit it knows nothing.
func (c *costs) precedes() func(a, b int) bool {
	n := len(c.touched)
	if n > boundLimit {
		return nil
	}
	words := (n + 63) / 64
	before := make([]uint64, n*words)
	c.dag.run(func(u int) {
		mine := before[u*words : (u+1)*words]
		for _, b := range c.dag.before[u] {
			for w, set := range before[b*words : (b+1)*words] {
				mine[w] |= set
			}
			mine[b/64] |= 1 << (b % 64)
		}
	})
	return func(a, b int) bool { return before[b*words+a/64]>>(a%64)&1 == 1 }
}
