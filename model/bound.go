package model

// boundLimit is up to how many units the bound looks at what must be live
// besides a unit's own operands; its cost is quadratic.
const boundLimit = 1024

// bound is live bytes that no order avoids: those of some unit's step, of what
// it touches, and of what is written before it and used after it in any order.
// Cost: O((units + items) units operands / 64) up to boundLimit, else linear.
func (c *costs) bound() int64 {
	n := len(c.touched)
	all := func(int, int) bool { return false }
	if n <= boundLimit {
		all = c.precedes()
	}
	start := c.start()
	bound := saturated(start.live, c.atStart)
	for u := range n {
		bound = max(bound, c.least(u, all))
	}
	return bound
}

// least is the least that is live at u in any order.
func (c *costs) least(u int, precedes func(a, b int) bool) int64 {
	sum := c.scratch[u]
	for i := range c.items {
		if c.mustLive(i, u, precedes) {
			sum = saturated(sum, c.items[i].bytes)
		}
	}
	return max(0, sum-c.couldSave(u))
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
// ancestors.
func (c *costs) precedes() func(a, b int) bool {
	n := len(c.touched)
	words := (n + 63) / 64
	before := make([]uint64, n*words)
	c.dag.run(func(u int) {
		mine := before[u*words : (u+1)*words]
		for _, b := range c.dag.before[u] {
			for w, bits := range before[b*words : (b+1)*words] {
				mine[w] |= bits
			}
			mine[b/64] |= 1 << (b % 64)
		}
	})
	return func(a, b int) bool { return before[b*words+a/64]>>(a%64)&1 == 1 }
}
