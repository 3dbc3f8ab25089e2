package main

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"memplan/model/graph"
	"memplan/model/onnx"
)

// loadONNX reads an .onnx model: a graph, whose sizes the flags may give.
func loadONNX(file, name string, data []byte, o lowerFlags) (*source, error) {
	m, err := onnx.Read(bytes.NewReader(data), file)
	if err != nil {
		return nil, err
	}
	dims, err := sizes("dim", o.dims)
	if err != nil {
		return nil, err
	}
	given, err := sizes("shape", o.shapes)
	if err != nil {
		return nil, err
	}
	g, notes, err := m.Graph(name, onnx.Options{Dims: dims, Shapes: given})
	if unknown := (*onnx.ShapeError)(nil); errors.As(err, &unknown) {
		return nil, fmt.Errorf("%s: %w: %s", file, unknown, remedy(file, unknown))
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	o.dims = nil // taken
	src, err := lowered(g, o)
	if err != nil {
		return nil, err
	}
	src.said, src.content = notes, onnxGraph
	return src, nil
}

// remedy says how sizes become known that are not.
func remedy(file string, e *onnx.ShapeError) string {
	if inputs := e.Inputs(); len(inputs) > 0 {
		return "give the sizes of the inputs " + strings.Join(inputs, ", ") + " by --dim NAME=SIZE or --shape INPUT=SIZE,SIZE,..."
	}
	out := strings.TrimSuffix(file, filepath.Ext(file)) + ".shaped.onnx"
	return fmt.Sprintf("Python's package onnx fills sizes in:\n%s\nand then take %s", e.Command(file, out), out)
}

// sizes reads flags NAME=SIZE,SIZE,... by name.
func sizes(flag string, texts []string) (map[string][]int64, error) {
	of := make(map[string][]int64, len(texts))
	for _, text := range texts {
		at := strings.LastIndexByte(text, '=')
		if at < 1 {
			return nil, fail(exitUsage, "--%s %q: want NAME=SIZE,SIZE,...", flag, text)
		}
		name := text[:at]
		if of[name] != nil {
			return nil, fail(exitUsage, "--%s %q: %s has its sizes already; name them in one list, as %s=1,2", flag, text, name, name)
		}
		for _, word := range strings.Split(text[at+1:], ",") {
			size, err := strconv.ParseInt(word, 10, 64)
			if err != nil {
				return nil, fail(exitUsage, "--%s %q: want NAME=SIZE,SIZE,...", flag, text)
			}
			of[name] = append(of[name], size)
		}
	}
	return of, nil
}

// bound is a graph with its dimensions at the sizes that flags give; those that
// no flag names at their largest.
func bound(g *graph.Graph, flags []string) (*graph.Graph, error) {
	list, err := shapes(g, flags)
	if err != nil {
		return nil, err
	}
	if len(list) != 1 {
		return nil, fail(exitUsage, "--dim asks for %d shapes: only memplan plan takes several", len(list))
	}
	small, err := g.Bind(list[0])
	if err != nil {
		return nil, fail(exitUsage, "%s: %w", g.Name, err)
	}
	return small, nil
}

// ranges are the flags that give the sizes of a graph's dimensions, where it has
// any left: those of an .onnx model with one size are settled.
func (s *source) ranges(dims []string) []string {
	if s.content != onnxGraph {
		return dims
	}
	var left []string
	for _, flag := range dims {
		if strings.Contains(flag, ",") {
			left = append(left, flag)
		}
	}
	return left
}
