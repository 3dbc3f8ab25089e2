package kernels

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"memplan/internal/shared"
)

// sizes asks CMSIS-NN's own functions, which ExecuTorch's package holds for
// planning ahead: those for plain C, and those for DSP and MVE by their names.
type sizes struct {
	t   *testing.T
	in  io.Writer
	out *bufio.Reader
}

func startSizes(t *testing.T) sizes {
	t.Helper()
	library := filepath.Join(shared.Root(t), ".deps", "executorch", "lib", "cmsis_nn.so")
	if _, err := os.Stat(library); err != nil {
		shared.Missing(t, "CMSIS-NN's size functions are not in .deps/executorch; make test puts them there")
	}
	cmd := exec.Command(cmp.Or(os.Getenv("PYTHON"), "python3"), "testdata/sizes.py", library)
	cmd.Stderr = os.Stderr
	in, out := shared.Child(t, cmd)
	return sizes{t, in, out}
}

// ask is what a function says for a build. Structures are lists of their fields.
func (s sizes) ask(l Library, function string, args ...any) int64 {
	s.t.Helper()
	request, err := json.Marshal(map[string]any{"call": function + map[Library]string{DSP: "_dsp", MVE: "_mve"}[l], "args": args})
	if err != nil {
		s.t.Fatal(err)
	}
	if _, err := fmt.Fprintf(s.in, "%s\n", request); err != nil {
		s.t.Fatal(err)
	}
	line, err := s.out.ReadString('\n')
	if err != nil {
		s.t.Fatal(err)
	}
	size, err := strconv.ParseInt(strings.TrimSpace(line), 10, 64)
	if err != nil {
		s.t.Fatal(err)
	}
	return size
}

// wanted is what CMSIS-NN says that an operator needs.
func (s sizes) wanted(l Library, op *Operator) []int64 {
	x, y, w := &op.Inputs[0], &op.Output, &op.Window
	switch op.Kind {
	case "AVERAGE_POOL_2D":
		return positive(s.ask(l, map[string]string{"INT8": "arm_avgpool_s8_get_buffer_size", "INT16": "arm_avgpool_s16_get_buffer_size"}[x.Type], y.Shape[2], y.Shape[3]))
	case "FULLY_CONNECTED":
		if x.Type == "INT16" {
			return nil
		}
		if op.asConv() {
			return append([]int64{8 * y.dim(0)}, positive(s.ask(Scalar, "arm_convolve_1x1_s8_fast_get_buffer_size", []int64{1, 1, 1, x.dim(0)}))...)
		}
		return positive(s.ask(l, "arm_fully_connected_s8_get_buffer_size", []int64{x.dim(0), 1, 1, y.dim(0)}))
	case "TRANSPOSE_CONV":
		filter := op.Inputs[1].Shape
		x = &op.Inputs[2]
		params := []int64{0, 0, w.Stride[1], w.Stride[0], 0, 0, 0, 0, 1, 1, 0, 0}
		function := "arm_transpose_conv_s8_get_buffer_size"
		build := l
		if l == DSP {
			build = Scalar // there is none of its own
		}
		return []int64{
			s.ask(build, function, params, x.Shape, filter, y.Shape),
			s.ask(Scalar, "arm_transpose_conv_s8_get_reverse_conv_buffer_size", params, x.Shape, filter),
		}
	}
	filter := op.Inputs[1].Shape
	params := []int64{0, 0, w.Stride[1], w.Stride[0], op.padding(1), op.padding(0), w.Dilation[1], w.Dilation[0], 0, 0}
	function := "arm_convolve_wrapper_s8_get_buffer_size"
	switch {
	case op.Kind == "DEPTHWISE_CONV_2D" && x.Type == "INT16":
		return nil // TFLM asks for none
	case op.Kind == "DEPTHWISE_CONV_2D":
		function = "arm_depthwise_conv_wrapper_s8_get_buffer_size"
		if op.Inputs[1].Type == "INT4" {
			function = "arm_depthwise_conv_wrapper_s4_get_buffer_size"
		}
		params = slices.Insert(params, 2, y.Shape[3]/x.Shape[3])
	case x.Type == "INT16":
		function = "arm_convolve_wrapper_s16_get_buffer_size"
	}
	return positive(s.ask(l, function, params, x.Shape, []int64{1, filter[1], filter[2], filter[3]}, y.Shape))
}

// transposed draws a TRANSPOSE_CONV, whose input is operand 2.
func (d drawing) transposed() *Operator {
	op := &Operator{Kind: "TRANSPOSE_CONV", Window: Window{Stride: [2]int64{d.upTo(3), d.upTo(3)}}}
	x := []int64{1, d.upTo(5), d.upTo(5), d.upTo(24)}
	filter := []int64{d.upTo(9), d.upTo(4), d.upTo(4), x[3]}
	y := []int64{1, x[1] * op.Window.Stride[0], x[2] * op.Window.Stride[1], filter[0]}
	op.Inputs = []Tensor{{Type: "INT32", Width: 4, Shape: []int64{4}}, {Type: "INT8", Width: 1, Shape: filter}, {Type: "INT8", Width: 1, Shape: x}}
	op.Output = Tensor{Type: "INT8", Width: 1, Shape: y}
	return op
}

// Scratch is what CMSIS-NN's own functions say, for random operators.
func TestScratchAgainstCMSIS(t *testing.T) {
	s := startSizes(t)
	asked, above := make(map[string]int), make(map[string]int)
	for seed := int64(0); seed < 1000; seed++ {
		d := drawing{rand.New(rand.NewSource(seed))}
		op := d.cmsisOperator()
		switch d.Intn(5) {
		case 0:
			op = d.transposed()
		case 1:
			op = d.operator()
		}
		if !slices.Contains([]string{"CONV_2D", "DEPTHWISE_CONV_2D", "AVERAGE_POOL_2D", "FULLY_CONNECTED", "TRANSPOSE_CONV"}, op.Kind) {
			op = d.windowed("DEPTHWISE_CONV_2D", "INT8", 1)
		}
		if op.Kind == "DEPTHWISE_CONV_2D" && d.Intn(4) == 0 && op.Inputs[0].Type == "INT8" {
			op.Inputs[1].Type = "INT4"
		}
		for _, l := range []Library{Scalar, DSP, MVE} {
			got, want := l.Scratch(op, nil), s.wanted(l, op)
			if !slices.Equal(got, want) {
				t.Errorf("seed %d, %v: %v, CMSIS-NN says %v: %+v", seed, l, got, want, op)
			}
			name := op.Kind + " " + op.Output.Type
			asked[name]++
			if len(want) > 0 && want[0] > 0 {
				above[name]++
			}
		}
	}
	t.Log(asked, above)
	for _, kind := range []string{"CONV_2D INT8", "CONV_2D INT16", "DEPTHWISE_CONV_2D INT8", "AVERAGE_POOL_2D INT8", "AVERAGE_POOL_2D INT16", "FULLY_CONNECTED INT8", "TRANSPOSE_CONV INT8"} {
		if above[kind] < 5 {
			t.Errorf("%s: only %d need any", kind, above[kind])
		}
	}
}

// One plan for all builds has as much scratch as any of them asks for.
func TestScratchOfAllBuilds(t *testing.T) {
	shape := func(d ...int64) Tensor { return Tensor{Type: "INT8", Width: 1, Shape: d} }
	conv := Operator{Kind: "CONV_2D", Inputs: []Tensor{shape(1, 9, 9, 5), shape(7, 3, 3, 5)}, Output: shape(1, 9, 9, 7), Window: Window{true, [2]int64{}, [2]int64{1, 1}, [2]int64{1, 1}}}
	for l, want := range map[Library]int64{Reference: 0, Scalar: 192, DSP: 192, DSPArmclang: 192, MVE: 192, CMSISNN: 192} { // 45 elements, rounded to 48
		if got := l.Scratch(&conv, nil); fmt.Sprint(got) != fmt.Sprint(positive(want)) {
			t.Errorf("%v: %v, want %d", l, got, want)
		}
	}
	conv.Inputs[0].Shape[3], conv.Inputs[1].Shape[3] = 6, 6
	for l, want := range map[Library]int64{Scalar: 224, MVE: 256, CMSISNN: 256} { // 54
		if got := l.Scratch(&conv, nil); fmt.Sprint(got) != fmt.Sprint(positive(want)) {
			t.Errorf("%v: %v, want %d", l, got, want)
		}
	}
}

// spoil changes something in an operator.
func (d drawing) spoil(op *Operator) {
	number := []int64{-1, 0, 1, 2, 3, 1 << 16, 1<<31 - 1, d.Int63n(1 << 31)}[d.Intn(8)]
	t := &op.Output
	if n := len(op.Inputs); d.Intn(3) > 0 && n > 0 {
		t = &op.Inputs[d.Intn(n)]
	}
	switch d.Intn(7) {
	case 0:
		op.Inputs = op.Inputs[:d.Intn(len(op.Inputs)+1)]
	case 1:
		op.Window.Stride[d.Intn(2)] = number
	case 2:
		op.Window.Dilation[d.Intn(2)], op.Window.Taps[d.Intn(2)] = number, number
	case 3:
		t.Shape = t.Shape[:d.Intn(len(t.Shape)+1)]
	case 4:
		t.Values = append(t.Values, number)
	case 5:
		t.Type, t.Width = []string{"", "INT8", "INT16", "FLOAT32", "INT4"}[d.Intn(5)], d.Int63n(5)
	default:
		if n := len(t.Shape); n > 0 {
			t.Shape[d.Intn(n)] = max(0, number)
		}
	}
}

// Nothing in an operator makes the package panic, or work for long.
func TestHostileOperators(t *testing.T) {
	kinds := append(slices.Concat(unary, binary), "CONV_2D", "DEPTHWISE_CONV_2D", "AVERAGE_POOL_2D", "MAX_POOL_2D", "FULLY_CONNECTED", "PAD", "SVDF",
		"TRANSPOSE_CONV", "BATCH_MATMUL", "UNIDIRECTIONAL_SEQUENCE_LSTM", "")
	leads := 0
	for seed := range int64(20000) {
		d := drawing{rand.New(rand.NewSource(seed))}
		op := []func() *Operator{d.operator, d.cmsisOperator, d.transposed}[d.Intn(3)]()
		for range d.Intn(5) {
			d.spoil(op)
		}
		if d.Intn(3) == 0 {
			op.Kind = kinds[d.Intn(len(kinds))]
		}
		for l := range Library(len(names)) {
			for input := range 4 {
				if bytes, ok := l.Lead(op, input); ok {
					leads++
					if bytes < 0 || bytes%16 != 0 || bytes >= op.Output.bytes() {
						t.Fatalf("seed %d: lead %d: %+v", seed, bytes, op)
					}
				}
			}
			for _, bytes := range l.Scratch(op, []int64{7}) {
				if bytes < 0 {
					t.Fatalf("seed %d: scratch %d: %+v", seed, bytes, op)
				}
			}
		}
	}
	if leads < 10000 {
		t.Errorf("only %d leads", leads)
	}
}

// A model of huge shapes costs no more than a small one.
func TestHugeOperators(t *testing.T) {
	huge := func(d ...int64) Tensor { return Tensor{Type: "INT8", Width: 1, Shape: d} }
	rows := int64(1<<31 - 1)
	for range 10000 {
		op := Operator{Kind: "MAX_POOL_2D", Inputs: []Tensor{huge(1, rows, 1, 1)}, Output: huge(1, rows, 1, 1), Window: Window{true, [2]int64{1<<20 - 1, 1}, [2]int64{1, 1}, [2]int64{1, 1}}}
		if _, ok := Reference.Lead(&op, 0); ok {
			t.Fatal("half a million rows in the padding were looked at")
		}
		op.Window.Taps[0] = 5
		if bytes, ok := Reference.Lead(&op, 0); !ok || bytes != 16 {
			t.Fatalf("lead %d, %v", bytes, ok)
		}
	}
}
