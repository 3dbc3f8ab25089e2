package tflite

import (
	"slices"

	"memplan/model"
	"memplan/model/graph"
)

// A block is the steps of an operator of the main subgraph, those of its bodies
// among them; op is absent for the step of the inputs.
type block struct{ op, from, to int }

func (w *walk) blocks() []block {
	var list []block
	for i, at := range w.ops {
		switch {
		case at[0] == 0:
			list = append(list, block{op: at[1], from: i})
		case i == 0:
			list = append(list, block{op: absent, from: i})
		}
		list[len(list)-1].to = i + 1
	}
	return list
}

// whole is the graph with one step for each operator of the main subgraph: what is
// live only while an operator runs its bodies is workspace of its step. exact: in
// no order do the steps take other bytes than the operators in that order; nobody
// says so where a body is run from several places, or makes views.
func (w *walk) whole() (g *graph.Graph, exact bool) {
	copied := *w.graph
	g, exact = &copied, true
	first := len(w.graph.Ops) - len(w.ops)
	g.Tensors, g.Ops = slices.Clone(w.graph.Tensors), slices.Clone(w.graph.Ops[:first])
	blocks := w.blocks()
	within := w.within(blocks)
	for k, before := range w.ordered(blocks) {
		steps := w.graph.Ops[first+blocks[k].from : first+blocks[k].to]
		op := steps[0]
		if op.After = nil; len(steps) > 1 {
			var alike bool
			op, alike = w.merged(steps, within, k)
			exact = exact && alike
		}
		for _, other := range before {
			op.After = append(op.After, first+other)
		}
		g.Ops = append(g.Ops, op)
	}
	for t, k := range within {
		if k != absent && blocks[k].to-blocks[k].from > 1 {
			g.Tensors[t].Bytes, g.Tensors[t].View = 0, nil
		}
	}
	return g, exact
}

// within is, for each of the graph's tensors, the one block that touches it, or
// absent.
func (w *walk) within(blocks []block) []int {
	within := make([]int, len(w.graph.Tensors))
	for t := range within {
		within[t] = absent
	}
	first := len(w.graph.Ops) - len(w.ops)
	several := slices.Concat(w.graph.Inputs, w.graph.Outputs)
	for _, op := range w.graph.Ops[:first] {
		several = append(several, op.Outputs...)
	}
	for k, b := range blocks {
		for _, op := range w.graph.Ops[first+b.from : first+b.to] {
			for _, t := range slices.Concat(op.Inputs, op.Outputs) {
				if within[t] != absent && within[t] != k {
					several = append(several, t)
				}
				within[t] = k
			}
		}
	}
	for _, t := range several {
		within[t] = absent
	}
	return within
}

// merged is the steps of block k as one. alike: it takes as much in every order. It
// does if it shares with others tensors of the main subgraph alone, which are live
// from its first step and to its last.
func (w *walk) merged(steps []graph.Op, within []int, k int) (op graph.Op, alike bool) {
	op, alike = graph.Op{ID: steps[0].ID}, true
	last, named := make(map[int]int), make(map[int]bool)
	for i := range steps {
		for _, t := range slices.Concat(steps[i].Inputs, steps[i].Outputs) {
			last[t] = i
		}
	}
	live, most := int64(0), int64(0)
	ends := make([]int64, len(steps)) // bytes that end after each step
	for i := range steps {
		for _, t := range steps[i].Outputs {
			op.Outputs, named[t] = append(op.Outputs, t), true
			if bytes := w.graph.Tensors[t].Bytes; within[t] == k {
				live = model.SaturatingAdd(live, bytes)
				ends[last[t]] = model.SaturatingAdd(ends[last[t]], bytes)
				alike = alike && w.graph.Tensors[t].View == nil
			} else {
				alike = alike && w.common(t)
			}
		}
		for _, t := range steps[i].Inputs {
			if !named[t] {
				op.Inputs, named[t] = append(op.Inputs, t), true
				alike = alike && w.common(t)
			}
		}
		most = max(most, live)
		live -= ends[i]
	}
	if most > 0 {
		op.Scratch = []int64{most}
	}
	return op, alike
}

// common reports whether one of the graph's tensors is of the main subgraph, or a
// constant.
func (w *walk) common(t int) bool {
	return w.graph.Tensors[t].Kind == graph.Weight || slices.Contains(w.index[:len(w.f.Subgraphs[0].Tensors)], t)
}
