package tflite

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"memplan/internal/access"
	"memplan/internal/shared"
	"memplan/model"
	"memplan/model/tflite/kernels"
)

// kindOf is a kind by the schema's name.
func kindOf(name string) Kind { return Kind(slices.Index(kindNames, name)) }

// typeOf is a type by the schema's name.
func typeOf(name string) Type {
	return Type(slices.IndexFunc(types[:], func(t struct {
		name string
		bits int64
	}) bool {
		return t.name == name
	}))
}

// measuredPairs are kinds and types that are run, from type to type.
var measuredPairs = strings.Fields(`
	ABS/FLOAT32 CEIL/FLOAT32 COS/FLOAT32 ELU/FLOAT32 EXP/FLOAT32 FLOOR/FLOAT32 HARD_SWISH/FLOAT32 L2_NORMALIZATION/FLOAT32
	LEAKY_RELU/FLOAT32 LOG/FLOAT32 LOG_SOFTMAX/FLOAT32 LOGISTIC/FLOAT32 NEG/FLOAT32 RELU/FLOAT32 RELU6/FLOAT32 ROUND/FLOAT32
	RSQRT/FLOAT32 SIN/FLOAT32 SOFTMAX/FLOAT32 SQRT/FLOAT32 SQUARE/FLOAT32 TANH/FLOAT32 LOGICAL_NOT/BOOL
	ABS/INT8 ELU/INT8 HARD_SWISH/INT8 L2_NORMALIZATION/INT8 LEAKY_RELU/INT8 LOG_SOFTMAX/INT8 LOGISTIC/INT8 RELU/INT8 RELU6/INT8
	SOFTMAX/INT8 TANH/INT8 ABS/INT16 LEAKY_RELU/INT16 LOGISTIC/INT16 SOFTMAX/INT16 TANH/INT16 SOFTMAX/INT8/INT16
	CAST/INT8/FLOAT32 CAST/INT32/INT8 CAST/INT16/FLOAT32 CAST/INT32/FLOAT32 CAST/INT8/INT32 CAST/INT32/INT16
	QUANTIZE/FLOAT32/INT8 QUANTIZE/FLOAT32/INT16 QUANTIZE/INT8/INT8 QUANTIZE/INT16/INT8 QUANTIZE/INT8/INT16 QUANTIZE/INT16/INT16
	QUANTIZE/INT16/INT32 QUANTIZE/INT8/INT32 DEQUANTIZE/INT8/FLOAT32 DEQUANTIZE/INT16/FLOAT32 DEQUANTIZE/UINT8/FLOAT32
	ADD/FLOAT32 ADD/INT8 ADD/INT16 ADD/INT32 SUB/FLOAT32 SUB/INT8 SUB/INT16 SUB/INT32 MUL/FLOAT32 MUL/INT8 MUL/INT16 MUL/INT32
	MAXIMUM/FLOAT32 MAXIMUM/INT8 MAXIMUM/INT16 MAXIMUM/INT32 MINIMUM/FLOAT32 MINIMUM/INT8 MINIMUM/INT16 MINIMUM/INT32
	SQUARED_DIFFERENCE/FLOAT32 SQUARED_DIFFERENCE/INT8 SQUARED_DIFFERENCE/INT32 DIV/FLOAT32 FLOOR_DIV/FLOAT32 FLOOR_MOD/FLOAT32
	PRELU/FLOAT32 PRELU/INT8 LESS/FLOAT32/BOOL LESS_EQUAL/INT8/BOOL GREATER/INT32/BOOL GREATER_EQUAL/FLOAT32/BOOL EQUAL/INT8/BOOL
	NOT_EQUAL/INT8/BOOL LOGICAL_AND/BOOL LOGICAL_OR/BOOL
	CONV_2D/FLOAT32 CONV_2D/INT8 CONV_2D/INT16 DEPTHWISE_CONV_2D/FLOAT32 DEPTHWISE_CONV_2D/INT8 DEPTHWISE_CONV_2D/INT16
	AVERAGE_POOL_2D/FLOAT32 AVERAGE_POOL_2D/INT8 AVERAGE_POOL_2D/INT16 MAX_POOL_2D/FLOAT32 MAX_POOL_2D/INT8 MAX_POOL_2D/INT16
	FULLY_CONNECTED/FLOAT32 FULLY_CONNECTED/INT8 FULLY_CONNECTED/INT16 PAD/FLOAT32 PAD/INT8 PAD/INT16 PAD/INT32 PADV2/FLOAT32 PADV2/INT8
`)

// A single is a model of one operator.
type single struct {
	op    *kernels.Operator
	m     *testModel
	under int // the operand that the output may lie over
}

// drawSingle draws a model of a kind and types.
func drawSingle(d access.Drawing, pair string) single {
	parts := strings.Split(pair, "/")
	kind, from, to := parts[0], typeOf(parts[1]), typeOf(parts[len(parts)-1])
	width := func(t Type) int64 { return types[t].bits / 8 }
	s := single{}
	binary := slices.Contains(strings.Fields("ADD SUB MUL DIV MAXIMUM MINIMUM SQUARED_DIFFERENCE FLOOR_DIV FLOOR_MOD PRELU LESS LESS_EQUAL GREATER GREATER_EQUAL EQUAL NOT_EQUAL LOGICAL_AND LOGICAL_OR"), kind)
	switch {
	case strings.HasSuffix(kind, "_2D"):
		s.op = d.Windowed(kind, width(from))
	case kind == "FULLY_CONNECTED":
		s.op = d.FullyConnected(width(from))
	case strings.HasPrefix(kind, "PAD"):
		s.op = d.Padded(width(from))
		s.op.Kind = kind
	case binary:
		s.op = d.Elementwise(kind, 2, width(from), width(to))
		s.under = d.Intn(2)
		if other := s.op.Inputs[1-s.under].Shape; d.Intn(2) == 0 {
			s.op.Inputs[1-s.under].Shape = [][]int64{other, {other[2]}, {1, 1, other[2]}, {other[1], other[2]}}[d.Intn(4)]
		}
	default:
		s.op = d.Elementwise(kind, 1, width(from), width(to))
	}
	s.op.Output.Type = to.String()
	for k := range s.op.Inputs {
		if k == 0 || binary {
			s.op.Inputs[k].Type = from.String()
		}
	}
	s.build(d, binary)
	return s
}

// build makes the model: operands that are filters or paddings are constants.
func (s *single) build(d access.Drawing, binary bool) {
	s.m = &testModel{}
	sub := testSub{name: "main"}
	op := testOp{kind: kindOf(s.op.Kind)}
	op.union, op.options = s.options()
	in, filter, out := s.scales()
	for k, x := range s.op.Inputs {
		t := testTensor{name: fmt.Sprint("x", k), kind: typeOf(x.Type), shape: narrow(x.Shape), scale: in}
		switch {
		case k == 0 || binary:
			sub.in = append(sub.in, k)
		case x.Values != nil:
			data := []byte{}
			for _, v := range x.Values {
				data = append(data, words(int32(v))...)
			}
			t.buffer, t.scale = s.m.constant(data...), 0
		default:
			t.buffer, t.scale = s.m.constant(weights(d, &x)...), filter
		}
		sub.tensors, op.in = append(sub.tensors, t), append(op.in, k)
	}
	y := testTensor{name: "y", kind: typeOf(s.op.Output.Type), shape: narrow(s.op.Output.Shape), scale: out, zero: s.zero()}
	if s.op.Kind == "PADV2" {
		pad := kernels.Tensor{Type: s.op.Output.Type, Width: s.op.Output.Width, Shape: []int64{1}}
		sub.tensors = append(sub.tensors, testTensor{name: "value", kind: y.kind, shape: []int{1}, scale: in, buffer: s.m.constant(weights(d, &pad)...)})
		op.in = append(op.in, len(sub.tensors)-1)
	}
	sub.out, op.out = []int{len(sub.tensors)}, []int{len(sub.tensors)}
	sub.tensors, sub.ops = append(sub.tensors, y), []testOp{op}
	s.m.subs = []testSub{sub}
}

func narrow(shape []int64) (list []int) {
	for _, d := range shape {
		list = append(list, int(d))
	}
	return list
}

// weights are random, of a tensor's size.
func weights(d access.Drawing, t *kernels.Tensor) (data []byte) {
	n := int64(1)
	for _, dim := range t.Shape {
		n *= dim
	}
	for range n {
		if t.Type == "FLOAT32" {
			data = append(data, words(int32(math.Float32bits(float32(d.Float64()-0.5))))...)
			continue
		}
		for range t.Width {
			data = append(data, byte(d.Intn(201)-100))
		}
	}
	return data
}

// scales are those of the operands, the filter and the output by which the output
// takes many values; 0 for none.
func (s *single) scales() (in, filter, out float64) {
	x, y := &s.op.Inputs[0], &s.op.Output
	if x.Type == "INT8" || x.Type == "INT16" || x.Type == "UINT8" {
		in = 1. / 64
	}
	if y.Type == "INT8" || y.Type == "INT16" || y.Type == "INT32" && s.op.Kind == "QUANTIZE" {
		out = 1. / 64
	}
	narrow := y.Type == "INT8"
	terms := 0.
	switch s.op.Kind {
	case "CONV_2D", "DEPTHWISE_CONV_2D":
		f := s.op.Inputs[1].Shape
		terms = float64(f[1] * f[2])
		if s.op.Kind == "CONV_2D" {
			terms *= float64(f[3])
		}
	case "FULLY_CONNECTED":
		terms = float64(s.op.Inputs[1].Shape[1])
	case "SOFTMAX", "LOGISTIC":
		out *= map[bool]float64{true: 64. / 256, false: 64. / 32768}[narrow]
		if x.Type != y.Type {
			out /= 2 // of int8 to int16
		}
	case "TANH", "L2_NORMALIZATION":
		out *= map[bool]float64{true: 64. / 128, false: 64. / 32768}[narrow]
	case "LOG_SOFTMAX":
		out *= 64. * 16 / 256
	case "ADD", "SUB", "MUL", "SQUARED_DIFFERENCE":
		out *= 2
	case "QUANTIZE":
		if x.Type == "FLOAT32" {
			out = map[bool]float64{true: 1. / 100, false: 1. / 30000}[narrow]
		}
	}
	if terms > 0 && in > 0 {
		filter = 1. / 64
		out = math.Sqrt(terms) / map[bool]float64{true: 50, false: 1000}[narrow]
	}
	return in, filter, out
}

// zero is the output's zero point that the kernel insists on.
func (s *single) zero() int64 {
	switch x, y := s.op.Inputs[0].Type, s.op.Output.Type; {
	case y == "INT8":
		return map[string]int64{"SOFTMAX": -128, "LOGISTIC": -128, "LOG_SOFTMAX": 127}[s.op.Kind]
	case y == "INT16" && x == "INT8" && s.op.Kind == "SOFTMAX":
		return -32768
	}
	return 0
}

// options is the operator's table of options, and which that is.
func (s *single) options() (union int, options object) {
	w := &s.op.Window
	same, stride, dilation, taps := 1, [2]int{int(w.Stride[0]), int(w.Stride[1])}, [2]int{int(w.Dilation[0]), int(w.Dilation[1])}, [2]int{int(w.Taps[0]), int(w.Taps[1])}
	if w.Same {
		same = 0
	}
	switch s.op.Kind {
	case "CONV_2D":
		return convOptions, tableOf(same, stride[1], stride[0], 0, dilation[1], dilation[0])
	case "DEPTHWISE_CONV_2D":
		multiplier := int(s.op.Output.Shape[3] / s.op.Inputs[0].Shape[3])
		return depthwiseOptions, tableOf(same, stride[1], stride[0], multiplier, 0, dilation[1], dilation[0])
	case "AVERAGE_POOL_2D", "MAX_POOL_2D":
		return optionsPool, tableOf(same, stride[1], stride[0], taps[1], taps[0], 0)
	case "FULLY_CONNECTED":
		return fullOptions, tableOf(0, 0, 1)
	case "SOFTMAX":
		return 9, tableOf(1.)
	case "LEAKY_RELU":
		return 75, tableOf(0.25)
	case "ADD":
		return addOptions, tableOf(0)
	case "SUB":
		return 28, tableOf(0)
	case "MUL":
		return 21, tableOf(0)
	case "DIV":
		return 29, tableOf(0)
	case "L2_NORMALIZATION":
		return 14, tableOf(0)
	}
	return 0, nil
}

// laid is the model with the operand so many bytes above the output, which may be
// less than 0, and all else apart.
func (s *single) laid(t *testing.T, f *File, distance int64) []byte {
	t.Helper()
	tensors := f.Subgraphs[0].Tensors
	offsets := make([]int32, len(tensors))
	y := len(tensors) - 1
	top := int64(0)
	place := func(tensor int, at int64) {
		size, err := tensors[tensor].bytes(TFLM)
		if err != nil {
			t.Fatal(err)
		}
		end, _ := model.AlignUp(at+size, 16)
		offsets[tensor], top = int32(at), max(top, end)
	}
	place(y, max(0, -distance))
	place(s.under, max(0, distance))
	for k := range tensors[:y] {
		switch {
		case tensors[k].Constant > 0:
			offsets[k] = online
		case k != s.under:
			place(k, top)
		}
	}
	out, err := f.WithPlan(offsets, nil)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// withLead draws models of a kind and types until one has a lead, and an output that
// is not too small to tell.
func withLead(t *testing.T, seed int64, pair string) (s single, f *File, bytes, size int64) {
	t.Helper()
	for draw := range int64(1000) {
		s = drawSingle(access.Draw(seed<<16+draw), pair)
		f, err := Read(s.m.build())
		if err != nil {
			t.Fatal(err)
		}
		leads := f.Leads(kernels.Reference, 0, 0)
		k := slices.IndexFunc(leads, func(l Lead) bool { return l.Input == int32(s.under) })
		tensors := f.Subgraphs[0].Tensors
		if size, _ := tensors[len(tensors)-1].bytes(TFLM); k >= 0 && size > 48 {
			return s, f, leads[k].Bytes, size
		}
	}
	t.Fatalf("%s: no lead: %+v", pair, s.op)
	return s, nil, 0, 0
}

// Models of one operator, run by the real interpreter: with the output over an
// input at the lead it computes the same, to the bit, and 16 bytes below the lead
// something else. Each kind is seen to be able to fail, with many draws each kind
// and type.
func TestRealLeads(t *testing.T) {
	i := startInterpreter(t)
	type figures struct{ drawn, above, differ int } // with a lead above 0; other outputs below the lead
	seen, total := make(map[string]figures), figures{}
	for seed := range int64(shared.Many(2 * len(measuredPairs))) {
		pair := measuredPairs[seed%int64(len(measuredPairs))]
		s, f, bytes, size := withLead(t, seed, pair)
		step, apart := int64(16), size+15
		if s.op.Output.Width < s.op.Inputs[s.under].Width { // where elements shrink, the first few hardly matter
			step = 64
		}
		before := i.run(s.laid(t, f, apart/16*16), 1<<20)
		at := i.run(s.laid(t, f, bytes), 1<<20)
		if before.Error != "" || at.Outputs != before.Outputs {
			t.Errorf("seed %d, %s: other outputs at the lead of %d bytes (%s%s): %+v", seed, pair, bytes, before.Error, at.Error, s.op)
		}
		now := figures{drawn: 1}
		if bytes > 0 {
			now.above = 1
		}
		if below := i.run(s.laid(t, f, bytes-step), 1<<20); below.Outputs != before.Outputs {
			now.differ = 1
		}
		for _, n := range []string{pair, s.op.Kind} {
			seen[n] = figures{seen[n].drawn + now.drawn, seen[n].above + now.above, seen[n].differ + now.differ}
		}
		total = figures{total.drawn + now.drawn, total.above + now.above, total.differ + now.differ}
	}
	for _, name := range slices.Sorted(maps.Keys(seen)) {
		n := seen[name]
		t.Logf("%-30s %+v", name, n)
		if n.differ == 0 && (n.drawn >= 8 || !strings.Contains(name, "/")) {
			t.Errorf("%s: %+v: the test does not test", name, n)
		}
	}
	t.Logf("%d kinds and types: %+v", len(measuredPairs), total)
	if total.differ*10 < total.drawn*9 {
		t.Errorf("only %d of %d compute something else below the lead", total.differ, total.drawn)
	}
}

// Every kind that has a lead by the reference kernels was measured.
func TestMeasuredKinds(t *testing.T) {
	for _, name := range kindNames {
		x := kernels.Tensor{Type: "FLOAT32", Width: 4, Shape: []int64{1, 4, 4, 8}}
		op := kernels.Operator{Kind: name, Inputs: []kernels.Tensor{x, x}, Output: x}
		_, has := kernels.Reference.Lead(&op, 0)
		ran := slices.ContainsFunc(measuredPairs, func(pair string) bool { return strings.HasPrefix(pair, name+"/") })
		if has && !ran {
			t.Errorf("%s has a lead, and is not run", name)
		}
	}
}
