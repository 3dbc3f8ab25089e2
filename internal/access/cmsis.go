package access

import "memplan/model/tflite/kernels"

// CMSIS is what a build of CMSIS-NN does for an operator on int8, from its sources
// at 99f736a6. A convolution has one group.
func CMSIS(l kernels.Library, o *kernels.Operator) (t Trace) {
	op := operator{o}
	x, y := &op.Inputs[0], &op.Output
	switch op.Kind {
	case "CONV_2D":
		t.conv(l, op)
	case "FULLY_CONNECTED":
		t.fullyConnected(l, op)
	case "DEPTHWISE_CONV_2D":
		t.depthwise(l, op)
	case "AVERAGE_POOL_2D":
		at := map[kernels.Library]int64{kernels.Scalar: 1, kernels.DSP: last(y), kernels.DSPArmclang: last(y), kernels.MVE: 16}[l]
		for p := range op.pixels {
			t.channels(at, last(y), func(c, n int64) [][2]int64 { return op.window(p, c, n) }, p.output*last(y))
		}
	case "MAX_POOL_2D": // the first of the window is copied, the others are compared
		for p := range op.pixels {
			for k, input := range p.inputs {
				if k == 0 {
					t.memcpy(l, input*last(x), p.output*last(y), last(x))
					continue
				}
				one := pixel{p.output, []int64{input}}
				t.channels(4, last(y), func(c, n int64) [][2]int64 { return op.window(one, c, n) }, p.output*last(y))
			}
		}
	case "PAD":
		t.pad(l, op)
	case "SOFTMAX":
		return Reference(o)
	case "SVDF":
		t.do([][2]int64{span(0, elements(x), 1)}, span(0, elements(y), 1))
	default: // element by element, or several at a time
		t.channels(4, elements(y), func(c, n int64) [][2]int64 { return [][2]int64{span(c, n, 1)} }, 0)
	}
	return t
}

// ByMatrix reports whether a build makes the output by a product of matrices on the
// input itself.
func ByMatrix(l kernels.Library, o *kernels.Operator) bool {
	op := operator{o}
	switch op.Kind {
	case "FULLY_CONNECTED":
		return op.asConv() && l != kernels.DSPArmclang
	case "CONV_2D":
		if op.taps() == [2]int64{1, 1} && op.Window.Dilation == [2]int64{1, 1} {
			return l != kernels.DSPArmclang || op.Window.Stride != [2]int64{1, 1}
		}
		return l == kernels.MVE && op.oneRow() && new(Trace).line(op)
	}
	return false
}

// conv is arm_convolve_wrapper_s8.
func (t *Trace) conv(l kernels.Library, op operator) {
	x, y, w := &op.Inputs[0], &op.Output, op.Window
	single := op.taps() == [2]int64{1, 1} && w.Dilation == [2]int64{1, 1}
	switch {
	case single && w.Stride == [2]int64{1, 1} && l != kernels.DSPArmclang:
		t.matrix(l, places(0, rows(y), last(x)), last(x), 0, rows(y), last(y))
	case single && w.Stride != [2]int64{1, 1}:
		for r := range y.Shape[0] * y.Shape[1] {
			row := (r/y.Shape[1]*x.Shape[1] + r%y.Shape[1]*w.Stride[0]) * x.Shape[2] * last(x)
			t.matrix(l, places(row, y.Shape[2], w.Stride[1]*last(x)), last(x), r*y.Shape[2], y.Shape[2], last(y))
		}
	case op.oneRow() && l == kernels.MVE && t.line(op):
	case l == kernels.MVE:
		t.columns(op, 4)
	default:
		t.columns(op, 2)
	}
}

// oneRow reports whether a convolution is one of 1 x N.
func (op operator) oneRow() bool {
	x := &op.Inputs[0]
	return x.Shape[1] == 1 && op.taps()[0] == 1 && op.Window.Dilation[1] == 1 && op.Window.Stride[1]*last(x)%4 == 0
}

// asConv reports whether FULLY_CONNECTED runs as a convolution of 1 x 1.
func (op operator) asConv() bool { return len(op.Output.Shape) > 2 && last(&op.Inputs[1])%4 == 0 }

func (t *Trace) fullyConnected(l kernels.Library, op operator) {
	y, depth, out := &op.Output, last(&op.Inputs[1]), last(&op.Output)
	switch {
	case op.asConv() && l != kernels.DSPArmclang:
		t.matrix(l, places(0, rows(y), depth), depth, 0, rows(y), out)
	case op.asConv(): // two rows are copied, then made
		for b := int64(0); b < rows(y); b += 2 {
			n := min(2, rows(y)-b)
			t.do([][2]int64{span(b*depth, n*depth, 1)}, span(b*out, n*out, 1))
		}
	default: // a vector by a matrix, several channels at a time
		at := map[kernels.Library]int64{kernels.Scalar: 3, kernels.DSP: 2, kernels.DSPArmclang: 2, kernels.MVE: 4}[l]
		for b := range rows(y) {
			t.channels(at, out, func(c, n int64) [][2]int64 { return [][2]int64{span(b*depth, depth, 1)} }, b*out)
		}
	}
}

// places is where n pixels begin in the input.
func places(from, n, step int64) []int64 {
	at := make([]int64, n)
	for k := range at {
		at[k] = from + int64(k)*step
	}
	return at
}

// matrix is arm_nn_mat_mult_nt_t_s8: what lies at n places of the input, so many
// bytes, becomes pixels of the output from one on.
func (t *Trace) matrix(l kernels.Library, at []int64, bytes, from, n, out int64) {
	read := func(k, count int64) (reads [][2]int64) {
		for _, place := range at[k : k+count] {
			reads = append(reads, span(place, bytes, 1))
		}
		return reads
	}
	write := func(k, count, c, channels int64) (writes [][2]int64) {
		for i := range count {
			writes = append(writes, span((from+k+i)*out+c, channels, 1))
		}
		return writes
	}
	if l == kernels.MVE { // four pixels, channel by channel; single ones, four channels at a time
		k := int64(0)
		for ; k+4 <= n; k += 4 {
			for c := range out {
				t.do(read(k, 4), write(k, 4, c, 1)...)
			}
		}
		for ; k < n; k++ {
			t.channels(4, out, func(c, n int64) [][2]int64 { return read(k, 1) }, (from+k)*out)
		}
		return
	}
	c := int64(0)
	for ; c+2 <= out; c += 2 { // two channels of two pixels
		for k := int64(0); k < n; k += 2 {
			t.do(read(k, min(2, n-k)), write(k, min(2, n-k), c, 2)...)
		}
	}
	if c < out {
		for k := range n {
			t.do(read(k, 1), write(k, 1, c, 1)...)
		}
	}
}

// columns is arm_convolve_s8: so many windows are copied, then their pixels made.
func (t *Trace) columns(op operator, at int64) {
	x, y := &op.Inputs[0], &op.Output
	var reads [][2]int64
	held := int64(0)
	for p := range op.pixels {
		reads = append(reads, op.window(p, 0, last(x))...)
		if held++; held == at || (p.output+1)%(y.Shape[1]*y.Shape[2]) == 0 {
			t.do(reads, span((p.output+1-held)*last(y), held*last(y), 1))
			reads, held = nil, 0
		}
	}
}

// channels makes n bytes from one on, so many at a time.
func (t *Trace) channels(at, n int64, reads func(c, n int64) [][2]int64, from int64) {
	for c := int64(0); c < n; c += at {
		t.do(reads(c, min(at, n-c)), span(from+c, min(at, n-c), 1))
	}
}

// line is arm_convolve_1_x_n_s8 on MVE; false where it runs the general code.
func (t *Trace) line(op operator) bool {
	x, y := &op.Inputs[0], &op.Output
	in, out, n, stride, taps := last(x), last(y), y.Shape[2], op.Window.Stride[1], op.taps()[1]
	pad := op.padding(1)
	asym := ((n-1)*stride + taps - x.Shape[2]) % 2
	atLeastOne := func(v int64) int64 {
		if v == 0 {
			return 0
		}
		return max(1, (v+stride-1)/stride)
	}
	left, right := atLeastOne(pad), atLeastOne(pad+asym)
	middle := max(0, n-left-right)
	if left+middle+right != n {
		return false
	}
	for b := range y.Shape[0] {
		base, row := b*x.Shape[2]*in, x.Shape[2]*in // it may copy past the row, and uses nothing of that
		t.do([][2]int64{span(base, min(taps*in, row), 1)})
		t.do(nil, span(b*n*out, left*out, 1))
		t.matrix(kernels.MVE, places(base+(stride*left-pad)*in, middle, stride*in), taps*in, b*n+left, middle, out)
		if right > 0 {
			begin := (stride*(left+middle) - pad) * in
			t.do([][2]int64{span(base+begin, min((taps-1)*in, row-begin), 1)})
			t.do(nil, span((b*n+left+middle)*out, right*out, 1))
		}
	}
	return true
}

// depthwise is arm_depthwise_conv_wrapper_s8.
func (t *Trace) depthwise(l kernels.Library, op operator) {
	x, y, w := &op.Inputs[0], &op.Output, op.Window
	in, out := last(x), last(y)
	common := in == out && x.Shape[0] == 1 && w.Dilation == [2]int64{1, 1}
	switch {
	case l == kernels.MVE && in == 1 && out > 1:
		filter := op.Inputs[1]
		filter.Shape = []int64{out, filter.Shape[1], filter.Shape[2], 1}
		t.conv(l, operator{&kernels.Operator{Kind: "CONV_2D", Inputs: []kernels.Tensor{*x, filter}, Output: *y, Window: w}})
	case common && l == kernels.MVE: // 124 channels of four windows are copied, then made
		for block := int64(0); block < out; block += 124 {
			n := min(124, out-block)
			var reads, writes [][2]int64
			for p := range op.pixels {
				reads, writes = append(reads, op.window(p, block, n)...), append(writes, span(p.output*out+block, n, 1))
				if len(writes) == 4 || p.output == rows(y)-1 {
					t.do(reads, writes...)
					reads, writes = nil, nil
				}
			}
		}
	case common && op.taps() == [2]int64{3, 3} && max(op.padding(0), op.padding(1)) <= 1:
		for p := range op.pixels { // four channels at a time, those left over singly
			t.channels(4, out/4*4, func(c, n int64) [][2]int64 { return op.window(p, c, n) }, p.output*out)
			for c := out / 4 * 4; c < out; c++ {
				t.do(op.window(p, c, 1), span(p.output*out+c, 1, 1))
			}
		}
	case common && l != kernels.Scalar: // the whole window is copied
		for p := range op.pixels {
			t.do(op.window(p, 0, in), span(p.output*out, out, 1))
		}
	default: // channel by channel, or four made of one
		tile := int64(1)
		if out/in%4 == 0 && x.Shape[0] == 1 && w.Dilation == [2]int64{1, 1} {
			tile = 4
		}
		for p := range op.pixels {
			t.channels(tile, out, func(c, n int64) [][2]int64 { return op.window(p, c/(out/in), 1) }, p.output*out)
		}
	}
}

// memcpy copies n bytes: upwards, or in any way where the C library is not known,
// so that what is read may have been written before.
func (t *Trace) memcpy(l kernels.Library, from, to, n int64) {
	if l == kernels.DSPArmclang {
		t.do(nil, span(to, n, 1))
		t.do([][2]int64{span(from, n, 1)})
		return
	}
	for i := range n {
		t.do([][2]int64{span(from+i, 1, 1)}, span(to+i, 1, 1))
	}
}

// pad is arm_pad_s8: runs of rows, or of channels where those are padded.
func (t *Trace) pad(l kernels.Library, op operator) {
	x, y := &op.Inputs[0], &op.Output
	run := last(x)
	if rank := len(x.Shape); last(y) == run && rank > 1 {
		run *= x.Shape[rank-2]
	}
	next := int64(0)
	for i := int64(0); i < elements(y); {
		if op.inside(i) {
			t.memcpy(l, next, i, run)
			next, i = next+run, i+run
			continue
		}
		t.do(nil, span(i, 1, 1))
		i++
	}
}
