package schedule

import "container/heap"

// Greedy runs, of the units that are ready, the one after which the fewest
// bytes are live, the lowest index among equals. Cost: O((units + operands)
// log units).
func (c *Problem) Greedy() []int {
	r := c.start()
	n := len(c.touched)
	waits := make([]int, n)
	queue := &byChange{}
	push := func(u int) { heap.Push(queue, changed{r.change(u), u}) }
	for u := range n {
		if waits[u] = len(c.DAG.Before[u]); waits[u] == 0 {
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
		for _, a := range c.DAG.After[u] {
			if waits[a]--; waits[a] == 0 {
				push(a)
			}
		}
		for _, i := range c.born[u] {
			for _, other := range c.Items[i].Firsts { // it is there for them now
				if !r.ran[other] && waits[other] == 0 {
					push(other)
				}
			}
		}
		for _, i := range c.touched[u] {
			if r.left[i] != 1 {
				continue
			}
			// One user is left, whose change is less now.
			for _, last := range c.Items[i].Users {
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
