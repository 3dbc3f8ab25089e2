package onnx

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"memplan/internal/shared"
	"memplan/model/graph"
)

func number(field protowire.Number, v int64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(nil, field, protowire.VarintType), uint64(v))
}

func message(field protowire.Number, parts ...[]byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(nil, field, protowire.BytesType), slices.Concat(parts...))
}

func text(field protowire.Number, s string) []byte { return message(field, []byte(s)) }

// of is a node; texts before the arrow are inputs, those behind it outputs.
func of(op string, operands string, more ...[]byte) []byte {
	in, out, _ := strings.Cut(operands, ">")
	parts := [][]byte{text(4, op)}
	for _, name := range strings.Split(in, " ") {
		if name != "" {
			parts = append(parts, text(1, strings.Trim(name, "_")))
		}
	}
	for _, name := range strings.Fields(out) {
		parts = append(parts, text(2, strings.Trim(name, "_")))
	}
	return message(1, append(parts, more...)...)
}

// typed is a value with a type and a shape, of numbers and names.
func typed(field protowire.Number, name string, kind Type, dims ...any) []byte {
	var shape [][]byte
	for _, d := range dims {
		switch d := d.(type) {
		case int:
			shape = append(shape, message(1, number(1, int64(d))))
		case string:
			shape = append(shape, message(1, text(2, d)))
		}
	}
	return message(field, text(1, name), message(2, message(1, number(1, int64(kind)), message(2, shape...))))
}

func tensor(field protowire.Number, name string, kind Type, dims []int64, more ...[]byte) []byte {
	parts := [][]byte{text(8, name), number(2, int64(kind))}
	for _, d := range dims {
		parts = append(parts, number(1, d))
	}
	return message(field, append(parts, more...)...)
}

func model(parts ...[]byte) []byte { return append(number(1, 8), message(7, parts...)...) }

func read(t testing.TB, data []byte) *Model {
	t.Helper()
	if !Is(data) {
		t.Fatal("not taken for a model")
	}
	m, err := Read(bytes.NewReader(data), "m")
	if err != nil {
		t.Fatal(err)
	}
	return m
}

const f32 = Type(1)

// small has a weight listed as an input, folded nodes, views, an operand that is
// absent, an output that nobody reads, and a body that reads from outside.
var small = model(
	typed(11, "x", f32, "N", 4), typed(11, "w", f32, 4, 4), tensor(5, "w", f32, []int64{4, 4}), tensor(5, "shape", 7, []int64{2}, number(7, 2), number(7, 8)),
	of("ConstantOfShape", "shape>zeros"), of("Neg", "zeros>negative"),
	of("MatMul", "x w>y", text(3, "first")), of("Clip", "y _ _>z"), of("Flatten", "z>flat"), of("Dropout", "flat>kept mask"),
	of("If", "y>branch", message(5, message(6, of("Add", "flat inner>o"), of("Neg", "negative>inner"), message(12, text(1, "o"))))),
	of("Add", "kept branch>sum"), of("Constant", ">c", message(5, text(1, "value"), tensor(5, "", 22, []int64{3}))), of("Mul", "sum c>out"),
	typed(13, "y", f32, "N", 4), typed(13, "z", f32, "N", 4), typed(13, "flat", f32, "N", 4), typed(13, "kept", f32, "N", 4),
	typed(13, "branch", 10, "N", 4), typed(13, "sum", f32, "N", 4), typed(12, "out", 22, "N", 3),
)

func TestGraph(t *testing.T) {
	g, notes, err := read(t, small).Graph("small", Options{Dims: map[string][]int64{"N": {3}}})
	if err != nil {
		t.Fatal(err)
	}
	var tensors, ops []string
	for _, x := range g.Tensors {
		tensors = append(tensors, fmt.Sprintf("%s %d", x.ID, x.Bytes))
	}
	for _, op := range g.Ops {
		ops = append(ops, fmt.Sprint(op.ID, op.Inputs, op.Outputs))
	}
	wantTensors := []string{"w 64", "x 48", "negative 0", "y 48", "z 48", "flat 48", "kept 48", "branch 24", "sum 48", "c 2", "out 5"}
	wantOps := []string{"first[1 0] [3]", "3:Clip[3] [4]", "4:Flatten[4] [5]", "5:Dropout[5] [6]", "6:If[3 5 2] [7]", "7:Add[6 7] [8]", "9:Mul[8 9] [10]"}
	if !slices.Equal(tensors, wantTensors) || !slices.Equal(ops, wantOps) {
		t.Errorf("tensors %q, want %q\nops %q, want %q", tensors, wantTensors, ops, wantOps)
	}
	if g.Tensors[5].View == nil || g.Tensors[5].View.Of != 4 || g.Tensors[6].View == nil || g.Tensors[0].Kind != graph.Weight {
		t.Errorf("%+v", g.Tensors)
	}
	want := []string{"3 nodes whose inputs are all constant are folded away", `the size of the constant "negative" is not known: it is not counted among the weights`, "1 nodes run bodies: what those make inside is not planned"}
	if !slices.Equal(notes, want) || !slices.Equal(g.Inputs, []int{1}) || !slices.Equal(g.Outputs, []int{10}) {
		t.Errorf("%q, inputs %v, outputs %v", notes, g.Inputs, g.Outputs)
	}
}

// Several sizes of a dimension stay a dimension of the graph; a shape gives a
// dimension its size wherever it is named.
func TestSizes(t *testing.T) {
	m := read(t, small)
	g, _, err := m.Graph("small", Options{Dims: map[string][]int64{"N": {3, 1, 5}}})
	if err != nil || len(g.Dims) != 1 || g.Dims[0] != (graph.Dim{ID: "N", Min: 1, Max: 5}) || g.Tensors[1].Bytes != 80 {
		t.Errorf("%v %+v", err, g)
	}
	if g, _, err = m.Graph("small", Options{Shapes: map[string][]int64{"x": {2, 4}}}); err != nil || g.Tensors[8].Bytes != 32 {
		t.Errorf("%v %+v", err, g)
	}
	for _, c := range []struct {
		opt  Options
		want string
	}{
		{Options{}, `the size of "x" is not known, nor are those of 7 other values`},
		{Options{Dims: map[string][]int64{"M": {1}, "N": {0}}}, "there is no dimension \"M\": the model has N\ndimension \"N\": sizes [0]"},
		{Options{Shapes: map[string][]int64{"w": {1, 1}}}, `input "w": shape [1 1] does not go with the model's [4,4]`},
		{Options{Shapes: map[string][]int64{"v": {1, 1}}}, `input "v": there is no such input: the model has x`},
		{Options{Shapes: map[string][]int64{"x": {1}}}, `input "x": shape [1] has 1 dimensions, the model's [N,4] has 2`},
		{Options{Shapes: map[string][]int64{"x": {-1, 4}}}, "not negative"},
		{Options{Dims: map[string][]int64{"N": {2}}, Shapes: map[string][]int64{"x": {3, 4}}}, "gives dimension N a size that it does not have elsewhere"},
	} {
		if _, _, err := read(t, small).Graph("small", c.opt); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.opt, err, c.want)
		}
	}
}

func TestFaults(t *testing.T) {
	x := typed(11, "x", f32, 4)
	for _, c := range []struct {
		data []byte
		want string
	}{
		{nil, "there is no graph in it"},
		{model([]byte{0xff}), "m: not an onnx model"},
		{model(number(1, 3)), "field 1 is a number"},
		{model(of("Add", "x y>z"), typed(13, "z", f32, 4)), `node "0:Add" reads "x", which nothing makes`},
		{model(x, of("Neg", "x>y"), of("Neg", "x>y"), typed(13, "y", f32, 4)), `value "y" is made twice`},
		{model(x, typed(12, "y", f32, 4)), `output "y": nothing makes it`},
		{model(typed(11, "x", 8, 4)), `value "x": elements of type string have no fixed size`},
		{model(typed(11, "x", 99, 4)), `elements of type type 99 have no fixed size`},
		{model(typed(11, "x", f32, 1<<40, 1<<40)), "do not fit in int64"},
		{model(tensor(5, "w", f32, []int64{-1})), `constant "w": an extent is unknown or negative`},
		{model(x, x), `input "x" is there twice`},
		{model(x, of("Neg", "b>a"), of("Neg", "a>b"), typed(13, "a", f32, 4), typed(13, "b", f32, 4)), "wait for each other"},
	} {
		m, err := Read(bytes.NewReader(c.data), "m")
		if err == nil {
			_, _, err = m.Graph("m", Options{})
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %q", c.data, err, c.want)
		}
	}
	deep := []byte{}
	for range deepest + 2 {
		deep = of("If", ">", message(5, message(6, deep)))
	}
	if _, err := Read(bytes.NewReader(model(deep)), "m"); err == nil || !strings.Contains(err.Error(), "deep") {
		t.Error(err)
	}
}

// command runs the command that fills sizes in, with the package at hand.
func command(t *testing.T, e *ShapeError, in, out string) []byte {
	t.Helper()
	packages := filepath.Join(shared.Root(t), ".deps", "onnx")
	if _, err := os.Stat(packages); err != nil {
		shared.Missing(t, "make test puts the onnx package there: "+err.Error())
	}
	cmd := exec.Command("sh", "-c", e.Command(in, out))
	cmd.Env = append(os.Environ(), "PYTHONPATH="+packages)
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s\n%s", err, text, e.Command(in, out))
	}
	data, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// Real models lack the sizes of their values; the command of the error fills
// them in, and the loads are the known ones: in the given order, and in the best.
func TestModels(t *testing.T) {
	for _, c := range []struct {
		name    string
		opt     Options
		load    int64
		buffers int
		steps   int // commands until all sizes are known
	}{
		{"onnxlight__light_densenet121", Options{}, 8429568, 669, 1},
		{"onnxlight__light_squeezenet", Options{}, 6308352, 66, 1},
		{"onnxlight__light_inception_v1", Options{}, 6422528, 142, 1},
		{"rapidocr_onnxruntime__ch_ppocr_mobile_v2.0_cls_infer", Options{Shapes: map[string][]int64{"x": {1, 3, 48, 192}}}, 485376, 238, 2},
	} {
		in := shared.Path(t, "onnx/"+c.name+".onnx")
		data, opt := shared.Read(t, "onnx/"+c.name+".onnx"), c.opt
		var g *graph.Graph
		var err error
		steps := 0
		for ; ; steps++ {
			g, _, err = read(t, data).Graph(c.name, opt)
			unknown := (*ShapeError)(nil)
			if !errors.As(err, &unknown) || steps == c.steps {
				break
			}
			out := filepath.Join(t.TempDir(), "it's shaped.onnx")
			data, in, opt = command(t, unknown, in, out), out, Options{}
		}
		if err != nil || steps != c.steps {
			t.Fatalf("%s: after %d commands: %v", c.name, steps, err)
		}
		l, err := g.Lower(graph.LowerOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if a := l.Merged().Arenas[0]; a.Load() != c.load || len(a.Buffers) != c.buffers {
			t.Errorf("%s: load %d, %d buffers; want %d, %d", c.name, a.Load(), len(a.Buffers), c.load, c.buffers)
		}
	}
}

// FuzzRead: no input panics, and what is accepted is valid.
func FuzzRead(f *testing.F) {
	f.Add(small)
	f.Add(model(of("Neg", "x>y"), typed(11, "x", f32, 4)))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := Read(bytes.NewReader(data), "m")
		if err != nil {
			return
		}
		g, _, err := m.Graph("m", Options{})
		if unknown := (*ShapeError)(nil); errors.As(err, &unknown) {
			_ = unknown.Command("in", "out")
		}
		if err != nil {
			g, _, err = m.Graph("m", Options{Dims: map[string][]int64{"N": {2, 3}}})
		}
		if err == nil {
			if err := g.Validate(); err != nil {
				t.Fatal("accepted but not valid:", err)
			}
		}
	})
}
