package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"memplan/model"
	"memplan/model/csv"
	"memplan/model/json"
	"memplan/results"
)

// A source is a FILE that has been read: what to plan, and how to write a plan
// in the file's own terms.
type source struct {
	task  *results.Task
	table *csv.Document  // where FILE is a table
	graph *model.Lowered // where FILE is a graph, lowered
	how   model.LowerOptions
}

// kind is what a file holds, told by its content and extension.
type kind int

const (
	kindCSV kind = iota
	kindJSON
	kindTFLite
)

func kindOf(file string, data []byte) kind {
	ext := strings.ToLower(filepath.Ext(file))
	text := bytes.TrimLeft(bytes.TrimPrefix(data, []byte("\ufeff")), " \t\r\n")
	switch {
	case ext == ".tflite" || len(data) >= 8 && string(data[4:8]) == "TFL3":
		return kindTFLite
	case ext == ".json" || ext != ".csv" && bytes.HasPrefix(text, []byte("{")):
		return kindJSON
	}
	return kindCSV
}

// load reads FILE, or standard input where it is "-".
func (e *env) load(file string, o lowerFlags) (*source, error) {
	data, err := e.read(file)
	if err != nil {
		return nil, err
	}
	if file == "-" {
		file = "stdin"
	}
	switch kindOf(file, data) {
	case kindJSON:
		doc, err := json.Read(bytes.NewReader(data), file)
		if err != nil {
			return nil, err
		}
		if doc.Graph != nil {
			return lowered(doc.Graph, o)
		}
		return single(doc.Instance), nil
	case kindTFLite:
		return nil, fmt.Errorf("%s: TensorFlow Lite cannot be read yet", file)
	}
	table, err := csv.Read(bytes.NewReader(data), file)
	if err != nil {
		return nil, err
	}
	src := single(table.Instance)
	src.table = table
	return src, nil
}

func single(in *model.Instance) *source {
	return &source{task: &results.Task{Name: in.Name, Arenas: []*model.Instance{in}}}
}

func (e *env) read(file string) ([]byte, error) {
	if file == "-" {
		return io.ReadAll(e.in)
	}
	return os.ReadFile(file)
}

// lowered is a graph as something to plan.
func lowered(g *model.Graph, o lowerFlags) (*source, error) {
	lo, err := o.options()
	if err != nil {
		return nil, err
	}
	l, err := g.Lower(lo)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", g.Name, err)
	}
	weights := l.Weights.Bytes
	var spaces []string
	for _, s := range g.Spaces {
		spaces = append(spaces, s.ID)
	}
	return &source{task: &results.Task{Name: g.Name, Spaces: spaces, Arenas: l.Arenas, Weights: &weights}, graph: l, how: lo}, nil
}

// notes prints what whoever reads a graph's figures should know.
func (s *source) notes(w io.Writer) {
	if s.graph == nil {
		return
	}
	fmt.Fprintf(w, "%-10s  %s, apart\n", "weights", sized(*s.task.Weights))
	for _, n := range s.graph.Notes {
		fmt.Fprintf(w, "%-10s  %s\n", n.Kind, n.Text)
	}
}
