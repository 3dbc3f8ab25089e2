package traffic

import (
	"cmp"
	"slices"

	"memplan/model"
	"memplan/model/graph"
	"memplan/model/schedule"
)

// Terms are what a question asks of a graph.
type Terms struct {
	Capacity    int64
	Way         model.TrafficWay
	Overlap     bool
	Read, Write int64
	AnyOrder    bool
}

// Question is what a graph does with its values in the order of its schedule,
// after the rules of verify/PROOFS.md. How it is lowered says which operators run
// as one and what the caller has in memory of its own. Cost: linear in the
// operands, times the operands of an operator.
func Question(g *graph.Graph, how graph.LowerOptions, t Terms) (*model.TrafficQuestion, error) {
	plain := *g // values are told apart without what may share by choice
	plain.Spaces, plain.Ops, plain.Tensors = nil, slices.Clone(g.Ops), slices.Clone(g.Tensors)
	for o := range plain.Ops {
		plain.Ops[o].InPlace, plain.Ops[o].Overlap = nil, nil
	}
	for k := range plain.Tensors {
		plain.Tensors[k].Spaces = nil
	}
	how.Schedule, how.Concat, how.Assign, how.InSpace = schedule.Given, false, nil, nil
	l, err := plain.Lower(how)
	if err != nil {
		return nil, err
	}
	a := &asker{s: sideOf(g), l: l.Merged(), of: make([]int, len(g.Tensors)), q: &model.TrafficQuestion{
		Capacity: t.Capacity, Way: t.Way, Overlap: t.Overlap, Read: max(t.Read, 1), Write: max(t.Write, 1), Scratch: make([][]int64, len(l.Steps))}}
	a.values()
	for s, ops := range l.Steps {
		for _, o := range ops {
			a.runs(o, int64(s))
		}
	}
	a.ends()
	if t.AnyOrder {
		a.before()
	}
	if t.Overlap {
		a.handovers()
	}
	if len(g.Spaces) > 0 {
		a.q.Reserved = append(a.q.Reserved, g.Spaces[0].Reserved...)
		slices.SortFunc(a.q.Reserved, func(x, y model.Interval) int { return cmp.Compare(x.Start, y.Start) })
	}
	return a.q, nil
}

type asker struct {
	s    *side
	l    *graph.Lowered
	q    *model.TrafficQuestion
	of   []int // the value of each tensor, -1 = none
	step []int64
}

// values are the buffers that have bytes, in order of their first tensors.
func (a *asker) values() {
	at := make(map[int]int)
	for t, p := range a.l.Places {
		a.of[t] = -1
		if p.Where != graph.InArena {
			continue
		}
		b := &a.l.Arenas[0].Buffers[p.Buffer]
		if b.Size == 0 {
			continue
		}
		v, met := at[p.Buffer]
		if !met {
			v = len(a.q.Values)
			at[p.Buffer] = v
			a.q.Values = append(a.q.Values, model.TrafficValue{Bytes: b.Size})
		}
		a.of[t] = v
		x := &a.q.Values[v]
		x.Align = model.GCD(x.Align, max(a.s.g.Tensors[t].Align, 1))
		x.State = x.State || a.s.g.Tensors[t].Kind.Rewritten()
	}
	for v := range a.q.Values {
		a.q.Values[v].Copied = a.q.Way != model.WholeValues && a.q.Values[v].State
	}
	stays := slices.Clone(a.s.g.Outputs)
	for t := range a.of {
		if a.s.g.Tensors[t].View != nil || a.s.given[t] {
			stays = append(stays, t)
		}
	}
	for _, t := range stays {
		if v := a.of[t]; v >= 0 {
			a.q.Values[v].Copied = false
		}
	}
	for t, v := range a.of {
		if v >= 0 && (a.q.Values[v].State || a.s.given[t] && a.s.g.Tensors[t].Kind != graph.Weight) {
			e := a.event(v, -1)
			if a.s.given[t] {
				e.Needed = max(e.Needed, a.s.g.Tensors[t].Bytes)
			}
		}
	}
}

// event is that of a value at a step, which is its last so far or a later one.
func (a *asker) event(v int, step int64) *model.TrafficEvent {
	x := &a.q.Values[v]
	if n := len(x.Events); n == 0 || x.Events[n-1].Step < step {
		x.Events = append(x.Events, model.TrafficEvent{Step: step})
	}
	return &x.Events[len(x.Events)-1]
}

// runs notes what operator o does at a step.
func (a *asker) runs(o int, step int64) {
	op := &a.s.g.Ops[o]
	a.q.Scratch[step] = append(a.q.Scratch[step], op.Scratch...)
	same := func(x, y int) bool { return a.of[x] >= 0 && a.of[x] == a.of[y] }
	for k, t := range op.Inputs {
		if a.of[t] < 0 || slices.Contains(op.Inputs[:k], t) {
			continue
		}
		e := a.event(a.of[t], step)
		e.Needed = max(e.Needed, a.s.g.Tensors[t].Bytes)
		if a.s.reads(o, t, same) {
			e.Read, e.Reads = true, model.SaturatingAdd(e.Reads, a.s.g.Accessed(o, t))
		}
	}
	for _, t := range op.Outputs {
		if a.of[t] < 0 {
			continue
		}
		x := &a.q.Values[a.of[t]]
		e := a.event(a.of[t], step)
		e.Needed = max(e.Needed, a.s.g.Tensors[t].Bytes)
		switch {
		case !a.s.writes(o, t, same):
			if n := len(x.Moves); n == 0 || x.Moves[n-1] < step {
				x.Moves = append(x.Moves, step)
			}
		case x.Events[0].Step >= 0:
			x.Made = len(x.Events)
			fallthrough
		default:
			e.Written, e.Read = true, e.Read || len(a.l.Steps[step]) > 1
			e.Writes = model.SaturatingAdd(e.Writes, a.s.g.Accessed(o, t))
		}
	}
}

// ends notes what the caller takes, and what is kept from run to run.
func (a *asker) ends() {
	n := int64(len(a.l.Steps))
	for _, t := range a.s.g.Outputs {
		if v := a.of[t]; v >= 0 {
			e := a.event(v, n)
			e.Needed = max(e.Needed, a.s.g.Tensors[t].Bytes)
		}
	}
	for v := range a.q.Values {
		x := &a.q.Values[v]
		if x.State {
			a.event(v, n).Needed = x.Bytes
		}
		if needed := x.Events[0].Needed; len(x.Events) == 1 && x.Events[0].Step < 0 { // nobody reads it
			a.event(v, 0).Needed = needed
		}
		last := x.Events[len(x.Events)-1]
		x.Least = last.Needed
		for _, e := range x.Events[1:] {
			if last.Step < n { // any may be the last
				x.Least = min(x.Least, e.Needed)
			}
		}
		for j := len(x.Events) - 1; j > 0; j-- {
			x.Events[j-1].Needed = max(x.Events[j-1].Needed, x.Events[j].Needed)
		}
	}
}

// before notes of each step which come before it in every order: those of operators that
// its own name, or that make what it reads or reaches, and those that reach a state before it.
func (a *asker) before() {
	n := len(a.l.Steps)
	step := make([]int, len(a.s.g.Ops))
	for s, ops := range a.l.Steps {
		for _, o := range ops {
			step[o] = s
		}
	}
	a.q.Before = make([][]int, n)
	comes := func(first, then int) {
		if first != then {
			a.q.Before[then] = append(a.q.Before[then], first)
		}
	}
	for o := range a.s.g.Ops {
		for _, p := range a.s.g.Ops[o].After {
			comes(step[p], step[o])
		}
		for _, t := range a.s.g.Ops[o].Inputs {
			for a.s.maker[t] < 0 && a.s.g.Tensors[t].View != nil {
				t = a.s.g.Tensors[t].View.Of
			}
			if m := a.s.maker[t]; m >= 0 && !a.s.g.Tensors[t].Kind.Rewritten() {
				comes(step[m], step[o])
			}
		}
	}
	for v := range a.q.Values {
		x := &a.q.Values[v]
		last := -1
		for j, e := range x.Events {
			if e.Step < 0 || e.Step == int64(n) {
				continue
			}
			if last >= 0 && (j >= x.Made || x.State) {
				comes(last, int(e.Step))
			}
			if x.State || x.Made > 0 && j == 0 {
				last = int(e.Step)
			}
		}
	}
	for u, list := range a.q.Before {
		slices.Sort(list)
		a.q.Before[u] = slices.Compact(list)
	}
}

// handovers are the places of operands that results may take.
func (a *asker) handovers() {
	a.step = make([]int64, len(a.s.g.Ops))
	for s, ops := range a.l.Steps {
		for _, o := range ops {
			a.step[o] = int64(s)
		}
	}
	for o := range a.s.g.Ops {
		for _, p := range a.s.g.Ops[o].InPlace {
			x := a.origin(p[0])
			a.handover(model.Handover{Step: a.step[o], Given: a.s.maker[x] < 0}, x, p[1])
		}
		for _, p := range a.s.g.Ops[o].Overlap {
			lead := max(0, p.Bytes-a.l.Places[p.Under].Offset+a.l.Places[p.Over].Offset)
			a.handover(model.Handover{Step: a.step[o], Lead: true, Distance: lead}, p.Under, p.Over)
		}
	}
}

// origin is x or, where operators that run as one leave that without memory, what
// it was made in place of.
func (a *asker) origin(x int) int {
	for a.l.Places[x].Where == graph.Fused && a.s.maker[x] >= 0 {
		pairs := a.s.g.Ops[a.s.maker[x]].InPlace
		k := slices.IndexFunc(pairs, func(p [2]int) bool { return p[1] == x })
		if k < 0 {
			return x
		}
		x = pairs[k][0]
	}
	return x
}

func (a *asker) handover(h model.Handover, x, y int) {
	if h.Under, h.Over = a.of[x], a.of[y]; h.Under < 0 || h.Over < 0 || h.Under == h.Over {
		return
	}
	if !h.Lead {
		h.Distance = a.l.Places[x].Offset
		h.Given = h.Given && a.q.Values[h.Under].Events[0].Step < 0
	}
	if event := func(e model.TrafficEvent) bool { return e.Step == h.Step }; slices.ContainsFunc(a.q.Values[h.Under].Events, event) && slices.ContainsFunc(a.q.Values[h.Over].Events, event) {
		a.q.Handovers = append(a.q.Handovers, h)
	}
}
