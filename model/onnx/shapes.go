package onnx

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"memplan/model/graph"
)

// Options are what the caller knows of sizes.
type Options struct {
	Dims   map[string][]int64 // sizes of named dimensions; of several, the graph has the dimension
	Shapes map[string][]int64 // of inputs
}

// A sizer knows the sizes of values.
type sizer struct {
	m      *Model
	opt    Options
	dims   []graph.Dim
	number map[string]int // of the graph's dimensions
	bound  map[string]int64
}

// newSizer takes the options; all that is wrong with them is reported.
func newSizer(m *Model, opt Options) (*sizer, error) {
	s := &sizer{m: m, opt: opt, number: make(map[string]int), bound: make(map[string]int64)}
	var faults []error
	used := m.names()
	for _, name := range slices.Sorted(maps.Keys(opt.Dims)) {
		sizes := opt.Dims[name]
		switch {
		case !used[name]:
			faults = append(faults, fmt.Errorf("there is no dimension %q: %s", name, listed(used)))
		case len(sizes) == 0 || slices.Min(sizes) < 1:
			faults = append(faults, fmt.Errorf("dimension %q: sizes %v: want positive numbers", name, sizes))
		case len(sizes) == 1:
			s.bound[name] = sizes[0]
		default:
			s.dims = append(s.dims, graph.Dim{ID: name, Min: slices.Min(sizes), Max: slices.Max(sizes)})
			s.number[name] = len(s.dims)
		}
	}
	for _, input := range slices.Sorted(maps.Keys(opt.Shapes)) {
		if err := s.shape(input, opt.Shapes[input]); err != nil {
			faults = append(faults, fmt.Errorf("input %q: %w", input, err))
		}
	}
	return s, errors.Join(faults...)
}

// names are the named dimensions.
func (m *Model) names() map[string]bool {
	names := make(map[string]bool)
	for _, i := range m.main.values {
		for _, d := range i.dims {
			if d.name != "" {
				names[d.name] = true
			}
		}
	}
	return names
}

func listed(names map[string]bool) string {
	if len(names) == 0 {
		return "the model names none"
	}
	list := slices.Sorted(maps.Keys(names))
	if len(list) > 10 {
		list = append(list[:10], "...")
	}
	return "the model has " + strings.Join(list, ", ")
}

// shape gives an input's dimensions their sizes.
func (s *sizer) shape(input string, sizes []int64) error {
	i, ok := s.m.main.values[input]
	if !ok || !slices.Contains(s.m.main.inputs, input) {
		return fmt.Errorf("there is no such input: the model has %s", strings.Join(s.m.given(), ", "))
	}
	if len(sizes) > 0 && slices.Min(sizes) < 0 {
		return fmt.Errorf("shape %v: want numbers that are not negative", sizes)
	}
	if !i.known {
		i.dims, i.known = make([]dim, len(sizes)), true
		for k := range i.dims {
			i.dims[k].size = -1
		}
		s.m.main.values[input] = i
	}
	if len(sizes) != len(i.dims) {
		return fmt.Errorf("shape %v has %d dimensions, the model's %v has %d", sizes, len(sizes), i, len(i.dims))
	}
	for k, d := range i.dims {
		old, bound := s.bound[d.name]
		switch {
		case d.size >= 0 && d.size != sizes[k]:
			return fmt.Errorf("shape %v does not go with the model's %v", sizes, i)
		case d.name != "" && (bound && old != sizes[k] || s.number[d.name] > 0):
			return fmt.Errorf("shape %v gives dimension %s a size that it does not have elsewhere", sizes, d.name)
		case d.name != "":
			s.bound[d.name] = sizes[k]
		}
	}
	return nil
}

// given are the inputs that are no weights.
func (m *Model) given() []string {
	constants := make(map[string]bool)
	for _, c := range m.main.constants {
		constants[c.name] = true
	}
	var list []string
	for _, name := range m.main.inputs {
		if !constants[name] {
			list = append(list, name)
		}
	}
	return list
}

// String is the shape as people write it.
func (i info) String() string {
	if !i.known {
		return "(unknown rank)"
	}
	words := make([]string, len(i.dims))
	for k, d := range i.dims {
		words[k] = cmp.Or(d.name, "?")
		if d.size >= 0 {
			words[k] = strconv.FormatInt(d.size, 10)
		}
	}
	return "[" + strings.Join(words, ",") + "]"
}

// size is a value's shape; nil where it is not known.
func (s *sizer) size(name string) (*graph.Shape, error) {
	i, ok := s.m.main.values[name]
	if !ok || i.kind == 0 && !i.known {
		return nil, nil
	}
	if i.kind.bits() == 0 {
		return nil, fmt.Errorf("value %q: elements of type %v have no fixed size", name, i.kind)
	}
	if !i.known {
		return nil, nil
	}
	shape := &graph.Shape{Bits: i.kind.bits()}
	given := s.opt.Shapes[name]
	for k, d := range i.dims {
		bound, ok := s.bound[d.name]
		switch {
		case d.size >= 0:
			shape.Extents = append(shape.Extents, graph.Extent{Size: d.size})
		case len(given) > 0:
			shape.Extents = append(shape.Extents, graph.Extent{Size: given[k]})
		case d.name != "" && ok:
			shape.Extents = append(shape.Extents, graph.Extent{Size: bound})
		case s.number[d.name] > 0:
			shape.Extents = append(shape.Extents, graph.Extent{Dim: s.number[d.name]})
		default:
			return nil, nil
		}
	}
	return shape, nil
}

// A ShapeError says that the sizes of some values are not known.
type ShapeError struct {
	Value string // the first
	Op    string // that makes it; "" where the caller does
	More  int    // how many others there are

	inputs   []string           // whose sizes the caller has to give
	inferred bool               // the model has sizes of values, as inference leaves them
	shapes   map[string][]int64 // of the inputs, where they are not in the model
}

func (e *ShapeError) Error() string {
	text := fmt.Sprintf("the size of %q is not known", e.Value)
	if e.Op != "" {
		text = fmt.Sprintf("the size of %q, made by %s, is not known", e.Value, e.Op)
	}
	if e.More > 0 {
		text += fmt.Sprintf(", nor are those of %d other values", e.More)
	}
	return text
}

// Inputs are the inputs whose sizes have to be given, by dimension or by shape.
func (e *ShapeError) Inputs() []string { return e.inputs }

// Command is a line for a shell that has Python's onnx package fill the sizes
// in, and write the model to another file: by inference; where a model that has
// been through that is still not complete, by running it on zeros.
func (e *ShapeError) Command(in, out string) string {
	words := []string{"import onnx,sys", "m=onnx.load(sys.argv[1],load_external_data=False)", "g=m.graph"}
	if len(e.shapes) > 0 {
		var dict []string
		for _, name := range slices.Sorted(maps.Keys(e.shapes)) {
			dict = append(dict, fmt.Sprintf("%s: %s", python(name), strings.ReplaceAll(fmt.Sprint(e.shapes[name]), " ", ", ")))
		}
		words = append(words, fmt.Sprintf("s={%s}", strings.Join(dict, ", ")),
			`[(i.type.tensor_type.shape.ClearField("dim"), [i.type.tensor_type.shape.dim.add(dim_value=n) for n in s[i.name]]) for i in g.input if i.name in s]`)
	}
	if e.inferred {
		words[1] = "m=onnx.load(sys.argv[1])"
		words = append(words, runOnZeros...)
	} else {
		words = append(words, infer...)
	}
	return fmt.Sprintf("python3 -c %s %s %s", shell(strings.Join(words, "; ")), shell(in), shell(out))
}

// infer is what onnx's inference needs. It knows the values of initializers, but
// not of Constant nodes, and takes an extent below 0 for a size.
var infer = []string{
	`[(setattr(n.attribute[0].t,"name",n.output[0]),g.initializer.append(n.attribute[0].t),g.node.remove(n)) for n in list(g.node) if n.op_type=="Constant" and n.attribute[0].name=="value"]`,
	`[v.type.tensor_type.ClearField("shape") for v in [*g.output,*g.value_info] if any(d.dim_value<0 for d in v.type.tensor_type.shape.dim)]`,
	"onnx.save(onnx.shape_inference.infer_shapes(m,data_prop=True),sys.argv[2])",
}

// runOnZeros runs a model whose inputs have sizes, and takes all that it makes.
var runOnZeros = []string{
	"import numpy as np",
	"from onnx.reference import ReferenceEvaluator",
	"w={t.name for t in g.initializer}",
	"x={i.name:np.zeros([d.dim_value for d in i.type.tensor_type.shape.dim],onnx.helper.tensor_dtype_to_np_dtype(i.type.tensor_type.elem_type)) for i in g.input if i.name not in w}",
	"r=ReferenceEvaluator(m).run(None,x,intermediate=True)",
	"o=[v.name for v in g.output]",
	`v=[onnx.helper.make_tensor_value_info(k,onnx.helper.np_dtype_to_tensor_dtype(a.dtype),a.shape) for k,a in r.items() if k and k not in w and k not in x and hasattr(a,"dtype")]`,
	`g.ClearField("value_info")`,
	`g.ClearField("output")`,
	"g.value_info.extend(i for i in v if i.name not in o)",
	"g.output.extend(i for n in o for i in v if i.name==n)",
	"onnx.save(m,sys.argv[2])",
}

// python is a text as Python writes it, in ASCII.
func python(text string) string { return strconv.QuoteToASCII(text) }

// shell is a text as one word of a shell.
func shell(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }
