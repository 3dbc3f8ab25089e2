package kernels

import "slices"

// An Operator is what kernels see of it. Anything may be wrong in it.
type Operator struct {
	Kind   string   // the schema's name
	Inputs []Tensor // one that is absent is the zero Tensor
	Output Tensor
	Window Window // of convolutions and pools
}

// A Tensor is an operand of an operator.
type Tensor struct {
	Type       string  // the schema's name
	Width      int64   // bytes of an element; of INT4 one
	Shape      []int64 // no dimension is negative
	Values     []int64 // of PAD's constant paddings
	Constant   bool
	PerChannel bool // quantized, with a scale a channel
}

// A Window says what of the input an output pixel depends on: rows, then columns.
// A convolution's filter has the taps.
type Window struct {
	Same                   bool // padding: as many outputs as inputs, by the stride; else none
	Taps, Stride, Dilation [2]int64
}

// Limits of what is looked at: TFLM counts bytes in 32 bits, and real shapes are
// far below.
const maxBytes, maxStep = int64(1) << 32, int64(1) << 20

// bytes is the size of a tensor, 0 when it is too large to look at.
func (t *Tensor) bytes() int64 { return t.elements() * t.Width }

// elements is the number of elements, 0 when it is too large to look at.
func (t *Tensor) elements() int64 {
	if t.Width <= 0 {
		return 0
	}
	n := int64(1)
	for _, d := range t.Shape {
		if d <= 0 || d > maxBytes/t.Width/n {
			return 0
		}
		n *= d
	}
	return n
}

// dim is a dimension counted from the last, 1 where there is none.
func (t *Tensor) dim(fromLast int) int64 {
	if i := len(t.Shape) - 1 - fromLast; i >= 0 {
		return t.Shape[i]
	}
	return 1
}

// rows is the number of elements of all dimensions but the last.
func (t *Tensor) rows() int64 { return t.elements() / max(t.dim(0), 1) }

// known reports whether the first operand is there, and all that are hold
// something, and not too much to be looked at.
func (op *Operator) known() bool {
	for k := range op.Inputs {
		if x := &op.Inputs[k]; x.elements() == 0 && (x.Type != "" || k == 0) {
			return false
		}
	}
	return len(op.Inputs) > 0 && op.Output.elements() > 0
}

// half reports whether any operand has elements of half a byte, whose kernels were
// not examined.
func (op *Operator) half() bool {
	int4 := func(t Tensor) bool { return t.Type == "INT4" }
	return slices.ContainsFunc(op.Inputs, int4) || int4(op.Output)
}

// sameShape reports whether two tensors are equal element by element: the same
// dimensions but for those of 1.
func sameShape(a, b *Tensor) bool {
	ones := func(d int64) bool { return d == 1 }
	return slices.Equal(slices.DeleteFunc(slices.Clone(a.Shape), ones), slices.DeleteFunc(slices.Clone(b.Shape), ones))
}
