package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"memplan/model"
	"memplan/model/csv"
	"memplan/model/hlo"
	"memplan/model/iree"
	"memplan/model/onnx"
	"memplan/model/pte"
	"memplan/model/trace"
	"memplan/results"
)

// A foreign format is one in which a compiler or an allocator leaves behind
// what it placed, in one arena or several, and where.
type foreign struct {
	maker    string   // of the plans
	suffixes []string // of such files' names, for people's sake
	is       func(data []byte) bool
	read     func(data []byte, name string) (*held, error)

	// Where there is a graph in the file, load reads it instead.
	load  func(file, name string, data []byte, o lowerFlags) (*source, error)
	holds content
}

// held is what a file in a foreign format holds.
type held struct {
	arenas []model.Found
	notes  []string
}

// foreigns are the formats. What a file's content may be is asked in this order.
var foreigns = []*foreign{
	{maker: "xla", suffixes: []string{".hlo.pb", ".pb"}, is: hlo.Is, read: func(data []byte, name string) (*held, error) {
		f, err := hlo.Read(bytes.NewReader(data), name)
		if err != nil {
			return nil, err
		}
		return &held{f.Arenas, f.Notes}, nil
	}},
	{maker: "iree", suffixes: []string{".sched.mlir", ".mlir", ".ir.txt"}, is: iree.Is, read: func(data []byte, name string) (*held, error) {
		f, err := iree.Read(bytes.NewReader(data), name)
		if err != nil {
			return nil, err
		}
		arenas, notes := f.Found(name)
		return &held{arenas, notes}, nil
	}},
	{maker: "executorch", suffixes: []string{".pte"}, is: pte.Is, load: loadProgram, holds: anyGraph},
	{suffixes: []string{".onnx"}, is: onnx.Is, load: loadONNX, holds: onnxGraph},
	{maker: "pytorch", suffixes: []string{".pickle", ".pkl"}, is: trace.IsSnapshot, read: traced(trace.ReadSnapshot)},
	{maker: "recorded", suffixes: []string{".jsonl", ".trace.csv"}, is: trace.Is, read: traced(trace.Read)},
}

func traced(read func([]byte, string) (*trace.File, error)) func([]byte, string) (*held, error) {
	return func(data []byte, name string) (*held, error) {
		f, err := read(data, name)
		if err != nil {
			return nil, err
		}
		return &held{f.Arenas, f.Notes}, nil
	}
}

// foreignOf is the foreign format that a file is in, told by its content; nil
// where it is in none.
func foreignOf(data []byte) *foreign {
	for _, f := range foreigns {
		if f.is(data) {
			return f
		}
	}
	return nil
}

// foreignNamed is the foreign format that a file's name is of; nil where it is
// of none.
func foreignNamed(path string) *foreign {
	for _, f := range foreigns {
		if f.stem(path) != filepath.Base(path) {
			return f
		}
	}
	return nil
}

// stem is a file's name without what a foreign format's files end in.
func stem(path string) string {
	if f := foreignNamed(path); f != nil {
		return f.stem(path)
	}
	return filepath.Base(path)
}

func (f *foreign) stem(path string) string {
	name := filepath.Base(path)
	for _, suffix := range f.suffixes {
		if n := len(name) - len(suffix); n > 0 && strings.EqualFold(name[n:], suffix) {
			return name[:n]
		}
	}
	return name
}

// source reads a file as something to plan.
func (f *foreign) source(file string, data []byte, o lowerFlags) (*source, error) {
	if f.load != nil {
		return f.load(file, stem(file), data, o)
	}
	h, err := f.read(data, stem(file))
	if err != nil {
		return nil, err
	}
	src := &source{task: &results.Task{Name: stem(file)}, found: h.arenas, said: h.notes}
	for _, a := range h.arenas {
		src.task.Arenas = append(src.task.Arenas, a.Instance)
		if len(h.arenas) > 1 {
			src.task.Spaces = append(src.task.Spaces, a.Instance.Name)
		}
	}
	if len(h.arenas) == 0 {
		return nil, fmt.Errorf("%s: there is nothing to plan in it: %s", file, strings.Join(h.notes, "; "))
	}
	return src, src.round(o.grain.bytes)
}

// joined are the buffers of several arenas as one list, each named after its
// arena too, and the arena of each.
func joined(arenas []*model.Instance) (all *model.Instance, of []string) {
	all = &model.Instance{}
	for _, in := range arenas {
		from := len(all.Buffers)
		for _, b := range in.Buffers {
			b.ID = in.Name + "/" + b.ID
			if b.Tie != nil {
				b.Tie = &model.Tie{To: from + b.Tie.To, Delta: b.Tie.Delta}
			}
			all.Buffers, of = append(all.Buffers, b), append(of, in.Name)
		}
	}
	return all, of
}

// plansInside are the plans in force that a file in a foreign format holds, with
// the arenas that they are for.
func (s *source) plansInside(file string) ([]*model.Instance, []model.Plan, error) {
	var arenas []*model.Instance
	var plans []model.Plan
	for k, a := range s.found {
		if a.Plan != nil {
			arenas, plans = append(arenas, s.task.Arenas[k]), append(plans, *a.Plan)
		}
	}
	if len(plans) == 0 {
		return nil, nil, fmt.Errorf("%s holds no plan: %s", file, strings.Join(s.said, "; "))
	}
	return arenas, plans, nil
}

// importForeign is the case of a file in a foreign format: the plans that it
// holds stand before those of other planners, under their maker's name.
func (e *env) importForeign(f *foreign, file, label string) results.Case {
	if label == "" {
		label = f.maker
	}
	made := results.Given{Label: label}
	from := input{name: stem(file), family: e.fileInput(file).family}
	return results.Case{Name: from.name, Family: from.family, Given: &results.Choice{Planner: &made, Limit: -1}, Read: func() (*results.Task, error) {
		src, err := e.loadFile(file, defaultLower())
		if err != nil {
			return nil, err
		}
		arenas, plans, err := src.plansInside(file)
		if err != nil {
			return nil, err
		}
		for k, in := range arenas {
			made.Add(in, model.Result{Plan: &plans[k]}, 0)
		}
		task := &results.Task{Arenas: arenas}
		if len(arenas) > 1 {
			for _, in := range arenas {
				task.Spaces = append(task.Spaces, in.Name)
			}
		}
		return named(task, from), nil
	}}
}

// nameOf is what an instance is called that is read from a file.
func nameOf(path string) string {
	if foreignNamed(path) != nil {
		return stem(path)
	}
	name, _ := csv.Name(path)
	return strings.TrimSuffix(name, filepath.Ext(name))
}

// verifyForeign checks the plans that a file in a foreign format holds.
func (e *env) verifyForeign(file string, capacity bytesValue) error {
	src, err := e.loadFile(file, defaultLower())
	if o := (*pte.Overlap)(nil); errors.As(err, &o) {
		return fail(exitNo, "%w", err)
	}
	if err != nil {
		return err
	}
	arenas, plans, err := src.plansInside(file)
	if err != nil {
		return err
	}
	if err := (&planFlags{capacity: capacity}).setCapacity(src); err != nil {
		return err
	}
	inside := source{task: &results.Task{Arenas: arenas}}
	if err := inside.holds(file, plans); err != nil {
		return err
	}
	if src.broken != nil {
		return fail(exitNo, "%s: %w", file, src.broken)
	}
	return e.write("", func(w io.Writer) error {
		for k, in := range arenas {
			fmt.Fprintf(w, "%-10s  %d bytes, load %d, %s\n", "peak", plans[k].Peak(in), in.Load(), in.Name)
		}
		if src.graph != nil { // what is left alone is not checked
			for _, text := range src.said {
				fmt.Fprintf(w, "%-10s  %s\n", "note", text)
			}
		}
		return nil
	})
}
