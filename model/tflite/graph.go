package tflite

import (
	"fmt"
	"slices"
	"strings"

	"memplan/model/graph"
	"memplan/model/tflite/kernels"
)

// A Runtime says by whose conventions a file is read; see the package comment.
type Runtime int

const (
	TFLM Runtime = iota
	LiteRT
	Generic
)

var runtimes = []string{"tflm", "litert", "generic"}

func (rt Runtime) String() string { return runtimes[rt] }

// ParseRuntime returns the runtime of that name.
func ParseRuntime(name string) (Runtime, error) {
	if i := slices.Index(runtimes, name); i >= 0 {
		return Runtime(i), nil
	}
	return 0, fmt.Errorf("runtime %q: want one of %s", name, strings.Join(runtimes, ", "))
}

// align is the alignment of every tensor, bytes.
func (rt Runtime) align() int64 { return [...]int64{16, 64, 1}[rt] }

// Options say how a file becomes a graph.
type Options struct {
	Runtime    Runtime
	AliasViews bool    // tflm: RESHAPE, SQUEEZE and EXPAND_DIMS share their input's bytes
	KeepInputs bool    // tflm: the graph's inputs are still there when it has run
	Scratch    Scratch // tflm: what kernels ask for; nil: File.KernelScratch of Kernels

	Kernels kernels.Library // tflm: those that run on the device
	Overlap bool            // tflm: outputs may lie over inputs that die, as far as Kernels let them
	Only    []Overlap       // with Overlap: nothing but these operands may; nil: all
}

// Graph converts the file to a graph in the project's own convention. The
// notes say what was left out. Tensors come in the file's order, subgraph by
// subgraph, then scratch in the order that TFLM asks for it; constants are
// weights. IDs are the file's names, with the number where that is needed to
// tell them apart.
func (f *File) Graph(opt Options) (g *graph.Graph, notes []string, err error) {
	w, err := f.walk(opt, left)
	if err != nil {
		return nil, nil, err
	}
	for _, b := range w.blocks() {
		if b.to-b.from > 1 && b.op > 0 {
			w.note("operators do not cross one that runs bodies here; in the orders of tflm --schedule they do")
			break
		}
	}
	return w.graph, w.notes, nil
}
