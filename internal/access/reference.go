package access

import "memplan/model/tflite/kernels"

// Reference is what TFLM's reference kernel of an operator does with its first
// operand, from its sources at 90b983c2.
func Reference(o *kernels.Operator) (t Trace) {
	op := operator{o}
	x, y := &op.Inputs[0], &op.Output
	write := func(i int64) [2]int64 { return span(i, 1, y.Width) }
	switch op.Kind {
	case "CONV_2D", "DEPTHWISE_CONV_2D", "AVERAGE_POOL_2D", "MAX_POOL_2D":
		for p := range op.pixels {
			for c := range last(y) {
				first, n := op.channelsOf(c)
				t.do(op.window(p, first, n), write(p.output*last(y)+c))
			}
		}
	case "FULLY_CONNECTED":
		depth := op.Inputs[1].Shape[1]
		for i := range elements(y) {
			t.do([][2]int64{span(i/last(y)*depth, depth, x.Width)}, write(i))
		}
	case "SOFTMAX", "LOG_SOFTMAX", "L2_NORMALIZATION":
		for i := range elements(y) {
			var reads [][2]int64
			if i%last(y) == 0 { // the row's maximum and sum
				reads = append(reads, span(i, last(y), x.Width))
			}
			t.do(append(reads, span(i, 1, x.Width)), write(i))
		}
	case "PAD", "PADV2":
		next := int64(0)
		for i := range elements(y) {
			var reads [][2]int64
			if op.inside(i) {
				reads = append(reads, span(next, 1, x.Width))
				next++
			}
			t.do(reads, write(i))
		}
	default:
		for i := range elements(y) {
			t.do([][2]int64{span(i, 1, x.Width)}, write(i))
		}
	}
	return t
}

// channelsOf is which channels of the input channel c of the output is made of.
func (op operator) channelsOf(c int64) (first, n int64) {
	in, out := last(&op.Inputs[0]), last(&op.Output)
	switch op.Kind {
	case "CONV_2D":
		n = op.Inputs[1].Shape[3]
		return c / (out / (in / n)) * n, n
	case "DEPTHWISE_CONV_2D":
		return c / (out / in), 1
	}
	return c, 1
}
