package spill

import (
	"cmp"
	"fmt"
	"slices"

	"memplan/model"
	"memplan/model/graph"
	"memplan/model/schedule"
)

// A value is a tensor with its views: what is in fast memory, or in slow, as one.
type value struct {
	root    int   // the tensor that the others are views of
	tensors []int // those that are touched, ascending
	size    int64 // bytes
	align   int64 // that all of them have
	events  []event
	moves   []int64 // steps at which an operator makes a view of it, which may be a copy
	least   int64   // bytes that are needed as long as it is live, in any order of the operators
	making  int     // the first so many events make it; 0 where it is given
	given   bool    // it is there from the start: the caller's, or a state
	state   bool    // kept from run to run
	comes   bool    // a state that may come and go: the only tensor of its bytes, and not the caller's
}

// An event is a step at which a value is made, arrives, is used, or is taken by
// the caller.
type event struct {
	step          int64
	reads, writes int64 // bytes of it that operators read and write there, as often as they do
	read, wrote   bool  // by operators that do more than to make views; what writes beside others is taken to read too
	needed        int64 // bytes of the largest of its tensors that is looked at there or later
}

// stays reports whether a value is a state that is in one memory for good.
func (x *value) stays() bool { return x.state && !x.comes }

// reached reports whether an operator does more than to make views there.
func (e *event) reached() bool { return e.read || e.wrote }

// find is the number of the event at a step, or of the next, and whether it is at that
// step.
func (x *value) find(step int64) (j int, at bool) {
	return slices.BinarySearchFunc(x.events, step, func(e event, s int64) int { return cmp.Compare(e.step, s) })
}

// arrival is when the caller gives what it gives: before the first operator.
const arrival = -1

// A task is what a graph, in an order, does with its values.
type task struct {
	*viewer
	q       *Question
	l       *graph.Lowered
	steps   int64 // operators run at 0 .. steps-1; the caller's step is the last
	step    []int64
	values  []value
	of      []int   // the value of each tensor, -1 = none
	kin     []int   // the same, also of tensors that only views are taken of
	scratch []int64 // bytes by step
}

// newTask lowers the question's graph. What results may replace is left out
// here: a value's bytes are its own. Views are merged: they are in fast memory or
// in slow together.
func newTask(q *Question) (*task, error) {
	g := *q.Graph
	g.Spaces = nil
	g.Ops = slices.Clone(g.Ops)
	for o := range g.Ops {
		g.Ops[o].InPlace, g.Ops[o].Overlap = nil, nil
	}
	g.Tensors = slices.Clone(g.Tensors)
	for t := range g.Tensors {
		g.Tensors[t].Spaces = nil
		if g.Tensors[t].Kind == graph.Mutable {
			g.Tensors[t].Kind = graph.Variable // a state is there throughout, but where it goes
		}
	}
	in, err := q.Graph.Lower(q.Lowering)
	if err != nil {
		return nil, err
	}
	o := q.Lowering
	o.Schedule, g.Schedule = schedule.Given, slices.Concat(in.Steps...)
	l, err := g.Lower(o)
	if err != nil {
		return nil, err
	}
	k := &task{q: q, l: l.Merged(), viewer: newViewer(q.Graph), steps: int64(len(l.Steps)), step: make([]int64, len(g.Ops)), of: make([]int, len(g.Tensors))}
	k.scratch = make([]int64, k.steps+1)
	k.group()
	k.events()
	return k, k.agree()
}

// group finds the values: tensors in one buffer.
func (k *task) group() {
	at := make(map[int]int) // by buffer
	for t, p := range k.l.Places {
		k.of[t] = -1
		if p.Where != graph.InArena || k.l.Arenas[0].Buffers[p.Buffer].Size == 0 {
			continue
		}
		v, seen := at[p.Buffer]
		if !seen {
			v = len(k.values)
			at[p.Buffer] = v
			root := t
			for k.g.Tensors[root].View != nil && k.within(k.g.Tensors[root].View.Of, p.Buffer) {
				root = k.g.Tensors[root].View.Of
			}
			k.values = append(k.values, value{root: root, size: k.l.Arenas[0].Buffers[p.Buffer].Size})
		}
		k.of[t] = v
		k.values[v].tensors = append(k.values[v].tensors, t)
		k.values[v].align = model.GCD(k.values[v].align, max(k.g.Tensors[t].Align, 1))
	}
	k.kin = slices.Clone(k.of)
	for v := range k.values {
		for _, t := range k.values[v].tensors {
			for ; t != k.values[v].root; t = k.g.Tensors[t].View.Of {
				k.kin[t] = v
			}
			k.kin[t] = v
		}
	}
}

// within reports whether a tensor is in a buffer, or in none, so that its views
// are the buffer.
func (k *task) within(t, buffer int) bool {
	p := k.l.Places[t]
	return p.Where == graph.Nowhere || p.Where == graph.InArena && p.Buffer == buffer
}

// events collects what happens to each value, step by step.
func (k *task) events() {
	for v := range k.values {
		x := &k.values[v]
		x.state = slices.ContainsFunc(x.tensors, func(t int) bool { return k.g.Tensors[t].Kind.Rewritten() })
		if x.given = x.state || slices.ContainsFunc(x.tensors, func(t int) bool { return k.given[t] && k.g.Tensors[t].Kind != graph.Weight }); x.given {
			x.events = append(x.events, event{step: arrival, needed: k.inputs(x)})
		}
	}
	for s, ops := range k.l.Steps {
		for _, o := range ops {
			k.step[o] = int64(s)
			k.reach(o)
			for _, bytes := range k.g.Ops[o].Scratch {
				k.scratch[s] = model.SaturatingAdd(k.scratch[s], bytes)
			}
		}
	}
	for _, t := range k.g.Outputs {
		if k.of[t] >= 0 {
			k.look(t, k.steps)
		}
	}
	for v := range k.values {
		x := &k.values[v]
		if x.state {
			k.at(v, k.steps).needed = x.size
			x.comes = k.q.Way != Whole && k.alone(v)
		}
		if len(x.events) == 1 && x.given { // nobody reads it
			k.at(v, 0).needed = x.events[0].needed
		}
		x.least = x.fewest(k.steps)
		for j := len(x.events) - 1; j > 0; j-- {
			x.events[j-1].needed = max(x.events[j-1].needed, x.events[j].needed)
		}
	}
}

// fewest is the bytes that are looked at last: by the caller, or where they are fewest,
// since any event but the first may be the last.
func (x *value) fewest(steps int64) int64 {
	last := x.events[len(x.events)-1]
	if last.step == steps {
		return last.needed
	}
	for _, e := range x.events[1:] {
		last.needed = min(last.needed, e.needed)
	}
	return last.needed
}

// alone reports whether a state is one variable without views, and not the caller's.
func (k *task) alone(v int) bool {
	root := k.values[v].root
	for t := range k.g.Tensors {
		if view := k.g.Tensors[t].View; view != nil && (view.Of == root || t == root) {
			return false
		}
	}
	return k.g.Tensors[root].Kind.Rewritten() && !k.given[root] && !slices.Contains(k.g.Outputs, root)
}

// inputs is the bytes of the largest of a value's tensors that is given.
func (k *task) inputs(x *value) (bytes int64) {
	for _, t := range x.tensors {
		if k.given[t] {
			bytes = max(bytes, k.g.Tensors[t].Bytes)
		}
	}
	return bytes
}

// look is the event of a tensor's value at a step, at which it is looked at.
func (k *task) look(t int, step int64) *event {
	e := k.at(k.of[t], step)
	e.needed = max(e.needed, k.g.Tensors[t].Bytes)
	return e
}

// at is a value's event at a step, the last there is or one after it.
func (k *task) at(v int, step int64) *event {
	x := &k.values[v]
	if n := len(x.events); n == 0 || x.events[n-1].step < step {
		x.events = append(x.events, event{step: step})
	}
	return &x.events[len(x.events)-1]
}

// reach notes what operator o reads and writes.
func (k *task) reach(o int) {
	op := &k.g.Ops[o]
	same := func(x, y int) bool { return k.of[x] == k.of[y] }
	for i, t := range op.Inputs {
		if k.of[t] < 0 || slices.Contains(op.Inputs[:i], t) {
			continue
		}
		if e := k.look(t, k.step[o]); k.reads(o, t, same) {
			e.read = true
			e.reads = model.SaturatingAdd(e.reads, k.g.Accessed(o, t))
		}
	}
	for _, t := range op.Outputs {
		if k.of[t] < 0 {
			continue
		}
		e, x := k.look(t, k.step[o]), &k.values[k.of[t]]
		if !k.writes(o, t, same) {
			if !slices.Contains(x.moves, e.step) {
				x.moves = append(x.moves, e.step)
			}
			continue
		}
		e.wrote, e.read = true, e.read || len(k.l.Steps[k.step[o]]) > 1
		e.writes = model.SaturatingAdd(e.writes, k.g.Accessed(o, t))
		if !x.given {
			x.making = len(x.events)
		}
	}
}

// agree checks that values live as the lowered buffers do.
func (k *task) agree() error {
	for v := range k.values {
		x := &k.values[v]
		b := &k.l.Arenas[0].Buffers[k.l.Places[x.tensors[0]].Buffer]
		life := model.Interval{Start: max(x.events[0].step, 0), End: x.events[len(x.events)-1].step + 1}
		if life != b.Life || k.g.Tensors[x.root].Bytes != x.size {
			return fmt.Errorf("spill: tensor %q: %d bytes live at %v, its buffer %d at %v", k.g.Tensors[x.root].ID, k.g.Tensors[x.root].Bytes, life, b.Size, b.Life)
		}
	}
	return nil
}

// id is what a tensor is called: one without an id as its buffer is.
func (k *task) id(t int) string {
	if id := k.g.Tensors[t].ID; id != "" || k.of[t] < 0 {
		return id
	}
	return k.l.Arenas[0].Buffers[k.l.Places[t].Buffer].ID
}
