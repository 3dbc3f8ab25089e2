package graph

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"memplan/model"
)

// Validate reports every fault of the graph, joined; those about one tensor or
// operator are *Fault. Two tensors, or two operators, may have one ID: a
// format that refers to them by name refuses that itself. Cost: linear, but
// for the sorting of an operator's operands. Nothing recurses but the
// naming of cycles, which is bounded.
func (g *Graph) Validate() error {
	v := graphValidation{g: g}
	v.spaces()
	v.references()
	if len(v.errs) > 0 {
		return errors.Join(v.errs...) // what follows uses the indexes
	}
	v.tensors()
	v.views()
	if len(v.errs) > 0 {
		return errors.Join(v.errs...) // what follows goes along the views
	}
	v.writers()
	v.inPlace()
	v.fuse()
	v.order()
	return errors.Join(v.errs...)
}

// graphValidation collects the faults of one graph.
type graphValidation struct {
	g    *Graph
	errs []error
}

func (v *graphValidation) tensor(t int, format string, args ...any) {
	v.errs = append(v.errs, &Fault{t, -1, fmt.Sprintf("tensor %q: ", v.g.Tensors[t].ID) + fmt.Sprintf(format, args...)})
}

func (v *graphValidation) op(o int, format string, args ...any) {
	v.errs = append(v.errs, &Fault{-1, o, fmt.Sprintf("op %q: ", v.g.Ops[o].ID) + fmt.Sprintf(format, args...)})
}

func (v *graphValidation) graph(format string, args ...any) {
	v.errs = append(v.errs, fmt.Errorf(format, args...))
}

func (v *graphValidation) spaces() {
	seen := make(map[string]bool)
	for _, s := range v.g.Spaces {
		if seen[s.ID] {
			v.graph("pool %q: there are two of that id", s.ID)
		}
		seen[s.ID] = true
		if s.Capacity < 0 {
			v.graph("pool %q: capacity %d is negative", s.ID, s.Capacity)
		}
		ranges := slices.SortedFunc(slices.Values(s.Reserved), func(a, b model.Interval) int { return cmp.Compare(a.Start, b.Start) })
		for k, r := range ranges {
			if r.Start < 0 || r.Empty() {
				v.graph("pool %q: reserved range %v is negative, empty or reversed", s.ID, r)
			} else if s.Capacity > 0 && r.End > s.Capacity {
				v.graph("pool %q: reserved range %v ends beyond the capacity %d", s.ID, r, s.Capacity)
			} else if k > 0 && r.Meets(ranges[k-1]) {
				v.graph("pool %q: reserved ranges %v and %v overlap", s.ID, ranges[k-1], r)
			}
		}
	}
	for _, d := range v.g.Dims {
		if d.Min < 0 || d.Max < d.Min {
			v.graph("dimension %q: range [%d, %d] is negative or reversed", d.ID, d.Min, d.Max)
		}
	}
}

// references checks that all indexes are in range.
func (v *graphValidation) references() {
	g := v.g
	inside := func(what, id string, list []int, n int) {
		for _, x := range list {
			if x < 0 || x >= n {
				v.graph("%s %q: no number %d among %d", what, id, x, n)
			}
		}
	}
	inside("inputs of", g.Name, g.Inputs, len(g.Tensors))
	inside("outputs of", g.Name, g.Outputs, len(g.Tensors))
	inside("schedule of", g.Name, g.Schedule, len(g.Ops))
	for _, group := range g.Fuse {
		inside("fuse of", g.Name, group, len(g.Ops))
	}
	for i := range g.Tensors {
		t := &g.Tensors[i]
		if t.View != nil {
			inside("view", t.ID, []int{t.View.Of}, len(g.Tensors))
		}
		inside("spaces of", t.ID, t.Spaces, max(len(g.Spaces), 1))
		if t.Shape != nil {
			for _, e := range t.Shape.Extents {
				inside("dimensions of", t.ID, []int{e.Dim}, len(g.Dims)+1)
			}
		}
	}
	for i := range g.Ops {
		o := &g.Ops[i]
		inside("op", o.ID, o.Inputs, len(g.Tensors))
		inside("op", o.ID, o.Outputs, len(g.Tensors))
		inside("op", o.ID, o.After, len(g.Ops))
		for _, pair := range o.InPlace {
			inside("op", o.ID, pair[:], len(g.Tensors))
		}
		for _, lead := range o.Overlap {
			inside("op", o.ID, []int{lead.Under, lead.Over}, len(g.Tensors))
		}
		for _, a := range o.Accesses {
			inside("op", o.ID, []int{a.Operand}, len(g.Tensors))
		}
	}
}

func (v *graphValidation) tensors() {
	for i := range v.g.Tensors {
		t := &v.g.Tensors[i]
		if t.Bytes < 0 {
			v.tensor(i, "%d bytes", t.Bytes)
		}
		if t.Traffic < 0 {
			v.tensor(i, "traffic of %d bytes", t.Traffic)
		}
		if t.Align < 0 {
			v.tensor(i, "alignment %d is below 1", t.Align)
		}
		sorted := slices.Sorted(slices.Values(t.Spaces))
		if len(slices.Compact(sorted)) < len(t.Spaces) {
			v.tensor(i, "a pool is named twice")
		}
	}
	for i := range v.g.Ops {
		for _, s := range v.g.Ops[i].Scratch {
			if s < 0 {
				v.op(i, "scratch of %d bytes", s)
			}
		}
	}
}

// views checks each view against its base, and that no chain of views closes.
func (v *graphValidation) views() {
	g := v.g
	const unseen, open, done = 0, 1, 2
	state := make([]int8, len(g.Tensors))
	for i := range g.Tensors {
		var chain []int
		t := i
		for state[t] == unseen {
			state[t] = open
			chain = append(chain, t)
			if g.Tensors[t].View == nil {
				break
			}
			t = g.Tensors[t].View.Of
		}
		if state[t] == open && g.Tensors[t].View != nil {
			v.tensor(t, "a view of itself, through %d views", len(chain)-slices.Index(chain, t))
		}
		for _, c := range chain {
			state[c] = done
		}
		if view := g.Tensors[i].View; view != nil {
			base := &g.Tensors[view.Of]
			if end, ok := model.Add(max(view.Offset, 0), g.Tensors[i].Bytes); view.Offset < 0 || !ok || end > base.Bytes {
				v.tensor(i, "bytes [%d,%d) of %q, which has %d", view.Offset, end, base.ID, base.Bytes)
			}
			if a, b := g.Tensors[i].Kind, base.Kind; a != b && a != Activation {
				v.tensor(i, "a weight or variable, but a view of %q, which is none", base.ID)
			}
		}
	}
}

// writers checks that every value has exactly one origin. A variable may be
// written again and again.
func (v *graphValidation) writers() {
	g := v.g
	producer := make([]int, len(g.Tensors))
	for t := range producer {
		producer[t] = -1
	}
	for i := range g.Ops {
		for _, t := range g.Ops[i].Outputs {
			switch before := producer[t]; {
			case before == i:
				v.op(i, "output %q named twice", g.Tensors[t].ID)
			case before >= 0 && !g.Tensors[t].Kind.Rewritten():
				v.tensor(t, "written by two operators, %q and %q", g.Ops[before].ID, g.Ops[i].ID)
			case g.Tensors[t].Kind == Weight:
				v.tensor(t, "a weight, but written by %q", g.Ops[i].ID)
			}
			producer[t] = i
		}
	}
	for _, t := range g.Inputs {
		if o := producer[t]; o >= 0 && !g.Tensors[t].Kind.Rewritten() {
			v.tensor(t, "a graph input, but written by %q", g.Ops[o].ID)
		}
	}
	if len(v.errs) == 0 {
		v.sources(makersOf(g))
	}
}

// sources checks that what is read was made, and that slices of one base do not
// overlap.
func (v *graphValidation) sources(m *makers) {
	g := v.g
	reported := make([]bool, len(g.Tensors))
	for i := range g.Ops {
		for _, t := range g.Ops[i].Inputs {
			if !reported[t] && !m.made(t) {
				reported[t] = true
				v.tensor(t, "read by %q, but no operator writes it and it is no input, weight or variable", g.Ops[i].ID)
			}
		}
	}
	for _, t := range g.Outputs {
		if !reported[t] && !m.made(t) {
			reported[t] = true
			v.tensor(t, "a graph output, but no operator writes it and it is no input, weight or variable")
		}
	}
	for base := range g.Tensors {
		list := m.slices[base]
		for k := 1; k < len(list); k++ {
			if a, b := list[k-1], list[k]; a.bytes.Meets(b.bytes) {
				v.tensor(b.tensor, "bytes %v of %q, which %q writes as %q, too: %v", b.bytes, g.Tensors[base].ID, g.Ops[a.op].ID, g.Tensors[a.tensor].ID, a.bytes)
			}
		}
	}
}

func (v *graphValidation) inPlace() {
	for i := range v.g.Ops {
		o := &v.g.Ops[i]
		for _, p := range o.InPlace {
			if !slices.Contains(o.Inputs, p[0]) || !slices.Contains(o.Outputs, p[1]) {
				v.op(i, "in-place pair %q, %q is not an input and an output of it", v.g.Tensors[p[0]].ID, v.g.Tensors[p[1]].ID)
			}
		}
		for _, p := range o.Overlap {
			if !slices.Contains(o.Inputs, p.Under) || !slices.Contains(o.Outputs, p.Over) {
				v.op(i, "overlap %q, %q is not an input and an output of it", v.g.Tensors[p.Under].ID, v.g.Tensors[p.Over].ID)
			}
			if p.Bytes < 0 {
				v.op(i, "overlap %q, %q at the negative lead %d", v.g.Tensors[p.Under].ID, v.g.Tensors[p.Over].ID, p.Bytes)
			}
		}
		v.accesses(i)
		if (o.Layout == Concat && len(o.Outputs) != 1) || (o.Layout == Split && len(o.Inputs) < 1) {
			v.op(i, "a concat has one output, and a split an input")
		}
	}
}

func (v *graphValidation) accesses(i int) {
	o := &v.g.Ops[i]
	for k, a := range o.Accesses {
		id := v.g.Tensors[a.Operand].ID
		switch {
		case !slices.Contains(o.Inputs, a.Operand) && !slices.Contains(o.Outputs, a.Operand):
			v.op(i, "accesses of %q, which is no operand of it", id)
		case a.Times < 0 || a.Of < 1:
			v.op(i, "accesses of %q: %d/%d times; want 0 or more, of 1 or more", id, a.Times, a.Of)
		case slices.ContainsFunc(o.Accesses[:k], func(b Access) bool { return b.Operand == a.Operand }):
			v.op(i, "accesses of %q are given twice", id)
		}
	}
}

func (v *graphValidation) fuse() {
	group := make(map[int]int)
	for k, ops := range v.g.Fuse {
		for _, o := range ops {
			if before, seen := group[o]; seen {
				v.op(o, "in fusion groups %d and %d", before+1, k+1)
			}
			group[o] = k
		}
	}
}

// order checks that there is an order of the operators, and that the given one
// is one.
func (v *graphValidation) order() {
	if len(v.errs) > 0 {
		return // the operators' dependences are not known
	}
	g := v.g
	d := newFlow(g)
	cycles := d.Cycles()
	for _, cycle := range cycles {
		v.op(cycle[0], "needs its own result: %s wait for each other", v.named(cycle))
	}
	if len(cycles) > 0 {
		return
	}
	if g.Schedule == nil {
		return
	}
	step := make([]int, len(g.Ops))
	for k, o := range g.Schedule {
		if step[o] > 0 {
			v.op(o, "twice in the schedule")
		}
		step[o] = k + 1
	}
	for o := range g.Ops {
		if step[o] == 0 {
			v.op(o, "not in the schedule")
		}
		for _, before := range d.Before[o] {
			if step[before] > step[o] && step[o] > 0 {
				v.op(o, "scheduled before %q, whose result it needs", g.Ops[before].ID)
			}
		}
	}
}

// named is the names of operators, of very many the first ones.
func (v *graphValidation) named(ops []int) string {
	const most = 1000
	names := make([]string, 0, most+1)
	for _, o := range ops[:min(len(ops), most)] {
		names = append(names, quoted(v.g.Ops[o].ID))
	}
	if more := len(ops) - most; more > 0 {
		names = append(names, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(names, ", ")
}
