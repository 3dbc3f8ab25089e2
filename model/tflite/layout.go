package tflite

import (
	"context"
	"fmt"
	"slices"

	"memplan/model"
)

// Offsets is a plan of Instance as the file holds it: an offset for each tensor
// over all subgraphs, -1 for those that are not in the head.
func (a *Arena) Offsets(p model.Plan) []int32 {
	offsets := make([]int32, len(a.buffer))
	for number, b := range a.buffer {
		offsets[number] = online
		if b != absent && a.Instance.Buffers[b].Size > 0 {
			offsets[number] = int32(p.Offsets[b])
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

// Explain says why a layout may have put two buffers of Apart onto the same
// bytes on purpose; "" where nothing explains it:
//
//   - a reshape's output on its input, byte for byte: TFLM then copies nothing,
//     or each byte onto itself;
//   - the operands of an Ethos-U operator inside its scratch operand: its
//     command stream addresses them there, and Vela has planned them.
func (a *Arena) Explain(layout model.Plan, i, j int) string {
	if i < a.Tensors && j < a.Tensors && a.shared[i] == a.shared[j] && layout.Offsets[i] == layout.Offsets[j] {
		return "one is a reshape of the other"
	}
	for s := range a.file.Subgraphs {
		for k := range a.file.Subgraphs[s].Ops {
			if op := &a.file.Subgraphs[s].Ops[k]; op.Custom == ethosU && a.inside(layout, s, op, i) && a.inside(layout, s, op, j) {
				return "operands of one Ethos-U operator, inside its scratch"
			}
		}
	}
	return ""
}

// ethosScratch is the operand in which an Ethos-U operator's others lie.
const ethosScratch = 2

// inside reports whether buffer i is an operand of the operator and lies inside
// the bytes of its scratch operand.
func (a *Arena) inside(layout model.Plan, s int, op *Op, i int) bool {
	base := 0
	for b := range s {
		base += len(a.file.Subgraphs[b].Tensors)
	}
	at := func(t int32) int { return a.apart[base+int(t)] }
	if len(op.Inputs) <= ethosScratch || op.Inputs[ethosScratch] < 0 {
		return false
	}
	scratch := at(op.Inputs[ethosScratch])
	if scratch == absent {
		return false
	}
	operand := false
	for _, t := range slices.Concat(op.Inputs, op.Outputs) {
		operand = operand || t >= 0 && at(t) == i
	}
	low, high := layout.Offsets[scratch], layout.Offsets[scratch]+a.Apart.Buffers[scratch].Size
	return operand && low <= layout.Offsets[i] && layout.Offsets[i]+a.Apart.Buffers[i].Size <= high
}
