package graph_test

import (
	"fmt"
	"slices"

	"memplan/model"
	"memplan/model/graph"
)

// A machine executes a lowered graph on planned arenas, symbolically: every
// operator reads its operands' bytes and writes its results'. It knows nothing
// of how lifetimes and sharing came about: only the graph's meaning, the order
// of the steps, the order in which a kernel reads and writes, and the addresses.
type machine struct {
	*meaning
	l       *graph.Lowered
	places  map[int]place     // of tensors in an arena
	scratch map[string]place  // of workspaces
	arenas  []map[int64]token // by space
}

// A place is a space and an address in it.
type place struct {
	space int
	at    int64
}

// execute reports the first byte that is not what it must be, with plans of the
// arenas.
func execute(l *graph.Lowered, plans []model.Plan) error {
	m := &machine{l: l, places: make(map[int]place), scratch: make(map[string]place)}
	for t, p := range l.Places {
		if p.Where == graph.InArena {
			m.places[t] = place{p.Space, plans[p.Space].Offsets[p.Buffer] + p.Offset}
		}
	}
	for i, b := range l.Arenas[0].Buffers {
		m.scratch[b.ID] = place{0, plans[0].Offsets[i]}
	}
	return m.run()
}

// executeValues is the same by the plan of the values.
func executeValues(l *graph.Lowered, plans []model.Plan) error {
	m := &machine{l: l, places: make(map[int]place), scratch: make(map[string]place)}
	values := l.ValuePlan(plans).Offsets
	next := 0
	for t, p := range l.Places {
		if p.Where == graph.InArena {
			m.places[t] = place{p.Space, values[next]}
			next++
		}
	}
	for ; next < len(values); next++ {
		m.scratch[l.Values.Buffers[next].ID] = place{0, values[next]}
	}
	return m.run()
}

func (m *machine) run() error {
	l := m.l
	m.meaning = meaningOf(l.Graph)
	for range l.Arenas {
		m.arenas = append(m.arenas, make(map[int64]token))
	}
	for t := range m.g.Tensors {
		if slices.Contains(m.g.Inputs, t) || m.g.Tensors[t].Kind != graph.Activation && m.fromBefore(t) {
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

// intact checks what must be there all the time: inputs, before anything runs;
// variables, afterwards too.
func (m *machine) intact(o int) error {
	for t := range m.g.Tensors {
		if written(m.g, t) && m.fromBefore(t) || o == start && slices.Contains(m.g.Inputs, t) {
			if err := m.read(t, o); err != nil {
				return err
			}
		}
	}
	return nil
}

// address is the space and offset of a tensor; false when it is in no arena.
func (m *machine) address(t int) (space int, at int64, ok bool) {
	p, ok := m.places[t]
	return p.space, p.at, ok
}

// write has tensor t hold what it does for operator o; of what o writes itself,
// afterwards.
func (m *machine) write(t, o int) {
	m.put(t, m.seen(t, o))
}

func (m *machine) put(t int, tokens []token) { m.putFrom(t, 0, tokens) }

// putFrom has the bytes of tensor t from one on hold something.
func (m *machine) putFrom(t int, from int64, tokens []token) {
	if space, at, ok := m.address(t); ok {
		for b, tok := range tokens {
			m.arenas[space][at+from+int64(b)] = tok
		}
	}
}

func (m *machine) read(t, o int) error { return m.holds(t, m.seen(t, o)) }

func (m *machine) holds(t int, tokens []token) error { return m.holdsFrom(t, 0, tokens) }

// holdsFrom checks the bytes of tensor t from one on.
func (m *machine) holdsFrom(t int, from int64, tokens []token) error {
	space, at, ok := m.address(t)
	if !ok {
		return nil // nothing overwrites what is outside
	}
	at += from
	for b, want := range tokens {
		if got := m.arenas[space][at+int64(b)]; got != want && want.writes != unwritten {
			return fmt.Errorf("byte %d of %q, at %d of arena %d, holds byte %d of %q after %d writes", from+int64(b), m.g.Tensors[t].ID, at+int64(b), space, got.byte, m.g.Tensors[got.value].ID, got.writes)
		}
	}
	return nil
}

// fromBefore reports whether a tensor's bytes may be wanted of the run before: what is
// mutable is written by the first operator that touches it where they are not.
func (m *machine) fromBefore(t int) bool {
	viewed := func(x graph.Tensor) bool { return x.View != nil && x.View.Of == t }
	if m.g.Tensors[t].Kind != graph.Mutable || m.g.Tensors[t].View != nil || slices.ContainsFunc(m.g.Tensors, viewed) {
		return true
	}
	for _, ops := range m.l.Steps {
		for _, o := range ops {
			reads, writes := slices.Contains(m.g.Ops[o].Inputs, t), slices.Contains(m.g.Ops[o].Outputs, t)
			if reads || writes {
				return reads || len(ops) > 1
			}
		}
	}
	return true
}

// after is what tensor t, a result of operator o, holds once that ran.
func (m *machine) after(t, o int) []token {
	if written(m.g, t) {
		return m.wrote[o][t]
	}
	return m.made[t]
}

// step runs the operators of one step: workspaces may be written at any time,
// results before all operands are read, unless declared in place.
func (m *machine) step(ops []int) error {
	m.fill(ops)
	for _, o := range ops {
		for _, t := range m.g.Ops[o].Inputs {
			if err := m.operand(ops, o, t); err != nil {
				return err
			}
		}
	}
	for _, o := range ops {
		if err := m.kernel(ops, o); err != nil {
			return err
		}
		for _, t := range m.g.Ops[o].Outputs {
			m.put(t, m.after(t, o))
		}
	}
	m.fill(ops)
	for k, o := range ops {
		for _, t := range m.g.Ops[o].Outputs {
			if written(m.g, t) && m.within(ops[k+1:], t) {
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
	if _, _, known := kernelOf(m.g.Ops[o].ID); known && len(ops) == 1 && t == m.g.Ops[o].Inputs[0] {
		return nil // it is looked at as the kernel reads it
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
		if written(m.g, t) && m.g.Tensors[t].View == nil {
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

// kernel runs the kernel of operator o on its first operand, if it runs alone and
// is one of those whose order of reading and writing is known: block by block, and
// byte by byte.
func (m *machine) kernel(ops []int, o int) error {
	_, trace, known := kernelOf(m.g.Ops[o].ID)
	if !known || len(ops) > 1 {
		return nil
	}
	x, y := m.g.Ops[o].Inputs[0], m.g.Ops[o].Outputs[0]
	was, written := m.seen(x, o), m.after(y, o)
	for k, block := range trace {
		for _, r := range block.Reads {
			if err := m.holdsFrom(x, r[0], was[r[0]:r[1]]); err != nil {
				return fmt.Errorf("op %q, block %d of %d: %w", m.g.Ops[o].ID, k, len(trace), err)
			}
		}
		for _, w := range block.Writes {
			m.putFrom(y, w[0], written[w[0]:w[1]])
		}
	}
	return nil
}

// fill fills the workspaces of the step's operators with rubbish.
func (m *machine) fill(ops []int) {
	for _, o := range ops {
		for k := range m.g.Ops[o].Scratch {
			id := m.g.Ops[o].ID + ".scratch"
			if len(m.g.Ops[o].Scratch) > 1 {
				id = fmt.Sprintf("%s%d", id, k)
			}
			p := m.scratch[id]
			for b := range m.g.Ops[o].Scratch[k] {
				m.arenas[p.space][p.at+b] = token{0, -1, 0}
			}
		}
	}
}
