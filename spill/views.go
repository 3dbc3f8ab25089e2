package spill

import (
	"slices"

	"memplan/model/graph"
)

// A viewer tells operators that write bytes from those that only make views of
// bytes that are there, as package graph does.
type viewer struct {
	g     *graph.Graph
	maker []int // of each tensor: the operator that makes it, -1 = none
	given []bool
}

func newViewer(g *graph.Graph) *viewer {
	s := &viewer{g: g, maker: slices.Repeat([]int{-1}, len(g.Tensors)), given: make([]bool, len(g.Tensors))}
	for o := range g.Ops {
		for _, t := range g.Ops[o].Outputs {
			s.maker[t] = o
		}
	}
	for _, t := range g.Inputs {
		s.given[t] = true
	}
	return s
}

// bare is the base without a value of its own that a tensor is, or is part of by
// views that no operator makes; -1 where there is none.
func (s *viewer) bare(t int) int {
	for s.maker[t] < 0 && !s.given[t] && s.g.Tensors[t].Kind == graph.Activation {
		if s.g.Tensors[t].View == nil {
			return t
		}
		t = s.g.Tensors[t].View.Of
	}
	return -1
}

// view reports whether operator o makes y as a view of its operand x: both are
// of one tensor, and y is no slice that o writes of a base that it does not read.
func (s *viewer) view(o, x, y int) bool {
	if s.g.Tensors[y].View == nil || x == y || s.root(x) != s.root(y) {
		return false
	}
	base := s.bare(s.g.Tensors[y].View.Of)
	return base < 0 || slices.ContainsFunc(s.g.Ops[o].Inputs, func(in int) bool { return s.bare(in) == base })
}

// root is what a tensor is a view of, in the end.
func (s *viewer) root(t int) int {
	for s.g.Tensors[t].View != nil {
		t = s.g.Tensors[t].View.Of
	}
	return t
}

// reads reports whether operator o reads its operand x for more than to make
// views of it; writes, whether its result y is more than a view of an operand.
// same tells which tensors are in one buffer.
func (s *viewer) reads(o, x int, same func(x, y int) bool) bool {
	outputs := s.g.Ops[o].Outputs
	return len(outputs) == 0 || slices.ContainsFunc(outputs, func(y int) bool { return !same(x, y) || !s.view(o, x, y) })
}

func (s *viewer) writes(o, y int, same func(x, y int) bool) bool {
	return !slices.ContainsFunc(s.g.Ops[o].Inputs, func(x int) bool { return same(x, y) && s.view(o, x, y) })
}
