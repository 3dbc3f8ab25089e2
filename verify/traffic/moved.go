package traffic

import (
	"slices"

	"memplan/model"
	"memplan/model/graph"
)

// A side is what a graph says of its tensors, as far as it counts here.
type side struct {
	g     *graph.Graph
	maker []int // -1 = none
	given []bool
}

func sideOf(g *graph.Graph) *side {
	s := &side{g: g, maker: slices.Repeat([]int{-1}, len(g.Tensors)), given: make([]bool, len(g.Tensors))}
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

// unmade is the tensor whose bytes operators write piece by piece that t is, or is
// an unmade view of; -1 where there is none.
func (s *side) unmade(t int) int {
	for s.maker[t] < 0 && !s.given[t] && s.g.Tensors[t].Kind == graph.Activation {
		v := s.g.Tensors[t].View
		if v == nil {
			return t
		}
		t = v.Of
	}
	return -1
}

// related reports whether a tensor is another, or a view of it, or both are of one.
func (s *side) related(x, y int) bool {
	for s.g.Tensors[x].View != nil {
		x = s.g.Tensors[x].View.Of
	}
	for s.g.Tensors[y].View != nil {
		y = s.g.Tensors[y].View.Of
	}
	return x == y
}

// views reports whether operator o makes y as a view of x, without writing: y is a
// view, x another tensor of the same bytes, and y is no piece of a tensor of which
// o reads nothing.
func (s *side) views(o, x, y int) bool {
	v := s.g.Tensors[y].View
	if v == nil || x == y || !s.related(x, y) {
		return false
	}
	base := s.unmade(v.Of)
	return base < 0 || slices.ContainsFunc(s.g.Ops[o].Inputs, func(t int) bool { return s.unmade(t) == base })
}

// reads reports whether operator o reads x, which is more than to make views of it
// in the same buffer; writes, whether it writes y.
func (s *side) reads(o, x int, same func(x, y int) bool) bool {
	for _, y := range s.g.Ops[o].Outputs {
		if !same(x, y) || !s.views(o, x, y) {
			return true
		}
	}
	return len(s.g.Ops[o].Outputs) == 0
}

func (s *side) writes(o, y int, same func(x, y int) bool) bool {
	for _, x := range s.g.Ops[o].Inputs {
		if same(x, y) && s.views(o, x, y) {
			return false
		}
	}
	return true
}

// Moved is what a graph's operators read and write outside its first memory space
// in a run, in bytes times what a byte costs. It saturates.
func Moved(l *graph.Lowered, read, write int64) (cost int64) {
	s := sideOf(l.Graph)
	l = l.Merged() // what may be a view is one
	for o := range l.Graph.Ops {
		cost = model.SaturatingAdd(cost, s.away(l, o, read, write))
	}
	return cost
}

// away is what operator o moves.
func (s *side) away(l *graph.Lowered, o int, read, write int64) (cost int64) {
	same := func(x, y int) bool {
		a, b := l.Places[x], l.Places[y]
		return a.Where == graph.InArena && b.Where == graph.InArena && a.Space == b.Space && a.Buffer == b.Buffer
	}
	add := func(t int, each int64) {
		if p := l.Places[t]; p.Where == graph.InArena && p.Space > 0 {
			cost = model.SaturatingAdd(cost, model.SaturatingMul(s.g.Accessed(o, t), each))
		}
	}
	op := &s.g.Ops[o]
	for k, x := range op.Inputs {
		if !slices.Contains(op.Inputs[:k], x) && s.reads(o, x, same) {
			add(x, read)
		}
	}
	for _, y := range op.Outputs {
		if s.writes(o, y, same) {
			add(y, write)
		}
	}
	return cost
}
