package tflite

import (
	"errors"
	"fmt"
	"math"

	"memplan/model"
	"memplan/model/graph"
	"memplan/model/tflite/kernels"
)

// An Arena is the head of TFLM's arena for one file: what is to be placed
// there, and what TFLM makes of a plan. Files on which a plan would go wrong
// have been refused.
type Arena struct {
	Instance *model.Instance // what to plan; with AliasViews, views may lie on their inputs, by pairs or because it costs nothing
	Apart    *model.Instance // each tensor and request a buffer of its own: what a Layout is of
	Tensors  int             // the first buffers of Apart are tensors, the others scratch
	Notes    []string        // what is not as one might think

	file   *File
	open   *graph.Lowered  // Instance is its open arena, Apart its values
	seen   *model.Instance // Apart with the lifetimes of TFLM's own planner
	apart  []int           // by tensor over all subgraphs: index in Apart, or absent
	shared []int           // by buffer of Apart: the first of the values that it is the bytes of
	reads  [][]int64       // by buffer of Apart: the steps at which it is read
	ops    [][2]int        // subgraph and operator of each of TFLM's steps
	shift  int             // steps of Apart before TFLM's first
	asks   Scratch         // what kernels ask for
	pairs  []model.Pair    // of Apart: outputs and the inputs that they may lie over

	overlaps []Overlap       // the same in the file's numbers
	kernels  kernels.Library // that let them
	kept     []int           // buffers of Apart that are live to the end, against TFLM's own ways: inputs that are kept
}

// Arena works out TFLM's arena for the file. The runtime of opt is ignored.
func (f *File) Arena(opt Options) (*Arena, error) {
	opt.Runtime = TFLM
	if err := f.plannable(opt.Scratch != nil); err != nil {
		return nil, err
	}
	w, l, err := f.lower(opt, apart)
	if err != nil {
		return nil, err
	}
	a := &Arena{file: f, kernels: opt.Kernels, open: l, Instance: l.Arenas[0], Apart: l.Values, Notes: w.notes, ops: w.ops, shift: len(w.first), asks: w.opt.Scratch}
	if load := a.Apart.Load(); load > math.MaxInt32 {
		return nil, fmt.Errorf("%d bytes are live at once, TFLM counts in 32 bits", load)
	}
	value := values(l)
	a.apart = make([]int, len(w.index))
	for number, g := range w.index {
		if a.apart[number] = absent; g != absent {
			a.apart[number] = value[g]
		}
	}
	for g := range w.scratchFrom {
		if value[g] != absent {
			a.Tensors++
		}
	}
	a.reads = readSteps(l, value)
	if opt.KeepInputs {
		for _, t := range f.Subgraphs[0].Inputs {
			if b := a.bufferOf(0, t); b != absent {
				a.kept = append(a.kept, b)
			}
		}
	}
	a.setPairs(w.overlaps)
	own := opt
	own.KeepInputs, own.Overlap, own.AliasViews = false, false, true // it does not know of the two; the last tells what is a view of what
	_, l, err = f.lower(own, together)
	if err != nil {
		return nil, err
	}
	a.seen, a.shared = l.Values, families(l, values(l))
	return a, nil
}

// lower makes instances of the file.
func (f *File) lower(opt Options, rest idle) (*walk, *graph.Lowered, error) {
	w, err := f.walk(opt, rest)
	if err != nil {
		return nil, nil, err
	}
	l, err := w.graph.Lower(graph.LowerOptions{})
	return w, l, err
}

// values is the index among the values of each tensor of the graph, or absent.
func values(l *graph.Lowered) []int {
	list, next := make([]int, len(l.Places)), 0
	for g := range l.Places {
		if list[g] = absent; l.Places[g].Where == graph.InArena {
			list[g] = next
			next++
		}
	}
	return list
}

// families is the root of each value's views, by value.
func families(l *graph.Lowered, value []int) []int {
	root := make([]int, len(l.Values.Buffers))
	for g, v := range value {
		if v == absent {
			continue
		}
		for l.Graph.Tensors[g].View != nil {
			g = l.Graph.Tensors[g].View.Of
		}
		root[v] = value[g]
	}
	return root
}

// readSteps lists, for each value, the steps at which operators read it.
func readSteps(l *graph.Lowered, value []int) [][]int64 {
	steps := make([][]int64, len(l.Values.Buffers))
	for step, ops := range l.Steps {
		for _, o := range ops {
			for _, t := range l.Graph.Ops[o].Inputs {
				if v := value[t]; v != absent {
					steps[v] = append(steps[v], int64(step))
				}
			}
		}
	}
	return steps
}

// compression is the metadata entry of tensors that kernels unpack into
// scratch, in amounts that are not modelled here.
const compression = "COMPRESSION_METADATA"

// ethosU is the custom operator that holds a whole network for an Arm Ethos-U.
const ethosU = "ethos-u"

// plannable reports why TFLM would not obey a plan for this file, or would go
// wrong with it. given: the scratch does not come from the model here.
func (f *File) plannable(given bool) error {
	var faults []error
	fault := func(format string, args ...any) { faults = append(faults, fmt.Errorf(format, args...)) }
	for _, m := range f.metadata {
		if m.name == compression && !given {
			fault("compressed tensors: kernels unpack them into scratch; give a memory-plan log")
		}
	}
	for i := range f.Subgraphs {
		sub := &f.Subgraphs[i]
		for t := range sub.Tensors {
			if x := &sub.Tensors[t]; x.external {
				fault("subgraph %d, tensor %d %q: its data lies outside the FlatBuffer, where TFLM does not look", i, t, x.Name)
			}
		}
		for k := range sub.Ops {
			if op := &sub.Ops[k]; op.hidden && len(op.Bodies) > 0 {
				fault("subgraph %d, operator %d: %s only by the deprecated code, whose bodies TFLM's planner does not see", i, k, op.Name())
			}
		}
	}
	return errors.Join(faults...)
}

// Rewritable reports why no plan may be written into the file even where one
// can be made.
func (f *File) Rewritable() error {
	var faults []error
	for i := range f.Subgraphs {
		sub := &f.Subgraphs[i]
		for t := range sub.Tensors {
			if x := &sub.Tensors[t]; x.Variable && i > 0 {
				faults = append(faults, fmt.Errorf("subgraph %d, tensor %d %q: a variable of a later subgraph, for which TFLM looks up another tensor's offset", i, t, x.Name))
			}
		}
		for k := range sub.Ops {
			if sub.Ops[k].Custom == ethosU {
				faults = append(faults, fmt.Errorf("subgraph %d, operator %d: %s, whose command stream was made for the offsets that Vela chose", i, k, ethosU))
			}
		}
	}
	return errors.Join(append(faults, f.movable())...)
}
