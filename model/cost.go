package model

import (
	"container/heap"
	"slices"
)

// costs is what schedules of units are measured by: the bytes live at each
// step, as a function of which units have run, not of their order. Where the
// real sharing depends on the order (in-place pairs of different sizes, pairs
// over parts of a buffer, operands of several concats) it counts no more than
// the real bytes, so that its minimum bounds every schedule's load.
type costs struct {
	dag     *dag
	items   []item
	touched [][]int  // items that each unit reads or writes, ascending
	born    [][]int  // items that each unit is the first to write
	scratch []int64  // of each unit
	pairs   [][]pair // in-place pairs of each unit
	lays    [][]int  // items that each unit, a concat, lays into its result
	result  []int    // the item that they are laid into
	atStart int64    // bytes live at the first step alone
	movable bool     // no operand is laid into several results
}

// An item is a buffer as far as it is known before the schedule: a value and
// its views.
type item struct {
	bytes   int64
	first   int   // unit that writes it; -1: there from the start
	users   []int // units that read or write it, ascending
	forever bool  // live to the end
	laid    []int // concats that make it part of their result
}

// A pair is two items that a unit may make one: the second takes the place of
// the first, if nobody else reads that any more.
type pair struct {
	x, y  int
	bytes int64 // saved at that step, at most
}

// costs collects the items, once the views are known.
func (l *lowering) costs() *costs {
	c := newCosts(len(l.ops))
	c.dag = l.dag
	index := l.items(c)
	for u, ops := range l.ops {
		for _, o := range ops {
			for _, bytes := range l.g.Ops[o].Scratch {
				c.scratch[u] = saturated(c.scratch[u], bytes)
			}
			l.layItems(c, index, u, o)
			for _, p := range l.g.Ops[o].InPlace {
				l.pairItems(c, index, u, o, p[0], p[1])
			}
		}
	}
	c.finish()
	return c
}

func newCosts(units int) *costs {
	return &costs{
		dag:     &dag{before: make([][]int, units), after: make([][]int, units)},
		touched: make([][]int, units), born: make([][]int, units), scratch: make([]int64, units),
		pairs: make([][]pair, units), lays: make([][]int, units), result: make([]int, units),
	}
}

// items makes an item of each group, and returns the item of each tensor, -1
// where it takes no bytes of an arena.
func (l *lowering) items(c *costs) []int {
	index := make([]int, len(l.g.Tensors))
	ofRoot := make(map[int]int)
	for t := range index {
		root, _ := l.find(t)
		g := &l.groups[root]
		index[t] = -1
		if g.where != InArena || g.size == 0 {
			continue
		}
		i, seen := ofRoot[root]
		if !seen {
			i = len(c.items)
			ofRoot[root] = i
			c.items = append(c.items, item{bytes: g.size, first: -1})
			if w := l.writer[root]; w >= 0 && !l.throughout(root) {
				c.items[i].first = l.unit[w]
			}
		}
		index[t] = i
		it := &c.items[i]
		it.forever = it.forever || l.wanted[t] || l.throughout(t)
		if l.throughout(t) {
			it.first = -1
		}
		if w := l.writer[t]; w >= 0 {
			it.users = append(it.users, l.unit[w])
		}
		for _, o := range l.readers[t] {
			it.users = append(it.users, l.unit[o])
		}
	}
	return index
}

// finish sorts, and indexes the items by unit. What one concat lays into its
// result lives on as that.
func (c *costs) finish() {
	c.movable = true
	c.dag.run(func(u int) {
		for _, i := range c.lays[u] {
			if p := &c.items[i]; len(p.laid) == 1 {
				z := &c.items[c.result[u]]
				for _, user := range p.users {
					if user != u && user != p.first { // those run before
						z.users = append(z.users, user)
					}
				}
				z.forever = z.forever || p.forever
			} else {
				c.movable = false
			}
		}
	})
	for i := range c.items {
		it := &c.items[i]
		slices.Sort(it.users)
		it.users = slices.Compact(it.users)
		for _, u := range it.users {
			c.touched[u] = append(c.touched[u], i)
		}
		switch {
		case it.first >= 0:
			c.born[it.first] = append(c.born[it.first], i)
		case len(it.users) == 0 && !it.forever:
			c.atStart = saturated(c.atStart, it.bytes)
		}
	}
}

// layItems notes what a concat lays into its result. From then on an operand's
// readers read the result.
func (l *lowering) layItems(c *costs, index []int, u, o int) {
	op := &l.g.Ops[o]
	if op.Layout != Concat || !l.o.Concat || len(l.ops[u]) > 1 {
		return
	}
	result := index[op.Outputs[0]]
	if result < 0 || l.laidOut(op.Inputs, op.Outputs[0]) != "" {
		return
	}
	c.result[u] = result
	delta := int64(0)
	for _, t := range op.Inputs {
		i := index[t]
		if i >= 0 && i != result && !slices.Contains(c.items[i].laid, u) && l.layable(t, op.Outputs[0], delta) == "" {
			c.lays[u] = append(c.lays[u], i)
			c.items[i].laid = append(c.items[i].laid, u)
		}
		delta += l.g.Tensors[t].Bytes
	}
}

// pairItems notes an in-place pair that no schedule would rule out.
func (l *lowering) pairItems(c *costs, index []int, u, o, x, y int) {
	if l.gone[y] {
		return
	}
	if x = l.through(o, x); x < 0 || index[x] < 0 || index[y] < 0 || index[x] == index[y] {
		return
	}
	into, at := l.find(x)
	from, inY := l.find(y)
	a, b := &l.groups[into], &l.groups[from]
	bytes := Interval{at, saturated(at, max(l.g.Tensors[x].Bytes, b.size))}
	if l.separate(x, y, into, from, inY) != "" || l.fits(b, a, at) != "" || l.readTogether(o, x) != "" {
		return
	}
	whole := len(a.open) <= openLimit
	for _, p := range a.open[:min(len(a.open), openLimit)] {
		if p.tensor == x {
			continue
		}
		if !p.bytes.Meets(bytes) {
			whole = false
		} else if m := l.member(o); m.reads[p.tensor] > 0 || m.writes[p.tensor] {
			return
		}
	}
	if !whole {
		c.items[index[y]].bytes = 0 // it may lie in what x's buffer takes anyway
		return
	}
	c.pairs[u] = append(c.pairs[u], pair{index[x], index[y], min(a.size, b.size)})
}

// A run is a schedule so far: which units ran, and what is live.
type run struct {
	*costs
	left   []int  // of each item, how many of its users have not run
	gone   []bool // items that a concat made part of its result
	ran    []bool // units that ran
	live   int64  // bytes live between the steps
	passed int    // units that ran
}

func (c *costs) start() *run {
	r := &run{costs: c, left: make([]int, len(c.items)), gone: make([]bool, len(c.items)), ran: make([]bool, len(c.touched))}
	for i := range c.items {
		it := &c.items[i]
		r.left[i] = len(it.users)
		if it.first < 0 && (r.left[i] > 0 || it.forever) {
			r.live = saturated(r.live, it.bytes)
		}
	}
	return r
}

// at is the bytes live while unit u runs next.
func (r *run) at(u int) int64 {
	load := saturated(r.live, r.scratch[u])
	for _, i := range r.born[u] {
		load = saturated(load, r.items[i].bytes)
	}
	for _, i := range r.lays[u] {
		if !r.gone[i] {
			load -= r.items[i].bytes
		}
	}
	if r.passed == 0 {
		load = saturated(load, r.atStart)
	}
	return load - r.saved(u)
}

// saved is what in-place pairs save at u, at most: each item is in one pair,
// so it is no more than the sum of the best for each first, nor of the best
// for each second.
func (r *run) saved(u int) int64 {
	if len(r.pairs[u]) == 0 {
		return 0
	}
	best := func(of func(pair) int) int64 {
		sum := int64(0)
		for k, p := range r.pairs[u] {
			if r.left[p.x] > 1 {
				continue
			}
			top := true
			for j, q := range r.pairs[u] {
				if j != k && of(q) == of(p) && r.left[q.x] <= 1 && (q.bytes > p.bytes || q.bytes == p.bytes && j < k) {
					top = false
				}
			}
			if top {
				sum += p.bytes
			}
		}
		return sum
	}
	return min(best(func(p pair) int { return p.x }), best(func(p pair) int { return p.y }))
}

// change is how the bytes live between the steps change when u runs.
func (r *run) change(u int) int64 {
	var d int64
	for _, i := range r.born[u] {
		if r.left[i] > 1 || r.items[i].forever {
			d = saturated(d, r.items[i].bytes)
		}
	}
	for _, i := range r.touched[u] {
		it := &r.items[i]
		if it.first != u && !r.gone[i] && (r.left[i] == 1 && !it.forever || slices.Contains(it.laid, u)) {
			d -= it.bytes
		}
	}
	return d
}

// do runs u.
func (r *run) do(u int) {
	r.live += r.change(u)
	for _, i := range r.touched[u] {
		r.left[i]--
	}
	for _, i := range r.lays[u] {
		r.gone[i] = true
	}
	r.ran[u] = true
	r.passed++
}

// undo takes back u, which ran last, with that many bytes live before it and
// no operand laid into several results.
func (r *run) undo(u int, live int64) {
	for _, i := range r.touched[u] {
		r.left[i]++
	}
	for _, i := range r.lays[u] {
		r.gone[i] = false
	}
	r.ran[u] = false
	r.passed--
	r.live = live
}

// load is the most bytes live at any step of an order.
func (c *costs) load(order []int) int64 {
	r := c.start()
	load := saturated(r.live, c.atStart)
	for _, u := range order {
		load = max(load, r.at(u))
		r.do(u)
	}
	return load
}

// greedy runs, of the units that are ready, the one after which the fewest
// bytes are live, the lowest index among equals. Cost: O((units + operands)
// log units).
func (c *costs) greedy() []int {
	r := c.start()
	n := len(c.touched)
	waits := make([]int, n)
	queue := &byChange{}
	push := func(u int) { heap.Push(queue, changed{r.change(u), u}) }
	for u := range n {
		if waits[u] = len(c.dag.before[u]); waits[u] == 0 {
			push(u)
		}
	}
	order := make([]int, 0, n)
	for len(order) < n {
		top := heap.Pop(queue).(changed)
		u := top.unit
		if r.ran[u] {
			continue
		}
		if top.change != r.change(u) {
			push(u)
			continue
		}
		r.do(u)
		order = append(order, u)
		for _, a := range c.dag.after[u] {
			if waits[a]--; waits[a] == 0 {
				push(a)
			}
		}
		for _, i := range c.touched[u] {
			if r.left[i] != 1 {
				continue
			}
			// One user is left, whose change is less now.
			for _, last := range c.items[i].users {
				if !r.ran[last] && waits[last] == 0 {
					push(last)
				}
			}
		}
	}
	return order
}

// changed is a unit and what it would change.
type changed struct {
	change int64
	unit   int
}

// byChange is a heap: the root changes the least.
type byChange []changed

func (h byChange) Len() int { return len(h) }
func (h byChange) Less(a, b int) bool {
	return h[a].change < h[b].change || h[a].change == h[b].change && h[a].unit < h[b].unit
}
func (h byChange) Swap(a, b int) { h[a], h[b] = h[b], h[a] }
func (h *byChange) Push(x any)   { *h = append(*h, x.(changed)) }
func (h *byChange) Pop() any {
	x := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return x
}
