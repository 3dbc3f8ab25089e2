package kernels

import (
	"math/rand"
	"slices"
	"testing"
)

// A block is what a kernel does at once: it reads bytes of the input, then writes
// bytes of the output, each from one place to another.
type block struct{ reads, writes [][2]int64 }

// A trace is a kernel's blocks in the order in which they run.
type trace []block

// do adds a block.
func (t *trace) do(reads [][2]int64, writes ...[2]int64) { *t = append(*t, block{reads, writes}) }

// lead is the least distance, not below 0, from which on no byte is written before
// it is read for the last time.
func (t trace) lead() int64 {
	least, most := int64(1)<<62, int64(0)
	for _, b := range slices.Backward(t) {
		for _, w := range b.writes {
			most = max(most, w[1]-least)
		}
		for _, r := range b.reads {
			least = min(least, r[0])
		}
	}
	return most
}

// right reports whether what a kernel reads is what was there before, with the
// input so many bytes above the output: it runs the blocks byte by byte.
func (t trace) right(distance int64) bool {
	written := make(map[int64]bool) // addresses of the input
	for _, b := range t {
		for _, r := range b.reads {
			for at := r[0]; at < r[1]; at++ {
				if written[at] {
					return false
				}
			}
		}
		for _, w := range b.writes {
			for at := w[0]; at < w[1]; at++ {
				written[at-distance] = true
			}
		}
	}
	return true
}

// span is n elements from one on, of so many bytes each.
func span(from, n, width int64) [2]int64 { return [2]int64{from * width, (from + n) * width} }

// referenceTrace is what TFLM's reference kernel of an operator does, from its
// sources at 90b983c2.
func referenceTrace(op *Operator) (t trace) {
	x, y := &op.Inputs[0], &op.Output
	write := func(i int64) [2]int64 { return span(i, 1, y.Width) }
	switch op.Kind {
	case "CONV_2D", "DEPTHWISE_CONV_2D", "AVERAGE_POOL_2D", "MAX_POOL_2D":
		for p := range op.windows() {
			for c := range y.Shape[3] {
				var reads [][2]int64
				for _, pixel := range p.inputs {
					first, n := op.channelsOf(c)
					reads = append(reads, span(pixel*x.Shape[3]+first, n, x.Width))
				}
				t.do(reads, write(p.output*y.Shape[3]+c))
			}
		}
	case "FULLY_CONNECTED":
		depth := op.Inputs[1].Shape[1]
		for b := range y.elements() / y.dim(0) {
			for c := range y.dim(0) {
				t.do([][2]int64{span(b*depth, depth, x.Width)}, write(b*y.dim(0)+c))
			}
		}
	case "SOFTMAX":
		for i := range y.elements() {
			var reads [][2]int64
			if i%y.dim(0) == 0 { // the row's maximum and sum
				reads = append(reads, span(i, y.dim(0), x.Width))
			}
			t.do(append(reads, span(i, 1, x.Width)), write(i))
		}
	case "PAD":
		next := int64(0)
		for i := range y.elements() {
			var reads [][2]int64
			if op.inside(i) {
				reads = append(reads, span(next, 1, x.Width))
				next++
			}
			t.do(reads, write(i))
		}
	default:
		for i := range y.elements() {
			t.do([][2]int64{span(i, 1, x.Width)}, write(i))
		}
	}
	return t
}

// inside reports whether element i of PAD's output is one of the input's.
func (op *Operator) inside(i int64) bool {
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

// windows goes through the pixels of an operator's output.
func (op *Operator) windows() func(func(pixel) bool) {
	x, y := op.Inputs[0].Shape, op.Output.Shape
	taps := op.window().Taps
	return func(yield func(pixel) bool) {
		for b := range y[0] {
			for row := range y[1] {
				for column := range y[2] {
					p := pixel{output: (b*y[1]+row)*y[2] + column}
					for i := range taps[0] {
						for j := range taps[1] {
							r := row*op.Window.Stride[0] - op.padding(0) + i*op.Window.Dilation[0]
							c := column*op.Window.Stride[1] - op.padding(1) + j*op.Window.Dilation[1]
							if r >= 0 && r < x[1] && c >= 0 && c < x[2] {
								p.inputs = append(p.inputs, (b*x[1]+r)*x[2]+c)
							}
						}
					}
					if !yield(p) {
						return
					}
				}
			}
		}
	}
}

// padding is what TFLM pads before the rows or the columns.
func (op *Operator) padding(dir int) int64 {
	taps := op.Window.Taps[dir]
	if len(op.Inputs) > 1 {
		taps = op.Inputs[1].Shape[1+dir]
	}
	total := (op.Output.Shape[1+dir]-1)*op.Window.Stride[dir] + (taps-1)*op.Window.Dilation[dir] + 1 - op.Inputs[0].Shape[1+dir]
	return max(total, 0) / 2
}

// channelsOf is which channels of the input channel c of the output is made of.
func (op *Operator) channelsOf(c int64) (first, n int64) {
	in, out := op.Inputs[0].Shape[3], op.Output.Shape[3]
	switch op.Kind {
	case "CONV_2D":
		n = op.Inputs[1].Shape[3]
		return c / (out / (in / n)) * n, n
	case "DEPTHWISE_CONV_2D":
		return c / (out / in), 1
	}
	return c, 1
}

// A drawing draws random operators.
type drawing struct{ *rand.Rand }

func (d drawing) upTo(n int64) int64 { return 1 + d.Int63n(n) }

// windowed draws a convolution or a pool.
func (d drawing) windowed(kind, typ string, width int64) *Operator {
	op := &Operator{Kind: kind}
	op.Window.Same = d.Intn(2) == 0
	x := []int64{d.upTo(2), d.upTo(6), d.upTo(6), d.upTo(5)}
	y := []int64{x[0], 0, 0, x[3]}
	for dir := range 2 {
		w := &op.Window
		w.Taps[dir], w.Stride[dir], w.Dilation[dir] = d.upTo(4), d.upTo(3), 1
		if d.Intn(3) == 0 && len(kind) > 0 && kind[0] != 'A' && kind[0] != 'M' {
			w.Dilation[dir] = d.upTo(3)
		}
		reach := (w.Taps[dir]-1)*w.Dilation[dir] + 1
		if !w.Same {
			x[1+dir] += reach - 1
			y[1+dir] = (x[1+dir] - reach + w.Stride[dir]) / w.Stride[dir]
		} else {
			y[1+dir] = (x[1+dir] + w.Stride[dir] - 1) / w.Stride[dir]
		}
	}
	filter := []int64{1, op.Window.Taps[0], op.Window.Taps[1], 0}
	switch kind {
	case "CONV_2D":
		groups := int64(1)
		if d.Intn(3) == 0 {
			groups = d.upTo(3)
		}
		filter[3] = d.upTo(5)
		x[3] = groups * filter[3]
		y[3] = groups * d.upTo(5)
		filter[0] = y[3]
	case "DEPTHWISE_CONV_2D":
		y[3] = x[3] * d.upTo(3)
		filter[3] = y[3]
	}
	op.Inputs = []Tensor{{Type: typ, Width: width, Shape: x}}
	if filter[3] > 0 {
		op.Inputs = append(op.Inputs, Tensor{Type: "INT8", Width: 1, Shape: filter})
		op.Window.Taps = [2]int64{}
	}
	op.Output = Tensor{Type: typ, Width: width, Shape: y}
	return op
}

// fullyConnected draws one with rows.
func (d drawing) fullyConnected(typ string, width int64) *Operator {
	x := []int64{d.upTo(3), d.upTo(4), d.upTo(12)}
	y := []int64{x[0], x[1], d.upTo(12)}
	if d.Intn(2) == 0 {
		x, y = []int64{x[0] * x[1], x[2]}, []int64{y[0] * y[1], y[2]}
	}
	filter := Tensor{Type: "INT8", Width: 1, Shape: []int64{y[len(y)-1], x[len(x)-1]}}
	return &Operator{Kind: "FULLY_CONNECTED", Inputs: []Tensor{{Type: typ, Width: width, Shape: x}, filter}, Output: Tensor{Type: typ, Width: width, Shape: y}}
}

// padded draws a PAD.
func (d drawing) padded(typ string, width int64) *Operator {
	x := Tensor{Type: typ, Width: width}
	y, pads := x, Tensor{Type: "INT32", Width: 4}
	rank := d.upTo(4)
	for range rank {
		n, before, after := d.upTo(4), d.Int63n(3), d.Int63n(3)
		x.Shape, y.Shape = append(x.Shape, n), append(y.Shape, before+n+after)
		pads.Values = append(pads.Values, before, after)
	}
	pads.Shape = []int64{rank, 2}
	return &Operator{Kind: "PAD", Inputs: []Tensor{x, pads}, Output: y}
}

// elementwise draws an operator on elements of some widths.
func (d drawing) elementwise(kind string, from, to int64) *Operator {
	shape := []int64{d.upTo(3), d.upTo(4), d.upTo(9)}
	types := map[int64]string{1: "INT8", 2: "INT16", 4: "FLOAT32"}
	return &Operator{Kind: kind, Inputs: []Tensor{{Type: types[from], Width: from, Shape: shape}}, Output: Tensor{Type: types[to], Width: to, Shape: shape}}
}

// operator draws one of any kind, of elements of a type.
func (d drawing) operator() *Operator {
	typ, width := "INT8", int64(1)
	if d.Intn(4) == 0 {
		typ, width = "INT16", 2
	}
	switch d.Intn(8) {
	case 0, 1:
		return d.windowed("CONV_2D", typ, width)
	case 2:
		return d.windowed("DEPTHWISE_CONV_2D", typ, width)
	case 3:
		return d.windowed("AVERAGE_POOL_2D", typ, width)
	case 4:
		return d.windowed("MAX_POOL_2D", typ, width)
	case 5:
		return d.fullyConnected(typ, width)
	case 6:
		return d.padded(typ, width)
	}
	kind := []string{"RELU", "SOFTMAX", "DEQUANTIZE", "ADD"}[d.Intn(4)]
	op := d.elementwise(kind, 1<<d.Intn(3), 1<<d.Intn(3))
	if kind == "ADD" {
		op.Output.Width, op.Output.Type = op.Inputs[0].Width, op.Inputs[0].Type
		op.Inputs = append(op.Inputs, op.Inputs[0])
	}
	return op
}

// The lead of the reference kernels is the least at which running them byte by
// byte gives what it must, for random operators of each kind.
func TestReferenceAccess(t *testing.T) {
	seen := make(map[string]int)
	for seed := range int64(4000) {
		op := drawing{rand.New(rand.NewSource(seed))}.operator()
		got, ok := op.reference(0)
		if !ok {
			t.Fatalf("seed %d: no lead: %+v", seed, op)
		}
		trace := referenceTrace(op)
		if want := trace.lead(); got != want {
			t.Fatalf("seed %d: lead %d, the blocks say %d: %+v", seed, got, want, op)
		}
		if !trace.right(got) || got > 0 && trace.right(got-1) {
			t.Fatalf("seed %d: lead %d: right at it %v, at one less %v: %+v", seed, got, trace.right(got), trace.right(got-1), op)
		}
		if got > 0 {
			seen[op.Kind]++
		}
	}
	for _, kind := range []string{"CONV_2D", "DEPTHWISE_CONV_2D", "AVERAGE_POOL_2D", "MAX_POOL_2D", "FULLY_CONNECTED", "PAD", "DEQUANTIZE", "SOFTMAX"} {
		if seen[kind] < 20 {
			t.Errorf("%s: only %d with a lead above 0", kind, seen[kind])
		}
	}
}
