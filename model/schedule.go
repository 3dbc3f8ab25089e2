package model

import (
	"container/heap"
	"fmt"
	"slices"
)

// ScheduleKind names a way to order the operators.
type ScheduleKind int

const (
	GivenOrder   ScheduleKind = iota // the graph's schedule, else its order of operators where that is one, else Kahn
	KahnOrder                        // whatever is ready, the lowest index first
	DFSOrder                         // depth first from the outputs: each operator right after its operands
	MemoryOrder                      // whatever is ready and leaves the fewest live bytes, greedily
	OptimalOrder                     // the least load, by exact search
)

func (k ScheduleKind) String() string {
	return [...]string{"given", "kahn", "dfs", "memory", "optimal"}[k]
}

// ParseSchedule finds a kind by its name.
func ParseSchedule(name string) (ScheduleKind, error) {
	for k := GivenOrder; k <= OptimalOrder; k++ {
		if k.String() == name {
			return k, nil
		}
	}
	return 0, fmt.Errorf("schedule %q: want given, kahn, dfs, memory or optimal", name)
}

// A Scheduled tells how a schedule was found. Bytes are those of all spaces
// together, without reserved ranges.
type Scheduled struct {
	Kind   ScheduleKind
	Load   int64 // of the instance
	Bound  int64 // no schedule has a smaller load; 0 where none was sought
	States int   // that the search visited
}

// Proven reports whether no schedule has a smaller load.
func (s Scheduled) Proven() bool { return s.Bound > 0 && s.Load == s.Bound || s.Load == 0 }

// schedule orders the units.
func (l *lowering) schedule() {
	order := l.order()
	l.step = make([]int64, len(l.g.Ops))
	for k, u := range order {
		for _, o := range l.ops[u] {
			l.step[o] = int64(k)
		}
		l.out.Steps = append(l.out.Steps, l.ops[u])
	}
	l.steps = int64(len(order))
}

func (l *lowering) order() []int {
	l.out.Order.Kind = l.o.Schedule
	switch l.o.Schedule {
	case KahnOrder:
		return l.dag.smallest(identity(len(l.ops)))
	case DFSOrder:
		return l.depthFirst()
	case MemoryOrder:
		c := l.costs()
		order := c.greedy()
		l.out.Order.Bound = c.bound()
		return order
	case OptimalOrder:
		return l.optimal()
	}
	return l.givenOrder()
}

// optimal asks the exact search, which starts from the other schedules.
func (l *lowering) optimal() []int {
	c := l.costs()
	starts := [][]int{c.greedy(), l.givenOrder(), l.dag.smallest(identity(len(l.ops))), l.depthFirst()}
	order, found := c.optimal(starts, l.o.States)
	l.out.Order = found
	return order
}

// givenOrder is the graph's own order: a unit of several operators runs at the
// place of its last member that needs anything from outside, or later.
func (l *lowering) givenOrder() []int {
	place := make([]int, len(l.g.Ops))
	list := l.g.Schedule
	if list == nil {
		list = identity(len(l.g.Ops))
	}
	for k, o := range list {
		place[o] = k
	}
	key := make([]int, len(l.ops))
	for u, ops := range l.ops {
		first, last := place[ops[0]], -1
		for _, o := range ops {
			first = min(first, place[o])
			for _, t := range l.g.Ops[o].Inputs {
				if w := l.writer[t]; l.g.Tensors[t].Kind != Weight && (w < 0 || l.unit[w] != u) {
					last = max(last, place[o])
				}
			}
		}
		if key[u] = last; last < 0 {
			key[u] = first
		}
	}
	order := l.dag.smallest(key)
	if l.o.Schedule == GivenOrder && !slices.IsSortedFunc(order, func(a, b int) int { return key[a] - key[b] }) {
		l.note(Reordered, "the operators cannot run in the order given; of those that are ready, the one given first runs")
	}
	return order
}

func identity(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

// smallest is the order that always runs what has the least key of those that
// are ready. Keys differ.
func (d *dag) smallest(key []int) []int {
	waits := make([]int, len(d.before))
	ready := &byKey{key: key}
	for o, list := range d.before {
		if waits[o] = len(list); waits[o] == 0 {
			ready.list = append(ready.list, o)
		}
	}
	heap.Init(ready)
	order := make([]int, 0, len(d.before))
	for len(ready.list) > 0 {
		o := heap.Pop(ready).(int)
		order = append(order, o)
		for _, a := range d.after[o] {
			if waits[a]--; waits[a] == 0 {
				heap.Push(ready, a)
			}
		}
	}
	return order
}

// byKey is a heap: the root has the least key.
type byKey struct {
	key  []int
	list []int
}

func (h *byKey) Len() int           { return len(h.list) }
func (h *byKey) Less(a, b int) bool { return h.key[h.list[a]] < h.key[h.list[b]] }
func (h *byKey) Swap(a, b int)      { h.list[a], h.list[b] = h.list[b], h.list[a] }
func (h *byKey) Push(x any)         { h.list = append(h.list, x.(int)) }
func (h *byKey) Pop() any {
	x := h.list[len(h.list)-1]
	h.list = h.list[:len(h.list)-1]
	return x
}

// depthFirst runs, for each output of the graph in order, then for each
// operator by index, what it needs and then itself: operands in order, each
// with all that it needs before the next.
func (l *lowering) depthFirst() []int {
	writer := l.g.writers()
	var goals []int
	for _, t := range l.g.Outputs {
		if w := writer[t]; w >= 0 {
			goals = append(goals, l.unit[w])
		}
	}
	goals = append(goals, identity(len(l.ops))...)
	// What each unit needs, in the order of its operands, then what else it must
	// come after.
	needs := make([][]int, len(l.ops))
	for u, ops := range l.ops {
		for _, o := range ops {
			for _, t := range l.g.Ops[o].Inputs {
				if w := writer[t]; w >= 0 && l.unit[w] != u {
					needs[u] = append(needs[u], l.unit[w])
				}
			}
		}
		needs[u] = append(needs[u], l.dag.before[u]...)
	}
	var order, stack []int
	next := make([]int, len(l.ops)) // how many needs were looked at; one more: done
	for _, goal := range goals {
		stack = append(stack, goal)
		for len(stack) > 0 {
			u := stack[len(stack)-1]
			switch n := next[u]; {
			case n < len(needs[u]):
				next[u]++
				stack = append(stack, needs[u][n])
				continue
			case n == len(needs[u]):
				next[u]++
				order = append(order, u)
			}
			stack = stack[:len(stack)-1]
		}
	}
	return order
}
