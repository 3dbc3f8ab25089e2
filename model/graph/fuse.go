package graph

import (
	"slices"
	"strings"

	"memplan/model"
	"memplan/model/schedule"
)

// FuseKind says which operators run as one step.
type FuseKind int

const (
	FuseDeclared    FuseKind = iota // the graph's groups
	FuseElementwise                 // those, and chains of elementwise operators
	FuseNone
)

// units partitions the operators into what runs as one. A group whose members
// would have to wait for something that waits for them is refused.
func (l *lowering) units() {
	g := l.g
	l.makers = makersOf(g)
	l.facts()
	ops := newDAG(g)
	l.unit = model.Identity(len(g.Ops))
	if l.o.Fuse != FuseNone {
		l.declared(ops)
	}
	if l.o.Fuse == FuseElementwise {
		l.elementwise(ops)
	}
	l.number()
	l.dag = ops.Contract(l.unit, len(l.ops))
	l.remove()
}

// facts collects who writes and reads each tensor.
func (l *lowering) facts() {
	g := l.g
	l.writer = make([]int, len(g.Tensors))
	l.readers = make([][]int, len(g.Tensors))
	l.given = make([]bool, len(g.Tensors))
	l.wanted = make([]bool, len(g.Tensors))
	l.gone = make([]bool, len(g.Tensors))
	l.changed = make([]bool, len(g.Tensors))
	root := g.roots()
	for t := range l.writer {
		l.writer[t] = -1
	}
	for o := range g.Ops {
		for _, t := range g.Ops[o].Outputs {
			if g.Tensors[t].Kind.Rewritten() {
				l.changed[root[t]] = true
			} else {
				l.writer[t] = o
			}
		}
		for _, t := range g.Ops[o].Inputs {
			if r := l.readers[t]; len(r) == 0 || r[len(r)-1] != o {
				l.readers[t] = append(r, o)
			}
		}
	}
	for _, t := range g.Inputs {
		l.given[t] = g.Tensors[t].Kind != Weight
	}
	for _, t := range g.Outputs {
		l.wanted[t] = true
	}
}

// declared makes the graph's groups units. All of them are tried together;
// where operators then wait for each other, the groups among those are tried
// one by one, in order.
func (l *lowering) declared(ops *schedule.DAG) {
	lead := func(group []int) {
		for _, o := range group {
			l.unit[o] = slices.Min(group)
		}
	}
	alone := func(group []int) {
		for _, o := range group {
			l.unit[o] = o
		}
	}
	var groups [][]int
	for _, group := range l.g.Fuse {
		if len(group) > 1 {
			lead(group)
			groups = append(groups, group)
		}
	}
	stuck := ops.Contract(l.unit, len(l.unit)).Stuck()
	var doubtful [][]int
	for _, group := range groups {
		if stuck[l.unit[group[0]]] {
			doubtful = append(doubtful, group)
			alone(group)
		}
	}
	for _, group := range doubtful {
		lead(group)
		if slices.Contains(ops.Contract(l.unit, len(l.unit)).Stuck(), true) {
			alone(group)
			names := make([]string, len(group))
			for k, o := range group {
				names[k] = l.opID(o)
			}
			l.note(Refused, "fusing %s: something outside needs one of them and is needed by another", strings.Join(names, ", "))
		}
	}
}

// elementwise joins each elementwise operator to the one that alone reads all
// its results and waits for it, when that is elementwise too. Every path from
// the first leads through the second, so nothing can come to wait for itself.
func (l *lowering) elementwise(ops *schedule.DAG) {
	g := l.g
	declared := make([]bool, len(g.Ops))
	for _, group := range g.Fuse {
		for _, o := range group {
			declared[o] = len(group) > 1
		}
	}
	reader := func(o int) int {
		if len(ops.After[o]) != 1 || len(g.Ops[o].Outputs) == 0 {
			return -1
		}
		for _, t := range g.Ops[o].Outputs {
			if l.wanted[t] || g.Tensors[t].Kind != Activation || len(l.readers[t]) != 1 {
				return -1
			}
		}
		return ops.After[o][0]
	}
	fusible := func(o int) bool { return g.Ops[o].Elementwise && !declared[o] }
	into := make([]int, len(g.Ops)) // the operator that each is joined to
	for o := range into {
		into[o] = -1
		if next := reader(o); next >= 0 && fusible(o) && fusible(next) {
			into[o] = next
		}
	}
	var path []int
	for o := range into {
		end := o
		for path = path[:0]; into[end] >= 0; end = into[end] {
			path = append(path, end)
		}
		for _, p := range path {
			l.unit[p], into[p] = end, end
		}
	}
}

// number numbers the units by their first operator.
func (l *lowering) number() {
	index := make(map[int]int)
	for o, lead := range l.unit {
		u, seen := index[lead]
		if !seen {
			u = len(l.ops)
			index[lead] = u
			l.ops = append(l.ops, nil)
		}
		l.unit[o] = u
		l.ops[u] = append(l.ops[u], o)
	}
}

// remove drops the values that live inside a unit only: written and read by
// its operators alone, they and their views, and wanted by nobody else. One
// that nobody reads stays.
func (l *lowering) remove() {
	g := l.g
	root := g.roots()
	keep := make([]bool, len(g.Tensors)) // by root
	inside := make([]int, len(g.Tensors))
	read := make([]bool, len(g.Tensors))
	for t := range inside {
		inside[t] = -1
	}
	touch := func(t, unit int) {
		r := root[t]
		if len(l.ops[unit]) == 1 || inside[r] >= 0 && inside[r] != unit {
			keep[r] = true
		}
		inside[r] = unit
	}
	for t := range g.Tensors {
		r := root[t]
		w := l.writer[t]
		if l.given[t] || l.wanted[t] || g.Tensors[t].Kind != Activation || w >= 0 && len(l.readers[t]) == 0 {
			keep[r] = true
		}
		if w >= 0 {
			touch(t, l.unit[w])
		}
		for _, o := range l.readers[t] {
			touch(t, l.unit[o])
			read[r] = true
		}
	}
	for t := range g.Tensors {
		if r := root[t]; read[r] && !keep[r] && inside[r] >= 0 {
			l.gone[t] = true
			l.note(Removed, "tensor %s, %d bytes: inside the step of %s", l.id(t), g.Tensors[t].Bytes, l.opID(l.ops[inside[r]][0]))
		}
	}
}
