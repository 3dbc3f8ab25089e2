package access

import "memplan/model/tflite/kernels"

// An operator is one whose shapes fit together.
type operator struct{ *kernels.Operator }

func elements(t *kernels.Tensor) int64 {
	n := int64(1)
	for _, d := range t.Shape {
		n *= d
	}
	return n
}

// last is the last dimension, rows how many of it there are.
func last(t *kernels.Tensor) int64 { return t.Shape[len(t.Shape)-1] }
func rows(t *kernels.Tensor) int64 { return elements(t) / last(t) }

// taps are those of the filter, or of the pool.
func (op operator) taps() [2]int64 {
	if len(op.Inputs) > 1 && len(op.Inputs[1].Shape) == 4 {
		return [2]int64{op.Inputs[1].Shape[1], op.Inputs[1].Shape[2]}
	}
	return op.Window.Taps
}

// Padding is what TFLM pads before an operator's rows (0) or columns (1).
func Padding(op *kernels.Operator, dir int) int64 { return operator{op}.padding(dir) }

func (op operator) padding(dir int) int64 {
	w := op.Window
	total := (op.Output.Shape[1+dir]-1)*w.Stride[dir] + (op.taps()[dir]-1)*w.Dilation[dir] + 1 - op.Inputs[0].Shape[1+dir]
	return max(total, 0) / 2
}

// inside reports whether element i of PAD's output is one of the input's.
func (op operator) inside(i int64) bool {
	for k := len(op.Output.Shape) - 1; k >= 0; k-- {
		at := i%op.Output.Shape[k] - op.Inputs[1].Values[2*k]
		if at < 0 || at >= op.Inputs[0].Shape[k] {
			return false
		}
		i /= op.Output.Shape[k]
	}
	return true
}

// A pixel of the output, and those of the input in its window.
type pixel struct {
	output int64
	inputs []int64
}

// pixels goes through those of the output.
func (op operator) pixels(yield func(pixel) bool) {
	x, y, w, taps := op.Inputs[0].Shape, op.Output.Shape, op.Window, op.taps()
	for k := range y[0] * y[1] * y[2] {
		p := pixel{output: k}
		for tap := range taps[0] * taps[1] {
			r := k/y[2]%y[1]*w.Stride[0] - op.padding(0) + tap/taps[1]*w.Dilation[0]
			c := k%y[2]*w.Stride[1] - op.padding(1) + tap%taps[1]*w.Dilation[1]
			if r >= 0 && r < x[1] && c >= 0 && c < x[2] {
				p.inputs = append(p.inputs, (k/y[2]/y[1]*x[1]+r)*x[2]+c)
			}
		}
		if !yield(p) {
			return
		}
	}
}

// window is n of the window's channels from one on.
func (op operator) window(p pixel, channel, n int64) (reads [][2]int64) {
	x := &op.Inputs[0]
	for _, pixel := range p.inputs {
		reads = append(reads, span(pixel*last(x)+channel, n, x.Width))
	}
	return reads
}
