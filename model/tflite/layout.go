package tflite

import (
	"context"
	"fmt"
	"slices"

	"memplan/model"
)

// Offsets is a plan of Instance as the file holds it: an offset for each tensor
// over all subgraphs, -1 for those that are not in the head.
func (a *Arena) Offsets(p model.Plan) []int32 { return a.fixed(a.whole(p)) }

// whole is a plan of Instance as one of Apart.
func (a *Arena) whole(p model.Plan) model.Plan { return a.open.ValuePlan([]model.Plan{p}) }

// fixed is a layout as the file holds it.
func (a *Arena) fixed(layout model.Plan) []int32 {
	offsets := make([]int32, len(a.apart))
	for number, b := range a.apart {
		offsets[number] = online
		if b != absent && a.Apart.Buffers[b].Size > 0 {
			offsets[number] = int32(layout.Offsets[b])
		}
	}
	return offsets
}

// Layout is where TFLM puts the buffers of Apart given the offsets of a file's
// plan, nil for none. Planned tensors go where the plan says, unchecked; the
// others and scratch go around them by TFLM's greedy rule, of which greedy is
// an implementation.
func (a *Arena) Layout(ctx context.Context, greedy model.Planner, offsets []int32) (model.Plan, error) {
	in := &model.Instance{Name: a.seen.Name, Buffers: slices.Clone(a.seen.Buffers)}
	for number, off := range offsets {
		b := a.apart[number]
		switch {
		case off == online:
		case b == absent && a.variable(number):
			return model.Plan{}, fmt.Errorf("tensor %d is a variable that the plan puts into the head at %d: what else lies there is not known", number, off)
		case b == absent || in.Buffers[b].Size == 0: // TFLM does not look at it
		case off < 0:
			return model.Plan{}, fmt.Errorf("tensor %d: the offset %d is negative", number, off)
		default:
			at := int64(off)
			in.Buffers[b].Offset = &at
		}
	}
	res, err := greedy.Plan(ctx, in)
	if err == nil && res.Plan == nil {
		err = fmt.Errorf("%s gave no plan", greedy.Name())
	}
	if err != nil {
		return model.Plan{}, err
	}
	return *res.Plan, nil
}

// variable reports whether a tensor over all subgraphs is a variable.
func (a *Arena) variable(number int) bool {
	for i := range a.file.Subgraphs {
		tensors := a.file.Subgraphs[i].Tensors
		if number < len(tensors) {
			return tensors[number].Variable
		}
		number -= len(tensors)
	}
	return false
}

// Head is the bytes of the head that TFLM reports for a layout.
func (a *Arena) Head(layout model.Plan) int64 {
	var head int64
	for i, off := range layout.Offsets {
		if size := a.Apart.Buffers[i].Size; size > 0 {
			head = max(head, off+size)
		}
	}
	return head
}

// Shared is Apart without the sharing of bytes that a layout does on purpose,
// and what that is. A layout that holds for it holds:
//
//   - reshapes that lie on their input, byte for byte, are one buffer with it:
//     TFLM then copies nothing, or each byte onto itself;
//   - an output lies over the input that dies at its operator as far as the kernels
//     let it, and no further: that is a pair;
//   - while an Ethos-U operator runs, operands inside its scratch operand are
//     part of that: its command stream addresses them there, as Vela planned.
func (a *Arena) Shared(layout model.Plan) (*model.Instance, []string) {
	in := &model.Instance{Name: a.Apart.Name, Buffers: slices.Clone(a.Apart.Buffers)}
	notes, holder := a.sharedViews(in, layout)
	used := a.Overlaps(layout)
	for k, p := range a.pairs {
		step := a.Apart.Buffers[p.Over].Life.Start
		p.Over, p.Under = holder(p.Over, step), holder(p.Under, step)
		in.Pairs = append(in.Pairs, p)
		if slices.Contains(used, a.overlaps[k]) {
			notes = append(notes, fmt.Sprintf("%q and %q: operator %d may write the one over the other from a distance of %d on, which is %d",
				a.Apart.Buffers[a.pairs[k].Over].ID, a.Apart.Buffers[a.pairs[k].Under].ID, a.overlaps[k].Operator, p.Distance, layout.Offsets[p.Under]-layout.Offsets[p.Over]))
		}
	}
	return in, append(notes, a.sharedOperands(in, layout)...)
}

// sharedViews makes views that lie on one another as many buffers as there are
// times at which their bytes are kept for somebody: from when one of them is
// written to the last time, before the next, that one of them is read. In between,
// others may have the bytes. holder is the buffer that has those of one at a step.
func (a *Arena) sharedViews(in *model.Instance, layout model.Plan) (notes []string, holder func(i int, step int64) int) {
	var firsts []int // of each family at an address, in the order of the buffers
	members := make(map[[2]int64][]int)
	at := func(i int) [2]int64 { return [2]int64{int64(a.shared[i]), layout.Offsets[i]} }
	for i := range in.Buffers[:a.Tensors] {
		if in.Buffers[i].Size == 0 {
			continue
		}
		family := members[at(i)]
		members[at(i)] = append(family, i)
		if len(family) == 0 {
			firsts = append(firsts, i)
		} else {
			notes = append(notes, fmt.Sprintf("%q and %q: one is a reshape of the other", in.Buffers[family[0]].ID, in.Buffers[i].ID))
		}
	}
	for _, i := range firsts {
		family := members[at(i)]
		if len(family) == 1 {
			continue
		}
		next := 0 // there are no more parts than members, which are written once each
		for _, part := range a.keeps(family) {
			if b := &in.Buffers[family[max(0, next-1)]]; next > 0 && part.Start < b.Life.End {
				b.Life.End = max(b.Life.End, part.End)
				continue
			}
			in.Buffers[family[next]].Life = part
			next++
		}
		for _, member := range family[next:] {
			in.Buffers[member].Size = 0
		}
	}
	return notes, func(i int, step int64) int {
		for _, member := range members[at(i)] {
			if b := &in.Buffers[member]; b.Size > 0 && b.Life.Start <= step && step < b.Life.End {
				return member
			}
		}
		return i
	}
}

// keeps lists the steps during which bytes must be kept that all of the buffers
// of Apart are written to, with the same value, and read from.
func (a *Arena) keeps(family []int) (parts []model.Interval) {
	var writes, reads []int64
	for _, i := range family {
		life := a.Apart.Buffers[i].Life
		writes = append(writes, life.Start)
		reads = append(reads, a.reads[i]...)
		if last := life.End - 1; last > life.Start {
			reads = append(reads, last) // an output, by the caller
		}
	}
	slices.Sort(writes)
	slices.Sort(reads)
	for k, start := range writes {
		last := start
		for _, r := range reads { // a step reads before it writes
			if r > start && (k+1 == len(writes) || r <= writes[k+1]) {
				last = r
			}
		}
		parts = append(parts, model.Interval{Start: start, End: last + 1})
	}
	return parts
}

// ethosScratch is the operand in which an Ethos-U operator's others lie.
const ethosScratch = 2

// sharedOperands takes the steps of Ethos-U operators out of the lives of the
// operands that lie inside scratch.
func (a *Arena) sharedOperands(in *model.Instance, layout model.Plan) []string {
	var notes []string
	for scope, at := range a.ops {
		if at[0] == absent {
			continue
		}
		op := &a.file.Subgraphs[at[0]].Ops[at[1]]
		if op.Custom != ethosU || len(op.Inputs) <= ethosScratch {
			continue
		}
		step := int64(scope + a.shift)
		scratch := a.bufferOf(at[0], op.Inputs[ethosScratch])
		for _, t := range slices.Concat(op.Inputs, op.Outputs) {
			i := a.bufferOf(at[0], t)
			if scratch == absent || i == absent || i == scratch || !contains(in, layout, scratch, i) {
				continue
			}
			asleep(&in.Buffers[i], step)
			notes = append(notes, fmt.Sprintf("%q and %q: operands of one Ethos-U operator, the one inside the other, its scratch", in.Buffers[i].ID, in.Buffers[scratch].ID))
		}
	}
	return notes
}

// bufferOf is the buffer of Apart of tensor t of subgraph s, or absent.
func (a *Arena) bufferOf(s int, t int32) int {
	if t < 0 {
		return absent
	}
	number := int(t)
	for i := range s {
		number += len(a.file.Subgraphs[i].Tensors)
	}
	return a.apart[number]
}

// contains reports whether buffer i lies inside the bytes of buffer outer.
func contains(in *model.Instance, layout model.Plan, outer, i int) bool {
	low, high := layout.Offsets[outer], layout.Offsets[outer]+in.Buffers[outer].Size
	return low <= layout.Offsets[i] && layout.Offsets[i]+in.Buffers[i].Size <= high
}

// asleep takes a step out of a buffer's life; one that has no other needs no
// bytes.
func asleep(b *model.Buffer, step int64) {
	var parts []model.Interval
	for part := range b.Live() {
		for _, rest := range []model.Interval{{Start: part.Start, End: min(part.End, step)}, {Start: max(part.Start, step+1), End: part.End}} {
			if !rest.Empty() {
				parts = append(parts, rest)
			}
		}
	}
	if len(parts) == 0 {
		b.Size = 0
		return
	}
	b.SetLive(parts)
}
