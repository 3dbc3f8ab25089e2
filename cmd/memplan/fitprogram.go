package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"memplan/model"
	"memplan/model/graph"
	"memplan/model/pte"
	"memplan/results"
)

// isProgram reports whether a file is to be an ExecuTorch program by its name.
func isProgram(file string) bool { return strings.EqualFold(filepath.Ext(file), ".pte") }

// program is for -o FILE.pte: a tensor has one place in it, in one memory.
func (o *fitFlags) program(waysGiven bool) error {
	switch {
	case !isProgram(o.out):
		return nil
	case !waysGiven:
		o.ways = []string{"order", "whole"}
	case o.has("spill"):
		return fail(exitUsage, "-o %s: a tensor has one place in a program: --ways order,whole, or a graph as JSON", o.out)
	}
	if o.access == "copy" {
		return fail(exitUsage, "-o %s: a program copies no tensors in and out: --access copy is not for it", o.out)
	}
	return nil
}

// fitsProgram is an error where GRAPH is no program that -o FILE.pte could be made
// of. What delegates read beyond the last tensor is part of the capacity.
func (o *fitFlags) fitsProgram(src *source, file string) error {
	if !isProgram(o.out) {
		return nil
	}
	if src.program == nil {
		return fail(exitUsage, "-o %s: %s is no ExecuTorch program; a graph is written as JSON", o.out, file)
	}
	if err := src.arenas.Movable(); err != nil {
		if o.lower.schedule != "given" {
			return fail(exitUsage, "%s: --schedule: %w", file, err)
		}
		o.ways = slices.DeleteFunc(slices.Clone(o.ways), func(w string) bool { return w == "order" })
	}
	_, _, _, padding := src.arenas.Memory(0)
	if least := src.arenas.Idle(0) + padding; o.capacity.bytes <= least {
		return fail(exitNo, "%s does not fit into %d bytes: %d are for padding and for a tensor that nothing uses", src.task.Name, o.capacity.bytes, least)
	}
	o.capacity.bytes, o.padding = o.capacity.bytes-padding, padding
	return nil
}

// rewrite is the program with plans of the memories that fitted has. It is read
// back and looked over.
func (s *source) rewrite(fitted *source, out results.Outcome, capacity int64) ([]byte, error) {
	plans := make([]model.Plan, len(out.Results))
	for k := range plans {
		plans[k] = *out.Results[k].Plan
	}
	to := s.program.Unchanged()
	s.arenas.Place(&to, fitted.graph, plans)
	data, err := s.program.With(to)
	if err != nil {
		return nil, fail(exitUsage, "%s: no plan can be written into it: %w", s.task.Name, err)
	}
	a, _, err := rewritten(data, s.program, to)
	if err != nil {
		return nil, fail(exitInternal, "the written program: %w", err)
	}
	if _, _, size, padding := a.Memory(0); size > capacity+padding {
		return nil, fail(exitInternal, "the written program: its memory takes %d bytes, and not %d", size, capacity+padding)
	}
	return data, nil
}

// rewritten reads a program back that a placement was written into: nothing else
// has changed, every instruction reads what it read before, and no two tensors that
// are live together overlap.
func rewritten(data []byte, old *pte.Program, to pte.Placement) (*pte.Arenas, *graph.Lowered, error) {
	written, err := pte.Read(data)
	if err != nil {
		return nil, nil, err
	}
	if err := written.Same(old, to); err != nil {
		return nil, nil, err
	}
	a, err := written.Arenas(0)
	if err != nil {
		return nil, nil, err
	}
	l, err := a.Graph.Lower(graph.LowerOptions{})
	if err != nil {
		return nil, nil, err
	}
	return a, l, (&source{task: &results.Task{Arenas: l.Arenas}}).holds("", a.InForce(l))
}

// memories says what the runtime is asked for by a program.
func memories(data []byte) (texts []string) {
	if data == nil {
		return nil
	}
	p, err := pte.Read(data)
	if err != nil {
		return nil
	}
	for _, m := range p.Methods {
		for k := 1; k < len(m.Memories); k++ {
			texts = append(texts, fmt.Sprintf("%s, number %d: %s", m.Name, k, sized(m.Memories[k].Size)))
		}
	}
	return texts
}
