package graph

import (
	"cmp"
	"slices"

	"memplan/model"
)

// makers tells which operators give tensors their bytes. A view that no operator
// writes has its base's. A base that is written by none, and is no input, weight
// or variable, has those of the views of it that operators write without reading
// it: its slices.
type makers struct {
	g       *Graph
	given   []bool
	sourced []bool          // tensors that are, or are views of, what is made as a whole, given or kept
	writer  []int           // of each tensor: the operator that makes all of it, itself or its base; -1 = none
	bare    []View          // of each tensor that nothing makes as a whole: in which base, and where; Of = -1 for others
	sliced  []bool          // tensors that are slices
	slices  map[int][]slice // by such a base, in order of their bytes
}

// A slice is a view that an operator writes of a base that nothing else does.
type slice struct {
	tensor, op int
	bytes      model.Interval
}

// makersOf finds the makers in a graph whose references are valid, with one
// writer each. Variables have none: they have a value before they are written.
// Cost: linear, but for the sorting of slices.
func makersOf(g *Graph) *makers {
	n := len(g.Tensors)
	m := &makers{g: g, given: make([]bool, n), sourced: make([]bool, n), sliced: make([]bool, n), writer: make([]int, n), bare: make([]View, n), slices: make(map[int][]slice)}
	for t := range n {
		m.writer[t], m.bare[t].Of = -1, -1
	}
	for o := range g.Ops {
		for _, t := range g.Ops[o].Outputs {
			if !g.Tensors[t].Kind.Rewritten() {
				m.writer[t] = o
			}
		}
	}
	for _, t := range g.Inputs {
		m.given[t] = true
	}
	own := slices.Clone(m.writer)
	m.inherit()
	for t := range n {
		view := g.Tensors[t].View
		if own[t] < 0 || view == nil {
			continue
		}
		if in := m.bare[view.Of]; in.Of >= 0 && g.Tensors[t].Kind == Activation && !m.reads(own[t], in.Of) {
			m.sliced[t] = true
			at := in.Offset + view.Offset
			m.slices[in.Of] = append(m.slices[in.Of], slice{t, own[t], model.Interval{Start: at, End: at + g.Tensors[t].Bytes}})
		}
	}
	for _, list := range m.slices {
		slices.SortFunc(list, func(a, b slice) int {
			return cmp.Or(cmp.Compare(a.bytes.Start, b.bytes.Start), cmp.Compare(a.bytes.End, b.bytes.End), cmp.Compare(a.tensor, b.tensor))
		})
	}
	return m
}

// reads reports whether an operator reads a base, or a part of it that is not made
// as a whole.
func (m *makers) reads(o, base int) bool {
	return slices.ContainsFunc(m.g.Ops[o].Inputs, func(t int) bool { return m.bare[t].Of == base })
}

// inherit gives views that nothing writes what their bases have.
func (m *makers) inherit() {
	resolved := make([]bool, len(m.g.Tensors))
	var chain []int
	for t := range m.g.Tensors {
		chain = chain[:0]
		for !resolved[t] && m.writer[t] < 0 && !m.given[t] && m.g.Tensors[t].View != nil && m.g.Tensors[t].Kind == Activation {
			chain = append(chain, t)
			resolved[t] = true // also ends a chain that closes
			t = m.g.Tensors[t].View.Of
		}
		if x := &m.g.Tensors[t]; m.writer[t] >= 0 || m.given[t] || x.Kind != Activation {
			m.sourced[t] = true
		} else if x.View == nil {
			m.bare[t] = View{Of: t}
		}
		for k := len(chain) - 1; k >= 0; k-- {
			view := m.g.Tensors[chain[k]].View
			m.writer[chain[k]], m.sourced[chain[k]] = m.writer[view.Of], m.sourced[view.Of]
			if in := m.bare[view.Of]; in.Of >= 0 {
				m.bare[chain[k]] = View{in.Of, in.Offset + view.Offset}
			}
		}
	}
}

// each calls f with every operator that gives a tensor bytes.
func (m *makers) each(t int, f func(op int)) {
	if w := m.writer[t]; w >= 0 {
		f(w)
		return
	}
	in := m.bare[t]
	if in.Of < 0 {
		return
	}
	bytes := model.Interval{Start: in.Offset, End: in.Offset + m.g.Tensors[t].Bytes}
	list := m.slices[in.Of]
	first, _ := slices.BinarySearchFunc(list, bytes.Start, func(s slice, start int64) int { return cmp.Compare(s.bytes.End, start+1) })
	for _, s := range list[first:] {
		if s.bytes.Start >= bytes.End {
			break
		}
		f(s.op)
	}
}

// made reports whether a tensor has a value that somebody made, in part at least.
func (m *makers) made(t int) bool {
	made := m.sourced[t]
	m.each(t, func(int) { made = true })
	return made || m.g.Tensors[t].Bytes == 0 && m.bare[t].Of >= 0 && len(m.slices[m.bare[t].Of]) > 0
}

// unwritten lists the bytes of a base that none of its slices has, in order.
func (m *makers) unwritten(base int) (rest []model.Interval) {
	at := int64(0)
	for _, s := range m.slices[base] {
		if s.bytes.Start > at {
			rest = append(rest, model.Interval{Start: at, End: s.bytes.Start})
		}
		at = max(at, s.bytes.End)
	}
	if end := m.g.Tensors[base].Bytes; at < end {
		rest = append(rest, model.Interval{Start: at, End: end})
	}
	return rest
}
