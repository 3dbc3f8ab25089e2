package graph_test

import (
	"fmt"
	"maps"
	"slices"

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

// A machine executes a lowered graph on planned arenas, symbolically: every
// operator reads its operands' bytes and writes its results'. It knows nothing
// of how lifetimes and sharing came about: only the graph's meaning, the order
// of the steps, and the addresses.
type machine struct {
	*meaning
	l      *graph.Lowered
	plans  []model.Plan
	arenas []map[int64]token // by space
}

// execute reports the first byte that is not what it must be.
func execute(l *graph.Lowered, plans []model.Plan) error {
	m := &machine{meaning: meaningOf(l.Graph), l: l, plans: plans}
	for range l.Arenas {
		m.arenas = append(m.arenas, make(map[int64]token))
	}
	for t := range m.g.Tensors {
		if slices.Contains(m.g.Inputs, t) || m.g.Tensors[t].Kind != graph.Activation {
			m.write(t, start)
		}
	}
	if err := m.intact(start); err != nil {
		return fmt.Errorf("before the first step: %w", err)
	}
	for k, ops := range l.Steps {
		if err := m.step(ops); err != nil {
			return fmt.Errorf("step %d: %w", k, err)
		}
	}
	for _, t := range m.g.Outputs {
		if err := m.read(t, m.end()); err != nil {
			return fmt.Errorf("output: %w", err)
		}
	}
	return m.intact(m.end())
}

// A meaning is what each tensor holds when each operator looks at it, as the
// graph says: in the order given, with nothing shared.
type meaning struct {
	g      *graph.Graph
	writes []map[int]int      // by operator, and at the end: how often each variable was written before
	made   map[int][]token    // what operators made, but of variables
	part   map[int]graph.View // results of splits
	whole  map[int][]int      // results of concats
}

// start and end look at tensors like operators, before the first and after the
// last.
const start = -1

func (m *meaning) end() int { return len(m.g.Ops) }

func meaningOf(g *graph.Graph) *meaning {
	m := &meaning{g: g, writes: make([]map[int]int, len(g.Ops)+1), made: make(map[int][]token), part: make(map[int]graph.View), whole: make(map[int][]int)}
	m.layouts()
	order := g.Schedule
	if order == nil {
		order = model.Identity(len(g.Ops)) // the graphs drawn here are in order
	}
	writes := make(map[int]int)
	for _, o := range order {
		m.writes[o] = maps.Clone(writes)
		for _, t := range g.Ops[o].Outputs {
			if g.Tensors[t].Kind == graph.Variable {
				writes[t]++
			} else {
				m.made[t] = m.result(t, o)
			}
		}
	}
	m.writes[m.end()] = writes
	return m
}

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
	if x.Kind == graph.Variable && o != start {
		return m.own(t, m.writes[o][t])
	}
	return m.own(t, 0)
}

// intact checks what must be there all the time: inputs, before anything runs;
// variables, afterwards too.
func (m *machine) intact(o int) error {
	for t := range m.g.Tensors {
		if m.g.Tensors[t].Kind == graph.Variable || o == start && slices.Contains(m.g.Inputs, t) {
			if err := m.read(t, o); err != nil {
				return err
			}
		}
	}
	return nil
}

// address is the space and offset of a tensor; false when it is in no arena.
func (m *machine) address(t int) (space int, at int64, ok bool) {
	p := m.l.Places[t]
	if p.Where != graph.InArena {
		return 0, 0, false
	}
	return p.Space, m.plans[p.Space].Offsets[p.Buffer] + p.Offset, true
}

// write has tensor t hold what it does for operator o; of what o writes itself,
// afterwards.
func (m *machine) write(t, o int) {
	m.put(t, m.seen(t, o))
}

func (m *machine) put(t int, tokens []token) {
	if space, at, ok := m.address(t); ok {
		for b, tok := range tokens {
			m.arenas[space][at+int64(b)] = tok
		}
	}
}

func (m *machine) read(t, o int) error { return m.holds(t, m.seen(t, o)) }

func (m *machine) holds(t int, tokens []token) error {
	space, at, ok := m.address(t)
	if !ok {
		return nil // nothing overwrites what is outside
	}
	for b, want := range tokens {
		if got := m.arenas[space][at+int64(b)]; got != want && want.writes != unwritten {
			return fmt.Errorf("byte %d of %q, at %d of arena %d, holds byte %d of %q after %d writes", b, m.g.Tensors[t].ID, at+int64(b), space, got.byte, m.g.Tensors[got.value].ID, got.writes)
		}
	}
	return nil
}

// after is what tensor t, a result of operator o, holds once that ran.
func (m *machine) after(t, o int) []token {
	if m.g.Tensors[t].Kind == graph.Variable {
		return m.own(t, m.writes[o][t]+1)
	}
	return m.made[t]
}

// step runs the operators of one step: workspaces may be written at any time,
// results before all operands are read, unless declared in place.
func (m *machine) step(ops []int) error {
	m.scratch(ops)
	for _, o := range ops {
		for _, t := range m.g.Ops[o].Inputs {
			if err := m.operand(ops, o, t); err != nil {
				return err
			}
		}
	}
	for _, o := range ops {
		for _, t := range m.g.Ops[o].Outputs {
			m.put(t, m.after(t, o))
		}
	}
	m.scratch(ops)
	for k, o := range ops {
		for _, t := range m.g.Ops[o].Outputs {
			if m.g.Tensors[t].Kind == graph.Variable && m.within(ops[k+1:], t) {
				continue // written again
			}
			if err := m.holds(t, m.after(t, o)); err != nil {
				return fmt.Errorf("op %q writes: %w", m.g.Ops[o].ID, err)
			}
		}
	}
	return nil
}

// operand checks that operator o, which runs with ops, finds t as it must be, and
// that none of them overwrites it.
func (m *machine) operand(ops []int, o, t int) error {
	if m.within(ops, t) && !(m.root(t) >= 0 && len(ops) == 1) {
		return nil
	}
	if err := m.read(t, o); err != nil {
		return fmt.Errorf("op %q reads: %w", m.g.Ops[o].ID, err)
	}
	for _, other := range ops {
		for _, y := range m.g.Ops[other].Outputs {
			if m.root(t) >= 0 && m.root(t) == m.root(y) {
				continue // a state that is read and written
			}
			if err := m.together(ops, m.seen(t, o), t, y, m.after(y, other)); err != nil {
				return err
			}
		}
	}
	return nil
}

// root is the variable that t is, or has the bytes of by views that no operator
// makes; -1 when there is none.
func (m *machine) root(t int) int {
	for {
		if m.g.Tensors[t].Kind == graph.Variable && m.g.Tensors[t].View == nil {
			return t
		}
		if _, made := m.made[t]; made || m.g.Tensors[t].View == nil {
			return -1
		}
		t = m.g.Tensors[t].View.Of
	}
}

// within reports whether a value is made in this very step.
func (m *machine) within(ops []int, t int) bool {
	for {
		for _, o := range ops {
			if slices.Contains(m.g.Ops[o].Outputs, t) {
				return true
			}
			for _, y := range m.g.Ops[o].Outputs { // a slice of it, or of what it is part of
				if m.bare(t) >= 0 && m.sliceOf(y) == m.bare(t) {
					return true
				}
			}
		}
		made := slices.ContainsFunc(m.g.Ops, func(o graph.Op) bool { return slices.Contains(o.Outputs, t) })
		if made || m.g.Tensors[t].View == nil {
			return false
		}
		t = m.g.Tensors[t].View.Of
	}
}

// together checks a result against an operand of the same step: where they
// share a byte it must hold the same, or be the same element of an in-place
// pair.
func (m *machine) together(ops []int, was []token, x, y int, written []token) error {
	s1, a, ok1 := m.address(x)
	s2, b, ok2 := m.address(y)
	if !ok1 || !ok2 || s1 != s2 || a == b && m.inPlace(ops, x, y) {
		return nil
	}
	for k, tok := range written {
		if tok.value != y && m.within(ops, tok.value) {
			continue // a view of another result, which is looked at itself
		}
		if j := b + int64(k) - a; j >= 0 && j < int64(len(was)) && was[j] != tok {
			return fmt.Errorf("op %q writes byte %d of %q over byte %d of its operand %q", m.g.Ops[ops[0]].ID, k, m.g.Tensors[y].ID, j, m.g.Tensors[x].ID)
		}
	}
	return nil
}

// inPlace reports whether x and y are a pair of one of the operators, which
// alone reads x; or of a chain of pairs, where all go element by element.
func (m *machine) inPlace(ops []int, x, y int) bool {
	elementwise := true
	reach, readers := []int{x}, 0
	for _, o := range ops {
		elementwise = elementwise && m.g.Ops[o].Elementwise
		if slices.Contains(m.g.Ops[o].Inputs, x) {
			readers++
		}
	}
	for range ops {
		for _, o := range ops {
			for _, p := range m.g.Ops[o].InPlace {
				if slices.Contains(reach, p[0]) && (elementwise || p == [2]int{x, y}) {
					reach = append(reach, p[1])
				}
			}
		}
	}
	return slices.Contains(reach[1:], y) && (elementwise || readers == 1)
}

// scratch fills the workspaces of the step's operators with rubbish.
func (m *machine) scratch(ops []int) {
	for _, o := range ops {
		for k := range m.g.Ops[o].Scratch {
			id := m.g.Ops[o].ID + ".scratch"
			if len(m.g.Ops[o].Scratch) > 1 {
				id = fmt.Sprintf("%s%d", id, k)
			}
			in := m.l.Arenas[0]
			i := slices.IndexFunc(in.Buffers, func(b model.Buffer) bool { return b.ID == id })
			for at := range in.Buffers[i].Size {
				m.arenas[0][m.plans[0].Offsets[i]+at] = token{0, -1, 0}
			}
		}
	}
}
