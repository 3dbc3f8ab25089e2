package tflite

import (
	"maps"
	"slices"
)

// A usage is of something that is no tensor.
type usage struct {
	name   string
	writes bool
}

// uses lists what an operator of the main subgraph uses, itself and by the bodies
// that it runs, in the order of the names: the variables of resources, by the names
// that they share, and all random numbers and hash tables as one. anything: it may
// use whatever there is, as a custom operator may, or one whose handle is of an
// unknown variable.
func (f *File) uses(op *Op) (list []usage, anything bool) {
	writes := make(map[string]bool)
	see := func(op *Op) {
		switch kind := op.Kind.effect(); kind {
		case onAnything:
			anything = true
		case onHidden:
			writes["hidden"] = true
		case onResource:
			anything = anything || op.resource == ""
			writes[op.resource] = writes[op.resource] || op.Kind != readVariable
		}
	}
	if op.Kind == varHandle {
		writes["handle of "+op.resource] = true
	}
	see(op)
	for _, s := range f.runs(op) {
		for k := range f.Subgraphs[s].Ops {
			see(&f.Subgraphs[s].Ops[k])
		}
		anything = anything || slices.ContainsFunc(f.Subgraphs[s].Tensors, func(t Tensor) bool { return t.Variable })
	}
	for _, name := range slices.Sorted(maps.Keys(writes)) {
		list = append(list, usage{name, writes[name]})
	}
	return list, anything
}

// runs lists the subgraphs that an operator runs, and that these run, each once.
func (f *File) runs(op *Op) (list []int) {
	add := func(op *Op) {
		for _, body := range op.Bodies {
			if !slices.Contains(list, body) {
				list = append(list, body)
			}
		}
	}
	add(op)
	for i := 0; i < len(list); i++ {
		for k := range f.Subgraphs[list[i]].Ops {
			add(&f.Subgraphs[list[i]].Ops[k])
		}
	}
	return list
}
