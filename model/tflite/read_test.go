package tflite

import (
	"context"
	"errors"
	"math/rand"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"memplan/heuristics"
	"memplan/internal/shared"
	"memplan/model"
	"memplan/model/graph"
	"memplan/model/internal/flat"
	"memplan/model/tflite/kernels"
)

// files reads the shared models that match.
func files(t *testing.T, pattern string) map[string][]byte {
	t.Helper()
	found := make(map[string][]byte)
	for _, p := range shared.Glob(t, pattern) {
		data, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		found[filepath.Base(p)] = data
	}
	return found
}

// Legal and broken models that readers have got wrong, with their optima.
func TestTraps(t *testing.T) {
	peaks := map[string]int64{
		"optional-minus-one.tflite": 24, "variable-tensor.tflite": 64, "same-and-missing-names.tflite": 96,
		"unused-output.tflite": 128, "zero-dim.tflite": 32, "two-subgraphs.tflite": 64,
	}
	broken := 0
	for name, data := range files(t, "cases/43-*/*.tflite") {
		f, err := Read(data)
		want, legal := peaks[name]
		if !legal {
			if broken++; err == nil {
				t.Errorf("%s was read", name)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		g, _, err := f.Graph(Options{Runtime: Generic})
		if err != nil {
			t.Fatal(err)
		}
		l, err := g.Lower(graph.LowerOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if got := l.Arenas[0].Load(); got != want {
			t.Errorf("%s: load %d, want %d", name, got, want)
		}
		if name == "same-and-missing-names.tflite" && len(l.Arenas[0].Buffers) != 4 {
			t.Errorf("%s: %d buffers, want 4", name, len(l.Arenas[0].Buffers))
		}
		if name == "optional-minus-one.tflite" && l.Weights.Bytes != 128 {
			t.Errorf("%s: %d bytes of weights, want 128", name, l.Weights.Bytes)
		}
	}
	if broken != 6 {
		t.Errorf("%d broken files, want 6", broken)
	}
}

func TestSizes(t *testing.T) {
	const fails = -1
	for _, c := range []struct {
		kind       Type
		shape      []int32
		want, tflm int64
	}{
		{0, []int32{2, 3}, 24, 24}, {1, []int32{5}, 10, 10}, {6, []int32{3}, 3, 3},
		{17, []int32{7}, 4, 7}, {20, []int32{1024}, 512, 1024}, {19, []int32{5}, 2, 5},
		{9, nil, 1, 1}, {0, []int32{2, 0, 3}, 0, 0}, {11, []int32{2}, 32, 32},
		{0, []int32{2147483647, 2147483647, 0}, 0, 0},
		{4, []int32{65536, 65536}, 34359738368, fails},
		{9, []int32{2147483647}, 2147483647, 2147483647},
		{0, []int32{2147483647, 2147483647, 4}, fails, fails},
		{5, []int32{4}, fails, fails}, {14, nil, fails, fails}, {200, nil, fails, fails},
	} {
		x := Tensor{Type: c.kind, Shape: c.shape}
		for rt, want := range map[Runtime]int64{Generic: c.want, TFLM: c.tflm} {
			got, err := x.bytes(rt)
			if err != nil {
				got = fails
			}
			if got != want {
				t.Errorf("%v%v, %v: %d bytes, want %d (%v)", c.kind, c.shape, rt, got, want, err)
			}
		}
	}
}

// use does with a file all that the program does, and reports whether it could
// be read.
func use(data []byte) bool {
	f, err := Read(data)
	if err != nil {
		return false
	}
	for rt := range Runtime(len(runtimes)) {
		if g, _, err := f.Graph(Options{Runtime: rt, AliasViews: true}); err == nil {
			_ = g.Validate()
		}
	}
	offsets, err := f.Plan()
	if offsets == nil || err != nil {
		offsets = make([]int32, f.Tensors())
	}
	_, _ = f.WithPlan(offsets, nil)
	_ = f.Rewritable()
	_, _ = f.Declaration()
	if ops := len(f.Subgraphs[0].Ops); ops < 1000 {
		back := model.Identity(ops)
		slices.Reverse(back)
		_, _ = f.Reordered(back)
		f.Fixed()
	}
	for _, overlap := range []bool{false, true} {
		if a, err := f.Arena(Options{Overlap: overlap, Kernels: kernels.CMSISNN}); err == nil && len(a.Apart.Buffers) < 1000 {
			_ = a.Instance.Validate()
			if layout, err := a.Layout(context.Background(), heuristics.TFLMGreedy{}, offsets); err == nil {
				a.Head(layout)
				a.Shared(layout)
			}
		}
	}
	return true
}

// A hostile file is an error or a model, and costs memory in proportion to
// itself.
func TestCutAndSpoilt(t *testing.T) {
	models := map[string][]byte{"shared": shared.Read(t, "tflite/tflm__audio_preprocessor_int8.tflite")}
	for name, m := range selfMade() {
		models[name] = m.build()
	}
	for name, data := range models {
		r := rand.New(rand.NewSource(6))
		read := 0
		try := func(data []byte) {
			if got, most := shared.Allotted(func() { _, _ = Read(data) }), 8<<10+16*len(data); got > most {
				t.Errorf("%s: reading %d bytes allots %d", name, len(data), got)
			}
			if got, most := shared.Allotted(func() {
				if use(data) {
					read++
				}
			}), 256<<10+200*len(data); got > most {
				t.Errorf("%s: all uses of %d bytes allot %d", name, len(data), got)
			}
		}
		try(data)
		if read != 1 {
			t.Fatalf("%s could not be read", name)
		}
		for range 100 {
			try(data[:r.Intn(len(data))])
		}
		times := shared.Many(250)
		if name == "shared" {
			times *= 10
		}
		for range times {
			try(shared.Spoil(r, data))
		}
		if read <= 1 || read > times {
			t.Errorf("%s: %d of %d spoilt files were read: the test does not test", name, read, times)
		}
	}
}

// Offsets that point again and again at the same bytes build no more than the
// file pays for.
func TestSharedBytes(t *testing.T) {
	tensor := floats("a tensor of a long name, that all share", 1).object()
	at := 0
	once := func(b *builder) int {
		if at == 0 {
			at = tensor(b)
		}
		return at
	}
	many := make([]object, 5000)
	for i := range many {
		many[i] = once
	}
	data := file(tableOf(3, vectorOf(), vectorOf(tableOf(vectorOf(many...))), nil, vectorOf(tableOf())))
	var err error
	if got := shared.Allotted(func() { _, err = Read(data) }); got > 40*len(data) {
		t.Errorf("reading %d bytes allots %d", len(data), got)
	}
	if !errors.Is(err, flat.ErrTooOften) {
		t.Errorf("5000 tensors in the bytes of one: %v", err)
	}
}

// Bodies that run bodies many times end in an error, not in a walk without end.
func TestBodiesWithoutEnd(t *testing.T) {
	call := func(body int) testOp {
		return testOp{kind: If, in: []int{0}, union: optionsIf, options: tableOf(body, body)}
	}
	var m testModel
	for i := range 40 {
		m.subs = append(m.subs, testSub{tensors: []testTensor{{kind: bools, shape: []int{1}}}, in: []int{0}, ops: []testOp{call(min(i+1, 39))}})
	}
	m.subs[39].ops = nil
	for _, ops := range [][]testOp{nil, {call(20)}} { // 2^39 calls; a circle
		m.subs[39].ops = ops
		f, err := Read(m.build())
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := f.Graph(Options{}); err == nil {
			t.Error("bodies without end were walked")
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, m := range selfMade() {
		f.Add(m.build())
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 1<<14 {
			return
		}
		use(data)
		if m, err := Read(data); err == nil {
			again(t, m)
		}
	})
}

// again writes a plan and reads the file anew: the model and the plan are there.
func again(t *testing.T, f *File) {
	t.Helper()
	offsets := make([]int32, f.Tensors())
	for i := range offsets {
		offsets[i] = int32(16 * i)
	}
	out, err := f.WithPlan(offsets, nil)
	if err != nil {
		return
	}
	g, err := Read(out)
	if err != nil {
		if errors.Is(err, flat.ErrTooOften) { // old bytes referred to once more
			return
		}
		t.Fatalf("the written file: %v", err)
	}
	got, err := g.Plan()
	if err != nil || len(got) != len(offsets) {
		t.Fatalf("the written plan has %d offsets of %d: %v", len(got), len(offsets), err)
	}
	for i := range got {
		if got[i] != offsets[i] {
			t.Fatalf("offset %d is %d, want %d", i, got[i], offsets[i])
		}
	}
}
