package tflite

import "slices"

// effects keeps in the file's order what must keep it for another reason than a
// value, and no more:
//
//   - nothing runs before the step of the inputs;
//   - nothing crosses an operator whose bodies are walked, in either direction;
//   - those that touch a variable of the main subgraph, or a value that is written
//     more than once or not in the arena: what writes it comes after all that
//     touched it, what reads it after the last that wrote it;
//   - READ_VARIABLE and ASSIGN_VARIABLE of one resource, in the same way;
//   - random numbers and hash tables, among themselves;
//   - custom operators, and those that run bodies with effects, to all of the last
//     two kinds;
//   - what the file's metadata says of control dependencies.
func (w *walk) effects() {
	h := &history{w: w, barrier: absent, made: make(map[int]bool), tensors: make(map[int32]*touched), resources: make(map[string]*touched)}
	h.shared, h.handles = w.shared(), w.f.resources()
	h.control, _ = w.f.controls() // Reordered refuses those that it cannot read
	first := len(w.graph.Ops) - len(w.ops)
	for _, b := range w.blocks() {
		after := h.before(b)
		slices.Sort(after)
		for _, step := range slices.Compact(after) {
			op := &w.graph.Ops[first+b.from]
			op.After = append(op.After, first+step)
		}
		for i := b.from + 1; i < b.to; i++ {
			w.graph.Ops[first+i].After = []int{first + i - 1}
		}
		for _, op := range w.graph.Ops[first+b.from : first+b.to] {
			for _, g := range op.Outputs {
				h.made[g] = true
			}
		}
	}
}

// A block is the steps of an operator of the main subgraph, those of its bodies
// among them; op is absent for the step of the inputs.
type block struct{ op, from, to int }

func (w *walk) blocks() []block {
	var list []block
	for i, at := range w.ops {
		switch {
		case at[0] == 0:
			list = append(list, block{op: at[1], from: i})
		case i == 0:
			list = append(list, block{op: absent, from: i})
		}
		list[len(list)-1].to = i + 1
	}
	return list
}

// hidden stands for what is no resource: those have a zero byte in their names.
const hidden = ""

// A history is what ran before a block, in the file's order.
type history struct {
	w         *walk
	shared    []bool           // tensors of the main subgraph whose users must be told apart
	handles   map[int32]string // the resource that each handle is of
	control   []control
	barrier   int          // the last step that nothing crosses; absent
	since     []int        // the last steps of the blocks after it
	made      map[int]bool // tensors of the graph that some step made
	tensors   map[int32]*touched
	resources map[string]*touched
	world     touched     // all that has an effect, for those that may touch anything
	ends      map[int]int // the last step of each operator's block
}

// touched are the last steps that something was touched at.
type touched struct {
	wrote []int // one, or none
	read  []int // since then
}

// reads has a step read what was touched, and returns what it must come after.
func (t *touched) reads(step int) []int {
	t.read = append(t.read, step)
	return t.wrote
}

// writes is reads for a step that writes.
func (t *touched) writes(step int) []int {
	after := append(t.wrote, t.read...)
	t.wrote, t.read = []int{step}, nil
	return after
}

// before lists the steps that a block must come after, and notes the block.
func (h *history) before(b block) (after []int) {
	last := b.to - 1
	if h.barrier != absent && !(h.barrier == 0 && h.follows(b)) {
		after = append(after, h.barrier)
	}
	if h.since = append(h.since, last); b.op == absent || b.to-b.from > 1 {
		after = append(after, h.since[:len(h.since)-1]...)
		h.barrier, h.since = last, nil
	}
	if b.op == absent {
		return after
	}
	op := &h.w.f.Subgraphs[0].Ops[b.op]
	after = append(after, h.operands(op, last)...)
	after = append(after, h.effect(op, last)...)
	if h.ends == nil {
		h.ends = make(map[int]int)
	}
	h.ends[b.op] = last
	for _, c := range h.control {
		if end, ran := h.ends[c.from]; c.to == b.op && c.from != c.to && ran {
			after = append(after, end)
		}
	}
	return after
}

// follows reports whether a block reads what another made, and so comes after the
// inputs anyway.
func (h *history) follows(b block) bool {
	step := &h.w.graph.Ops[len(h.w.graph.Ops)-len(h.w.ops)+b.from]
	return slices.ContainsFunc(step.Inputs, func(g int) bool { return h.made[g] })
}

// operands has an operator touch those of its operands that are shared.
func (h *history) operands(op *Op, step int) (after []int) {
	touch := func(t int32, write bool) {
		if t < 0 || !h.shared[t] {
			return
		}
		if h.tensors[t] == nil {
			h.tensors[t] = &touched{}
		}
		if write || h.w.f.Subgraphs[0].Tensors[t].Variable {
			after = append(after, h.tensors[t].writes(step)...)
		} else {
			after = append(after, h.tensors[t].reads(step)...)
		}
	}
	for _, t := range op.Inputs {
		touch(t, false)
	}
	for _, t := range op.Outputs {
		touch(t, true)
	}
	return slices.DeleteFunc(after, func(other int) bool { return other == step })
}

// effect has an operator touch what is no tensor.
func (h *history) effect(op *Op, step int) []int {
	kind, name, known := op.Kind.effect(), "", false
	if kind == onResource && len(op.Inputs) > 0 {
		name, known = h.handles[op.Inputs[0]]
	}
	switch {
	case kind == none && !h.w.f.effectful(op, 0):
		return nil
	case kind == none, kind == onAnything, kind == onResource && !known:
		return h.world.writes(step)
	case kind == onHidden:
		name = hidden
	}
	r := h.resources[name]
	if r == nil {
		r = &touched{}
		h.resources[name] = r
	}
	if op.Kind == readVariable {
		return slices.Concat(h.world.reads(step), r.reads(step))
	}
	return slices.Concat(h.world.reads(step), r.writes(step))
}

// shared tells which tensors of the main subgraph are variables, are written more
// than once, or are values outside the arena, such as handles.
func (w *walk) shared() []bool {
	main := &w.f.Subgraphs[0]
	writers := make([]int, len(main.Tensors))
	for _, t := range main.Inputs {
		writers[t]++
	}
	for k := range main.Ops {
		for _, t := range main.Ops[k].Outputs {
			writers[t]++
		}
	}
	shared := make([]bool, len(main.Tensors))
	for t := range shared {
		shared[t] = main.Tensors[t].Variable || writers[t] > 1 || writers[t] > 0 && w.index[w.number(0, int32(t))] == absent
	}
	return shared
}

// resources names what each handle of the main subgraph is of.
func (f *File) resources() map[int32]string {
	names := make(map[int32]string)
	for k := range f.Subgraphs[0].Ops {
		if op := &f.Subgraphs[0].Ops[k]; op.Kind == varHandle && len(op.Outputs) > 0 {
			names[op.Outputs[0]] = op.resource
		}
	}
	return names
}

// effectful reports whether bodies that an operator runs, so many levels down,
// have effects.
func (f *File) effectful(op *Op, depth int) bool {
	if depth > len(f.Subgraphs) {
		return true // one that runs itself
	}
	for _, body := range op.Bodies {
		for k := range f.Subgraphs[body].Ops {
			if o := &f.Subgraphs[body].Ops[k]; o.Kind.effect() != none || f.effectful(o, depth+1) {
				return true
			}
		}
		if slices.ContainsFunc(f.Subgraphs[body].Tensors, func(t Tensor) bool { return t.Variable }) {
			return true
		}
	}
	return false
}
