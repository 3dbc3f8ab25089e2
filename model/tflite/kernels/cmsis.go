package kernels

// CMSIS-NN at 99f736a6, as TFLM calls it at 90b983c2. The leads of Scalar, DSP and
// MVE were measured: the library was built by gcc and run, the microcontrollers
// under qemu. Those of DSPArmclang ran on a desktop only, by gcc. TFLM replaces few
// kinds: the others, and all kinds on floats, run its reference kernels.

// cmsis is the lead by a build of CMSIS-NN, of operators on int8 unless said.
func (l Library) cmsis(op *Operator, input int) (bytes int64, ok bool) {
	x, y := &op.Inputs[0], &op.Output
	ref, ok := op.reference(input)
	narrow := x.Type == "INT8"
	switch {
	case op.Kind == "SVDF": // the output is written at last, all from scratch
		return 0, input == 0 && y.Type == "INT8" && narrow
	case !ok || !narrow && x.Type != "INT16":
		return ref, ok
	case op.Kind == "CONV_2D" && op.groups() > 1: // group by group, each over all pixels
		return 0, false
	case op.Kind == "SOFTMAX":
		if !narrow || y.Type != "INT16" {
			return ref, narrow // of int16 not measured
		}
		return x.bytes(), true
	case !narrow:
		return ref, true
	case op.Kind == "CONV_2D":
		return l.conv(op)
	case op.Kind == "DEPTHWISE_CONV_2D":
		return l.depthwise(op, ref)
	case op.Kind == "FULLY_CONNECTED" && op.asConv() && l != DSPArmclang:
		return l.matrix(nil, y.rows(), op.Inputs[1].dim(0), y.dim(0)), true
	case op.Kind == "MAXIMUM" || op.Kind == "MINIMUM": // broadcasting is other code, not measured
		return ref, sameShape(x, y) && sameShape(&op.Inputs[1], y)
	case op.Kind == "MAX_POOL_2D":
		return ref + l.memcpy(x.dim(0)), true
	case op.Kind == "PAD", op.Kind == "PADV2":
		return ref + l.memcpy(x.dim(0)*x.dim(1)), len(x.Shape) <= 4
	}
	return ref, true
}

// memcpy is what is to be added for runs of bytes that are copied by memcpy, onto
// overlapping bytes. Newlib and glibc copy upwards, by which they were measured.
// The C library of armclang is not known to, so runs must be apart there.
func (l Library) memcpy(run int64) int64 {
	if l == DSPArmclang {
		return run
	}
	return 0
}

// asConv reports whether FULLY_CONNECTED runs as a convolution of 1 x 1 with the
// rows as pixels.
func (op *Operator) asConv() bool { return len(op.Output.Shape) > 2 && op.Inputs[1].dim(0)%4 == 0 }

// A path is which code runs a convolution.
type path int

const (
	general path = iota // a window at a time is copied to scratch, whole pixels follow from that
	fast                // 1 x 1: a product of matrices, all pixels at once
	strided             // 1 x 1: the same by row of the output
	line                // 1 x N on one row of inputs; of use to MVE alone
)

// path is how CMSIS-NN runs a CONV_2D of one group.
func (op *Operator) path() path {
	x, w := &op.Inputs[0], op.window()
	switch {
	case w.Taps == [2]int64{1, 1} && w.Dilation == [2]int64{1, 1}: // never padded
		if w.Stride == [2]int64{1, 1} {
			return fast
		}
		return strided
	case x.dim(2) == 1 && w.Taps[0] == 1 && w.Dilation[1] == 1 && w.Stride[1]*x.dim(0)%4 == 0:
		return line
	}
	return general
}

// conv is the lead of CONV_2D of one group. The general code copies whole windows
// to scratch, two or four, and then writes their pixels: nothing is read between a
// pixel's channels.
func (l Library) conv(op *Operator) (bytes int64, ok bool) {
	x, y, stride := &op.Inputs[0], &op.Output, op.Window.Stride[1]
	loops, ok := op.pixels()
	switch path := op.path(); {
	case path == fast && l != DSPArmclang: // which copies there too
		return l.matrix(nil, y.rows(), x.dim(0), y.dim(0)), ok
	case path == strided:
		return l.matrix(loops[:2], y.dim(1), stride*x.dim(0), y.dim(0)), ok
	case path == line && l == MVE:
		return op.line(loops)
	}
	return lead(loops...), ok
}

// matrix is the lead of a product of matrices (arm_nn_mat_mult_nt_t_s8) that makes
// n pixels of so many channels, each from its own input, step bytes apart.
//
// Without MVE the outermost loop is over pairs of channels, then one that is left
// over, and each goes over all pixels, two at a time: only in the last round are
// they read for the last time, when all but its channels have been written. One or
// two channels are one round: of pixels, or of pairs of them.
//
// MVE makes four pixels at a time, channel by channel; the pixels that are left
// over each by itself, four channels at a time.
func (l Library) matrix(outer []axis, n, step, channels int64) int64 {
	if l == MVE {
		return quads(outer, n, channels, step, 0, n, 1, 0)
	}
	if channels > 2 {
		return lead(append(outer, passes(n*channels-2+channels%2))...)
	}
	return lead(append(outer, begins(n, channels, step, 0, n, channels, 1, 0))...)
}

// quads is the lead of MVE's product of matrices for the pixels between two places.
func quads(outer []axis, n, channels, down, from, to, stride, pad int64) int64 {
	outer = outer[:len(outer):len(outer)]
	left := to - (to-from)%4
	four := begins(n, channels, down, from, left, 4, stride, pad)
	single := begins(n, channels, down, left, to, 1, stride, pad)
	written := 4*channels - 1
	if channels == 1 {
		written = 0
	}
	return max(lead(append(outer, four, passes(written))...), lead(append(outer, single, passes((channels-1)/4*4))...))
}

// line is the lead of 1 x N on MVE. Pixels whose windows are padded on the left
// are made by way of scratch, then those without padding by a product of matrices
// on the input itself, whose windows overlap, then those padded on the right by
// way of scratch again.
func (op *Operator) line(loops []axis) (bytes int64, ok bool) {
	x, y, w := &op.Inputs[0], &op.Output, op.window()
	left, right, pad, ok := op.sections()
	if !ok {
		return 0, false // the kernel gives up
	}
	n, stride, up, down := y.dim(1), w.Stride[1], y.dim(0), x.dim(0)
	middle := max(0, n-left-right)
	if left+middle+right != n {
		return lead(loops...), true // the general code after all
	}
	outer := []axis{each(y.dim(3), n*up, x.dim(1)*down)}
	scratch := lead(outer[0], begins(n, up, down, 0, min(1, left), 1, stride, pad))
	after := lead(outer[0], begins(n, up, down, left+middle, left+middle+min(1, right), 1, stride, pad))
	return max(scratch, after, quads(outer, n, up, down, left, left+middle, stride, pad)), true
}

// sections is how many pixels of 1 x N the code has as padded on the left and on
// the right; false where it does not run.
func (op *Operator) sections() (left, right, pad int64, ok bool) {
	w, in, out := op.window(), op.Inputs[0].dim(1), op.Output.dim(1)
	stride := w.Stride[1]
	pad = w.pad(1, in, out)
	total := (out-1)*stride + w.Taps[1] - in
	if pad > 0 {
		left = max(1, (pad+stride-1)/stride)
	}
	if more := pad + total%2; more != 0 {
		right = max(1, (more+stride-1)/stride)
	}
	return left, right, pad, 2*pad+total%2 == total
}

// depthwise is the lead of DEPTHWISE_CONV_2D. MVE takes 124 channels at a time
// through all pixels, so that with more all but the last pixel's are written
// before the second such block is read. What has one channel runs as CONV_2D.
func (l Library) depthwise(op *Operator, ref int64) (bytes int64, ok bool) {
	const block = 124
	x, y := &op.Inputs[0], &op.Output
	if l != MVE {
		return ref, true
	}
	if conv, ok := op.toConv(); ok {
		return l.conv(&conv)
	}
	if op.optimised() && x.dim(0) > block {
		return max(ref, (y.rows()-1)*x.dim(0)), true
	}
	return ref, true
}

// toConv is the CONV_2D that MVE makes of a depthwise one with one channel.
func (op *Operator) toConv() (conv Operator, ok bool) {
	filter := op.Inputs[1]
	filter.Shape = []int64{filter.Shape[3], filter.Shape[1], filter.Shape[2], 1}
	conv = Operator{Kind: "CONV_2D", Inputs: []Tensor{op.Inputs[0], filter}, Output: op.Output, Window: op.Window}
	return conv, op.Inputs[0].dim(0) == 1 && op.Output.dim(0) > 1
}

// optimised reports whether a DEPTHWISE_CONV_2D is of the common kind, which has
// code of its own.
func (op *Operator) optimised() bool {
	x, y := &op.Inputs[0], &op.Output
	return x.dim(0) == y.dim(0) && x.dim(3) == 1 && op.Window.Dilation == [2]int64{1, 1}
}
