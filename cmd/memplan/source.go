package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"

	"memplan/model"
	"memplan/model/csv"
	"memplan/model/graph"
	"memplan/model/json"
	"memplan/model/pte"
	"memplan/model/tflite"
	"memplan/results"
)

// A source is a FILE that has been read: what to plan, and how to write a plan
// in the file's own terms.
type source struct {
	task    *results.Task
	table   *csv.Document  // where FILE is a table
	graph   *graph.Lowered // where FILE is a graph, lowered
	how     graph.LowerOptions
	content content
	found   []model.Found // where FILE is in a foreign format: its arenas
	given   *columns      // where FILE is none, but the buffers of a request
	said    []string      // by the reader of a foreign format
	broken  error         // where FILE holds plans that do not hold, and that are left out
	program *pte.Program  // where FILE is one of ExecuTorch's, with its memories
	arenas  *pte.Arenas
	again   func(lowerFlags) (*source, error) // where FILE is a .tflite model: it, by other conventions
	byName  bool                              // the capacity is the one that the file's name gives
	waysOut []json.WayOut                     // where it is proven not to fit
}

// pins says how many buffers are pinned, "" where none is. Ranges that a graph's
// memory spaces reserve are none of its tensors.
func (s *source) pins() string {
	if s.graph != nil {
		return ""
	}
	pinned, all := 0, 0
	for _, in := range s.task.Arenas {
		pinned += in.Pinned()
		all += len(in.Buffers)
	}
	if pinned == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %d buffers, where their offsets say; the plan, and what is proven of it, is with these pinned", pinned, all)
}

// capacity is an arena's capacity, and where it is from if nobody said so.
func (s *source) capacity(in *model.Instance) string {
	if s.byName {
		return fmt.Sprintf("%d from the file's name", in.Capacity)
	}
	return strconv.FormatInt(in.Capacity, 10)
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
	case ext == ".json" || bytes.HasPrefix(text, []byte("{")):
		return kindJSON
	}
	return kindCSV
}

// A content is what a file holds, as far as flags are for it.
type content int

const (
	bufferList content = iota
	anyGraph
	tfliteGraph
	onnxGraph
	anything // it is not known yet
)

func (c content) String() string {
	return [...]string{"a list of buffers", "a graph, but no .tflite or .onnx model", "a .tflite model", "an .onnx model", "of any kind"}[c]
}

// load reads FILE, or standard input where it is "-", or else an instance of the
// corpus. A flag that means nothing to it is an error.
func (e *env) load(file string, o lowerFlags) (*source, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	list, err := e.inputsOf(file)
	if err != nil {
		return nil, err
	}
	if len(list) != 1 {
		return nil, fail(exitUsage, "%s holds %d instances: memplan %s takes one", file, len(list), e.cmd.name)
	}
	src, err := list[0].load(o)
	if err != nil {
		return nil, err
	}
	if name := o.idle(src.content); name != "" {
		return nil, fail(exitUsage, "--%s means nothing to %s, which is %v", name, file, src.content)
	}
	return src, nil
}

// loadFile is load for a file, and for one input of many: flags need not all be
// for each.
func (e *env) loadFile(file string, o lowerFlags) (*source, error) {
	if file == "-" && e.given != nil {
		if err := e.given.in.Validate(); err != nil {
			return nil, err
		}
		src, err := single(e.given.in, o)
		if err != nil {
			return nil, err
		}
		src.given = e.given
		return src, nil
	}
	data, err := e.read(file)
	if err != nil {
		return nil, err
	}
	if file == "-" {
		file = "stdin"
	}
	if f := foreignOf(data); f != nil {
		return f.source(file, data, o)
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
		return single(doc.Instance, o)
	case kindTFLite:
		return loadTFLite(file, data, o)
	}
	table, err := csv.Read(bytes.NewReader(data), file)
	if err != nil {
		return nil, err
	}
	src, err := single(table.Instance, o)
	if err != nil {
		return nil, err
	}
	src.table, src.byName = table, table.Instance.Capacity > 0
	return src, nil
}

// single is an instance as something to plan.
func single(in *model.Instance, o lowerFlags) (*source, error) {
	src := &source{task: &results.Task{Name: in.Name, Arenas: []*model.Instance{in}}}
	return src, src.round(o.grain.bytes)
}

// read is what a file holds, or standard input, which may be asked for again.
// What nothing here reads is an error that says what it is.
func (e *env) read(file string) (data []byte, err error) {
	if text, held := e.files[file]; held {
		return []byte(text), nil
	}
	if file == "-" {
		data, err = io.ReadAll(e.in)
		e.in, file = bytes.NewReader(data), "stdin"
	} else {
		data, err = os.ReadFile(file)
	}
	if err != nil {
		return nil, err
	}
	if len(data) >= largeFile && os.Getenv("GOGC") == "" {
		debug.SetGCPercent(25)
	}
	return data, wrapped(file, data)
}

// largeFile is the size of files from which on memory counts for more than time:
// most of what their readers allocate stays, so that collecting more often frees
// little room for much of it. It costs planners a tenth of their time.
const largeFile = 1 << 24 // bytes

// wrapped is an error where a file is packed, or a text in another encoding than
// UTF-8.
func wrapped(file string, data []byte) error {
	for _, w := range []struct{ begins, is, so string }{
		{"\x1f\x8b", "packed by gzip", "unpack it first"}, {"PK\x03\x04", "a zip archive", "unpack it first"},
		{"\x28\xb5\x2f\xfd", "packed by zstd", "unpack it first"}, {"\xfd7zXZ\x00", "packed by xz", "unpack it first"}, {"BZh", "packed by bzip2", "unpack it first"},
		{"\xff\xfe", "a text in UTF-16", "save it as UTF-8"}, {"\xfe\xff", "a text in UTF-16", "save it as UTF-8"},
	} {
		if bytes.HasPrefix(data, []byte(w.begins)) {
			return fmt.Errorf("%s is %s: %s", file, w.is, w.so)
		}
	}
	return nil
}

// lowered is a graph as something to plan.
func lowered(g *graph.Graph, o lowerFlags) (*source, error) {
	if len(o.dims) > 0 && !o.ranged {
		var err error
		if g, err = bound(g, o.dims); err != nil {
			return nil, err
		}
	}
	lo, err := o.options()
	if err != nil {
		return nil, err
	}
	l, err := g.Lower(lo)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", g.Name, err)
	}
	src := sourceOf(l, lo)
	return src, src.round(o.grain.bytes)
}

// sourceOf is a graph that has been lowered as something to plan.
func sourceOf(l *graph.Lowered, how graph.LowerOptions) *source {
	weights := l.Weights.Bytes
	var spaces []string
	for _, s := range l.Graph.Spaces {
		spaces = append(spaces, s.ID)
	}
	return &source{task: &results.Task{Name: l.Graph.Name, Spaces: spaces, Arenas: l.Arenas, Reserved: l.Reserved, Weights: &weights}, graph: l, how: how, content: anyGraph}
}

// loadTFLite reads a .tflite file by the conventions of a runtime.
func loadTFLite(file string, data []byte, o lowerFlags) (*source, error) {
	runtime, err := tflite.ParseRuntime(o.runtime)
	if err != nil {
		return nil, fail(exitUsage, "%w", err)
	}
	f, err := tflite.Read(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	again := func(o lowerFlags) (*source, error) { return loadTFLite(file, data, o) }
	if runtime == tflite.TFLM && len(o.external) > 0 {
		return nil, fail(exitUsage, "%s: TFLM has inputs and outputs in its arena: --external is not for --runtime tflm", file)
	}
	opt := tflite.Options{Runtime: runtime, KeepInputs: slices.Contains(o.kept, "inputs"), Overlap: o.overlap}
	if opt.Kernels, err = library(o.kernels, o.overlap); err != nil {
		return nil, err
	}
	g, notes, err := f.Graph(opt)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	g.Name = strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
	src, err := lowered(g, o)
	if err != nil {
		return nil, err
	}
	src.said, src.content, src.again = notes, tfliteGraph, again
	return src, nil
}

// notes prints what whoever reads the figures should know.
func (s *source) notes(w io.Writer) {
	if s.task.Waste > 0 {
		fmt.Fprintf(w, "%-10s  %s by rounding, of all buffers together\n", "waste", sized(s.task.Waste))
	}
	if s.graph != nil {
		fmt.Fprintf(w, "%-10s  %s, apart\n", "weights", sized(*s.task.Weights))
	}
	if text := s.reservations(); text != "" {
		fmt.Fprintf(w, "%-10s  %s, apart\n", "reserved", text)
	}
	for _, text := range s.said {
		fmt.Fprintf(w, "%-10s  %s\n", "note", text)
	}
	if s.graph == nil {
		return
	}
	for _, n := range s.graph.Notes {
		fmt.Fprintf(w, "%-10s  %s\n", n.Kind, n.Text)
	}
}

// warn says where sharing, fusion or the order that a graph asks for was not
// possible, and what fusion came to: of each kind the first, and how many more.
func (s *source) warn(w io.Writer) {
	if s.graph == nil {
		return
	}
	first := make(map[graph.NoteKind]string)
	more := make(map[graph.NoteKind]int)
	for _, n := range s.graph.Notes {
		if _, seen := first[n.Kind]; seen {
			more[n.Kind]++
		} else {
			first[n.Kind] = n.Text
		}
	}
	for _, kind := range []graph.NoteKind{graph.Reordered, graph.Refused, graph.Fusion} {
		text, told := first[kind]
		if !told {
			continue
		}
		if k := more[kind]; k > 0 {
			text = fmt.Sprintf("%s; and %d more, see memplan stat", text, k)
		}
		fmt.Fprintf(w, "memplan: %v: %s\n", kind, text)
	}
}
