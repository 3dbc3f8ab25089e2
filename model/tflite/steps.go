package tflite

import (
	"errors"
	"fmt"
	"slices"

	"memplan/model/graph"
)

// subgraph walks subgraph s at the current step and those that follow, in the
// order of TFLM: the operators run, a body's inputs are made at a step before
// it, outputs last to the body's end.
func (w *walk) subgraph(s int) error {
	if slices.Contains(w.stack, s) {
		return fmt.Errorf("subgraph %d runs itself", s)
	}
	sub := &w.f.Subgraphs[s]
	if !w.ran[s] {
		if err := w.inOrder(s); err != nil {
			return err
		}
	}
	w.stack, w.ran[s] = append(w.stack, s), true
	w.budget -= len(sub.Inputs) + len(sub.Outputs)
	for k := range sub.Ops {
		op := &sub.Ops[k]
		if w.budget -= op.operands(); w.budget < 0 {
			return errors.New("the bodies of IF, WHILE and CALL_ONCE run from too many places")
		}
		w.open(op.Name(), s, k)
		w.touchAll(s, op.Outputs)
		own := len(w.graph.Ops)
		w.requests(s, k)
		if w.opt.Runtime != LiteRT { // there each subgraph has its own arena
			for i, body := range op.Bodies {
				w.open(fmt.Sprintf("%s body %d", op.Name(), i), absent, absent)
				w.touchAll(body, w.f.Subgraphs[body].Inputs)
				if err := w.subgraph(body); err != nil {
					return err
				}
			}
		}
		w.reads(s, op)
		if len(w.graph.Ops) > own {
			w.touchAll(s, op.Outputs)
			w.requests(s, k)
		} else {
			w.overlap(s, k)
		}
		w.view(s, op)
	}
	if len(w.stack) > 1 {
		w.touchAll(s, sub.Outputs)
	}
	w.stack = w.stack[:len(w.stack)-1]
	return nil
}

// inOrder reports what operators of a subgraph read before another makes it.
// Interpreters run them in the file's order, whatever they need.
func (w *walk) inOrder(s int) error {
	sub := &w.f.Subgraphs[s]
	maker := make([]int, len(sub.Tensors)) // the first, plus 1
	for k := len(sub.Ops) - 1; k >= 0; k-- {
		for _, t := range sub.Ops[k].Outputs {
			if t >= 0 {
				maker[t] = k + 1
			}
		}
	}
	for _, t := range sub.Inputs {
		if t >= 0 {
			maker[t] = 0
		}
	}
	var faults []error
	for k := range sub.Ops {
		for i, t := range sub.Ops[k].Inputs {
			if t < 0 || sub.Tensors[t].Variable || maker[t] <= k+1 || slices.Contains(sub.Ops[k].Inputs[:i], t) {
				continue
			}
			faults = append(faults, fmt.Errorf("subgraph %d: operator %d %s reads tensor %d %q before operator %d %s makes it",
				s, k, sub.Ops[k].Name(), t, sub.Tensors[t].Name, maker[t]-1, sub.Ops[maker[t]-1].Name()))
		}
	}
	return errors.Join(faults...)
}

// requests has the scratch of an operator live at the step.
func (w *walk) requests(s, k int) {
	if w.scratch == nil {
		return
	}
	for _, g := range w.scratch[s][k] {
		w.touch(g)
	}
}

// reads has the operands live at the step; what nothing has made is born before
// the first. An Ethos-U's scratch is made by nobody either, but it is of use at
// the step alone; only TFLM's own planner does not know.
func (w *walk) reads(s int, op *Op) {
	for _, g := range w.list(s, op.Inputs) {
		switch {
		case w.made[g]:
		case op.Custom == ethosU && w.rest != together:
			w.touch(g)
		case w.opt.Runtime == TFLM:
			w.note("%q is read, but nothing makes it", w.graph.Tensors[g].ID)
			w.made[g] = true
			w.before = append(w.before, g)
		default:
			w.note("%q is read, but nothing makes it", w.graph.Tensors[g].ID)
			w.give(g)
		}
		w.read(g)
	}
}

// view marks the output of a reshape as a view where it may share the input's
// bytes: both in the arena, equally large, and made here.
func (w *walk) view(s int, op *Op) {
	if !op.Kind.view() || w.opt.Runtime == LiteRT || w.opt.Runtime == TFLM && !w.opt.AliasViews {
		return
	}
	in, out := w.list(s, op.Inputs[:min(1, len(op.Inputs))]), w.list(s, op.Outputs)
	if len(in) != 1 || len(out) != 1 || in[0] == out[0] {
		return
	}
	from, to := &w.graph.Tensors[in[0]], &w.graph.Tensors[out[0]]
	here := slices.Contains(w.step().Outputs, out[0])
	if here && from.Kind == graph.Activation && to.Kind == graph.Activation && from.Bytes == to.Bytes {
		to.View = &graph.View{Of: in[0]}
	}
}

// finish adds what TFLM and LiteRT hold in the arena beyond what operators do.
func (w *walk) finish() error {
	switch w.opt.Runtime {
	case TFLM:
		if err := w.never(); err != nil {
			return err
		}
		w.graph.Ops = slices.Concat(w.first, w.graph.Ops)
	case LiteRT: // never freed: outputs, inputs, what nobody reads
		w.graph.Outputs = append(w.graph.Outputs, w.graph.Inputs...)
		read := make([]bool, len(w.graph.Tensors))
		for o := range w.graph.Ops {
			for _, g := range w.graph.Ops[o].Inputs {
				read[g] = true
			}
		}
		for o := range w.graph.Ops {
			for _, g := range w.graph.Ops[o].Outputs {
				if !read[g] {
					w.graph.Outputs = append(w.graph.Outputs, g)
				}
			}
		}
	}
	w.effects()
	if w.variables > 0 {
		w.note("%d variables, %d bytes, are kept apart, where their values last from run to run", w.variables, w.variableBytes)
	}
	for s := range w.f.Subgraphs {
		if !w.ran[s] {
			w.note("subgraph %d %q is not run by the main one", s, w.f.Subgraphs[s].Name)
		}
	}
	return nil
}

// never finds steps, before the others, for tensors that no step names.
func (w *walk) never() error {
	for g := range w.graph.Tensors {
		switch {
		case w.made[g] || w.rest == left:
		case g >= w.scratchFrom:
			return fmt.Errorf("%s: no such operator runs, and TFLM does not set what it then plans", w.graph.Tensors[g].ID)
		case w.rest == together:
			w.before = append(w.before, g)
		default:
			w.first = append(w.first, graph.Op{ID: fmt.Sprintf("never %d", len(w.first)), Outputs: []int{g}})
		}
	}
	if n := len(w.first); n > 0 {
		w.note("%d tensors are used by nothing that runs", n)
	}
	if len(w.before) > 0 {
		w.first = append(w.first, graph.Op{ID: "before", Outputs: w.before})
	}
	return nil
}
