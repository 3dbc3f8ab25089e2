package graph

import (
	"slices"

	"memplan/model"
	"memplan/model/schedule"
)

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
	if l.loose() {
		l.out.Order.Bound = 0
	}
}

// loose reports whether some sharing that is a choice may leave bytes free that
// the costs of an order count as taken: those of a base that only a part of it
// outlives, those under an output, of a concat's result that an operand outlives,
// or of a view that a result may only replace where it is a copy, or those of what
// is mutable while it is dead. Then what is known of orders is no bound. Nor is it
// where an output may lie over what has views.
func (l *lowering) loose() bool {
	made := func(t int) bool {
		of := l.base[t].Of
		return of >= 0 && l.writer[t] >= 0 && !l.makers.sliced[t] && l.family[t] == l.family[of]
	}
	for t := range l.base {
		if l.g.Tensors[t].Kind == Mutable {
			return true
		}
		if made(t) && l.g.Tensors[t].Bytes != l.g.Tensors[l.family[t]].Bytes {
			return true
		}
	}
	for i := range l.g.Ops {
		o := &l.g.Ops[i]
		if slices.ContainsFunc(o.Overlap, func(p Lead) bool { return !l.lone(p.Under) || !l.lone(p.Over) }) {
			return true
		}
		if len(o.Overlap) > 0 && (len(o.InPlace) > 0 || l.o.Concat) || len(o.InPlace) > 1 || o.Layout == Concat && l.o.Concat {
			return true
		}
		if slices.ContainsFunc(o.InPlace, func(p [2]int) bool { return made(p[0]) || made(p[1]) }) {
			return true
		}
	}
	return false
}

func (l *lowering) order() []int {
	l.out.Order.Kind = l.o.Schedule
	switch l.o.Schedule {
	case schedule.Kahn:
		return l.dag.Kahn(model.Identity(len(l.ops)))
	case schedule.DepthFirst:
		return l.depthFirst()
	case schedule.Memory:
		c := l.costs()
		order := c.Greedy()
		l.out.Order.Bound = c.Bound()
		return order
	case schedule.Optimal:
		return l.optimal()
	}
	return l.givenOrder()
}

// optimal asks the exact search, which starts from the other schedules.
func (l *lowering) optimal() []int {
	c := l.costs()
	starts := [][]int{c.Greedy(), l.givenOrder(), l.dag.Kahn(model.Identity(len(l.ops))), l.depthFirst()}
	order, found := c.Optimal(starts, l.o.States)
	l.out.Order = found
	return order
}

// givenOrder is the graph's own order: a unit of several operators runs at the
// place of its last member that needs anything from outside, or later.
func (l *lowering) givenOrder() []int {
	place := make([]int, len(l.g.Ops))
	list := l.g.Schedule
	if list == nil {
		list = model.Identity(len(l.g.Ops))
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
	order := l.dag.Kahn(key)
	if l.o.Schedule == schedule.Given && !slices.IsSortedFunc(order, func(a, b int) int { return key[a] - key[b] }) {
		l.note(Reordered, "the operators cannot run in the order given; of those that are ready, the one given first runs")
	}
	return order
}

// depthFirst runs, for each output of the graph in order, then for each
// operator by index, what it needs and then itself: operands in order, each
// with all that it needs before the next.
func (l *lowering) depthFirst() []int {
	var goals []int
	for _, t := range l.g.Outputs {
		l.makers.each(t, func(w int) { goals = append(goals, l.unit[w]) })
	}
	goals = append(goals, model.Identity(len(l.ops))...)
	// What each unit needs, in the order of its operands, then what else it must
	// come after.
	needs := make([][]int, len(l.ops))
	for u, ops := range l.ops {
		for _, o := range ops {
			for _, t := range l.g.Ops[o].Inputs {
				l.makers.each(t, func(w int) {
					if l.unit[w] != u {
						needs[u] = append(needs[u], l.unit[w])
					}
				})
			}
		}
		needs[u] = append(needs[u], l.dag.Before[u]...)
	}
	return schedule.DepthFirstOrder(goals, needs)
}
