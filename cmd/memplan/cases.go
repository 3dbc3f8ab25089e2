package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"memplan/corpus"
	"memplan/model/csv"
	"memplan/results"
)

// builtIn is the suite that a bench without arguments runs.
const builtIn = "built-in"

// cases lists the instances that names stand for: files, folders with files,
// and suites or instances of the corpus. Nothing is read yet.
func (e *env) cases(names []string, o lowerFlags) ([]results.Case, error) {
	if len(names) == 0 {
		names = []string{builtIn}
	}
	var list []results.Case
	for _, name := range names {
		more, err := e.casesOf(name, o)
		if err != nil {
			return nil, err
		}
		list = append(list, more...)
	}
	return list, nil
}

func (e *env) casesOf(name string, o lowerFlags) ([]results.Case, error) {
	info, err := os.Stat(name)
	switch {
	case name == "-" || err == nil && !info.IsDir():
		return []results.Case{e.fileCase(name, o)}, nil
	case err == nil:
		return e.folderCases(name, o)
	}
	if suite := corpus.Suite(name); len(suite) > 0 {
		var list []results.Case
		for _, entry := range suite {
			list = append(list, entryCase(entry, o))
		}
		return list, nil
	}
	if _, err := corpus.Graph(name); err == nil { // any name that a family understands
		return []results.Case{entryCase(corpus.Entry{Name: name}, o)}, nil
	}
	return nil, fail(exitUsage, "%s: no such file or folder, and no suite or instance of the corpus (memplan corpus lists them)", name)
}

// folderCases lists the files in a folder and the folders in it that can be
// read, by path.
func (e *env) folderCases(folder string, o lowerFlags) ([]results.Case, error) {
	var list []results.Case
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if !d.IsDir() && slices.Contains([]string{".csv", ".json", ".tflite", ".onnx"}, strings.ToLower(filepath.Ext(path))) {
			list = append(list, e.fileCase(path, o))
		}
		return nil
	})
	if err == nil && len(list) == 0 {
		err = fail(exitUsage, "%s: no .csv, .json, .tflite or .onnx file in it", folder)
	}
	return list, err
}

// fileCase is a file as a case. Its family is the folder that it lies in.
func (e *env) fileCase(path string, o lowerFlags) results.Case {
	name, _ := csv.Name(path)
	name = strings.TrimSuffix(name, filepath.Ext(name))
	c := results.Case{Name: name}
	if path != "-" {
		if full, err := filepath.Abs(path); err == nil {
			c.Family = filepath.Base(filepath.Dir(full))
		}
	}
	c.Read = func() (*results.Task, error) {
		src, err := e.load(path, o)
		if err != nil {
			return nil, err
		}
		return named(src.task, c), nil
	}
	return c
}

// entryCase is an instance of the corpus as a case.
func entryCase(entry corpus.Entry, o lowerFlags) results.Case {
	c := results.Case{Name: entry.Name, Family: entry.Family()}
	c.Read = func() (*results.Task, error) {
		var src *source
		var err error
		if g := entry.Graph(); g != nil {
			src, err = lowered(g, o)
		} else {
			src, err = single(entry.Instance(), o)
		}
		if err != nil {
			return nil, err
		}
		return named(src.task, c), nil
	}
	return c
}

// named gives a task its case's name. A comparison asks for the least peak:
// capacities are put aside.
func named(t *results.Task, c results.Case) *results.Task {
	t.Name, t.Family = c.Name, c.Family
	for _, in := range t.Arenas {
		in.Capacity = 0
	}
	return t
}
