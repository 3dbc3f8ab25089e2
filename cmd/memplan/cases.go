package main

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"memplan/corpus"
	"memplan/results"
)

// builtIn is the suite that a bench without arguments runs.
const builtIn = "built-in"

// An input is something to plan that goes by a name: a file, or an instance of
// the corpus. Nothing is read before it is loaded.
type input struct {
	name, family string
	path         string // of a file
	load         func(lowerFlags) (*source, error)
	holds        func() content // as far as can be told without reading it
}

// mayHold tells by a file's name which flags may mean something to it.
func mayHold(path string) content {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".csv":
		return bufferList
	case ".json":
		return anyGraph
	case ".tflite":
		return tfliteGraph
	}
	if f := foreignNamed(path); f != nil {
		return f.holds
	}
	return anything
}

// suits is an error where a flag was given that means nothing to any of the
// inputs.
func suits(list []input, o lowerFlags) error {
	name := o.idle(bufferList) // to which the fewest mean something
	if name == "" || len(list) == 0 {
		return nil
	}
	for _, in := range list {
		if o.idle(in.holds()) == "" {
			return nil
		}
	}
	if name = o.idle(list[0].holds()); len(list) > 1 {
		return fail(exitUsage, "--%s means nothing to %s, nor do such flags to any other of these", name, list[0].name)
	}
	return fail(exitUsage, "--%s means nothing to %s", name, cmp.Or(list[0].path, list[0].name))
}

// inputs lists what names stand for: files, folders with files, and suites or
// instances of the corpus. A flag that means nothing to any of them is an error.
func (e *env) inputs(names []string, o lowerFlags) ([]input, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	var list []input
	var faults []error
	for _, name := range names {
		more, err := e.inputsOf(name)
		list, faults = append(list, more...), append(faults, err)
	}
	if err := errors.Join(faults...); err != nil {
		return nil, err
	}
	toldApart(list)
	return list, suits(list, o)
}

// toldApart gives inputs of one name more of it: fn.3.csv and fn.4.csv, whose
// capacities are the only difference, are fn.3 and fn.4.
func toldApart(list []input) {
	for _, longer := range []func(*input) string{
		func(in *input) string { return strings.TrimSuffix(filepath.Base(in.path), filepath.Ext(in.path)) },
		func(in *input) string { return filepath.Base(in.path) },
	} {
		first, several := make(map[[2]string]string), make(map[[2]string]bool)
		for _, in := range list {
			key := [2]string{in.family, in.name}
			if path, seen := first[key]; !seen {
				first[key] = in.path
			} else if path != in.path {
				several[key] = true
			}
		}
		for k := range list {
			if in := &list[k]; in.path != "" && several[[2]string{in.family, in.name}] {
				in.name = longer(in)
			}
		}
	}
}

func (e *env) inputsOf(name string) ([]input, error) {
	if _, held := e.files[name]; held {
		return []input{e.fileInput(name)}, nil
	}
	info, err := os.Stat(name)
	switch {
	case name == "-" || err == nil && !info.IsDir():
		return []input{e.fileInput(name)}, nil
	case err == nil:
		return e.folderInputs(name)
	}
	if suite := corpus.Suite(name); len(suite) > 0 {
		var list []input
		for _, entry := range suite {
			list = append(list, entryInput(entry))
		}
		return list, nil
	}
	if _, err := corpus.Graph(name); err == nil { // any name that a family understands
		return []input{entryInput(corpus.Entry{Name: name})}, nil
	}
	return nil, fail(exitUsage, "%s: no such file or folder, and no suite or instance of the corpus (memplan corpus lists them)", name)
}

// folderInputs lists the files in a folder and the folders in it that can be
// read, by path. The folder itself may be a link.
func (e *env) folderInputs(folder string) ([]input, error) {
	var list []input
	err := filepath.WalkDir(folder+string(filepath.Separator), func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if !d.IsDir() && readable(path) {
			list = append(list, e.fileInput(path))
		}
		return nil
	})
	if err == nil && len(list) == 0 {
		err = fail(exitUsage, "%s: no file in it that can be read", folder)
	}
	return list, err
}

// readable reports whether a file of a folder is something to plan: by its name,
// and in a foreign format by its content too, for such names are used for much.
func readable(path string) bool {
	if slices.Contains([]string{".csv", ".json", ".tflite"}, strings.ToLower(filepath.Ext(path))) {
		return true
	}
	if foreignNamed(path) == nil {
		return false
	}
	data, err := os.ReadFile(path)
	return err == nil && foreignOf(data) != nil
}

// fileInput is a file. Its family is the folder that it lies in.
func (e *env) fileInput(path string) input {
	in := input{name: nameOf(path)}
	if path != "-" {
		in.path = path
		if full, err := filepath.Abs(path); err == nil {
			in.family = filepath.Base(filepath.Dir(full))
		}
	}
	in.load = func(o lowerFlags) (*source, error) { return e.loadFile(path, o) }
	in.holds = func() content { return mayHold(path) }
	return in
}

// entryInput is an instance of the corpus.
func entryInput(entry corpus.Entry) input {
	in := input{name: entry.Name, family: entry.Family()}
	in.load = func(o lowerFlags) (*source, error) {
		g := entry.Graph()
		if g == nil {
			return single(entry.Instance(), o)
		}
		return lowered(g, o)
	}
	in.holds = func() content {
		if entry.Graph() == nil {
			return bufferList
		}
		return anyGraph
	}
	return in
}

// cases are what names stand for, as rows of a comparison; of no names, the
// built-in corpus. Where tensors may go to several memory spaces, settle
// chooses for all planners alike; nil leaves it at the first choice.
func (e *env) cases(names []string, o lowerFlags, settle *results.Choice) ([]results.Case, error) {
	if len(names) == 0 {
		names = []string{builtIn}
	}
	list, err := e.inputs(names, o)
	if err != nil {
		return nil, err
	}
	cases := make([]results.Case, len(list))
	for k, in := range list {
		cases[k] = results.Case{Name: in.name, Family: in.family, Read: func() (*results.Task, error) {
			src, err := in.load(o)
			if err == nil && settle != nil && src.undecided() {
				_, err = e.run(src, *settle, o.grain.bytes)
			}
			if err != nil {
				return nil, err
			}
			return named(src.task, in), nil
		}}
	}
	return cases, nil
}

// named gives a task its input's name. A comparison asks for the least peak:
// capacities are put aside.
func named(t *results.Task, of input) *results.Task {
	t.Name, t.Family = of.name, of.family
	for _, in := range t.Arenas {
		in.Capacity = 0
	}
	return t
}
