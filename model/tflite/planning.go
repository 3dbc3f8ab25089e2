package tflite

import (
	"slices"

	"memplan/model"
)

// Planning is the bytes, at most, that TFLM needs where the head will be before it is
// there, on a machine with addresses of so many bytes; a multiple of 16. An arena that
// has no room for it does not load, however small the head.
//
// While TFLM plans, that is its list of requests of scratch, and a record for each
// tensor and for each buffer. Before, while it prepares an operator, it is the list so
// far, and what the kernel looks at of its operands. Measured with both widths.
func (a *Arena) Planning(address int64) int64 {
	const buffer = 40 // integers only
	record := 2*address + 16
	requests, planned := int64(len(a.Apart.Buffers)-a.Tensors), int64(0)
	for i := range a.Apart.Buffers {
		if a.Apart.Buffers[i].Size > 0 {
			planned++
		}
	}
	need := requestList(requests, address) + address*int64(len(a.file.Subgraphs)) + record*(int64(len(a.apart))+requests)
	need, _ = model.AlignUp(need, TFLM.align())
	need, _ = model.AlignUp(max(need+buffer*planned, a.preparing(address)), TFLM.align())
	return need
}

// requestList is the bytes of the list of so many requests, and those that one more
// operator might make.
func requestList(requests, address int64) int64 {
	const spare = 12
	return (address + 8) * (requests + spare)
}

// preparing is the most that an operator needs while it is prepared.
func (a *Arena) preparing(address int64) (most int64) {
	requests := int64(0)
	for s := range a.file.Subgraphs {
		sub := &a.file.Subgraphs[s]
		for k := range sub.Ops {
			op, need := &sub.Ops[k], requestList(requests, address)
			for i, t := range slices.Concat(op.Inputs, op.Outputs) {
				if t >= 0 {
					need += op.looks(i) * sub.Tensors[t].seenBytes(address)
				}
			}
			most = max(most, need)
			requests += int64(len(a.asks[s][k]))
		}
	}
	return most
}

// seenBytes is what a kernel takes that looks at a tensor once: a description, and of
// quantization a pointer to the scales and a copy of the zero points.
func (t *Tensor) seenBytes(address int64) int64 {
	description := 6*address + 16
	if t.scales == 0 {
		return description
	}
	points, _ := model.AlignUp(4+4*int64(t.scales), address)
	return description + 3*address + points
}

// looks is how often, at most, the kernel looks at an operand while it is prepared;
// the outputs come after the inputs.
func (o *Op) looks(operand int) int64 {
	bias := absent
	switch o.Kind {
	case conv2D, depthwiseConv2D:
		bias = 2
	case transposeConv:
		bias = 3
	case mean, sum, reduceMax, reduceMin, reduceAll, Custom:
	default:
		return 1
	}
	if operand == bias && operand < len(o.Inputs) {
		return 1
	}
	return 2
}
