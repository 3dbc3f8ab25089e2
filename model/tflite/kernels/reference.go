package kernels

import "slices"

// Kinds whose kernels go through the operands element by element: each element of
// the output is written after the elements at the same place are read. SOFTMAX,
// LOG_SOFTMAX and L2_NORMALIZATION first read the whole row once more.
var (
	unary = []string{"ABS", "CAST", "CEIL", "COS", "DEQUANTIZE", "ELU", "EXP", "FLOOR", "HARD_SWISH", "L2_NORMALIZATION", "LEAKY_RELU",
		"LOG", "LOG_SOFTMAX", "LOGICAL_NOT", "LOGISTIC", "NEG", "QUANTIZE", "RELU", "RELU6", "ROUND", "RSQRT", "SIN", "SOFTMAX",
		"SQRT", "SQUARE", "TANH"}
	binary = []string{"ADD", "DIV", "EQUAL", "FLOOR_DIV", "FLOOR_MOD", "GREATER", "GREATER_EQUAL", "LESS", "LESS_EQUAL", "LOGICAL_AND",
		"LOGICAL_OR", "MAXIMUM", "MINIMUM", "MUL", "NOT_EQUAL", "PRELU", "SQUARED_DIFFERENCE", "SUB"}
)

// reference is the lead of TFLM's reference kernels. They keep apart where bytes
// are copied in runs (CONCATENATION, SPLIT, SLICE, ...), where the output is not
// written in order (TRANSPOSE, TRANSPOSE_CONV) or more than once (MEAN, SUM,
// LSTM, SVDF), and where it was not examined.
func (op *Operator) reference(input int) (bytes int64, ok bool) {
	switch {
	case slices.Contains(unary, op.Kind):
		return op.elementwise(input, 1)
	case slices.Contains(binary, op.Kind):
		return op.elementwise(input, 2)
	case input > 0: // filters, biases, paddings
		return 0, false
	}
	switch op.Kind {
	case "CONV_2D", "DEPTHWISE_CONV_2D", "AVERAGE_POOL_2D", "MAX_POOL_2D":
		return op.windowed()
	case "FULLY_CONNECTED":
		return op.fullyConnected()
	case "PAD", "PADV2":
		return op.padded()
	}
	return 0, false
}

// elementwise is the lead of kernels that go element by element: 0, but where
// output elements are wider, so that writing runs away from reading. An operand
// that is broadcast is read again after it was first read, and has none.
func (op *Operator) elementwise(input, operands int) (bytes int64, ok bool) {
	x := &op.Inputs[input]
	if input >= operands || len(op.Inputs) < operands || x.Type == "" || !sameShape(x, &op.Output) {
		return 0, false
	}
	return lead(each(op.Output.elements(), op.Output.Width, x.Width)), true
}

// windowed is the lead of kernels that go through batches, rows, columns and
// channels of the output, and read a window for each channel: of all input
// channels (CONV_2D), of its group's, or of the one that the channel is made from
// (DEPTHWISE_CONV_2D, pools).
func (op *Operator) windowed() (bytes int64, ok bool) {
	rows, ok := op.pixels()
	if !ok {
		return 0, false
	}
	return lead(append(rows, op.channels())...), true
}

// groups is how many groups the channels of input and output are in.
func (op *Operator) groups() int64 {
	in := op.Inputs[0].dim(0)
	if op.Kind == "CONV_2D" {
		return in / op.Inputs[1].dim(0)
	}
	return in
}

// fits reports whether batches and channels of input, filter and output go together.
func (op *Operator) fits() bool {
	x, y := op.Inputs[0].Shape, op.Output.Shape
	if len(x) != 4 || len(y) != 4 || x[0] != y[0] {
		return false
	}
	if !op.filtered() {
		return x[3] == y[3]
	}
	if len(op.Inputs) < 2 || len(op.Inputs[1].Shape) != 4 || op.Inputs[1].elements() == 0 {
		return false
	}
	filter := op.Inputs[1].Shape
	if op.Kind == "DEPTHWISE_CONV_2D" {
		return y[3]%x[3] == 0 && filter[3] == y[3]
	}
	return x[3]%filter[3] == 0 && y[3]%op.groups() == 0 && filter[0] == y[3]
}

func (op *Operator) filtered() bool { return op.Kind == "CONV_2D" || op.Kind == "DEPTHWISE_CONV_2D" }

// window is the operator's window, its taps those of the filter where it has one.
func (op *Operator) window() Window {
	w := op.Window
	if op.filtered() {
		w.Taps = [2]int64{op.Inputs[1].Shape[1], op.Inputs[1].Shape[2]}
	}
	return w
}

// channels is the loop over a pixel's channels.
func (op *Operator) channels() axis {
	x, y, groups := &op.Inputs[0], &op.Output, op.groups()
	return grouped(y.dim(0), y.dim(0)/groups, y.Width, x.dim(0)/groups*x.Width)
}

// pixels are the loops over batches, rows and columns; false where the shapes do
// not fit together.
func (op *Operator) pixels() ([]axis, bool) {
	x, y := &op.Inputs[0], &op.Output
	if !op.fits() {
		return nil, false
	}
	w := op.window()
	up, down := y.dim(0)*y.Width, x.dim(0)*x.Width
	columns, ok1 := sliding(w, 1, x.dim(1), y.dim(1), up, down)
	up, down = up*y.dim(1), down*x.dim(1)
	rows, ok2 := sliding(w, 0, x.dim(2), y.dim(2), up, down)
	batches := each(y.dim(3), up*y.dim(2), down*x.dim(2))
	return []axis{batches, rows, columns}, ok1 && ok2
}

// fullyConnected is the lead of a kernel that for every row of the output, and
// every element of it, reads the whole row of the input.
func (op *Operator) fullyConnected() (bytes int64, ok bool) {
	x, y := &op.Inputs[0], &op.Output
	rows := y.rows()
	if len(op.Inputs) < 2 || x.elements()/rows != op.Inputs[1].dim(0) || x.elements()%rows != 0 {
		return 0, false
	}
	return lead(each(rows, y.dim(0)*y.Width, x.elements()/rows*x.Width), grouped(y.dim(0), y.dim(0), y.Width, 0)), true
}

// padded is the lead of PAD: the output is written in order, elements of the
// input taken where they belong. What is written runs away from what is read with
// each element of padding, most before the last element is read.
func (op *Operator) padded() (bytes int64, ok bool) {
	x, y := &op.Inputs[0], &op.Output
	if len(op.Inputs) < 2 || len(op.Inputs[1].Values) != 2*len(x.Shape) || len(x.Shape) != len(y.Shape) {
		return 0, false
	}
	last, stride := int64(0), int64(1)
	for k := len(x.Shape) - 1; k >= 0; k-- {
		before, after := op.Inputs[1].Values[2*k], op.Inputs[1].Values[2*k+1]
		if min(before, after) < 0 || max(before, after) > y.Shape[k] || before+x.Shape[k]+after != y.Shape[k] {
			return 0, false
		}
		last += (before + x.Shape[k] - 1) * stride
		stride *= y.Shape[k]
	}
	return (last - (x.elements() - 1)) * y.Width, true
}
