package kernels

import "slices"

// An axis is a loop of a kernel over positions of the output, each of which reads
// the input from some position on: the first, ascending within a few pieces.
// Loops are nested, so that every position of the outer one takes all of the
// inner ones, in bytes up; down is the bytes between input positions.
type axis struct {
	outputs, up, down int64
	first             func(o int64) (i int64, reads bool)
	knots             []int64 // positions among which o*up - first(o)*down is greatest, and first(o) least; besides 1 and the last
}

// most is the greatest o*up - first(o)*down of positions from one on.
func (a *axis) most(from int64) (bytes int64, reads bool) {
	for _, o := range slices.Concat(a.knots, []int64{from, a.outputs - 1}) {
		if o < from || o >= a.outputs {
			continue
		}
		if i, ok := a.first(o); ok && (!reads || o*a.up-i*a.down > bytes) {
			bytes, reads = o*a.up-i*a.down, true
		}
	}
	return bytes, reads
}

// least is the lowest address that any position reads.
func (a *axis) least() (bytes int64, reads bool) {
	for _, o := range slices.Concat(a.knots, []int64{0, a.outputs - 1}) {
		if o < 0 || o >= a.outputs {
			continue
		}
		if i, ok := a.first(o); ok && (!reads || i*a.down < bytes) {
			bytes, reads = i*a.down, true
		}
	}
	return bytes, reads
}

// lead is that of a kernel of nested loops, the outermost first, which writes each
// element of the output once it has read all that it depends on.
//
// For two positions of the innermost loop, the one written before the other is
// read, there is an outermost loop at which they differ. In the loops above it
// they are at the same position; in that one the second is at least one further;
// in those below the first may be at the last position, so that all of what the
// position takes is written, and the second anywhere. So all loops' greatest
// differences add up. Cost: linear in the knots.
func lead(axes ...axis) int64 {
	var below int64
	for k := range axes {
		least, reads := axes[k].least()
		if !reads {
			return 0 // nothing is read
		}
		below += least
	}
	var above, most int64
	for k := range axes {
		a := &axes[k]
		least, _ := a.least()
		below -= least
		if ahead, reads := a.most(1); reads {
			most = max(most, above+ahead-below)
		}
		here, _ := a.most(0)
		above += here
	}
	return most
}

// each is a loop of which position o reads position o.
func each(n, up, down int64) axis {
	return axis{outputs: n, up: up, down: down, first: func(o int64) (int64, bool) { return o, true }}
}

// grouped is a loop over n channels of which each group of so many reads its own
// input channels, step bytes apart.
func grouped(n, each, up, step int64) axis {
	return axis{n, up, step, func(o int64) (int64, bool) { return o / each, true }, []int64{each - 1, each}}
}

// maxKnots is how many positions are looked at of those whose windows begin in
// the padding.
const maxKnots = 1 << 12

// sliding is a loop over windows on a row of inputs. The first tap that is not
// padding is what a position reads from: within the padding that is one of the
// first few inputs, beyond it the positions follow each other by the stride.
// False when inputs and outputs do not fit together.
func sliding(w Window, dir int, inputs, outputs, up, down int64) (axis, bool) {
	taps, stride, dilation := w.Taps[dir], w.Stride[dir], w.Dilation[dir]
	if taps < 1 || stride < 1 || dilation < 1 || max(taps, stride, dilation) > maxStep {
		return axis{}, false
	}
	want := (inputs - w.span(dir) + stride) / stride
	if w.Same {
		want = (inputs + stride - 1) / stride
	}
	pad := w.pad(dir, inputs, outputs)
	if outputs != want || (pad+stride-1)/stride > maxKnots {
		return axis{}, false
	}
	first := func(o int64) (int64, bool) {
		at := o*stride - pad
		tap := max(0, dilation-1-at) / dilation // rounded up
		at += tap * dilation
		return at, tap < taps && at < inputs
	}
	a := axis{outputs: outputs, up: up, down: down, first: first}
	for o := range (pad+stride-1)/stride + 1 {
		a.knots = append(a.knots, o)
	}
	return a, true
}

// span is how many rows or columns a window reaches over.
func (w *Window) span(dir int) int64 { return (w.Taps[dir]-1)*w.Dilation[dir] + 1 }

// pad is how many rows or columns of padding lie before the input.
func (w *Window) pad(dir int, inputs, outputs int64) int64 {
	if !w.Same {
		return 0
	}
	return max(0, (outputs-1)*w.Stride[dir]+w.span(dir)-inputs) / 2
}

// passes is a kernel's several passes over the same input: of the output so many
// bytes are written before the last begins.
func passes(written int64) axis {
	return axis{outputs: 2, up: written, first: func(int64) (int64, bool) { return 0, true }}
}

// begins is a loop over n positions of which every so many between two places
// begin a block: the block's window on the input begins with that of its first.
func begins(n, up, down, from, to, every, stride, pad int64) axis {
	first := func(o int64) (int64, bool) {
		return max(0, o*stride-pad), o >= from && o < to && (o-from)%every == 0
	}
	return axis{n, up, down, first, []int64{from, from + every, from + (to-1-from)/every*every}}
}
