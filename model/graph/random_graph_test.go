package graph_test

import (
	"fmt"
	"strconv"
	"strings"

	"memplan/internal/access"
	"memplan/model"
	"memplan/model/graph"
	"memplan/model/schedule"
	"memplan/model/tflite/kernels"

	"pgregory.net/rapid"
)

// builder draws a random graph, small and full of what goes wrong.
type builder struct {
	*rapid.T
	g *graph.Graph
	// values that can be read, in the order in which they were made
	ready []int
	// one in so many operators has a kernel of which more is known
	kernels int
}

func randomGraph(t *rapid.T) *graph.Graph {
	b := &builder{T: t, g: &graph.Graph{Name: "random"}, kernels: 10}
	if b.chance(4) {
		b.kernels = 2
	}
	if b.chance(4) {
		b.g.Spaces = []graph.Space{{ID: "near"}, {ID: "far"}}
		if b.chance(2) {
			b.g.Spaces[0].Capacity = b.number(1, 40)
		}
		if b.chance(3) {
			b.g.Spaces[1].Reserved = []model.Interval{{Start: 2, End: 5}}
		}
	}
	for range b.number(1, 3) {
		b.g.Inputs = append(b.g.Inputs, b.value(b.number(0, 6), graph.Activation))
	}
	for range b.number(0, 2) {
		b.value(b.number(1, 4), graph.Weight)
	}
	if b.chance(3) {
		b.value(b.number(1, 4), []graph.Kind{graph.Variable, graph.Mutable}[b.number(0, 1)])
	}
	for range b.number(0, 9) {
		b.op()
	}
	for range b.number(0, 3) {
		b.g.Outputs = append(b.g.Outputs, b.pick())
	}
	b.fuse()
	return b.g
}

func (b *builder) number(low, high int) int64 {
	return int64(rapid.IntRange(low, high).Draw(b.T, "n"))
}

func (b *builder) chance(n int) bool { return b.number(1, n) == 1 }

func (b *builder) pick() int { return b.ready[b.number(0, len(b.ready)-1)] }

func (b *builder) value(bytes int64, kind graph.Kind) int {
	t := len(b.g.Tensors)
	x := graph.Tensor{ID: fmt.Sprint("t", t), Bytes: bytes, Kind: kind}
	if b.chance(4) {
		x.Align = b.number(1, 4)
	}
	if len(b.g.Spaces) > 0 {
		x.Spaces = [][]int{nil, {0}, {1}, {0, 1}, {1, 0}}[b.number(0, 4)]
	}
	b.g.Tensors = append(b.g.Tensors, x)
	b.ready = append(b.ready, t)
	return t
}

// slices draws a base that operators write piece by piece.
func (b *builder) slices() {
	base := b.value(b.number(1, 8), graph.Activation)
	hidden := len(b.ready) - 1
	b.ready = b.ready[:hidden]
	pieces := []int{base}
	at := int64(0)
	for at < b.g.Tensors[base].Bytes {
		size := b.number(1, int(b.g.Tensors[base].Bytes-at))
		inputs := []int{b.pick(), b.pick()}
		piece := b.value(size, graph.Activation)
		b.ready = b.ready[:len(b.ready)-1]
		b.g.Tensors[piece].View = &graph.View{Of: base, Offset: at}
		b.g.Tensors[piece].Align, b.g.Tensors[piece].Spaces = 1, b.g.Tensors[base].Spaces
		b.g.Ops = append(b.g.Ops, graph.Op{ID: fmt.Sprint("op", len(b.g.Ops)), Inputs: inputs, Outputs: []int{piece}, InPlace: [][2]int{{inputs[0], piece}}, Elementwise: b.chance(2)})
		pieces = append(pieces, piece)
		if b.chance(2) {
			b.ready = append(b.ready, piece) // read before the base is whole
		}
		at += size
	}
	if len(pieces) > 1 {
		b.ready = append(b.ready, pieces...)
	}
}

// result is a value that becomes ready with its operator.
func (b *builder) op() {
	if b.chance(8) {
		b.slices()
		return
	}
	if b.chance(b.kernels) {
		b.kernel()
		return
	}
	o := graph.Op{ID: fmt.Sprint("op", len(b.g.Ops)), Elementwise: b.chance(2)}
	for range b.number(1, 3) {
		o.Inputs = append(o.Inputs, b.pick())
	}
	x := o.Inputs[0]
	switch b.number(0, 5) {
	case 0: // a view of its first operand, or of something else
		base := x
		if b.chance(6) {
			base = b.pick()
		}
		if b.g.Tensors[base].Bytes == 0 {
			return
		}
		offset := b.number(0, int(b.g.Tensors[base].Bytes-1))
		v := b.value(b.number(1, int(b.g.Tensors[base].Bytes-offset)), graph.Activation)
		b.g.Tensors[v].View = &graph.View{Of: base, Offset: offset}
		if b.chance(3) { // no operator makes it, so none could copy it
			b.g.Tensors[v].Align, b.g.Tensors[v].Spaces = 1, b.g.Tensors[base].Spaces
			return
		}
		o.Outputs = []int{v}
		if m := (&meaning{g: b.g}); base != x && m.bare(base) >= 0 { // it would write bytes that others write
			o.Inputs = append(o.Inputs, base)
		}
	case 1:
		o.Layout = graph.Concat
		sum := int64(0)
		for _, t := range o.Inputs {
			sum += b.g.Tensors[t].Bytes
		}
		o.Outputs = []int{b.value(sum, graph.Activation)}
	case 2:
		o.Layout = graph.Split
		cut := b.number(0, int(b.g.Tensors[x].Bytes))
		o.Outputs = []int{b.value(cut, graph.Activation), b.value(b.g.Tensors[x].Bytes-cut, graph.Activation)}
	default:
		for range b.number(1, 2) {
			y := b.value(b.number(0, 6), graph.Activation)
			o.Outputs = append(o.Outputs, y)
			if b.chance(2) {
				b.g.Tensors[y].Bytes = b.g.Tensors[x].Bytes
			}
			for _, i := range o.Inputs {
				if b.chance(2) {
					o.InPlace = append(o.InPlace, [2]int{i, y})
				}
			}
		}
	}
	for t := range b.g.Tensors { // states, read and written, or written alone
		if b.g.Tensors[t].Kind.Rewritten() && b.chance(4) {
			o.Outputs = append(o.Outputs, t)
			if o.Layout == graph.Concat {
				o.Layout = graph.Apart
			}
			if b.chance(2) {
				o.Inputs = append(o.Inputs, t)
			}
		}
	}
	if b.chance(5) {
		o.Scratch = []int64{b.number(0, 3), b.number(1, 3)}
	}
	if n := len(b.g.Ops); n > 0 && b.chance(6) {
		o.After = []int{int(b.number(0, n-1))}
	}
	b.g.Ops = append(b.g.Ops, o)
}

// kernel draws an operator that reads and writes in a known order, and the one that
// makes its first operand.
func (b *builder) kernel() {
	id := fmt.Sprintf("op%d kernel %d", len(b.g.Ops)+1, b.number(0, 1<<30))
	op, trace, _ := kernelOf(id)
	x := b.value(bytesOf(&op.Inputs[0]), graph.Activation)
	b.g.Ops = append(b.g.Ops, graph.Op{ID: fmt.Sprint("op", len(b.g.Ops)), Inputs: []int{b.ready[0]}, Outputs: []int{x}})
	y := b.value(bytesOf(&op.Output), graph.Activation)
	b.g.Tensors[x].Align, b.g.Tensors[y].Align = 1, 1
	o := graph.Op{ID: id, Inputs: []int{x}, Outputs: []int{y}, Overlap: []graph.Lead{{Under: x, Over: y, Bytes: trace.Lead()}}}
	if other := b.pick(); other != x && other != y && b.chance(2) {
		o.Inputs = append(o.Inputs, other)
	}
	b.g.Ops = append(b.g.Ops, o)
}

// kernelOf is the kernel that an operator's name draws, and what it does.
func kernelOf(id string) (op *kernels.Operator, trace access.Trace, known bool) {
	_, number, known := strings.Cut(id, " kernel ")
	if !known {
		return nil, nil, false
	}
	seed, err := strconv.ParseInt(number, 10, 64)
	if err != nil {
		panic(err)
	}
	for ; ; seed += 1 << 31 {
		d := access.Draw(seed)
		if op, trace = d.Operator(), nil; seed%2 == 0 {
			trace = access.Reference(op)
		} else if op = d.CMSIS(); op.Kind != "CONV_2D" || op.Inputs[0].Shape[3] == op.Inputs[1].Shape[3] {
			trace = access.CMSIS([]kernels.Library{kernels.Scalar, kernels.DSP, kernels.MVE}[d.Intn(3)], op)
		}
		if x, y := bytesOf(&op.Inputs[0]), bytesOf(&op.Output); trace != nil && x <= 60 && y <= 60 {
			return op, trace, true
		}
	}
}

func bytesOf(t *kernels.Tensor) int64 {
	n := t.Width
	for _, d := range t.Shape {
		n *= d
	}
	return n
}

// fuse draws groups of operators, whether they can be fused or not.
func (b *builder) fuse() {
	if len(b.g.Ops) < 2 || !b.chance(2) {
		return
	}
	groups := make([][]int, 3)
	for o := range b.g.Ops {
		if k := b.number(0, 4); k < 3 {
			groups[k] = append(groups[k], o)
		}
	}
	b.g.Fuse = groups
}

func randomOptions(t *rapid.T) graph.LowerOptions {
	pick := func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "option") }
	return graph.LowerOptions{
		Schedule: schedule.Kind(pick(5)), Fuse: graph.FuseKind(pick(3)), CopyViews: pick(4) == 0, Concat: pick(2) == 0,
		Inputs: graph.Custody(pick(3)), Outputs: graph.Custody(pick(3)),
	}
}
