package tflite

import (
	"slices"
	"testing"

	"memplan/model/tflite/kernels"
)

// Leads of a file's operators: those of inputs that are made while the model runs.
func TestLeads(t *testing.T) {
	conv := testOp{kind: conv2D, union: convOptions, options: tableOf(1, 1, 1)} // VALID, strides of 1
	pads := testTensor{name: "pads", kind: int32s, shape: []int{2, 2}}
	float, whole := value(0, 0, 4, 50), value(int8Type, 1, 3, 1, 1, 20)
	for name, c := range map[string]struct {
		m    *testModel
		want []Lead
	}{
		"1 x 1 convolution": {kernelModel(conv, in(int8Type, 1, 1, 8, 8, 20), value(int8Type, 1, 40, 1, 1, 20), value(int32s, 1, 40), value(int8Type, 1, 1, 8, 8, 40)),
			[]Lead{{0, 3, 1312}}}, // 64*40 - 1 - 63*20 = 1,299
		"filter is no constant": {kernelModel(conv, in(int8Type, 1, 1, 8, 8, 20), in(int8Type, 1, 3, 1, 1, 20), value(int32s, 1, 3), value(int8Type, 1, 1, 8, 8, 3)),
			[]Lead{{0, 3, 16}}},
		"input is a constant": {kernelModel(conv, whole, in(int8Type, 1, 3, 1, 1, 20), value(int32s, 1, 3), value(int8Type, 1, 3, 1, 1, 3)), nil},
		"int4":                {kernelModel(conv, in(int8Type, 1, 1, 8, 8, 20), value(int4Type, 1, 3, 1, 1, 20), value(int32s, 1, 3), value(int8Type, 1, 1, 8, 8, 3)), nil},
		"other output":        {kernelModel(conv, in(int8Type, 1, 1, 8, 8, 20), value(int8Type, 1, 3, 1, 1, 20), value(int32s, 1, 3), value(int8Type, 1, 1, 7, 8, 3)), nil},
		"sum":                 {kernelModel(testOp{kind: add, union: addOptions, options: tableOf()}, in(0, 0, 4, 50), in(0, 0, 4, 50), float), []Lead{{0, 2, 0}, {1, 2, 0}}},
		"broadcast":           {kernelModel(testOp{kind: add, union: addOptions, options: tableOf()}, in(0, 0, 1, 50), in(0, 0, 1, 4, 50), float), []Lead{{1, 2, 0}}},
		"pad":                 {kernelModel(testOp{kind: pad, union: 22, options: tableOf()}, in(0, 0, 4, 5), pads, value(0, 0, 4, 5)), []Lead{{0, 2, 0}}},
	} {
		f, err := Read(c.m.build())
		if err != nil {
			t.Fatal(err)
		}
		if got := f.Leads(kernels.Reference, 0, 0); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}
