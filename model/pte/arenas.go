package pte

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"memplan/model"
	"memplan/model/graph"
)

// Arenas are the memories of a program that can be planned, as a graph: an
// operator an instruction, a tensor a rigid group of values, a space a memory.
type Arenas struct {
	Graph *graph.Graph
	Left  []Left // what is not in the graph
	Notes []string

	program *Program
	parts   []part
	spaces  []space // of the graph's Spaces
}

// A Left is what is left as it is.
type Left struct {
	Method string
	Memory int // 0: the whole method
	Why    error
}

func (l Left) String() string {
	if o := (*Overlap)(nil); errors.As(l.Why, &o) {
		return o.Error() // says which method
	}
	if l.Memory == 0 {
		return fmt.Sprintf("method %q: %v", l.Method, l.Why)
	}
	return fmt.Sprintf("method %q, memory %d: %v", l.Method, l.Memory, l.Why)
}

// A space is one memory of one method.
type space struct {
	method, memory int
	values         []int // that are planned in it
	align          int64
}

// A part is one method in the graph.
type part struct {
	method int
	flow   *flow
	low    []int64 // by value: the group's lowest offset under the plan in force
	tensor []int   // by value: the graph's tensor; absent where it is in none
	space  []int   // by memory: the arena; absent where it is left alone
	first  int     // the graph's operator for instruction 0
}

// Alignment is what the exporter aligns every tensor to, bytes.
const Alignment = 16

// Arenas works out what can be planned. Of no methods it takes all. Tensors
// are aligned to align bytes, and their sizes are rounded up to it; 0 is
// Alignment, or less where the plan in force is aligned less. Where nothing
// can be planned the error says why; it is an *Overlap where plans in force do
// not hold.
func (p *Program) Arenas(align int64, methods ...int) (*Arenas, error) {
	if len(methods) == 0 {
		for i := range p.Methods {
			methods = append(methods, i)
		}
	}
	a := &Arenas{Graph: &graph.Graph{}, program: p}
	for _, i := range methods {
		a.method(i, align, len(methods) > 1)
	}
	if len(a.spaces) > 1 {
		for _, s := range a.spaces {
			id := fmt.Sprintf("%s.%d", p.Methods[s.method].Name, s.memory)
			a.Graph.Spaces = append(a.Graph.Spaces, graph.Space{ID: id})
		}
	}
	if len(a.spaces) == 0 {
		return nil, a.nothing()
	}
	return a, nil
}

// nothing says why there is nothing to plan.
func (a *Arenas) nothing() error {
	var faults []error
	for _, l := range a.Left {
		faults = append(faults, l.err())
	}
	return errors.Join(faults...)
}

func (l Left) err() error {
	if o := (*Overlap)(nil); errors.As(l.Why, &o) {
		return o
	}
	return errors.New(l.String())
}

// method adds a method, or says why it is left alone.
func (a *Arenas) method(i int, align int64, several bool) {
	m := a.program.Methods[i]
	if err := m.straight(); err != nil {
		a.Left = append(a.Left, Left{m.Name, 0, err})
		return
	}
	f, err := m.replay(nil)
	if err != nil {
		a.Left = append(a.Left, Left{m.Name, 0, err})
		return
	}
	t := part{method: i, flow: f, low: f.lows(), tensor: make([]int, len(m.Values)), space: make([]int, len(m.Memories))}
	first, left := len(a.spaces), len(a.Left)
	for k, values := range m.byMemory() {
		if t.space[k] = absent; len(values) == 0 {
			continue
		}
		s := space{i, k, values, align}
		if why := a.alone(f, s); why != nil {
			a.Left = append(a.Left, Left{m.Name, k, why})
			continue
		}
		if align == 0 {
			s.align = m.alignment(values)
		}
		t.space[k] = len(a.spaces)
		a.spaces = append(a.spaces, s)
	}
	if len(a.spaces) == first {
		if len(a.Left) == left {
			a.Left = append(a.Left, Left{m.Name, 0, errors.New("none of its tensors is planned in a memory")})
		}
		return
	}
	a.tensors(&t, several)
	a.operators(&t, several)
	a.parts = append(a.parts, t)
}

// straight says why a method's lifetimes cannot be told from its instructions.
func (m *Method) straight() error {
	for k := range m.Code {
		switch m.Code[k].Call {
		case Jump:
			return fmt.Errorf("instruction %d jumps, as cond, map and while do: which instructions run is not known", k)
		case Move:
			return fmt.Errorf("instruction %d moves a value, as cond, map and while do: whose bytes it names is not known", k)
		}
	}
	for v := range m.Values {
		if m.planned(v) && m.Values[v].Unbound {
			return fmt.Errorf("%s has a shape without bound: its bytes are not known", m.Label(v))
		}
	}
	return nil
}

// byMemory lists the values that are planned in each memory.
func (m *Method) byMemory() [][]int {
	of := make([][]int, len(m.Memories))
	for v := range m.Values {
		if m.planned(v) {
			of[m.Values[v].Memory] = append(of[m.Values[v].Memory], v)
		}
	}
	return of
}

// alone says why a memory is left as it is.
func (a *Arenas) alone(f *flow, s space) error {
	if device := f.m.Memories[s.memory].Device; device != "" {
		return fmt.Errorf("it is on %s", device)
	}
	passing := func(v int) bool { return f.used(v) && !f.lasting(v) }
	if len(a.program.Methods) == 1 || slices.ContainsFunc(s.values, passing) {
		return nil
	}
	return errors.New("it holds state alone, at places that other methods may rely on")
}

// used reports whether an instruction, the caller or the next run needs the
// bytes of a value.
func (f *flow) used(v int) bool { return f.known[v] && f.m.Values[v].Bytes > 0 }

// lasting reports whether a value's group holds state.
func (f *flow) lasting(v int) bool { return f.state[f.root(v)] }

// lows is the lowest offset of each value's group.
func (f *flow) lows() []int64 {
	low := make([]int64, len(f.m.Values))
	for v := range low {
		low[v] = f.m.Values[v].Offset
	}
	for v := range low {
		r := f.root(v)
		low[r] = min(low[r], f.m.Values[v].Offset)
		f.state[r] = f.state[r] || f.state[v]
	}
	for v := range low {
		low[v] = low[f.root(v)]
	}
	return low
}

// alignment is what tensors of a memory are aligned to: Alignment, or less.
func (m *Method) alignment(values []int) int64 {
	align := int64(Alignment)
	for _, v := range values {
		if x := &m.Values[v]; x.Bytes > 0 {
			align = model.GCD(align, x.Offset)
		}
	}
	return align
}

// tensors adds a tensor for each rigid group of a method.
func (a *Arenas) tensors(t *part, several bool) {
	f, m := t.flow, t.flow.m
	unused, prefix := 0, ""
	if several {
		prefix = m.Name + "/"
	}
	name := make([]int, len(m.Values)) // of each root: the member to call it by
	for v := range m.Values {
		name[v] = absent
	}
	for v := range m.Values {
		if r := f.root(v); f.used(v) && (name[r] == absent || f.first[v] < f.first[name[r]]) {
			name[r] = v
		}
	}
	number := make([]int, len(m.Values))
	for v := range m.Values {
		t.tensor[v] = absent
		x, r := &m.Values[v], f.root(v)
		if x.Memory == 0 || t.space[x.Memory] == absent || x.Bytes == 0 {
			continue
		}
		if !f.used(v) {
			unused++
			continue
		}
		s := t.space[x.Memory]
		if number[r] == 0 {
			n := name[r]
			a.Graph.Tensors = append(a.Graph.Tensors, graph.Tensor{ID: prefix + f.id(n), Align: a.spaces[s].align, Spaces: []int{s}, Kind: f.kind(r)})
			number[r] = len(a.Graph.Tensors)
		}
		t.tensor[v] = number[r] - 1
		g := &a.Graph.Tensors[t.tensor[v]]
		end, _ := model.AlignUp(x.Offset-t.low[v]+x.Bytes, g.Align)
		g.Bytes = max(g.Bytes, end)
	}
	if unused > 0 {
		a.Notes = append(a.Notes, fmt.Sprintf("method %q: %d tensors that nothing uses lie anywhere", m.Name, unused))
	}
}

func (f *flow) kind(root int) graph.Kind {
	if f.state[root] {
		return graph.Variable
	}
	return graph.Activation
}

// id is a value's number, and what it is from.
func (f *flow) id(v int) string {
	from := "input"
	switch k := f.first[v]; {
	case f.m.Values[v].Name != "":
		from = f.m.Values[v].Name
	case k != before:
		from = f.m.Code[k].Name
		from = from[strings.LastIndex(from, ":")+1:]
	case f.lasting(v):
		from = "state"
	}
	return fmt.Sprintf("%d:%s", v, from)
}

// operators adds a method's instructions, and where there are several methods a
// step before them at which its inputs appear.
func (a *Arenas) operators(t *part, several bool) {
	f, m := t.flow, t.flow.m
	inputs := t.of(m.expand(m.Inputs...), func(g int) bool { return a.Graph.Tensors[g].Kind == graph.Activation })
	last := len(a.Graph.Ops) - 1
	if several {
		a.Graph.Ops = append(a.Graph.Ops, graph.Op{ID: m.Name + ":inputs", Outputs: inputs})
		if last >= 0 {
			a.Graph.Ops[last+1].After = []int{last}
		}
	} else {
		a.Graph.Inputs = inputs
	}
	t.first = len(a.Graph.Ops)
	made := make(map[int]bool)
	for _, g := range inputs {
		made[g] = true
	}
	h := newHazards(f)
	for k := range m.Code {
		op := graph.Op{ID: fmt.Sprintf("%d:%s", k, m.Code[k].Name)}
		if several {
			op.ID = m.Name + "/" + op.ID
			op.After = append(op.After, t.first-1)
		}
		for _, g := range t.of(slices.Concat(f.access[k].from, f.access[k].to), nil) {
			if made[g] || a.Graph.Tensors[g].Kind == graph.Variable {
				op.Inputs = append(op.Inputs, g)
			} else {
				op.Outputs = append(op.Outputs, g)
			}
			made[g] = true
		}
		op.Outputs = append(op.Outputs, t.of(f.access[k].to, func(g int) bool { return a.Graph.Tensors[g].Kind == graph.Variable })...)
		for _, b := range h.before(k) {
			op.After = append(op.After, t.first+b)
		}
		a.Graph.Ops = append(a.Graph.Ops, op)
	}
	a.Graph.Outputs = append(a.Graph.Outputs, t.of(f.bytesOf(m.expand(m.Outputs...)), nil)...)
	if several { // the next method runs after all of this one
		a.fence(t)
	}
}

// fence makes a last step that all of a method comes before.
func (a *Arenas) fence(t *part) {
	op := graph.Op{ID: t.flow.m.Name + ":end"}
	for k := t.first; k < len(a.Graph.Ops); k++ {
		op.After = append(op.After, k)
	}
	a.Graph.Ops = append(a.Graph.Ops, op)
}

// Rewritten lists the tensors that an instruction writes again after they were made:
// a copy of one holds what it was before. States are not among them: the graph says
// what writes those.
func (a *Arenas) Rewritten() (ids []string) {
	for i := range a.parts {
		t := &a.parts[i]
		times := make(map[int]int)
		for _, g := range t.of(t.flow.m.expand(t.flow.m.Inputs...), nil) {
			times[g]++
		}
		for k := range t.flow.access {
			for _, g := range t.of(t.flow.access[k].to, nil) {
				if times[g]++; times[g] == 2 && a.Graph.Tensors[g].Kind == graph.Activation {
					ids = append(ids, a.Graph.Tensors[g].ID)
				}
			}
		}
	}
	return ids
}

// of lists the tensors that hold bytes of values, each once, that want asks for.
func (t *part) of(values []int, want func(g int) bool) []int {
	var list []int
	seen := make(map[int]bool)
	for _, v := range values {
		g := t.tensor[v]
		if g != absent && !seen[g] && (want == nil || want(g)) {
			seen[g] = true
			list = append(list, g)
		}
	}
	return list
}
