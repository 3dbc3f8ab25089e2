package tflite

import (
	"math/rand"
	"slices"
	"testing"

	"memplan/internal/access"
	"memplan/internal/shared"
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

// Heads of real models with the scratch of CMSIS-NN's builds, as first measured.
func TestHeadsByKernels(t *testing.T) {
	for _, c := range []struct {
		model   string
		library kernels.Library
		head    int64
	}{
		{"tflite/microwakeword__okay_nabu.tflite", kernels.Reference, 3584},
		{"tflite/microwakeword__okay_nabu.tflite", kernels.MVE, 9584},
		{"tflite/mlperftiny__kws_ref_model.tflite", kernels.MVE, 20464},
		{"tflite/mlperftiny__kws_ref_model.tflite", kernels.CMSISNN, 20464},
		{"tflite/mlperftiny__pretrainedResnet_quant.tflite", kernels.Scalar, 49728},
		{"tflite/mlperftiny__pretrainedResnet_quant.tflite", kernels.DSP, 49728},
		{"tflite/mlperftiny__pretrainedResnet_quant.tflite", kernels.MVE, 49728},
		{"models/tiny__str_ww_ref_model.tflite", kernels.DSP, 7936},
		{"models/tiny__str_ww_ref_model.tflite", kernels.MVE, 9952},
		{"models/tflm__micro_speech_quantized.tflite", kernels.MVE, 6928},
	} {
		_, choice, _ := planned(t, shared.Read(t, c.model), Options{Kernels: c.library})
		if choice.Head != c.head || choice.Bound != c.head {
			t.Errorf("%s, %v: head %d, bound %d, want %d", c.model, c.library, choice.Head, choice.Bound, c.head)
		}
	}
}

// Spoilt files of one operator: nothing in their options and shapes makes leads or
// scratch panic.
func TestSpoiltLeads(t *testing.T) {
	r := rand.New(rand.NewSource(5))
	read, leads := 0, 0
	for _, pair := range []string{"CONV_2D/INT8", "DEPTHWISE_CONV_2D/INT16", "MAX_POOL_2D/INT8", "PAD/FLOAT32", "FULLY_CONNECTED/INT8", "SOFTMAX/INT8/INT16", "ADD/INT8"} {
		s := drawSingle(access.Draw(3), pair)
		data := s.m.build()
		for range shared.Many(500) {
			f, err := Read(shared.Spoil(r, data))
			if err != nil {
				continue
			}
			read++
			for l := kernels.Reference; l <= kernels.MVE; l++ {
				f.KernelScratch(l)
				if len(f.Subgraphs[0].Ops) > 0 {
					leads += len(f.Leads(l, 0, 0))
				}
			}
		}
	}
	if read < 1000 || leads < 1000 {
		t.Errorf("%d files were read, %d leads found", read, leads)
	}
}
