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

// Moved counts the operands of a lowered graph's operators that are not in its
// first memory space: what is read there, and what is written. An operator that
// only makes views of what it reads moves nothing; others move an operand as often as they access it. A byte read, or written, costs
// so much; 0 = 1. Sums saturate.
func Moved(l *graph.Lowered, read, write int64) (m Traffic) {
	g, l := l.Graph, l.Merged() // what may be a view is one
	away := func(o, t int) int64 {
		if p := l.Places[t]; p.Where == graph.InArena && p.Space > 0 {
			return g.Accessed(o, t)
		}
		return 0
	}
	same := func(x, y int) bool {
		a, b := l.Places[x], l.Places[y]
		return a.Where == b.Where && a.Space == b.Space && a.Buffer == b.Buffer
	}
	s := newViewer(g)
	for o := range g.Ops {
		for i, x := range g.Ops[o].Inputs {
			if !slices.Contains(g.Ops[o].Inputs[:i], x) && s.reads(o, x, same) {
				m.Read = model.SaturatingAdd(m.Read, away(o, x))
			}
		}
		for _, y := range g.Ops[o].Outputs {
			if s.writes(o, y, same) {
				m.Written = model.SaturatingAdd(m.Written, away(o, y))
			}
		}
	}
	m.Cost = model.SaturatingAdd(times(m.Read, read), times(m.Written, write))
	return m
}

// Cost is what the graph's traffic costs.
func (f *Fitted) Cost() int64 { return f.Traffic.Cost }

// A Wait is a tensor that is in slow memory for some of the time, with the
// operators by id: after which it is stored, before which it is loaded, and which
// reach it there.
type Wait struct {
	Tensor  string
	Bytes   int64
	Stored  string // "" where it is not; a state may be after several
	Loaded  []string
	Written []string
	Read    []string
}

// Waits lists what is in slow memory, in order of the graph's tensors.
func (f *Fitted) Waits() (list []Wait) {
	base := newViewer(f.Graph).root
	at := make(map[int]int)
	for t := range f.Graph.Tensors {
		x := &f.Graph.Tensors[t]
		if x.View == nil && slices.Equal(x.Spaces, []int{1}) {
			at[t] = len(list)
			list = append(list, Wait{Tensor: f.task.id(f.stands[t]), Bytes: x.Bytes})
		}
	}
	for o := range f.Graph.Ops {
		op := &f.Graph.Ops[o]
		for _, t := range op.Inputs {
			k, waits := at[base(t)]
			switch {
			case !waits:
			case slices.Contains(f.Loads, o):
				list[k].Loaded = append(list[k].Loaded, f.beside(o, 1))
			case !slices.Contains(list[k].Read, op.ID):
				list[k].Read = append(list[k].Read, op.ID)
			}
		}
		for _, t := range op.Outputs {
			k, waits := at[base(t)]
			switch {
			case !waits:
			case slices.Contains(f.Stores, o):
				if list[k].Stored != "" { // a state, stored again
					list[k].Stored += ", "
				}
				list[k].Stored += f.beside(o, -1)
			default:
				list[k].Written = append(list[k].Written, op.ID)
			}
		}
	}
	return list
}

// beside is the id of the operator that a store or load belongs to, before or
// after it.
func (f *Fitted) beside(o, step int) string {
	for slices.Contains(f.Stores, o) || slices.Contains(f.Loads, o) {
		o += step
	}
	return f.Graph.Ops[o].ID
}
