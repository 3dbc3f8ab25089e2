package tflite

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"memplan/model"
	"memplan/model/graph"
	"memplan/model/tflite/kernels"
)

// An Overlap says that an operator of the main subgraph may write its output over
// its input, which dies there, as long as that lies so many bytes higher or more.
type Overlap struct {
	Operator      int
	Output, Input int32 // tensors of the main subgraph
	Lead          int64
}

// overlaps lists what the kernels let an operator of the main subgraph do. That
// the input dies there is for others to see. Every operand that the input is must
// allow it.
func (f *File) overlaps(opt Options, op int) (list []Overlap) {
	inputs := f.Subgraphs[0].Ops[op].Inputs
	uses := func(of []int32, t int32) (n int) {
		for _, x := range of {
			if x == t {
				n++
			}
		}
		return n
	}
	leads := f.Leads(opt.Kernels, 0, op)
	var named []int32
	for _, l := range leads {
		named = append(named, l.Input)
	}
	for _, l := range leads {
		o := Overlap{op, l.Output, l.Input, l.Bytes}
		k := slices.IndexFunc(list, func(p Overlap) bool { return p.Input == l.Input })
		switch {
		case uses(named, l.Input) < uses(inputs, l.Input):
		case k >= 0:
			list[k].Lead = max(list[k].Lead, l.Bytes)
		default:
			list = append(list, o)
		}
	}
	if opt.Only == nil {
		return list
	}
	return slices.DeleteFunc(list, func(o Overlap) bool {
		return !slices.ContainsFunc(opt.Only, func(p Overlap) bool {
			return p.Operator == o.Operator && p.Output == o.Output && p.Input == o.Input
		})
	})
}

// overlap notes at the present step, that of operator k of subgraph s alone, what
// its kernel allows.
func (w *walk) overlap(s, k int) {
	if !w.opt.Overlap || w.opt.Runtime != TFLM || s != 0 {
		return
	}
	for _, o := range w.f.overlaps(w.opt, k) {
		under, over := w.index[w.number(0, o.Input)], w.index[w.number(0, o.Output)]
		if under != absent && over != absent && slices.Contains(w.step().Outputs, over) {
			w.step().Overlap = append(w.step().Overlap, graph.Lead{Under: under, Over: over, Bytes: o.Lead})
			w.overlaps = append(w.overlaps, o)
		}
	}
}

// setPairs has the overlaps as pairs of Apart, those of which the input is there for
// nobody else.
func (a *Arena) setPairs(overlaps []Overlap) {
	for _, o := range overlaps {
		under, over := a.bufferOf(0, o.Input), a.bufferOf(0, o.Output)
		x, y := &a.Apart.Buffers[under], &a.Apart.Buffers[over]
		if both := x.Life.Intersect(y.Life); both.Start == y.Life.Start && both.End == x.Life.End && both.End-both.Start == 1 {
			a.overlaps = append(a.overlaps, o)
			a.pairs = append(a.pairs, model.Pair{Over: over, Under: under, Distance: o.Lead})
		}
	}
}

// Overlaps lists the overlaps that a layout makes use of.
func (a *Arena) Overlaps(layout model.Plan) (used []Overlap) {
	for k, p := range a.pairs {
		x, y := layout.Offsets[p.Under], layout.Offsets[p.Over]
		if x < y+a.Apart.Buffers[p.Over].Size && y < x+a.Apart.Buffers[p.Under].Size {
			used = append(used, a.overlaps[k])
		}
	}
	return used
}

// KernelsName is the name of the metadata entry, beside a plan, that says which
// kernels the plan is for.
const KernelsName = "memplan_kernels"

// A Declaration says with which kernels a file's plan is right: with others it
// gives wrong answers. Only plans with overlaps need one. The leads are there to
// be read: what holds is worked out anew.
type Declaration struct {
	Kernels  kernels.Library
	Overlaps []Overlap // all that the plan makes use of
}

// written is a declaration as a file holds it.
type written struct {
	Kernels string     `json:"kernels"`
	Version string     `json:"version"`
	Pairs   [][4]int64 `json:"pairs"` // operator, output, input, lead in bytes
}

func (d *Declaration) encode() []byte {
	w := written{d.Kernels.String(), d.Kernels.Version(), [][4]int64{}}
	for _, o := range d.Overlaps {
		w.Pairs = append(w.Pairs, [4]int64{int64(o.Operator), int64(o.Output), int64(o.Input), o.Lead})
	}
	data, _ := json.Marshal(w)
	return data
}

// Declaration is what the file says of kernels; nil where it says nothing.
func (f *File) Declaration() (*Declaration, error) {
	data, there := f.entry(KernelsName)
	if !there {
		return nil, nil
	}
	var w written
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&w); err != nil {
		return nil, fmt.Errorf("the metadata %s: %w", KernelsName, err)
	}
	library, err := kernels.Parse(w.Kernels)
	if err != nil {
		return nil, fmt.Errorf("the metadata %s: %w", KernelsName, err)
	}
	if w.Version != library.Version() {
		return nil, fmt.Errorf("the metadata %s: the plan is for %s of version %q; known is %q", KernelsName, library, w.Version, library.Version())
	}
	out := &Declaration{Kernels: library, Overlaps: []Overlap{}}
	main := &f.Subgraphs[0]
	for _, p := range w.Pairs {
		if p[0] < 0 || p[0] >= int64(len(main.Ops)) || min(p[1], p[2]) < 0 || max(p[1], p[2]) >= int64(len(main.Tensors)) || p[3] < 0 {
			return nil, fmt.Errorf("the metadata %s: the pair %v is of no operator and tensors of the model", KernelsName, p)
		}
		out.Overlaps = append(out.Overlaps, Overlap{int(p[0]), int32(p[1]), int32(p[2]), p[3]})
	}
	return out, nil
}
