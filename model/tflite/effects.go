package tflite

import "slices"

// effects keeps in the file's order what must keep it for another reason than a
// value. What ordered says holds between operators; the steps of one stay together,
// so nothing crosses an operator whose bodies are walked.
func (w *walk) effects() {
	first := len(w.graph.Ops) - len(w.ops)
	blocks := w.blocks()
	barrier := 0 // the last block of several steps, or the first of all
	for k, before := range w.ordered(blocks) {
		b := blocks[k]
		if b.to-b.from > 1 {
			for other := barrier; other < k; other++ {
				before = append(before, other)
			}
			barrier = k
		} else if blocks[barrier].to-blocks[barrier].from > 1 {
			before = append(before, barrier)
		}
		slices.Sort(before)
		for _, other := range slices.Compact(before) {
			op := &w.graph.Ops[first+b.from]
			op.After = append(op.After, first+blocks[other].to-1)
		}
		for i := b.from + 1; i < b.to; i++ {
			w.graph.Ops[first+i].After = []int{first + i - 1}
		}
	}
}

// ordered lists, for each block, those that it must come after for another reason
// than a value, and no more:
//
//   - nothing runs before the step of the inputs;
//   - those that touch a variable of the main subgraph, or a value that is written
//     more than once or not in the arena: what writes it comes after all that
//     touched it, what reads it after the last that wrote it;
//   - those that touch something else that they share, by their bodies too (see
//     uses), in the same way;
//   - what the file's metadata says of control dependencies.
func (w *walk) ordered(blocks []block) [][]int {
	h := &history{w: w, made: make(map[int]bool), tensors: make(map[int32]*touched), others: make(map[string]*touched), ran: make(map[int]int)}
	h.shared = w.shared()
	h.control, _ = w.f.controls() // Reordered refuses those that it cannot read
	first := len(w.graph.Ops) - len(w.ops)
	list := make([][]int, len(blocks))
	for k, b := range blocks {
		after := h.before(k, b)
		slices.Sort(after)
		list[k] = slices.Compact(after)
		for _, op := range w.graph.Ops[first+b.from : first+b.to] {
			for _, g := range op.Outputs {
				h.made[g] = true
			}
		}
	}
	return list
}

// A history is what ran before a block, in the file's order; blocks are named by
// their places in it.
type history struct {
	w       *walk
	shared  []bool // tensors of the main subgraph whose users must be told apart
	control []control
	made    map[int]bool // tensors of the graph that some step made
	tensors map[int32]*touched
	others  map[string]*touched
	world   touched     // all that has an effect, for those that may touch anything
	ran     map[int]int // each operator's block
}

// touched are the last blocks that something was touched by.
type touched struct {
	wrote []int // one, or none
	read  []int // since then
}

// reads has a block read what was touched, and returns what it must come after.
func (t *touched) reads(k int) []int {
	t.read = append(t.read, k)
	return t.wrote
}

// writes is reads for a block that writes.
func (t *touched) writes(k int) []int {
	after := append(t.wrote, t.read...)
	t.wrote, t.read = []int{k}, nil
	return after
}

// before lists the blocks that a block must come after, and notes it.
func (h *history) before(k int, b block) (after []int) {
	if b.op == absent {
		return nil
	}
	if begins := h.w.ops[0][0] != 0; begins && !h.follows(b) {
		after = append(after, 0)
	}
	op := &h.w.f.Subgraphs[0].Ops[b.op]
	after = append(after, h.operands(op, k)...)
	after = append(after, h.effect(op, k)...)
	h.ran[b.op] = k
	for _, c := range h.control {
		if from, ran := h.ran[c.from]; c.to == b.op && c.from != c.to && ran {
			after = append(after, from)
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
func (h *history) operands(op *Op, k int) (after []int) {
	touch := func(t int32, write bool) {
		if t < 0 || !h.shared[t] {
			return
		}
		if h.tensors[t] == nil {
			h.tensors[t] = &touched{}
		}
		if write || h.w.f.Subgraphs[0].Tensors[t].Variable {
			after = append(after, h.tensors[t].writes(k)...)
		} else {
			after = append(after, h.tensors[t].reads(k)...)
		}
	}
	for _, t := range op.Inputs {
		touch(t, false)
	}
	for _, t := range op.Outputs {
		touch(t, true)
	}
	return slices.DeleteFunc(after, func(other int) bool { return other == k })
}

// effect has an operator touch what is no tensor.
func (h *history) effect(op *Op, k int) (after []int) {
	list, anything := h.w.f.uses(op)
	if anything {
		return h.world.writes(k)
	}
	if len(list) > 0 {
		after = slices.Clone(h.world.reads(k))
	}
	for _, u := range list {
		t := h.others[u.name]
		if t == nil {
			t = &touched{}
			h.others[u.name] = t
		}
		if u.writes {
			after = append(after, t.writes(k)...)
		} else {
			after = append(after, t.reads(k)...)
		}
	}
	return after
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
