package pte

import (
	"fmt"
	"slices"

	"memplan/model"
	"memplan/model/graph"
)

// A Placement says where a program's tensors are to lie: of each method, nil
// where it is left alone, the offset of each value; absent where that stays as
// it is.
type Placement struct {
	Offsets  [][]int64
	Memories [][]int   // of each method's values: the number of the memory; nil: as they are
	Sizes    [][]int64 // of each method's memories; absent: as it is. One more than there are adds a memory
	Order    [][]int   // of each method's instructions; nil: as they are
}

// InForce is the plan that the file holds: one for each of l's arenas.
func (a *Arenas) InForce(l *graph.Lowered) []model.Plan {
	plans := make([]model.Plan, len(l.Arenas))
	for s, in := range l.Arenas {
		plans[s].Offsets = make([]int64, len(in.Buffers))
	}
	for i := range a.parts {
		t := &a.parts[i]
		for v, g := range t.tensor {
			if g != absent && l.Places[g].Where == graph.InArena {
				at := l.Places[g]
				plans[at.Space].Offsets[at.Buffer] = t.low[v] - at.Offset
			}
		}
	}
	return plans
}

// Unchanged leaves everything where it is.
func (p *Program) Unchanged() Placement {
	n := len(p.Methods)
	return Placement{make([][]int64, n), make([][]int, n), make([][]int64, n), make([][]int, n)}
}

// Place puts plans of l's arenas, and the order in which l runs instructions,
// into a placement; an arena whose plan has no offsets stays as it is. What
// nothing uses goes to the bottom of its memory. Where a has one arena, l may have
// a second: what is in that goes to a memory that the method gets.
func (a *Arenas) Place(p *Placement, l *graph.Lowered, plans []model.Plan) {
	for i := range a.parts {
		t := &a.parts[i]
		m := t.flow.m
		offsets, sizes, spaces := make([]int64, len(m.Values)), make([]int64, len(m.Memories)), t.space
		for k := range sizes {
			if sizes[k] = absent; t.planned(k, plans) {
				sizes[k] = 0
			}
		}
		var memories []int
		if added := len(a.spaces); len(l.Arenas) > added {
			memories, sizes, spaces = t.memories(l, added), append(sizes, 0), append(spaces[:len(spaces):len(spaces)], added-1)
		}
		for v := range m.Values {
			k := m.Values[v].Memory
			if offsets[v] = absent; k == 0 || sizes[k] == absent {
				continue
			}
			if memories != nil {
				k = memories[v]
			}
			offsets[v] = t.offset(v, l, plans)
			sizes[k] = max(sizes[k], offsets[v]+m.Values[v].Bytes)
		}
		for k := range sizes {
			if sizes[k] != absent {
				sizes[k] = a.Size(spaces[k], sizes[k])
			}
		}
		p.Offsets[t.method], p.Memories[t.method], p.Sizes[t.method], p.Order[t.method] = offsets, memories, sizes, t.order(l)
	}
}

// Divided is the arenas' graph with the memory spaces, the order and the places of
// tensors that another graph has of the same tensors and operators, by their ids.
func (a *Arenas) Divided(by *graph.Graph) *graph.Graph {
	g := *a.Graph
	g.Spaces, g.Schedule, g.Tensors = by.Spaces, nil, slices.Clone(g.Tensors)
	tensors, ops := make(map[string]int), make(map[string]int)
	for t := range g.Tensors {
		tensors[g.Tensors[t].ID] = t
	}
	for o := range g.Ops {
		ops[g.Ops[o].ID] = o
	}
	for t := range by.Tensors {
		g.Tensors[tensors[by.Tensors[t].ID]].Spaces = by.Tensors[t].Spaces
	}
	for _, o := range by.Schedule {
		g.Schedule = append(g.Schedule, ops[by.Ops[o].ID])
	}
	return &g
}

// memories is the memory of each value, where tensors in one space of l go to a
// memory that is added.
func (t *part) memories(l *graph.Lowered, added int) []int {
	m := t.flow.m
	list := make([]int, len(m.Values))
	for v := range list {
		list[v] = m.Values[v].Memory
		if g := t.tensor[v]; g != absent && l.Places[g].Where == graph.InArena && l.Places[g].Space == added {
			list[v] = len(m.Memories)
		}
	}
	return list
}

func (t *part) planned(memory int, plans []model.Plan) bool {
	s := t.space[memory]
	return s != absent && plans[s].Offsets != nil
}

// offset is where plans put a value.
func (t *part) offset(v int, l *graph.Lowered, plans []model.Plan) int64 {
	g := t.tensor[v]
	if g == absent {
		return 0
	}
	at := l.Places[g]
	return plans[at.Space].Offsets[at.Buffer] + at.Offset + t.flow.m.Values[v].Offset - t.low[v]
}

// order is the order in which l runs a method's instructions; nil where that is
// the method's own.
func (t *part) order(l *graph.Lowered) []int {
	var order []int
	for _, ops := range l.Steps {
		for _, o := range ops {
			if k := o - t.first; k >= 0 && k < len(t.flow.m.Code) {
				order = append(order, k)
			}
		}
	}
	if slices.IsSorted(order) {
		return nil
	}
	return order
}

// Reordered reports whether l runs instructions in another order than the file.
func (a *Arenas) Reordered(l *graph.Lowered) bool {
	return slices.ContainsFunc(a.parts, func(t part) bool { return t.order(l) != nil })
}

// Movable says why the instructions must stay in their order.
func (a *Arenas) Movable() error {
	for i := range a.parts {
		if m := a.parts[i].flow.m; len(m.chains) > 1 {
			return fmt.Errorf("method %q: its instructions stay in their order: they are in %d chains", m.Name, len(m.chains))
		}
	}
	return nil
}

// Idle is the bytes of the largest tensor of an arena's memory that nothing
// uses: the runtime wants room for it.
func (a *Arenas) Idle(arena int) (most int64) {
	s := a.spaces[arena]
	for i := range a.parts {
		if t := &a.parts[i]; t.method == s.method {
			for _, v := range s.values {
				if t.tensor[v] == absent {
					most = max(most, t.flow.m.Values[v].Bytes)
				}
			}
		}
	}
	return most
}

// Memory is the method and the number of the memory that an arena stands for,
// what it takes under the plan in force, and how many bytes of that lie behind
// its last tensor and must stay.
func (a *Arenas) Memory(arena int) (method string, number int, size, padding int64) {
	s := a.spaces[arena]
	m := a.program.Methods[s.method]
	return m.Name, s.memory, m.Memories[s.memory].Size, m.padding(s)
}

// Size is the bytes that a memory takes whose last tensor ends at end: that,
// rounded up, and the padding.
func (a *Arenas) Size(arena int, end int64) int64 {
	s := a.spaces[arena]
	end, _ = model.AlignUp(end, s.align)
	return end + a.program.Methods[s.method].padding(s)
}

// maxPadding is what the exporter puts behind an arena for XNNPACK, whose
// kernels read beyond their operands' ends.
const maxPadding = 64

// padding is the bytes behind a memory's last tensor that must stay: up to
// maxPadding where a delegate runs.
func (m *Method) padding(s space) int64 {
	if len(m.delegates) == 0 {
		return 0
	}
	var peak int64
	for _, v := range s.values {
		end, _ := model.AlignUp(m.Values[v].Offset+m.Values[v].Bytes, s.align)
		peak = max(peak, end)
	}
	return max(0, min(m.Memories[s.memory].Size-peak, maxPadding))
}
