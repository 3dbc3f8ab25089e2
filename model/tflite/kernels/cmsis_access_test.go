package kernels

import (
	"math/rand"
	"slices"
	"testing"
)

// cmsisTrace is what a build of CMSIS-NN does for an operator on int8, from its
// sources at 99f736a6.
func cmsisTrace(l Library, op *Operator) (t trace) {
	x, y := &op.Inputs[0], &op.Output
	in, out := x.dim(0), y.dim(0)
	switch op.Kind {
	case "CONV_2D":
		switch path := op.path(); {
		case path == fast && l != DSPArmclang:
			t.matrix(l, pixelsOf(0, y.rows(), in), in, 0, y.rows(), out)
		case path == fast:
			t.columns(op, 2)
		case path == strided:
			for b := range y.dim(3) {
				for r := range y.dim(2) {
					row := (b*x.dim(2) + r*op.Window.Stride[0]) * x.dim(1) * in
					t.matrix(l, pixelsOf(row, y.dim(1), op.Window.Stride[1]*in), in, (b*y.dim(2)+r)*y.dim(1), y.dim(1), out)
				}
			}
		case path == line && l == MVE && t.line(op):
		case l == MVE:
			t.columns(op, 4)
		default:
			t.columns(op, 2)
		}
	case "FULLY_CONNECTED":
		depth := op.Inputs[1].dim(0)
		switch {
		case op.asConv() && l != DSPArmclang:
			t.matrix(l, pixelsOf(0, y.rows(), depth), depth, 0, y.rows(), out)
		case op.asConv():
			for b := int64(0); b < y.rows(); b += 2 {
				n := min(2, y.rows()-b)
				t.do([][2]int64{span(b*depth, n*depth, 1)}, span(b*out, n*out, 1))
			}
		default: // a vector by a matrix, several channels at a time
			at := map[Library]int64{Scalar: 3, DSP: 2, DSPArmclang: 2, MVE: 4}[l]
			for b := range y.rows() {
				t.channels(at, out, func(c, n int64) [][2]int64 { return [][2]int64{span(b*depth, depth, 1)} }, b*out)
			}
		}
	case "DEPTHWISE_CONV_2D":
		t.depthwise(l, op)
	case "AVERAGE_POOL_2D":
		at := map[Library]int64{Scalar: 1, DSP: out, DSPArmclang: out, MVE: 16}[l]
		t.tiles(op, at)
	case "MAX_POOL_2D": // the first of the window is copied, the others are compared
		for p := range op.windows() {
			for k, pixel := range p.inputs {
				if k == 0 {
					t.memcpy(l, pixel*in, p.output*out, in)
					continue
				}
				t.channels(map[bool]int64{true: 16, false: 4}[l == MVE], out, func(c, n int64) [][2]int64 { return [][2]int64{span(pixel*in+c, n, 1)} }, p.output*out)
			}
		}
	case "PAD":
		t.pad(l, op)
	case "SOFTMAX":
		return referenceTrace(op)
	case "SVDF":
		t.do([][2]int64{{0, x.bytes()}}, [2]int64{0, y.bytes()})
	default: // element by element, or several at a time
		t.channels(4, y.elements(), func(c, n int64) [][2]int64 { return [][2]int64{span(c, n, 1)} }, 0)
	}
	return t
}

// pixelsOf is where n pixels begin in the input.
func pixelsOf(from, n, step int64) []int64 {
	at := make([]int64, n)
	for k := range at {
		at[k] = from + int64(k)*step
	}
	return at
}

// matrix is arm_nn_mat_mult_nt_t_s8: rows of the input, of so many bytes, become
// pixels of the output from one on.
func (t *trace) matrix(l Library, rows []int64, bytes, from, n, out int64) {
	read := func(k, count int64) (reads [][2]int64) {
		for _, at := range rows[k : k+count] {
			reads = append(reads, span(at, bytes, 1))
		}
		return reads
	}
	if l == MVE {
		k := int64(0)
		for ; k+4 <= n; k += 4 {
			for c := range out {
				var writes [][2]int64
				for i := range int64(4) {
					writes = append(writes, span((from+k+i)*out+c, 1, 1))
				}
				t.do(read(k, 4), writes...)
			}
		}
		for ; k < n; k++ {
			t.channels(4, out, func(c, n int64) [][2]int64 { return read(k, 1) }, (from+k)*out)
		}
		return
	}
	c := int64(0)
	for ; c+2 <= out; c += 2 {
		for k := int64(0); k < n; k += 2 {
			var writes [][2]int64
			for i := range min(2, n-k) {
				writes = append(writes, span((from+k+i)*out+c, 2, 1))
			}
			t.do(read(k, min(2, n-k)), writes...)
		}
	}
	if c < out {
		for k := range n {
			t.do(read(k, 1), span((from+k)*out+c, 1, 1))
		}
	}
}

// columns is arm_convolve_s8: so many windows are copied, then their pixels made.
func (t *trace) columns(op *Operator, at int) {
	out, pixels := op.Output.dim(0), op.Output.dim(2)*op.Output.dim(1)
	var reads [][2]int64
	held := int64(0)
	for p := range op.windows() {
		for _, pixel := range p.inputs {
			reads = append(reads, span(pixel*op.Inputs[0].dim(0), op.Inputs[0].dim(0), 1))
		}
		if held++; held == int64(at) || (p.output+1)%pixels == 0 {
			t.do(reads, span((p.output+1-held)*out, held*out, 1))
			reads, held = nil, 0
		}
	}
}

// channels makes n bytes from one on, so many at a time.
func (t *trace) channels(at, n int64, reads func(c, n int64) [][2]int64, from int64) {
	for c := int64(0); c < n; c += at {
		t.do(reads(c, min(at, n-c)), span(from+c, min(at, n-c), 1))
	}
}

// tiles makes each pixel so many channels at a time, from the same of the window.
func (t *trace) tiles(op *Operator, at int64) {
	for p := range op.windows() {
		t.channels(at, op.Output.dim(0), func(c, n int64) (reads [][2]int64) {
			for _, pixel := range p.inputs {
				reads = append(reads, span(pixel*op.Inputs[0].dim(0)+c, n, 1))
			}
			return reads
		}, p.output*op.Output.dim(0))
	}
}

// line is arm_convolve_1_x_n_s8 on MVE; false where it runs the general code.
func (t *trace) line(op *Operator) bool {
	x, y, w := &op.Inputs[0], &op.Output, op.window()
	in, out, n, stride, taps := x.dim(0), y.dim(0), y.dim(1), w.Stride[1], w.Taps[1]
	pad := op.padding(1)
	asym := ((n-1)*stride + taps - x.dim(1)) % 2
	ceil := func(v int64) int64 { return max(1, (v+stride-1)/stride) }
	left, right := int64(0), int64(0)
	if pad != 0 {
		left = ceil(pad)
	}
	if pad+asym != 0 {
		right = ceil(pad + asym)
	}
	middle := max(0, n-left-right)
	if left+middle+right != n {
		return false
	}
	for b := range y.dim(3) {
		base := b * x.dim(1) * in
		t.do([][2]int64{span(base, taps*in, 1)})
		t.do(nil, span(b*n*out, left*out, 1))
		t.matrix(MVE, pixelsOf(base+(stride*left-pad)*in, middle, stride*in), taps*in, b*n+left, middle, out)
		if right > 0 {
			t.do([][2]int64{span(base+(stride*(left+middle)-pad)*in, (taps-1)*in, 1)})
			t.do(nil, span((b*n+left+middle)*out, right*out, 1))
		}
	}
	return true
}

// depthwise is arm_depthwise_conv_wrapper_s8.
func (t *trace) depthwise(l Library, op *Operator) {
	x, y, w := &op.Inputs[0], &op.Output, op.window()
	in, out := x.dim(0), y.dim(0)
	if conv, ok := op.toConv(); ok && l == MVE {
		*t = cmsisTrace(l, &conv)
		return
	}
	common := in == out && x.dim(3) == 1 && w.Dilation == [2]int64{1, 1}
	switch {
	case common && l != MVE && w.Taps == [2]int64{3, 3} && op.padding(0) <= 1 && op.padding(1) <= 1:
		for p := range op.windows() { // four channels at a time, those left over singly
			for c := int64(0); c < out; {
				n := int64(4)
				if c+4 > out {
					n = 1
				}
				t.window(op, p, c, n)
				c += n
			}
		}
	case common && l == MVE:
		for block := int64(0); block < out; block += 124 {
			n := min(124, out-block)
			var reads, writes [][2]int64
			held := 0
			for p := range op.windows() {
				for _, pixel := range p.inputs {
					reads = append(reads, span(pixel*in+block, n, 1))
				}
				writes = append(writes, span(p.output*out+block, n, 1))
				if held++; held == 4 || p.output == y.rows()-1 {
					t.do(reads, writes...)
					reads, writes, held = nil, nil, 0
				}
			}
		}
	case common && l != Scalar:
		t.tiles(op, out)
	default: // channel by channel, or four made of one channel
		tile := int64(1)
		if each := out / in; each%4 == 0 && x.dim(3) == 1 && w.Dilation == [2]int64{1, 1} {
			tile = 4
		}
		for p := range op.windows() {
			for c := int64(0); c < out; c += tile {
				var reads [][2]int64
				for _, pixel := range p.inputs {
					reads = append(reads, span(pixel*in+c/(out/in), 1, 1))
				}
				t.do(reads, span(p.output*out+c, tile, 1))
			}
		}
	}
}

// window makes n channels of a pixel from the same of its window.
func (t *trace) window(op *Operator, p pixel, c, n int64) {
	var reads [][2]int64
	for _, pixel := range p.inputs {
		reads = append(reads, span(pixel*op.Inputs[0].dim(0)+c, n, 1))
	}
	t.do(reads, span(p.output*op.Output.dim(0)+c, n, 1))
}

// memcpy copies n bytes: upwards, or in any way where the C library is not known,
// so that what is read may have been written before.
func (t *trace) memcpy(l Library, from, to, n int64) {
	if l == DSPArmclang {
		t.do(nil, span(to, n, 1))
		t.do([][2]int64{span(from, n, 1)})
		return
	}
	for i := range n {
		t.do([][2]int64{span(from+i, 1, 1)}, span(to+i, 1, 1))
	}
}

// pad is arm_pad_s8: runs of rows, or of channels where those are padded.
func (t *trace) pad(l Library, op *Operator) {
	run := op.Inputs[0].dim(0)
	if op.Output.dim(0) == run {
		run *= op.Inputs[0].dim(1)
	}
	next := int64(0)
	for i := int64(0); i < op.Output.elements(); {
		if op.inside(i) {
			t.memcpy(l, next, i, run)
			next, i = next+run, i+run
			continue
		}
		t.do(nil, span(i, 1, 1))
		i++
	}
}

// cmsisOperator draws an operator on int8, with what CMSIS-NN has other code for.
func (d drawing) cmsisOperator() *Operator {
	switch d.Intn(10) {
	case 0, 1: // 1 x 1, strided or not
		op := d.windowed("CONV_2D", "INT8", 1)
		return d.reshaped(op, [2]int64{1, 1}, [2]int64{1, 1}, d.Intn(2) == 0)
	case 2, 3: // 1 x N on one row
		op := d.windowed("CONV_2D", "INT8", 1)
		op.Inputs[0].Shape[1] = 1
		op.Inputs[0].Shape[3] = 4 * d.upTo(2)
		return d.reshaped(op, [2]int64{1, d.upTo(5)}, [2]int64{1, 1}, false)
	case 4:
		op := d.fullyConnected("INT8", 1)
		if d.Intn(2) == 0 { // rank 3, and a depth that is a multiple of 4
			depth := 4 * d.upTo(4)
			rows := d.upTo(9)
			op.Inputs[0].Shape, op.Inputs[1].Shape, op.Output.Shape = []int64{1, rows, depth}, []int64{op.Output.dim(0), depth}, []int64{1, rows, op.Output.dim(0)}
		}
		return op
	case 5: // many channels
		op := d.windowed("DEPTHWISE_CONV_2D", "INT8", 1)
		op.Inputs[0].Shape[0], op.Output.Shape[0] = 1, 1
		op.Window.Dilation = [2]int64{1, 1}
		channels := []int64{1, 4, 123, 124, 125, 130, 250}[d.Intn(7)]
		op.Inputs[0].Shape[3], op.Output.Shape[3], op.Inputs[1].Shape[3] = channels, channels, channels
		if channels == 1 {
			op.Output.Shape[3], op.Inputs[1].Shape[3] = 3, 3
		}
		return d.reshaped(op, op.window().Taps, op.Window.Dilation, false)
	case 6:
		op := d.elementwise("SVDF", 1, 1)
		op.Output.Shape = []int64{1, d.upTo(30)}
		return op
	}
	op := d.operator()
	for op.Inputs[0].Width != 1 || op.Output.Width != 1 {
		op = d.operator()
	}
	return op
}

// reshaped gives a convolution a filter and a dilation, and the output that follows.
func (d drawing) reshaped(op *Operator, taps, dilation [2]int64, unit bool) *Operator {
	x, y, w := op.Inputs[0].Shape, op.Output.Shape, &op.Window
	if unit {
		w.Stride = [2]int64{1, 1}
	}
	if op.Kind == "CONV_2D" {
		op.Inputs[1].Shape = []int64{y[3], taps[0], taps[1], x[3]}
	}
	w.Dilation = dilation
	for dir := range 2 {
		y[1+dir] = (x[1+dir] + w.Stride[dir] - 1) / w.Stride[dir]
		if !w.Same {
			x[1+dir] = max(x[1+dir], taps[dir])
			y[1+dir] = (x[1+dir]-(taps[dir]-1)*dilation[dir]-1)/w.Stride[dir] + 1
		}
	}
	return op
}

// byMatrix reports whether a build makes the output by a product of matrices on the
// input itself.
func (op *Operator) byMatrix(l Library) bool {
	switch {
	case op.Kind == "FULLY_CONNECTED":
		return op.asConv() && l != DSPArmclang
	case op.Kind != "CONV_2D" || op.path() == general:
		return false
	case op.path() == line:
		return l == MVE && new(trace).line(op)
	}
	return l != DSPArmclang || op.path() == strided
}

// The leads of each build of CMSIS-NN are never too small for what its code does,
// and to the byte where they are not taken from the reference's.
func TestCMSISAccess(t *testing.T) {
	type figures struct{ all, exact, above int }
	seen := make(map[string]*figures)
	for seed := range int64(6000) {
		op := drawing{rand.New(rand.NewSource(seed))}.cmsisOperator()
		l := []Library{Scalar, DSP, DSPArmclang, MVE}[seed%4]
		got, ok := l.exact(op, 0)
		if !ok {
			if op.Kind != "CONV_2D" || op.groups() == 1 && op.path() != line {
				t.Fatalf("seed %d: %v: no lead: %+v", seed, l, op)
			}
			continue
		}
		name := l.String() + " " + op.Kind
		if op.Kind == "CONV_2D" {
			name += []string{"", " fast", " strided", " line"}[op.path()]
		}
		f := seen[name]
		if f == nil {
			f = &figures{}
			seen[name] = f
		}
		trace := cmsisTrace(l, op)
		want := trace.lead()
		if !trace.right(want) || want > 0 && trace.right(want-1) {
			t.Fatalf("seed %d: the blocks' lead %d is not theirs", seed, want)
		}
		f.all++
		if got == want {
			f.exact++
		}
		if want > 0 {
			f.above++
		}
		if got < want {
			t.Fatalf("seed %d: %s: lead %d, the code needs %d: %+v", seed, name, got, want, op)
		}
		if op.byMatrix(l) && got != want {
			t.Fatalf("seed %d: %s: lead %d, the code needs no more than %d: %+v", seed, name, got, want, op)
		}
	}
	for _, name := range slices.Sorted(func(yield func(string) bool) {
		for name := range seen {
			if !yield(name) {
				return
			}
		}
	}) {
		t.Logf("%-40s %+v", name, *seen[name])
	}
}
