package spill

import (
	"math"
	"slices"

	"memplan/ilp"
	"memplan/model"
)

// cut adds what a proof that the fast memory's buffers do not fit says of every
// choice: one of those in it is not there, somewhere in the proof's window. A
// choice that has all of them there has buffers that contain them, clipped to
// the window, and no more freedom to share; its plan would be one of them. It
// reports false where nothing is left to choose: then nothing fits at all.
func (p *program) cut(f *Fitted, c *model.Certificate) bool {
	in := f.Lowered.Open[0]
	ids := make(map[string]int, len(f.Graph.Tensors))
	for n := range f.Graph.Tensors {
		ids[f.Graph.Tensors[n].ID] = n
	}
	members, window := clash(in, c)
	window = p.contracted(f, window)
	var columns []int
	var values []int
	for _, i := range members {
		piece, there := f.from[idOf(ids, in.Buffers[i].ID)]
		if !there {
			continue // a workspace, or a reserved range
		}
		values = append(values, piece.value)
		columns = append(columns, p.present(piece, window)...)
	}
	if f.task.q.Overlap {
		columns = append(columns, p.unshared(f, values, window)...)
	}
	slices.Sort(columns)
	var row []ilp.Term
	for _, column := range slices.Compact(columns) {
		if column != never {
			row = append(row, ilp.Term{Column: column, Coef: 1})
		}
	}
	if len(row) == 0 {
		return false
	}
	p.row(1, math.Inf(1), row...)
	return true
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

// present lists the columns of which one is 1 where a value is not in fast memory
// throughout the part of a window that a piece has.
func (p *program) present(at piece, window model.Interval) (columns []int) {
	x, c := &p.k.values[at.value], &p.cols[at.value]
	if at.first > at.last { // at one place from run to run, and elsewhere in between
		return append(slices.Clone(c.left[:at.last]), c.left[at.first:]...)
	}
	first, last := max(x.events[at.first].step, window.Start), min(x.events[at.last].step, window.End-1)
	for j := at.first; j <= at.last; j++ {
		if step := x.events[j].step; first == last && step == first {
			return []int{c.out[j]}
		}
	}
	for j := at.first; j < at.last; j++ {
		if x.events[j].step < max(last, first+1) && x.events[j+1].step > first {
			columns = append(columns, c.left[j])
		}
	}
	return columns
}

// unshared lists the columns of which one is 1 where a result could take the
// place of an operand that lives on, or is the caller's, in the choice at hand.
func (p *program) unshared(f *Fitted, values []int, window model.Interval) (columns []int) {
	for _, o := range p.k.pairs(values, window) {
		c := &p.cols[o.under]
		j := p.k.event(o.under, o.step)
		left := f.where[o.under][1]
		if j < len(left) && !left[j] {
			columns = append(columns, c.left[j])
		}
		if o.given {
			for k := 0; k < j && !left[k]; k++ {
				columns = append(columns, c.left[k])
			}
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
			add(o, p[0], p[1], false, 0)
		}
		for _, l := range k.g.Ops[o].Overlap {
			add(o, l.Under, l.Over, true, l.Bytes)
		}
	}
	return list
}
