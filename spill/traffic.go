package spill

import (
	"slices"

	"memplan/model"
	"memplan/model/graph"
)

// A Traffic is what a graph moves to and from all its memory spaces but the
// first, in a run: bytes, and what they cost.
type Traffic struct {
	Read, Written int64
	Cost          int64
}

// Moved counts the operands in a fitted graph that are not in its first memory
// space: what is read there, and what is written. An operator that only makes
// views of what it reads moves nothing. A byte read, or written, costs so much;
// 0 = 1. Sums saturate.
func Moved(g *graph.Graph, read, write int64) (m Traffic) {
	away := func(t int) int64 {
		if len(g.Tensors[t].Spaces) == 1 && g.Tensors[t].Spaces[0] > 0 && g.Tensors[t].Kind != graph.Weight {
			return g.Tensors[t].Bytes
		}
		return 0
	}
	for i := range g.Ops {
		op := &g.Ops[i]
		base := func(t int) int {
			for g.Tensors[t].View != nil {
				t = g.Tensors[t].View.Of
			}
			return t
		}
		view := func(y, x int) bool { return g.Tensors[y].View != nil && x != y && base(x) == base(y) }
		for j, x := range op.Inputs {
			if slices.Contains(op.Inputs[:j], x) {
				continue
			}
			if len(op.Outputs) == 0 || slices.ContainsFunc(op.Outputs, func(y int) bool { return !view(y, x) }) {
				m.Read = model.SaturatingAdd(m.Read, away(x))
			}
		}
		for _, y := range op.Outputs {
			if !slices.ContainsFunc(op.Inputs, func(x int) bool { return view(y, x) }) {
				m.Written = model.SaturatingAdd(m.Written, away(y))
			}
		}
	}
	m.Cost = model.SaturatingAdd(times(m.Read, read), times(m.Written, write))
	return m
}

// Cost is what the graph's traffic costs.
func (f *Fitted) Cost() int64 { return f.Traffic.Cost }
