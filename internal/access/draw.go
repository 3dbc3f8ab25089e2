package access

import (
	"math/rand"

	"memplan/model/tflite/kernels"
)

// A Drawing draws random operators, small ones.
type Drawing struct{ *rand.Rand }

// Draw begins a drawing.
func Draw(seed int64) Drawing { return Drawing{rand.New(rand.NewSource(seed))} }

func (d Drawing) upTo(n int64) int64 { return 1 + d.Int63n(n) }

// Types are the element types that are drawn, by their width in bytes.
var Types = map[int64]string{1: "INT8", 2: "INT16", 4: "FLOAT32"}

func tensor(width int64, shape ...int64) kernels.Tensor {
	return kernels.Tensor{Type: Types[width], Width: width, Shape: shape}
}

// filter is one for an operand of some width: of int8, but for floats.
func filter(width int64, shape ...int64) kernels.Tensor {
	if width == 2 {
		width = 1
	}
	return tensor(width, shape...)
}

// Windowed draws a convolution or a pool.
func (d Drawing) Windowed(kind string, width int64) *kernels.Operator {
	filtered := kind == "CONV_2D" || kind == "DEPTHWISE_CONV_2D"
	w := kernels.Window{Same: d.Intn(2) == 0, Stride: [2]int64{d.upTo(3), d.upTo(3)}, Dilation: [2]int64{1, 1}}
	taps := [2]int64{d.upTo(4), d.upTo(4)}
	if filtered && d.Intn(3) == 0 {
		w.Dilation = [2]int64{d.upTo(3), d.upTo(3)}
	}
	in, out, group := d.upTo(5), int64(0), int64(0)
	switch kind {
	case "CONV_2D":
		groups := int64(1)
		if d.Intn(3) == 0 {
			groups = d.upTo(3)
		}
		group = in
		in, out = groups*group, groups*d.upTo(5)
	case "DEPTHWISE_CONV_2D":
		out = in * d.upTo(3)
	default:
		out = in
	}
	op := &kernels.Operator{Kind: kind, Inputs: []kernels.Tensor{tensor(width, d.upTo(2), d.upTo(6), d.upTo(6), in)}, Window: w}
	op.Output = tensor(width, op.Inputs[0].Shape[0], 0, 0, out)
	switch kind {
	case "CONV_2D":
		op.Inputs = append(op.Inputs, filter(width, out, taps[0], taps[1], group))
	case "DEPTHWISE_CONV_2D":
		op.Inputs = append(op.Inputs, filter(width, 1, taps[0], taps[1], out))
	default:
		op.Window.Taps = taps
	}
	return fitted(op)
}

// fitted gives an operator the rows and columns of output that follow, and inputs
// that its window fits into.
func fitted(op *kernels.Operator) *kernels.Operator {
	x, y, w, taps := op.Inputs[0].Shape, op.Output.Shape, &op.Window, operator{op}.taps()
	for dir := range 2 {
		y[1+dir] = (x[1+dir] + w.Stride[dir] - 1) / w.Stride[dir]
		if span := (taps[dir]-1)*w.Dilation[dir] + 1; !w.Same {
			x[1+dir] = max(x[1+dir], span)
			y[1+dir] = (x[1+dir]-span)/w.Stride[dir] + 1
		}
	}
	return op
}

// FullyConnected draws one with rows.
func (d Drawing) FullyConnected(width int64) *kernels.Operator {
	rows, depth, out := []int64{d.upTo(3), d.upTo(4)}, d.upTo(12), d.upTo(12)
	if d.Intn(2) == 0 {
		rows = []int64{d.upTo(9)}
	}
	if d.Intn(2) == 0 {
		depth = 4 * d.upTo(4)
	}
	x, y := tensor(width, append(rows[:len(rows):len(rows)], depth)...), tensor(width, append(rows[:len(rows):len(rows)], out)...)
	return &kernels.Operator{Kind: "FULLY_CONNECTED", Inputs: []kernels.Tensor{x, filter(width, out, depth)}, Output: y}
}

// Padded draws a PAD.
func (d Drawing) Padded(width int64) *kernels.Operator {
	x, y, pads := tensor(width), tensor(width), kernels.Tensor{Type: "INT32", Width: 4, Constant: true}
	rank := d.upTo(4)
	for range rank {
		n, before, after := d.upTo(4), d.Int63n(3), d.Int63n(3)
		x.Shape, y.Shape = append(x.Shape, n), append(y.Shape, before+n+after)
		pads.Values = append(pads.Values, before, after)
	}
	pads.Shape = []int64{rank, 2}
	return &kernels.Operator{Kind: "PAD", Inputs: []kernels.Tensor{x, pads}, Output: y}
}

// Elementwise draws an operator on elements of some widths, of so many operands.
func (d Drawing) Elementwise(kind string, operands int, from, to int64) *kernels.Operator {
	shape := []int64{d.upTo(3), d.upTo(4), d.upTo(9)}
	op := &kernels.Operator{Kind: kind, Output: tensor(to, shape...)}
	for range operands {
		op.Inputs = append(op.Inputs, tensor(from, shape...))
	}
	return op
}

// Operator draws one of any kind whose lead was examined.
func (d Drawing) Operator() *kernels.Operator {
	width := []int64{1, 1, 2, 4}[d.Intn(4)]
	switch d.Intn(8) {
	case 0, 1:
		return d.Windowed("CONV_2D", width)
	case 2:
		return d.Windowed("DEPTHWISE_CONV_2D", width)
	case 3:
		return d.Windowed("AVERAGE_POOL_2D", width)
	case 4:
		return d.Windowed("MAX_POOL_2D", width)
	case 5:
		return d.FullyConnected(width)
	case 6:
		return d.Padded(width)
	}
	switch d.Intn(4) {
	case 0:
		return d.Elementwise("RELU", 1, width, width)
	case 1:
		return d.Elementwise("ADD", 2, width, width)
	case 2:
		return d.Elementwise("SOFTMAX", 1, width, max(width, 1<<d.Intn(2)))
	}
	return d.Elementwise("DEQUANTIZE", 1, width, 4)
}

// CMSIS draws an operator on int8, with what CMSIS-NN has code of its own for.
func (d Drawing) CMSIS() *kernels.Operator {
	switch d.Intn(10) {
	case 0, 1: // 1 x 1, strided or not
		op := d.Windowed("CONV_2D", 1)
		op.Inputs[1].Shape = []int64{last(&op.Output), 1, 1, last(&op.Inputs[0])}
		op.Window.Dilation = [2]int64{1, 1}
		if d.Intn(2) == 0 {
			op.Window.Stride = [2]int64{1, 1}
		}
		return fitted(op)
	case 2, 3: // 1 x N on one row
		op := d.Windowed("CONV_2D", 1)
		op.Inputs[0].Shape[1], op.Inputs[0].Shape[3] = 1, 4*d.upTo(2)
		op.Inputs[1].Shape = []int64{last(&op.Output), 1, d.upTo(5), last(&op.Inputs[0])}
		op.Window.Dilation = [2]int64{1, 1}
		return fitted(op)
	case 4:
		return d.FullyConnected(1)
	case 5: // many channels, or one
		op := d.Windowed("DEPTHWISE_CONV_2D", 1)
		in := []int64{1, 4, 123, 124, 125, 130, 250}[d.Intn(7)]
		out := max(in, d.upTo(3))
		op.Inputs[0].Shape[0], op.Output.Shape[0] = 1, 1
		op.Inputs[0].Shape[3], op.Output.Shape[3], op.Inputs[1].Shape[3] = in, out, out
		op.Window.Dilation = [2]int64{1, 1}
		return fitted(op)
	case 6:
		op := d.Elementwise("SVDF", 1, 1, 1)
		op.Output.Shape = []int64{1, d.upTo(30)}
		return op
	}
	op := d.Operator()
	for op.Inputs[0].Width != 1 || op.Output.Width != 1 {
		op = d.Operator()
	}
	return op
}

// Transposed draws a TRANSPOSE_CONV, whose input is operand 2.
func (d Drawing) Transposed() *kernels.Operator {
	in, out, stride := d.upTo(24), d.upTo(9), [2]int64{d.upTo(3), d.upTo(3)}
	x := tensor(1, 1, d.upTo(5), d.upTo(5), in)
	y := tensor(1, 1, x.Shape[1]*stride[0], x.Shape[2]*stride[1], out)
	shape := kernels.Tensor{Type: "INT32", Width: 4, Shape: []int64{4}}
	return &kernels.Operator{Kind: "TRANSPOSE_CONV", Inputs: []kernels.Tensor{shape, filter(1, out, d.upTo(4), d.upTo(4), in), x}, Output: y, Window: kernels.Window{Stride: stride}}
}

// Spoil changes something in an operator.
func (d Drawing) Spoil(op *kernels.Operator) {
	number := []int64{-1, 0, 1, 2, 3, 1 << 16, 1<<31 - 1, d.Int63n(1 << 31)}[d.Intn(8)]
	t := &op.Output
	if n := len(op.Inputs); d.Intn(3) > 0 && n > 0 {
		t = &op.Inputs[d.Intn(n)]
	}
	switch d.Intn(7) {
	case 0:
		op.Inputs = op.Inputs[:d.Intn(len(op.Inputs)+1)]
	case 1:
		op.Window.Stride[d.Intn(2)] = number
	case 2:
		op.Window.Dilation[d.Intn(2)], op.Window.Taps[d.Intn(2)] = number, number
	case 3:
		t.Shape = t.Shape[:d.Intn(len(t.Shape)+1)]
	case 4:
		t.Values = append(t.Values, number)
	case 5:
		t.Type, t.Width = []string{"", "INT8", "INT16", "FLOAT32", "INT4"}[d.Intn(5)], d.Int63n(5)
	default:
		if n := len(t.Shape); n > 0 {
			t.Shape[d.Intn(n)] = max(0, number)
		}
	}
}
