package spill

import (
	"cmp"
	"slices"

	"memplan/model"
	"memplan/model/graph"
)

// cut adds what a proof that the fast memory's buffers do not fit says of every
// choice: one of those in it is not there, somewhere in the proof's window. A
// choice that has all of them there has buffers that contain them, clipped to
// the window, and no more freedom to share; its plan would be one of them. It
// reports false where nothing is left to choose: then nothing fits at all.
func (p *program) cut(f *Fitted, c *model.Certificate) bool {
	pieces := p.clashing(f, c)
	var row []term
	for _, at := range pieces {
		for _, column := range p.gone(at) {
			row = append(row, term{column, 1})
		}
	}
	for k := range row {
		if slices.ContainsFunc(row[:k], func(t term) bool { return t.column == row[k].column }) {
			row[k].column = never
		}
	}
	if !slices.ContainsFunc(row, func(t term) bool { return t.column != never }) {
		return false
	}
	p.least(1, row...)
	p.cuts = append(p.cuts, pieces)
	return true
}

// clashing are the pieces that a proof is about. One whose bytes a result might
// take in another choice is prolonged, so that it cannot: beyond its operator where it
// lives on, and back to its arrival where it is the caller's.
func (p *program) clashing(f *Fitted, c *model.Certificate) (list []model.PresentPiece) {
	in := f.Lowered.Arenas[0]
	ids := make(map[string]int, len(f.Graph.Tensors))
	for n := range f.Graph.Tensors {
		ids[f.Graph.Tensors[n].ID] = n
	}
	members, window := clash(in, c)
	window = p.contracted(f, window)
	var values []int
	seen := make(map[piece]bool)
	for _, i := range members {
		at, there := f.from[idOf(ids, in.Buffers[i].ID)]
		if !there || seen[at] {
			continue // a workspace, or a reserved range; or a view of the same piece
		}
		seen[at] = true
		values = append(values, at.value)
		events := p.k.values[at.value].events
		if at.first > at.last { // a state at one place from run to run, and elsewhere in between
			list = append(list, model.PresentPiece{Value: at.value, Steps: model.Interval{Start: arrival, End: events[at.last].step + 1}},
				model.PresentPiece{Value: at.value, Steps: model.Interval{Start: events[at.first].step, End: p.k.steps + 1}})
			continue
		}
		steps := model.Interval{Start: events[at.first].step, End: events[at.last].step + 1}.Intersect(window)
		list = append(list, model.PresentPiece{Value: at.value, Steps: steps})
	}
	if f.task.q.Overlap {
		for _, h := range p.k.pairs(values, window) {
			p.keep(f, list, h)
		}
	}
	slices.SortFunc(list, func(a, b model.PresentPiece) int {
		return cmp.Or(cmp.Compare(a.Value, b.Value), cmp.Compare(a.Steps.Start, b.Steps.Start))
	})
	return list
}

// keep prolongs the piece of a handover's operand. Where it ends, and it or the result is
// a state's copy, another choice might have them share bytes.
func (p *program) keep(f *Fitted, list []model.PresentPiece, h handover) {
	j, left := p.k.event(h.under, h.step), f.where[h.under][1]
	for k := range list {
		if at := &list[k]; at.Value == h.under && at.Steps.Start <= h.step && at.Steps.End == h.step+1 {
			switch {
			case j < len(left) && !left[j]:
				at.Steps.End++
			case p.k.values[h.under].comes || p.k.values[h.over].comes:
				p.withheld = true
			}
			if h.given && !slices.Contains(left[:j], true) {
				at.Steps.Start = arrival
			}
		}
	}
}

func idOf(ids map[string]int, id string) int {
	if n, known := ids[id]; known {
		return n
	}
	return -1
}

// clash is the buffers that a certificate is about, and when.
func clash(in *model.Instance, c *model.Certificate) (members []int, window model.Interval) {
	if r := c.Refutation; r != nil {
		return r.Buffers, r.Window
	}
	window = model.Interval{Start: c.Step, End: c.Step + 1}
	for i := range in.Buffers {
		for part := range in.Buffers[i].Live() {
			if part.Meets(window) && in.Buffers[i].Size > 0 {
				members = append(members, i)
			}
		}
	}
	return members, window
}

// contracted is a window in steps without those of stores and loads: what is live
// while one of these runs is live at the step that it belongs to.
func (p *program) contracted(f *Fitted, window model.Interval) model.Interval {
	steps := f.Lowered.Steps
	at := func(s int64) int64 {
		switch {
		case s < 0:
			return 0
		case s >= int64(len(steps)):
			return p.k.steps
		}
		return f.step[steps[s][0]]
	}
	return model.Interval{Start: at(window.Start), End: at(window.End-1) + 1}
}

// gone lists the columns of which one is 1 where a value is not in fast memory
// at all steps of a piece.
func (p *program) gone(at model.PresentPiece) (columns []int) {
	x, c := &p.k.values[at.Value], &p.cols[at.Value]
	first, last := at.Steps.Start, at.Steps.End-1
	if j, there := x.find(first); there && first == last {
		return []int{c.out[j]}
	}
	for j := range c.left {
		if x.events[j].step < max(last, first+1) && x.events[j+1].step > first {
			columns = append(columns, c.left[j])
		}
	}
	return columns
}

// A handover is an operator's leave to write one value where it reads another.
type handover struct {
	under, over int // values
	step        int64
	bytes       int64 // that the two take less of together, at most
	distance    int64 // of the values: exactly that between over and under, or for leads at least that between under and over
	lead        bool
	given       bool // what is read is where the caller put it, as long as it is not copied in
}

// pairs lists the handovers between values in a window.
func (k *task) pairs(values []int, window model.Interval) (list []handover) {
	add := func(o, x, y int, ahead bool, lead int64) {
		a, b := k.of[x], k.of[y]
		h := handover{under: a, over: b, step: k.step[o], lead: ahead}
		if a < 0 || b < 0 || a == b || h.step < window.Start || h.step >= window.End || !slices.Contains(values, a) || !slices.Contains(values, b) {
			return
		}
		h.given = !ahead && k.values[a].given && k.maker[x] < 0 // else a view, which may be a copy
		h.distance, h.bytes = k.l.Places[x].Offset, min(k.values[a].size, k.values[b].size)
		if ahead {
			h.distance = max(0, lead-k.l.Places[x].Offset+k.l.Places[y].Offset)
			h.bytes = min(k.values[a].size, max(0, k.values[b].size-h.distance))
		}
		list = append(list, h)
	}
	for o := range k.g.Ops {
		for _, p := range k.g.Ops[o].InPlace {
			add(o, k.origin(p[0]), p[1], false, 0)
		}
		for _, l := range k.g.Ops[o].Overlap {
			add(o, l.Under, l.Over, true, l.Bytes)
		}
	}
	return list
}

// origin is x or, where fusion leaves that without memory, what it is made in
// place of, one after another.
func (k *task) origin(x int) int {
next:
	for k.l.Places[x].Where == graph.Fused && k.maker[x] >= 0 {
		for _, p := range k.g.Ops[k.maker[x]].InPlace {
			if p[1] == x {
				x = p[0]
				continue next
			}
		}
		break
	}
	return x
}
