package graph_test

import (
	"maps"
	"slices"
	"strings"

	"memplan/model"
	"memplan/model/graph"
)

// A token is what a byte of memory holds: byte of a value, of a variable as it
// was after so many writes. Views, concats and splits have their operands'
// tokens, since they compute nothing.
type token struct {
	value  int
	byte   int64
	writes int
}

// A meaning is what each tensor holds when each operator looks at it, as the
// graph says: in the order given, with nothing shared.
type meaning struct {
	g      *graph.Graph
	states []map[int][]token  // by operator, and at the end: what each variable that was written before holds
	wrote  []map[int][]token  // by operator: what it leaves in variables
	made   map[int][]token    // what operators made, but of variables
	part   map[int]graph.View // results of splits
	whole  map[int][]int      // results of concats
}

// start and end look at tensors like operators, before the first and after the
// last.
const start = -1

func (m *meaning) end() int { return len(m.g.Ops) }

func meaningOf(g *graph.Graph) *meaning {
	m := &meaning{g: g, states: make([]map[int][]token, len(g.Ops)+1), wrote: make([]map[int][]token, len(g.Ops)), made: make(map[int][]token), part: make(map[int]graph.View), whole: make(map[int][]int)}
	m.layouts()
	order := g.Schedule
	if order == nil {
		order = model.Identity(len(g.Ops)) // the graphs drawn here are in order
	}
	states, writes := make(map[int][]token), make(map[string]int)
	for _, o := range order {
		m.states[o], m.wrote[o] = maps.Clone(states), make(map[int][]token)
		for _, t := range g.Ops[o].Outputs {
			name, _, _ := strings.Cut(g.Tensors[t].ID, ".") // a copy has that of what it is one of
			op := &g.Ops[o]
			switch {
			case !written(g, t):
				m.made[t] = m.result(t, o)
			case op.Layout == graph.Concat && len(op.Inputs) == 1 && g.Tensors[op.Inputs[0]].Bytes == g.Tensors[t].Bytes:
				states[t] = m.seen(op.Inputs[0], o)
				m.wrote[o][t] = states[t]
			default:
				writes[name]++
				states[t] = m.own(t, writes[name])
				m.wrote[o][t] = states[t]
			}
		}
	}
	m.states[m.end()] = states
	return m
}

// written reports whether operators may write a tensor again and again.
func written(g *graph.Graph, t int) bool { return g.Tensors[t].Kind.Rewritten() }

func (m *meaning) layouts() {
	for _, o := range m.g.Ops {
		sum, operands := int64(0), o.Inputs
		if o.Layout == graph.Split {
			operands = o.Outputs
		}
		for _, t := range operands {
			sum += m.g.Tensors[t].Bytes
		}
		if o.Layout == graph.Concat && sum == m.g.Tensors[o.Outputs[0]].Bytes {
			m.whole[o.Outputs[0]] = o.Inputs
		}
		if o.Layout == graph.Split && sum == m.g.Tensors[o.Inputs[0]].Bytes {
			at := int64(0)
			for _, t := range o.Outputs {
				m.part[t] = graph.View{Of: o.Inputs[0], Offset: at}
				at += m.g.Tensors[t].Bytes
			}
		}
	}
}

// own is the tokens of a value that nothing else has.
func (m *meaning) own(t, writes int) []token {
	list := make([]token, m.g.Tensors[t].Bytes)
	for b := range list {
		list[b] = token{t, int64(b), writes}
	}
	return list
}

// bare is the base without a value of its own that a tensor is, or is part of by
// views that no operator makes; -1 when there is none.
func (m *meaning) bare(t int) int {
	for {
		made := slices.ContainsFunc(m.g.Ops, func(o graph.Op) bool { return slices.Contains(o.Outputs, t) })
		x := &m.g.Tensors[t]
		if made || slices.Contains(m.g.Inputs, t) || x.Kind != graph.Activation {
			return -1
		}
		if x.View == nil {
			return t
		}
		t = x.View.Of
	}
}

// sliceOf is the base that a tensor is a slice of: a view of what has no value of
// its own, written by an operator that does not read that. -1: it is none.
func (m *meaning) sliceOf(t int) int {
	v := m.g.Tensors[t].View
	maker := slices.IndexFunc(m.g.Ops, func(o graph.Op) bool { return slices.Contains(o.Outputs, t) })
	if v == nil || maker < 0 {
		return -1
	}
	base := m.bare(v.Of)
	if base < 0 || slices.ContainsFunc(m.g.Ops[maker].Inputs, func(x int) bool { return m.bare(x) == base }) {
		return -1
	}
	return base
}

// inBase is where a part of a base is.
func (m *meaning) inBase(t, base int) model.Interval {
	at := int64(0)
	for of := t; of != base; of = m.g.Tensors[of].View.Of {
		at += m.g.Tensors[of].View.Offset
	}
	return model.Interval{Start: at, End: at + m.g.Tensors[t].Bytes}
}

// unwritten is the writes of a byte that no operator writes, and that may hold
// anything.
const unwritten = -1

// composed is a base without a value of its own, of what operators write of it.
func (m *meaning) composed(base int) []token {
	list := m.own(base, unwritten)
	for t, tokens := range m.made {
		if m.sliceOf(t) == base {
			copy(list[m.inBase(t, base).Start:], tokens)
		}
	}
	return list
}

// result is what operator o makes.
func (m *meaning) result(t, o int) []token {
	v, isPart := m.part[t]
	if view := m.g.Tensors[t].View; view != nil && m.sliceOf(t) < 0 {
		v, isPart = *view, true
	}
	if isPart {
		return m.seen(v.Of, o)[v.Offset:][:m.g.Tensors[t].Bytes]
	}
	if parts, isWhole := m.whole[t]; isWhole {
		list := []token{}
		for _, p := range parts {
			list = append(list, m.seen(p, o)...)
		}
		return list
	}
	return m.own(t, 0)
}

// seen is what a tensor holds for operator o.
func (m *meaning) seen(t, o int) []token {
	x := &m.g.Tensors[t]
	if list, made := m.made[t]; made {
		return list
	}
	if m.bare(t) == t {
		return m.composed(t)
	}
	if v := x.View; v != nil && !slices.Contains(m.g.Inputs, t) {
		return m.seen(v.Of, o)[v.Offset:][:x.Bytes]
	}
	if list, changed := m.states[max(o, 0)][t]; changed && o != start {
		return list
	}
	return m.own(t, 0)
}
