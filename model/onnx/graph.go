package onnx

import (
	"errors"
	"fmt"
	"slices"

	"memplan/model/graph"
)

// Graph makes a graph of the model. The notes say what was left out. Where sizes
// are not known the error is a *ShapeError.
func (m *Model) Graph(name string, opt Options) (*graph.Graph, []string, error) {
	s, err := newSizer(m, opt)
	if err != nil {
		return nil, nil, err
	}
	w := &walk{sizer: s, graph: &graph.Graph{Name: name, Dims: s.dims}, index: make(map[string]int), maker: make(map[string]int), lists: make(map[string]*constant), unsized: make(map[string]bool)}
	w.weights()
	for _, input := range m.given() {
		if err := w.input(input); err != nil {
			return nil, nil, err
		}
	}
	for k := range m.main.nodes {
		w.declare(k)
	}
	for k := range m.main.nodes {
		w.node(k)
	}
	w.outputs()
	w.drop()
	if err := w.finish(); err != nil {
		return nil, nil, err
	}
	return w.graph, w.notes, nil
}

// A walk goes through a model's nodes and builds the graph.
type walk struct {
	*sizer
	graph   *graph.Graph
	index   map[string]int // the graph's tensor of each value
	maker   map[string]int // the node that makes each value
	used    map[string]bool
	folded  int             // nodes
	inside  int             // nodes that run bodies
	unknown []string        // values of unknown size
	unsized map[string]bool // constants of unknown size
	ops     map[string]int
	lists   map[string]*constant // short lists of numbers, by name
	faults  []error
	notes   []string
}

const maxFaults = 20 // that are reported

func (w *walk) fault(format string, args ...any) {
	if len(w.faults) < maxFaults {
		w.faults = append(w.faults, fmt.Errorf(format, args...))
	}
}

// add gives the graph a tensor.
func (w *walk) add(t graph.Tensor) {
	if _, twice := w.index[t.ID]; twice {
		w.fault("value %q is made twice", t.ID)
		return
	}
	w.index[t.ID] = len(w.graph.Tensors)
	w.graph.Tensors = append(w.graph.Tensors, t)
}

// weights are the initializers.
func (w *walk) weights() {
	for _, c := range w.m.main.constants {
		w.constant(c.name, &c)
	}
}

// constant is a tensor that is in the file.
func (w *walk) constant(name string, c *constant) {
	shape := graph.Shape{Bits: c.kind.bits()}
	for _, n := range c.dims {
		shape.Extents = append(shape.Extents, graph.Extent{Size: n})
	}
	bytes, err := shape.Bytes(nil)
	if err != nil {
		w.fault("constant %q: %w", name, err)
	}
	if len(c.ints) > 0 {
		w.lists[name] = c
	}
	w.add(graph.Tensor{ID: name, Bytes: bytes, Kind: graph.Weight})
}

// input is a value that the caller gives.
func (w *walk) input(name string) error {
	if _, twice := w.index[name]; twice {
		return fmt.Errorf("input %q is there twice", name)
	}
	w.graph.Inputs = append(w.graph.Inputs, len(w.graph.Tensors))
	w.value(name, graph.Activation)
	return nil
}

// value gives the graph a value that is made when the model runs, or folded.
func (w *walk) value(name string, kind graph.Kind) {
	shape, err := w.size(name)
	t := graph.Tensor{ID: name, Kind: kind}
	switch {
	case err != nil:
		w.fault("%w", err)
	case shape != nil:
		most := make([]int64, len(w.dims))
		for k, d := range w.dims {
			most[k] = d.Max
		}
		if t.Bytes, err = shape.Bytes(most); err != nil {
			w.fault("value %q: %w", name, err)
		}
		if slices.ContainsFunc(shape.Extents, func(e graph.Extent) bool { return e.Dim > 0 }) {
			t.Shape = shape
		}
	case kind == graph.Activation:
		w.unknown = append(w.unknown, name)
	default:
		w.unsized[name] = true
	}
	w.add(t)
}

// declare gives the graph what a node makes.
func (w *walk) declare(k int) {
	n := &w.m.main.nodes[k]
	if n.op == "Constant" && n.domain == "" && len(n.outputs) > 0 && n.value != nil {
		w.folded++
		w.constant(n.outputs[0], n.value)
		return
	}
	kind := graph.Activation
	if w.folds(n) {
		w.folded++
		kind = graph.Weight
	}
	for i, out := range n.outputs {
		if out == "" || i > 0 && optional[n.op] && !w.uses(out) {
			continue
		}
		if w.value(out, kind); kind == graph.Weight {
			w.filled(n, out)
			continue
		}
		w.maker[out] = k
	}
}

// folds reports whether what a node makes is constant.
func (w *walk) folds(n *node) bool {
	if n.op == "Constant" && n.domain == "" {
		return true
	}
	if random[n.op] || len(n.inputs) == 0 || len(n.bodies) > 0 {
		return false
	}
	for _, in := range n.inputs {
		if in == "" {
			continue
		}
		t, ok := w.index[in]
		if !ok || w.graph.Tensors[t].Kind != graph.Weight {
			return false
		}
	}
	return true
}

// filled gives a folded ConstantOfShape the size that its input says.
func (w *walk) filled(n *node, out string) {
	t := &w.graph.Tensors[w.index[out]]
	if n.op != "ConstantOfShape" || t.Bytes > 0 {
		return
	}
	c := w.lists[n.inputs[0]]
	if c == nil {
		return
	}
	shape := graph.Shape{Bits: 32} // a float where no value says otherwise
	if n.value != nil {
		shape.Bits = n.value.kind.bits()
	}
	for _, size := range c.ints {
		shape.Extents = append(shape.Extents, graph.Extent{Size: size})
	}
	if bytes, err := shape.Bytes(nil); err == nil {
		t.Bytes = bytes
	}
}

// uses reports whether any node reads a value, or the caller.
func (w *walk) uses(name string) bool {
	if w.used == nil {
		w.used = make(map[string]bool)
		for k := range w.m.main.nodes {
			for _, in := range w.m.main.nodes[k].reads() {
				w.used[in] = true
			}
		}
		for _, out := range w.m.main.outputs {
			w.used[out] = true
		}
	}
	return w.used[name]
}

// reads are the values that a node reads: its inputs, and what its bodies name
// of those outside.
func (n *node) reads() []string {
	var list []string
	for _, in := range n.inputs {
		if in != "" {
			list = append(list, in)
		}
	}
	for _, b := range n.bodies {
		list = append(list, b.captures()...)
	}
	return list
}

// captures are the values that a body reads and does not make.
func (b *body) captures() (list []string) {
	own := make(map[string]bool)
	for _, c := range b.constants {
		own[c.name] = true
	}
	for _, in := range b.inputs {
		own[in] = true
	}
	for k := range b.nodes {
		for _, out := range b.nodes[k].outputs {
			own[out] = true
		}
	}
	seen := make(map[string]bool)
	take := func(names []string) {
		for _, name := range names {
			if !own[name] && !seen[name] {
				seen[name] = true
				list = append(list, name)
			}
		}
	}
	for k := range b.nodes {
		take(b.nodes[k].reads())
	}
	take(b.outputs)
	return list
}

// node gives the graph an operator.
func (w *walk) node(k int) {
	n := &w.m.main.nodes[k]
	op := graph.Op{ID: w.opName(k)}
	seen := make(map[int]bool)
	for _, in := range n.reads() {
		t, ok := w.index[in]
		if !ok {
			w.fault("node %q reads %q, which nothing makes", op.ID, in)
			return
		}
		if !seen[t] {
			seen[t] = true
			op.Inputs = append(op.Inputs, t)
		}
	}
	for _, out := range n.outputs {
		if made, ok := w.maker[out]; ok && made == k {
			op.Outputs = append(op.Outputs, w.index[out])
		}
	}
	if len(op.Outputs) == 0 && w.constantOp(n) {
		return
	}
	if len(n.bodies) > 0 {
		w.inside++
	}
	if views[n.op] && n.domain == "" && len(n.inputs) > 0 && len(op.Outputs) > 0 {
		of := w.index[n.inputs[0]]
		if t := &w.graph.Tensors[op.Outputs[0]]; w.graph.Tensors[of].Kind != graph.Weight && t.Bytes == w.graph.Tensors[of].Bytes {
			t.View = &graph.View{Of: of}
		}
	}
	w.graph.Ops = append(w.graph.Ops, op)
}

// constantOp reports whether a node was folded away.
func (w *walk) constantOp(n *node) bool {
	for _, out := range n.outputs {
		if t, ok := w.index[out]; ok && w.graph.Tensors[t].Kind == graph.Weight {
			return true
		}
	}
	return false
}

// opName is what a node is called: by its name where no other has it, else by
// what it does and its number.
func (w *walk) opName(k int) string {
	nodes := w.m.main.nodes
	if w.ops == nil {
		w.ops = make(map[string]int)
		for i := range nodes {
			w.ops[nodes[i].name]++
		}
	}
	if name := nodes[k].name; name != "" && w.ops[name] == 1 {
		return name
	}
	name := fmt.Sprintf("%d:%s", k, nodes[k].op)
	for w.ops[name] > 0 {
		name += "'"
	}
	return name
}

// outputs are the values that the caller reads.
func (w *walk) outputs() {
	for _, out := range w.m.main.outputs {
		t, ok := w.index[out]
		switch {
		case !ok:
			w.fault("output %q: nothing makes it", out)
		case w.graph.Tensors[t].Kind != graph.Weight:
			w.graph.Outputs = append(w.graph.Outputs, t)
		}
	}
}

// drop leaves out constants that only folded nodes read: when the model runs they
// are not needed.
func (w *walk) drop() {
	g := w.graph
	keep := make([]bool, len(g.Tensors))
	lists := [][]int{g.Inputs, g.Outputs}
	for k := range g.Ops {
		lists = append(lists, g.Ops[k].Inputs, g.Ops[k].Outputs)
	}
	for _, list := range lists {
		for _, t := range list {
			keep[t] = true
		}
	}
	kept := g.Tensors[:0]
	number := make([]int, len(g.Tensors))
	for t := range number {
		if number[t] = len(kept); keep[t] || g.Tensors[t].Kind != graph.Weight {
			kept = append(kept, g.Tensors[t])
		}
	}
	g.Tensors = kept
	for _, list := range lists {
		for k := range list {
			list[k] = number[list[k]]
		}
	}
	for t := range kept {
		if v := kept[t].View; v != nil {
			v.Of = number[v.Of]
		}
	}
}

// finish reports the faults, or what is not known, and takes the notes.
func (w *walk) finish() error {
	if len(w.faults) > 0 {
		return errors.Join(w.faults...)
	}
	if len(w.unknown) > 0 {
		return w.shapeError()
	}
	if w.folded > 0 {
		w.notes = append(w.notes, fmt.Sprintf("%d nodes whose inputs are all constant are folded away", w.folded))
	}
	for _, t := range w.graph.Tensors {
		if w.unsized[t.ID] && t.Bytes == 0 {
			w.notes = append(w.notes, fmt.Sprintf("the size of the constant %q is not known: it is not counted among the weights", t.ID))
		}
	}
	if w.inside > 0 {
		w.notes = append(w.notes, fmt.Sprintf("%d nodes run bodies: what those make inside is not planned", w.inside))
	}
	if err := w.graph.Validate(); err != nil {
		return err
	}
	return nil
}

func (w *walk) shapeError() error {
	e := &ShapeError{Value: w.unknown[0], More: len(w.unknown) - 1, shapes: make(map[string][]int64)}
	known := len(w.m.main.values) - len(w.m.main.inputs) - len(w.m.main.outputs)
	e.inferred = known > len(w.unknown) // what inference knows, and what not
	if k, made := w.maker[e.Value]; made {
		e.Op = w.opName(k)
	}
	for _, input := range w.m.given() {
		i := w.m.main.values[input]
		if slices.Contains(w.unknown, input) {
			e.inputs = append(e.inputs, input+i.String())
			continue
		}
		if slices.ContainsFunc(i.dims, func(d dim) bool { return d.size < 0 }) || len(w.opt.Shapes[input]) > 0 {
			if shape, err := w.size(input); err == nil && shape != nil {
				e.resolve(input, shape)
			}
		}
	}
	return e
}

// resolve has the command set an input's shape, where it is all numbers.
func (e *ShapeError) resolve(input string, shape *graph.Shape) {
	var sizes []int64
	for _, x := range shape.Extents {
		if x.Dim > 0 {
			return
		}
		sizes = append(sizes, x.Size)
	}
	e.shapes[input] = sizes
}
