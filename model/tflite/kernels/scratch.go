package kernels

import "memplan/model"

// Scratch is what the library asks for at an operator, in bytes by request, given
// what the reference kernel asks for: nothing else is known of kinds that the
// library leaves to it. The amounts are those of CMSIS-NN's own functions, as TFLM
// calls them, built for speed, which is its default: what depends on the filter
// alone is then no scratch. CMSISNN asks for as much as any of its builds.
func (l Library) Scratch(op *Operator, reference []int64) (requests []int64) {
	for _, build := range l.builds() {
		for k, bytes := range build.requests(op, reference) {
			if k == len(requests) {
				requests = append(requests, 0)
			}
			requests[k] = max(requests[k], bytes)
		}
	}
	return requests
}

// requests are those of one build. Operators that no kernel loads ask for nothing.
func (l Library) requests(op *Operator, reference []int64) []int64 {
	if l == Reference || !op.known() {
		return reference
	}
	x := &op.Inputs[0]
	narrow, wide := x.Type == "INT8", x.Type == "INT16"
	switch op.Kind {
	case "CONV_2D":
		if _, ok := op.pixels(); ok && (narrow || wide && op.wideBias()) {
			return positive(l.convScratch(op))
		}
	case "DEPTHWISE_CONV_2D":
		if _, ok := op.pixels(); ok && narrow {
			return positive(l.depthwiseScratch(op))
		}
	case "FULLY_CONNECTED":
		if narrow && len(op.Inputs) > 1 {
			return l.fullyConnectedScratch(op)
		}
	case "AVERAGE_POOL_2D":
		if (narrow || wide) && l.dsp() {
			return positive(model.SaturatingMul(4, op.Output.dim(0)))
		}
	case "BATCH_MATMUL":
		if narrow && l == MVE {
			return positive(model.SaturatingMul(4, op.Output.dim(0)))
		}
	case "UNIDIRECTIONAL_SEQUENCE_LSTM":
		if (narrow || wide) && len(reference) > 0 { // one of four gates is not kept
			return reference[1:]
		}
	case "TRANSPOSE_CONV":
		if len(op.Inputs) > 2 && op.Inputs[2].Type == "INT8" && min(op.Window.Stride[0], op.Window.Stride[1]) > 0 {
			return l.transposeScratch(op)
		}
	}
	return reference
}

// positive is one request, none where no bytes are needed.
func positive(bytes int64) []int64 {
	if bytes <= 0 {
		return nil
	}
	return []int64{bytes}
}

func (l Library) dsp() bool { return l == DSP || l == DSPArmclang }

// wideBias reports whether the bias of a convolution is one that CMSIS-NN takes on
// int16: of int64, or none.
func (op *Operator) wideBias() bool {
	return len(op.Inputs) < 3 || op.Inputs[2].Type == "" || op.Inputs[2].Type == "INT64"
}

// fourfold is four times n, that rounded up to a multiple.
func fourfold(n, multiple int64) int64 {
	n, ok := model.AlignUp(n, multiple)
	if !ok {
		return model.MaxBytes
	}
	return model.SaturatingMul(4, n)
}

// columnsScratch holds windows of n elements: two of int16, on MVE four of int8 in
// whole vectors.
func (l Library) columnsScratch(n int64) int64 {
	if l == MVE {
		return fourfold(n, 16)
	}
	return fourfold(n, 4)
}

// convScratch is arm_convolve_wrapper_s8_get_buffer_size, or _s16.
func (l Library) convScratch(op *Operator) int64 {
	x, w := &op.Inputs[0], op.window()
	n := model.SaturatingMul(w.Taps[0], w.Taps[1], x.dim(0))
	path := general
	if op.groups() == 1 {
		path = op.path()
	}
	switch {
	case x.Type == "INT16" && l == MVE:
		return model.SaturatingMul(2, fourfold(n, 8))
	case x.Type == "INT16":
		return model.SaturatingMul(4, n)
	case path == fast && l == DSPArmclang:
		return model.SaturatingMul(4, x.dim(0))
	case path == fast, path == strided:
		return 0
	case path == line && l == MVE:
		return l.lineScratch(op, n)
	}
	return l.columnsScratch(n)
}

// lineScratch is arm_convolve_1_x_n_s8_get_buffer_size_mve: the padded windows on
// the left, or those on the right.
func (l Library) lineScratch(op *Operator, n int64) int64 {
	in, out := op.Inputs[0].dim(0), op.Output.dim(1)
	left, right, pad, _ := op.sections()
	if left+right+max(0, out-left-right) != out {
		return l.columnsScratch(n)
	}
	after := pad
	if total := (out-1)*op.Window.Stride[1] + op.window().Taps[1] - op.Inputs[0].dim(1); total%2 != 0 {
		after = right
	}
	return max(model.SaturatingAdd(n, model.SaturatingMul(pad, in)), model.SaturatingAdd(n-in, model.SaturatingMul(after, in)))
}

// depthwiseScratch is arm_depthwise_conv_wrapper_s8_get_buffer_size, or _s4.
func (l Library) depthwiseScratch(op *Operator) int64 {
	x, y, w := &op.Inputs[0], &op.Output, op.window()
	half := op.Inputs[1].Type == "INT4"
	taps := model.SaturatingMul(w.Taps[0], w.Taps[1])
	if conv, ok := op.toConv(); ok && l == MVE && !half { // with the filter turned
		return model.SaturatingAdd(l.convScratch(&conv), model.SaturatingMul(y.dim(0), taps))
	}
	small := w.Taps == [2]int64{3, 3} && max(w.pad(0, x.dim(2), y.dim(2)), w.pad(1, x.dim(1), y.dim(1))) <= 1
	switch {
	case !op.optimised():
		return 0
	case l == MVE:
		return model.SaturatingMul(4*124, taps)
	case half || l.dsp() && !small:
		return model.SaturatingMul(2, x.dim(0), taps)
	}
	return 0
}

// fullyConnectedScratch: where it runs as a convolution and the filter has one
// scale for all channels, that is written out for each, with its shift.
func (l Library) fullyConnectedScratch(op *Operator) (requests []int64) {
	filter, out := &op.Inputs[1], op.Output.dim(0)
	switch {
	case filter.Type == "INT4":
		return nil
	case op.asConv():
		if !filter.PerChannel {
			requests = []int64{model.SaturatingMul(8, out)}
		}
		if l == DSPArmclang {
			requests = append(requests, model.SaturatingMul(4, filter.dim(0)))
		}
		return requests
	case l == MVE && !(filter.Constant && (len(op.Inputs) < 3 || op.Inputs[2].Type == "" || op.Inputs[2].Constant)):
		return positive(model.SaturatingMul(4, out))
	}
	return nil
}

// transposeScratch is arm_transpose_conv_s8_get_buffer_size, and the filter turned
// where it runs as a convolution of the input spread out. Its input is operand 2.
func (l Library) transposeScratch(op *Operator) []int64 {
	x, filter, y, stride := &op.Inputs[2], &op.Inputs[1], &op.Output, op.Window.Stride
	taps := [2]int64{filter.dim(2), filter.dim(1)}
	if max(stride[0], stride[1]) <= 2 && x.dim(0) > 16 {
		n := model.SaturatingMul(taps[0], taps[1], x.dim(0))
		return []int64{l.columnsScratch(n), model.SaturatingMul(n, filter.dim(3))}
	}
	width := model.SaturatingAdd(model.SaturatingMul(x.dim(1)-1, stride[1]), max(taps[1], stride[0]))
	return []int64{model.SaturatingMul(4, width, y.dim(0), max(taps[0], stride[0])), 0}
}
