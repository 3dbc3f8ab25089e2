package tflite

import (
	"bytes"
	"encoding/binary"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"memplan/model/tflite/kernels"
)

// kernelModel is one operator between its inputs and its output.
func kernelModel(op testOp, tensors ...testTensor) *testModel {
	m := &testModel{}
	sub := testSub{name: "main", tensors: tensors, out: []int{len(tensors) - 1}}
	for i := range tensors[:len(tensors)-1] {
		op.in = append(op.in, i)
		if t := &tensors[i]; t.buffer == given {
			t.buffer = 0
			sub.in = append(sub.in, i)
		} else if !t.variable {
			t.buffer = m.constant(t.data()...)
		}
	}
	op.out = sub.out
	sub.ops = []testOp{op}
	m.subs = []testSub{sub}
	return m
}

// given marks an input of the model in kernelModel.
const given = -1

// data is constant data of the tensor's size: zeros; axes are 1, 2, ..., and
// anchors are 1.
func (t testTensor) data() []byte {
	x := Tensor{Type: t.kind}
	for _, d := range t.shape {
		x.Shape = append(x.Shape, int32(d))
	}
	if t.kind == int32s && t.name == "axes" {
		var axes []byte
		for i := range t.shape[0] {
			axes = append(axes, words(int32(i+1))...)
		}
		return axes
	}
	if t.name == "anchors" {
		return bytes.Repeat(words(0x3f800000), t.shape[0]*t.shape[1])
	}
	n, err := x.bytes(Generic)
	if err != nil {
		panic(err)
	}
	return make([]byte, n)
}

func in(kind Type, scale float64, shape ...int) testTensor {
	return testTensor{name: "x", kind: kind, shape: shape, buffer: given, scale: scale}
}

func value(kind Type, scale float64, shape ...int) testTensor {
	return testTensor{name: "v", kind: kind, shape: shape, scale: scale}
}

// scratchModels are models of one operator each whose kernel asks for scratch.
func scratchModels() map[string]*testModel {
	reducer := func(kind Kind) testOp { return testOp{kind: kind, union: reducerOptions, options: tableOf(0)} }
	axes := testTensor{name: "axes", kind: int32s, shape: []int{2}}
	pads := testTensor{name: "pads", kind: int32s, shape: []int{2, 2}}
	const int64s = Type(4)
	addAll := testOp{kind: addN, union: 82, options: tableOf()}
	// Zero is SAME padding; strides of 1.
	conv := testOp{kind: conv2D, union: convOptions, options: tableOf(0, 1, 1)}
	deep := testOp{kind: depthwiseConv2D, union: depthwiseOptions, options: tableOf(0, 1, 1, 1)}
	full := testOp{kind: fullyConnected, union: fullOptions, options: tableOf()}
	back := testOp{kind: transposeConv, union: transposeOptions, options: tableOf(0, 1, 1)}
	shape := testTensor{name: "shape", kind: int32s, shape: []int{4}}
	return map[string]*testModel{
		"mean float":          kernelModel(reducer(mean), in(0, 0, 1, 3, 5, 7), axes, value(0, 0, 1, 7)),
		"mean int8":           kernelModel(reducer(mean), in(int8Type, 1, 1, 3, 5, 70), axes, value(int8Type, 1, 1, 70)),
		"mean int16":          kernelModel(reducer(mean), in(int16Type, 1, 1, 3, 5, 70), axes, value(int16Type, 1, 1, 70)),
		"sum float":           kernelModel(reducer(sum), in(0, 0, 1, 3, 5, 7), axes, value(0, 0, 1, 7)),
		"sum int8":            kernelModel(reducer(sum), in(int8Type, 1, 1, 3, 5, 70), axes, value(int8Type, 1, 1, 70)),
		"reduce max":          kernelModel(reducer(reduceMax), in(0, 0, 1, 3, 5, 7), axes, value(0, 0, 1, 7)),
		"reduce min":          kernelModel(reducer(reduceMin), in(int8Type, 1, 1, 3, 5, 7), axes, value(int8Type, 1, 1, 7)),
		"reduce all":          kernelModel(reducer(reduceAll), in(bools, 0, 1, 3, 5, 7), axes, value(bools, 0, 1, 7)),
		"add_n float":         kernelModel(addAll, in(0, 0, 1), in(0, 0, 1), in(0, 0, 1), in(0, 0, 1), in(0, 0, 1), value(0, 0, 1)),
		"add_n int8":          kernelModel(addAll, in(int8Type, 1, 1), in(int8Type, 1, 1), in(int8Type, 1, 1), value(int8Type, 1, 1)),
		"mirror pad":          kernelModel(testOp{kind: mirrorPad, union: mirrorOptions, options: tableOf(0)}, in(0, 0, 4, 5), pads, value(0, 0, 4, 5)),
		"conv int4":           kernelModel(conv, in(int8Type, 1, 1, 4, 4, 6), value(int4Type, 1, 8, 3, 3, 6), value(int32s, 1, 8), value(int8Type, 1, 1, 4, 4, 8)),
		"depthwise int4":      kernelModel(deep, in(int8Type, 1, 1, 4, 4, 6), value(int4Type, 1, 1, 3, 3, 6), value(int32s, 1, 6), value(int8Type, 1, 1, 4, 4, 6)),
		"full int4":           kernelModel(full, in(int8Type, 1, 1, 50), value(int4Type, 1, 9, 50), value(int32s, 1, 9), value(int8Type, 1, 1, 9)),
		"transpose int8":      kernelModel(back, shape, value(int8Type, 1, 3, 2, 2, 5), in(int8Type, 1, 1, 4, 4, 5), value(int8Type, 1, 1, 4, 4, 3)),
		"transpose int16":     kernelModel(back, shape, value(int8Type, 1, 3, 2, 2, 5), in(int16Type, 1, 1, 4, 4, 5), value(int64s, 1, 3), value(int16Type, 1, 1, 4, 4, 3)),
		"transpose int16 all": kernelModel(back, shape, value(int8Type, 1, 3, 2, 2, 5), in(int16Type, 1, 1, 4, 4, 5), value(int16Type, 1, 3), value(int16Type, 1, 1, 4, 4, 3)),
		"svdf float": kernelModel(testOp{kind: svdf, union: optionsSVDF, options: tableOf(2)}, in(0, 0, 1, 20), value(0, 0, 12, 20), value(0, 0, 12, 10), value(0, 0, 6),
			testTensor{name: "state", shape: []int{1, 120}, variable: true}, value(0, 0, 1, 6)),
		"svdf int8": kernelModel(testOp{kind: svdf, union: optionsSVDF, options: tableOf(2)}, in(int8Type, 1, 1, 20), value(int8Type, 1, 12, 20), value(int16Type, 1, 12, 10), value(int32s, 1, 6),
			testTensor{name: "state", kind: int16Type, shape: []int{1, 120}, variable: true, scale: 1}, value(int8Type, 1, 1, 6)),
		"detection": detection(),
	}
}

// detection is SSD's post-processing of 50 boxes and 3 classes.
func detection() *testModel {
	op := testOp{kind: Custom, custom: "TFLite_Detection_PostProcess", extra: flexMap(map[string]any{
		"max_detections": 5, "max_classes_per_detection": 1, "detections_per_class": 7, "num_classes": 3,
		"nms_score_threshold": float32(0.3), "nms_iou_threshold": float32(0.5),
		"x_scale": float32(10), "y_scale": float32(10), "h_scale": float32(5), "w_scale": float32(5),
	})}
	m := kernelModel(op, in(0, 0, 1, 50, 4), in(0, 0, 1, 50, 4), testTensor{name: "anchors", shape: []int{50, 4}}, value(0, 0, 1, 5, 4))
	main := &m.subs[0]
	main.tensors = append(main.tensors, value(0, 0, 1, 5), value(0, 0, 1, 5), value(0, 0, 1))
	main.out = []int{3, 4, 5, 6}
	main.ops[0].out = main.out
	return m
}

// flexMap is a FlexBuffers map of ints and float32s.
func flexMap(entries map[string]any) []byte {
	keys := slices.Sorted(maps.Keys(entries))
	var b []byte
	at := make([]int, len(keys))
	for i, k := range keys {
		at[i] = len(b)
		b = append(append(b, k...), 0)
	}
	word := func(v uint32) { b = binary.LittleEndian.AppendUint32(b, v) }
	word(uint32(len(keys)))
	keysAt := len(b)
	for i := range keys {
		word(uint32(len(b) - at[i]))
	}
	word(uint32(len(b) - keysAt))
	word(4)
	word(uint32(len(keys)))
	valuesAt := len(b)
	var types []byte
	for _, k := range keys {
		switch v := entries[k].(type) {
		case int:
			word(uint32(v))
			types = append(types, 1<<2|2)
		case float32:
			word(math.Float32bits(v))
			types = append(types, 3<<2|2)
		}
	}
	b = append(b, types...)
	b = append(b, byte(len(b)-valuesAt)) // the root: an offset of one byte
	return append(b, 9<<2|2, 1)
}

// The scratch that is modelled is what the kernels of the real interpreter ask
// for: the head is as predicted, and would not be without it.
func TestRealScratch(t *testing.T) {
	i := startInterpreter(t)
	all := scratchModels()
	for _, name := range slices.Sorted(maps.Keys(all)) {
		data := all[name].build()
		before := i.run(data, 1<<20)
		if before.Error != "" {
			t.Errorf("%s: %s", name, before.Error)
			continue
		}
		a, c, out := planned(t, data, Options{})
		if before.Head != c.Own {
			t.Errorf("%s: head %d, predicted %d", name, before.Head, c.Own)
		}
		if after := i.run(out, 1<<20); after.Head != c.Head || after.Outputs != before.Outputs {
			t.Errorf("%s: %+v before, %+v after, head predicted %d", name, before, after, c.Head)
		}
		none := Scratch{[][]int64{nil}}
		f, err := Read(data)
		if err != nil {
			t.Fatal(err)
		}
		if bare, err := f.Arena(Options{Scratch: none}); err != nil || bare.Apart.Load() >= a.Apart.Load() {
			t.Errorf("%s: the scratch makes no difference (%v)", name, err)
		}
	}
}

func TestFlexInt(t *testing.T) {
	data := flexMap(map[string]any{"a": 7, "fft_length": 512, "x": float32(1)})
	for key, want := range map[string]int64{"a": 7, "fft_length": 512} {
		if got, ok := flexInt(data, key); got != want || !ok {
			t.Errorf("%q is %d, %v", key, got, ok)
		}
	}
	for _, key := range []string{"", "x", "fft", "fft_length2"} {
		if got, ok := flexInt(data, key); ok {
			t.Errorf("%q is %d", key, got)
		}
	}
	for i := range data {
		for b := range 256 {
			spoilt := slices.Clone(data)
			spoilt[i] = byte(b)
			flexInt(spoilt, "fft_length")
			flexInt(spoilt[:i], "a")
		}
	}
}

func TestScratchRules(t *testing.T) {
	f, err := Read(scratchModels()["mean float"].build())
	if err != nil {
		t.Fatal(err)
	}
	s := f.KernelScratch(kernels.Reference)
	if err := s.Set(f, []string{"MEAN=100", "MEAN=200"}); err != nil || !slices.Equal(s[0][0], []int64{100, 200}) {
		t.Errorf("%v, %v", s, err)
	}
	if err := s.Set(f, []string{"0=50"}); err != nil || !slices.Equal(s[0][0], []int64{50}) {
		t.Errorf("%v, %v", s, err)
	}
	for _, rule := range []string{"SUM=1", "1=1", "MEAN", "MEAN=", "MEAN=-1", "MEAN=x", "=1"} {
		if err := s.Set(f, []string{rule}); err == nil {
			t.Errorf("%q was taken", rule)
		}
	}
	a, err := f.Arena(Options{Scratch: s})
	if err != nil {
		t.Fatal(err)
	}
	if got := a.Apart.Load(); got != 432+32+64 {
		t.Errorf("load %d with 50 bytes of scratch", got)
	}
}

// A memory-plan log of a device gives its kernels' scratch.
func TestScratchFromLog(t *testing.T) {
	f, err := Read(branches().build())
	if err != nil {
		t.Fatal(err)
	}
	// c, x, h, y, z of main; i, t, o of each body; steps: inputs 0, relu 1, if 2,
	// then 3 with its operators 4 and 5, else 6 with 7 and 8, add 9.
	var log strings.Builder
	log.WriteString("boot\n0 (id=0): size=1, offset=0, first_used=0 last_used=0\n0 (id=0): size=16, offset=0, first_used=0 last_used=8\n")
	for id := 1; id < 11; id++ {
		log.WriteString("a (id=" + string("0123456789:"[id]) + "): size=160, offset=0, first_used=0 last_used=8\n")
	}
	full := strings.ReplaceAll(log.String(), "id=:", "id=10")
	s, err := f.ScratchFromLog(strings.NewReader(full + "* (id=11): size=512, offset=0, first_used=5 last_used=5\n* (id=12): size=32, offset=0, first_used=9 last_used=9\n   0: 000 (1k)\n"))
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(s[1][1], []int64{512}) || !slices.Equal(s[0][2], []int64{32}) || s[2][0] != nil {
		t.Errorf("scratch %v", s)
	}
	for _, bad := range []string{
		"", "no plan here", strings.ReplaceAll(full, "160", "176"), full[:len(full)/2],
		full + "* (id=11): size=512, offset=0, first_used=6 last_used=6\n", // a body's inputs: no operator
		full + "* (id=11): size=512, offset=0, first_used=99 last_used=99\n",
		full + "* (id=13): size=512, offset=0, first_used=5 last_used=5\n",
	} {
		if s, err := f.ScratchFromLog(strings.NewReader(bad)); err == nil {
			t.Errorf("a log of another model gave %v", s)
		}
	}
}
