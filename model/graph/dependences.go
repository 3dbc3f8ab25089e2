package graph

import (
	"slices"

	"memplan/model"
	"memplan/model/schedule"
)

// newDAG finds the dependences of a graph whose references are valid: what an
// operator reads, what it must come after, and, for those that read or write one
// variable, the order given: a reader sees what was written last. Cost: linear,
// but for the sorting of each operator's predecessors.
func newDAG(g *Graph) *schedule.DAG {
	d := newFlow(g)
	place := make([]int, len(g.Ops))
	order := g.Schedule
	if len(order) != len(g.Ops) {
		order = d.Kahn(model.Identity(len(g.Ops)))
	}
	for k, o := range order {
		place[o] = k
	}
	if !chainVariables(d, g, place) {
		return d
	}
	d.After = make([][]int, len(g.Ops))
	d.Mirror()
	return d
}

// chainVariables has the operators that read or write a variable, or a view of
// it, run in the order of their places: one that reads may change it, too. It
// reports whether there are any.
func chainVariables(d *schedule.DAG, g *Graph, place []int) bool {
	root := g.roots()
	users := make(map[int][]int)
	for o := range g.Ops {
		for _, t := range slices.Concat(g.Ops[o].Inputs, g.Ops[o].Outputs) {
			if r := root[t]; g.Tensors[r].Kind.Rewritten() {
				users[r] = append(users[r], o)
			}
		}
	}
	for _, list := range users {
		slices.SortFunc(list, func(a, b int) int { return place[a] - place[b] })
		for k, o := range slices.Compact(list)[1:] {
			d.Before[o] = append(d.Before[o], list[k])
		}
	}
	for o := range d.Before {
		slices.Sort(d.Before[o])
		d.Before[o] = slices.Compact(d.Before[o])
	}
	return len(users) > 0
}

// newFlow finds the dependences by values and by After.
func newFlow(g *Graph) *schedule.DAG {
	m := makersOf(g)
	d := &schedule.DAG{Before: make([][]int, len(g.Ops)), After: make([][]int, len(g.Ops))}
	for o := range g.Ops {
		list := slices.Clone(g.Ops[o].After)
		for _, t := range g.Ops[o].Inputs {
			m.each(t, func(w int) { list = append(list, w) })
		}
		slices.Sort(list)
		d.Before[o] = slices.Compact(list)
	}
	d.Mirror()
	return d
}

// roots gives each tensor the end of its chain of views.
func (g *Graph) roots() []int {
	root := make([]int, len(g.Tensors))
	for t := range root {
		root[t] = -1
	}
	var chain []int
	for t := range g.Tensors {
		chain = chain[:0]
		for root[t] < 0 && g.Tensors[t].View != nil {
			chain = append(chain, t)
			t = g.Tensors[t].View.Of
		}
		if root[t] < 0 {
			root[t] = t
		}
		for _, c := range chain {
			root[c] = root[t]
		}
	}
	return root
}
