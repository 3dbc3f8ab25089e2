package kernels_test

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"memplan/internal/access"
	"memplan/internal/shared"
	"memplan/model/tflite/kernels"
)

// sizes asks CMSIS-NN's own functions, which ExecuTorch's package holds for
// planning ahead: those for plain C, and those for kernels.DSP and kernels.MVE by their names.
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
func (s sizes) ask(l kernels.Library, function string, args ...any) int64 {
	s.t.Helper()
	request, err := json.Marshal(map[string]any{"call": function + map[kernels.Library]string{kernels.DSP: "_dsp", kernels.MVE: "_mve"}[l], "args": args})
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
func (s sizes) wanted(l kernels.Library, op *kernels.Operator) []int64 {
	x, y, w := &op.Inputs[0], &op.Output, &op.Window
	if x.Type == "FLOAT32" {
		return nil // the reference kernels run
	}
	switch op.Kind {
	case "AVERAGE_POOL_2D":
		return positive(s.ask(l, map[string]string{"INT8": "arm_avgpool_s8_get_buffer_size", "INT16": "arm_avgpool_s16_get_buffer_size"}[x.Type], y.Shape[2], y.Shape[3]))
	case "FULLY_CONNECTED":
		if x.Type == "INT16" {
			return nil
		}
		if depth := x.Shape[len(x.Shape)-1]; len(y.Shape) > 2 && depth%4 == 0 {
			return append([]int64{8 * y.Shape[len(y.Shape)-1]}, positive(s.ask(kernels.Scalar, "arm_convolve_1x1_s8_fast_get_buffer_size", []int64{1, 1, 1, x.Shape[len(x.Shape)-1]}))...)
		}
		return positive(s.ask(l, "arm_fully_connected_s8_get_buffer_size", []int64{x.Shape[len(x.Shape)-1], 1, 1, y.Shape[len(y.Shape)-1]}))
	case "TRANSPOSE_CONV":
		filter := op.Inputs[1].Shape
		x = &op.Inputs[2]
		params := []int64{0, 0, w.Stride[1], w.Stride[0], 0, 0, 0, 0, 1, 1, 0, 0}
		function := "arm_transpose_conv_s8_get_buffer_size"
		build := l
		if l == kernels.DSP {
			build = kernels.Scalar // there is none of its own
		}
		return []int64{
			s.ask(build, function, params, x.Shape, filter, y.Shape),
			s.ask(kernels.Scalar, "arm_transpose_conv_s8_get_reverse_conv_buffer_size", params, x.Shape, filter),
		}
	}
	filter := op.Inputs[1].Shape
	params := []int64{0, 0, w.Stride[1], w.Stride[0], access.Padding(op, 1), access.Padding(op, 0), w.Dilation[1], w.Dilation[0], 0, 0}
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

// Scratch is what CMSIS-NN's own functions say, for random operators.
func TestScratchAgainstCMSIS(t *testing.T) {
	s := startSizes(t)
	asked, above := make(map[string]int), make(map[string]int)
	for seed := int64(0); seed < 1000; seed++ {
		d := access.Draw(seed)
		op := d.CMSIS()
		switch d.Intn(5) {
		case 0:
			op = d.Transposed()
		case 1:
			op = d.Operator()
		}
		if !slices.Contains([]string{"CONV_2D", "DEPTHWISE_CONV_2D", "AVERAGE_POOL_2D", "FULLY_CONNECTED", "TRANSPOSE_CONV"}, op.Kind) {
			op = d.Windowed("DEPTHWISE_CONV_2D", 1)
		}
		if op.Kind == "DEPTHWISE_CONV_2D" && d.Intn(4) == 0 && op.Inputs[0].Type == "INT8" {
			op.Inputs[1].Type = "INT4"
		}
		for _, l := range []kernels.Library{kernels.Scalar, kernels.DSP, kernels.MVE} {
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
	shape := func(d ...int64) kernels.Tensor { return kernels.Tensor{Type: "INT8", Width: 1, Shape: d} }
	conv := kernels.Operator{Kind: "CONV_2D", Inputs: []kernels.Tensor{shape(1, 9, 9, 5), shape(7, 3, 3, 5)}, Output: shape(1, 9, 9, 7), Window: kernels.Window{Same: true, Stride: [2]int64{1, 1}, Dilation: [2]int64{1, 1}}}
	for l, want := range map[kernels.Library]int64{kernels.Reference: 0, kernels.Scalar: 192, kernels.DSP: 192, kernels.DSPArmclang: 192, kernels.MVE: 192, kernels.CMSISNN: 192} { // 45 elements, rounded to 48
		if got := l.Scratch(&conv, nil); fmt.Sprint(got) != fmt.Sprint(positive(want)) {
			t.Errorf("%v: %v, want %d", l, got, want)
		}
	}
	conv.Inputs[0].Shape[3], conv.Inputs[1].Shape[3] = 6, 6
	for l, want := range map[kernels.Library]int64{kernels.Scalar: 224, kernels.MVE: 256, kernels.CMSISNN: 256} { // 54
		if got := l.Scratch(&conv, nil); fmt.Sprint(got) != fmt.Sprint(positive(want)) {
			t.Errorf("%v: %v, want %d", l, got, want)
		}
	}
}

// positive is one request, none where no bytes are needed.
func positive(bytes int64) []int64 {
	if bytes == 0 {
		return nil
	}
	return []int64{bytes}
}
