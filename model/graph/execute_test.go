package graph_test

import (
	"fmt"
	"slices"

	"memplan/model"
	"memplan/model/graph"
)

// A token is what a byte of memory holds: byte of a value. Views, concats and
// splits have their operands' tokens, since they compute nothing.
type token struct {
	value int
	byte  int64
}

// A machine executes a lowered graph on planned arenas, symbolically: every
// operator reads its operands' bytes and writes its results'. It knows nothing
// of how lifetimes and sharing came about: only the graph's meaning, the order
// of the steps, and the addresses.
type machine struct {
	g      *graph.Graph
	l      *graph.Lowered
	plans  []model.Plan
	tokens [][]token         // what each tensor must hold
	arenas []map[int64]token // by space
	apart  map[int][]token   // what is outside the arenas: fused values, the caller's, weights
	wrote  map[int]bool
}

// execute reports the first byte that is not what it must be.
func execute(l *graph.Lowered, plans []model.Plan) error {
	m := &machine{g: l.Graph, l: l, plans: plans, tokens: meaning(l.Graph), apart: make(map[int][]token), wrote: make(map[int]bool)}
	for range l.Arenas {
		m.arenas = append(m.arenas, make(map[int64]token))
	}
	m.begin()
	if err := m.intact("before the first step"); err != nil {
		return err
	}
	for k, ops := range l.Steps {
		if err := m.step(ops); err != nil {
			return fmt.Errorf("step %d: %w", k, err)
		}
	}
	for _, t := range m.g.Outputs {
		if err := m.read(t); err != nil {
			return fmt.Errorf("output: %w", err)
		}
	}
	return m.intact("after the last step")
}

// meaning gives each tensor's tokens.
func meaning(g *graph.Graph) [][]token {
	tokens := make([][]token, len(g.Tensors))
	part := make(map[int]graph.View)
	whole := make(map[int][]int)
	for _, o := range g.Ops {
		sum, operands := int64(0), o.Inputs
		if o.Layout == graph.Split {
			operands = o.Outputs
		}
		for _, t := range operands {
			sum += g.Tensors[t].Bytes
		}
		if o.Layout == graph.Concat && sum == g.Tensors[o.Outputs[0]].Bytes {
			whole[o.Outputs[0]] = o.Inputs
		}
		if o.Layout == graph.Split && sum == g.Tensors[o.Inputs[0]].Bytes {
			at := int64(0)
			for _, t := range o.Outputs {
				part[t] = graph.View{Of: o.Inputs[0], Offset: at}
				at += g.Tensors[t].Bytes
			}
		}
	}
	var of func(t int) []token // the graphs here are small
	of = func(t int) []token {
		x := &g.Tensors[t]
		if tokens[t] != nil {
			return tokens[t]
		}
		list := make([]token, x.Bytes)
		for b := range list {
			list[b] = token{t, int64(b)}
		}
		v, isPart := part[t]
		if x.View != nil {
			v, isPart = *x.View, true
		}
		if isPart {
			copy(list, of(v.Of)[v.Offset:])
		} else if parts, ok := whole[t]; ok {
			list = list[:0]
			for _, p := range parts {
				list = append(list, of(p)...)
			}
		}
		tokens[t] = list
		return list
	}
	for t := range g.Tensors {
		of(t)
	}
	return tokens
}

// begin puts inputs and variables where they belong.
func (m *machine) begin() {
	for _, t := range m.g.Inputs {
		m.write(t)
	}
	for t := range m.g.Tensors {
		if m.g.Tensors[t].Kind != graph.Activation {
			m.write(t)
		}
	}
}

// intact checks what must be there all the time: inputs, before anything runs;
// variables, afterwards too.
func (m *machine) intact(when string) error {
	for t := range m.g.Tensors {
		if m.g.Tensors[t].Kind == graph.Variable || when == "before the first step" && slices.Contains(m.g.Inputs, t) {
			if err := m.read(t); err != nil {
				return fmt.Errorf("%s: %w", when, err)
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

func (m *machine) write(t int) {
	m.wrote[t] = true
	space, at, ok := m.address(t)
	if !ok {
		m.apart[t] = m.tokens[t]
		return
	}
	for b, tok := range m.tokens[t] {
		m.arenas[space][at+int64(b)] = tok
	}
}

func (m *machine) read(t int) error {
	space, at, ok := m.address(t)
	if !ok {
		return nil // nothing overwrites what is outside
	}
	for b, want := range m.tokens[t] {
		if got := m.arenas[space][at+int64(b)]; got != want {
			return fmt.Errorf("byte %d of %q, at %d of arena %d, holds byte %d of %q", b, m.g.Tensors[t].ID, at+int64(b), space, got.byte, m.g.Tensors[got.value].ID)
		}
	}
	return nil
}

// step runs the operators of one step: workspaces may be written at any time,
// results before all operands are read, unless declared in place.
func (m *machine) step(ops []int) error {
	m.scratch(ops)
	var inputs, outputs []int
	for _, o := range ops {
		inputs = append(inputs, m.g.Ops[o].Inputs...)
		outputs = append(outputs, m.g.Ops[o].Outputs...)
	}
	for _, t := range inputs {
		if m.within(ops, t) {
			continue
		}
		if err := m.read(t); err != nil {
			return fmt.Errorf("op %q reads: %w", m.g.Ops[ops[0]].ID, err)
		}
		for _, y := range outputs {
			if err := m.together(ops, t, y); err != nil {
				return err
			}
		}
	}
	for _, t := range outputs {
		m.write(t)
	}
	m.scratch(ops)
	for _, t := range outputs {
		if err := m.read(t); err != nil {
			return fmt.Errorf("op %q writes: %w", m.g.Ops[ops[0]].ID, err)
		}
	}
	return nil
}

// within reports whether a value is made in this very step.
func (m *machine) within(ops []int, t int) bool {
	for {
		for _, o := range ops {
			if slices.Contains(m.g.Ops[o].Outputs, t) {
				return true
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
func (m *machine) together(ops []int, x, y int) error {
	s1, a, ok1 := m.address(x)
	s2, b, ok2 := m.address(y)
	if !ok1 || !ok2 || s1 != s2 || a == b && m.inPlace(ops, x, y) {
		return nil
	}
	for k, tok := range m.tokens[y] {
		if tok.value != y && m.within(ops, tok.value) {
			continue // a view of another result, which is looked at itself
		}
		if j := b + int64(k) - a; j >= 0 && j < int64(len(m.tokens[x])) && m.tokens[x][j] != tok {
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
				m.arenas[0][m.plans[0].Offsets[i]+at] = token{0, -1}
			}
		}
	}
}
