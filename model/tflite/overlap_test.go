package tflite

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"memplan/heuristics"
	"memplan/internal/shared"
	"memplan/model"
	"memplan/model/graph"
	"memplan/model/schedule"
	"memplan/model/tflite/kernels"
	"memplan/results"
	"memplan/verify"
)

// overlapped are heads with outputs over inputs, by TFLM's reference kernels: in
// the file's order, and in the best one where that is less. They are proven least,
// and were found equal by other programs and measured with the real interpreter.
// Of models not named nothing may lie over anything for fewer bytes.
var overlapped = map[string][2]int64{
	"mlperftiny__vww_96_int8.tflite":            {36880, 36880},
	"tflm__person_detect.tflite":                {36880, 36880},
	"mlperftiny__kws_ref_model.tflite":          {9792, 9792},
	"mlperftiny__pretrainedResnet_quant.tflite": {33312, 33312},
	"tiny__str_ww_ref_model.tflite":             {3840, 3840},
	"tflm__micro_speech_quantized.tflite":       {4176, 4176},
	"hand_recrop.tflite":                        {1048608, 787488},
	"nmp.tflite":                                {4177536, 4177536},
	"tflm__simple_add_model.tflite":             {32768, 32768},
}

// planExactly is planned with all that is there to prove it.
func planExactly(t *testing.T, f *File, opt Options) (*Arena, Choice, []byte) {
	t.Helper()
	a, err := f.Arena(opt)
	if err != nil {
		t.Fatal(err)
	}
	exact, err := results.Find("exact", results.Settings{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	c, err := a.Best(ctx, Search{heuristics.TFLMGreedy{}, []model.Planner{exact.Planner}, results.Solve})
	if err != nil {
		t.Fatal(err)
	}
	if err := verify.Certificate(a.Instance, c.Certificate); err != nil || c.Certificate.Bound != c.Bound {
		t.Errorf("a bound of %d, certified %d: %v", c.Bound, c.Certificate.Bound, err)
	}
	if err := unexplained(a, c.Layout); err != nil {
		t.Errorf("the layout does not hold: %v", err)
	}
	var d *Declaration
	if used := a.Overlaps(c.Layout); len(used) > 0 {
		d = &Declaration{opt.Kernels, used}
	}
	out, err := f.WithPlan(c.Offsets, d)
	if err != nil {
		t.Fatal(err)
	}
	return a, c, out
}

// The real interpreter runs every model with outputs over inputs, in the file's
// order and in the best: outputs are the same to the bit, the head is what was
// predicted, and proven least; an arena of the predicted size runs, one a little
// smaller does not.
func TestRealOverlaps(t *testing.T) {
	i := startInterpreter(t)
	files := loadable(t)
	ran := 0
	for _, name := range slices.Sorted(maps.Keys(files)) {
		t.Run(name, func(t *testing.T) {
			f, err := Read(files[name])
			if err != nil {
				t.Fatal(err)
			}
			opt := Options{Overlap: true, Kernels: kernels.Reference}
			a, c, out := planExactly(t, f, opt)
			want, there := overlapped[name]
			if !there {
				want = [2]int64{cmp.Or(ordered[name][1], c.Own), cmp.Or(ordered[name][2], c.Own)}
			}
			if c.Head != want[0] || c.Bound != want[0] {
				t.Errorf("head %d, bound %d, first measured %v", c.Head, c.Bound, want)
			}
			before := i.run(files[name], roomy)
			i.same(t, before, a, c, out)
			order, _, err := f.Order(opt, graph.LowerOptions{Schedule: schedule.Optimal})
			if err != nil {
				t.Fatal(err)
			}
			if slices.IsSorted(order) {
				if want[1] != want[0] {
					t.Error("there is no better order")
				}
				return
			}
			if f, err = f.Reordered(order); err != nil {
				t.Fatal(err)
			}
			a, c, out = planExactly(t, f, opt)
			if c.Head != want[1] || c.Bound != want[1] {
				t.Errorf("head %d, bound %d in order %v, first measured %v", c.Head, c.Bound, order, want)
			}
			i.same(t, before, a, c, out)
			ran++
		})
	}
	if ran < 7 {
		t.Errorf("%d models in another order", ran)
	}
}

// same runs a planned file and compares with a run before.
func (i *interpreter) same(t *testing.T, before answer, a *Arena, c Choice, out []byte) {
	t.Helper()
	after := i.run(out, roomy)
	if after.Outputs == "" || after.Outputs != before.Outputs {
		t.Fatalf("outputs differ: %+v, %+v", before, after)
	}
	if after.Head != c.Head || after.Total-after.Head != before.Total-before.Head {
		t.Errorf("head %d and total %d after, predicted %d and %d", after.Head, after.Total, c.Head, before.Total-before.Head+c.Head)
	}
	i.arena(t, a, c, before, out)
}

// One element below a lead the answers of the real interpreter are wrong, and the
// file is refused.
func TestRealOverlapTooFar(t *testing.T) {
	i := startInterpreter(t)
	data := loadable(t)["tflm__person_detect.tflite"]
	f, err := Read(data)
	if err != nil {
		t.Fatal(err)
	}
	before := i.run(data, roomy)
	a, c, _ := planExactly(t, f, Options{Overlap: true})
	used := a.Overlaps(c.Layout)
	wrong := 0
	for _, o := range used {
		offsets := slices.Clone(c.Offsets)
		offsets[o.Input] = max(0, offsets[o.Output]+int32(o.Lead)-16)
		layout, err := a.Layout(t.Context(), heuristics.TFLMGreedy{}, offsets)
		if err != nil {
			t.Fatal(err)
		}
		if offsets[o.Input]-offsets[o.Output] >= int32(o.Lead) {
			continue
		}
		fault := unexplained(a, layout)
		out, err := f.WithPlan(offsets, &Declaration{kernels.Reference, used})
		if err != nil {
			t.Fatal(err)
		}
		if after := i.run(out, roomy); after.Outputs != before.Outputs {
			wrong++
		}
		if fault == nil || !strings.Contains(fault.Error(), "from a distance of") {
			t.Errorf("%+v: %v", o, fault)
		}
	}
	if wrong < 3 {
		t.Errorf("%d of %d plans give wrong answers", wrong, len(used))
	}
}

// What a file says of kernels is read back; what says nothing sensible is refused.
func TestDeclaration(t *testing.T) {
	f, err := Read(shared.Read(t, "tflite/tflm__person_detect.tflite"))
	if err != nil {
		t.Fatal(err)
	}
	offsets := slices.Repeat([]int32{online}, f.Tensors())
	for _, d := range []*Declaration{nil, {kernels.Reference, []Overlap{{1, 2, 3, 16}, {0, 5, 1, 0}}}, {kernels.MVE, []Overlap{}}} {
		out, err := f.WithPlan(offsets, d)
		if err != nil {
			t.Fatal(err)
		}
		g, err := Read(out)
		if err != nil {
			t.Fatal(err)
		}
		got, err := g.Declaration()
		if err != nil || (got == nil) != (d == nil) || d != nil && (got.Kernels != d.Kernels || !slices.Equal(got.Overlaps, d.Overlaps)) {
			t.Errorf("%+v: %+v, %v", d, got, err)
		}
		again, err := g.WithPlan(offsets, nil)
		if bare, _ := f.WithPlan(offsets, nil); err != nil || string(again) != string(bare) {
			t.Errorf("%+v: a plan in its place does not give what it gives alone", d)
		}
	}
	for _, text := range []string{
		``, `{`, `{"kernels":"own","version":"1","pairs":[]}`, `{"kernels":"reference","version":"1","pairs":[]}`, `{"kernels":"reference","version":"tflite-micro 90b983c2","pairs":[[99,0,0,0]]}`,
		`{"kernels":"reference","version":"tflite-micro 90b983c2","pairs":[[0,0,-1,0]]}`, `{"kernels":"reference","version":"tflite-micro 90b983c2","pairs":[[0,0,1,-1]]}`, `{"kernels":"reference","more":1}`,
	} {
		out, err := f.with(entry{KernelsName, []byte(text)})
		if err != nil {
			t.Fatal(err)
		}
		g, err := Read(out)
		if err != nil {
			t.Fatal(err)
		}
		if d, err := g.Declaration(); err == nil || !strings.Contains(err.Error(), KernelsName) {
			t.Errorf("%s: %+v, %v", text, d, err)
		}
	}
}

// An input that is two operands of an operator may lie under its output only where
// both let it.
func TestOverlapOfOneInputTwice(t *testing.T) {
	m := &testModel{subs: []testSub{{
		tensors: []testTensor{floats("x", 4, 4), floats("a", 4, 4), floats("y", 4, 4)}, in: []int{0}, out: []int{2},
		ops: []testOp{unary(absolute, 0, 1), {kind: fullyConnected, in: []int{1, 1}, out: []int{2}, union: fullOptions, options: tableOf()}},
	}}}
	f, err := Read(m.build())
	if err != nil {
		t.Fatal(err)
	}
	if leads, list := f.Leads(kernels.Reference, 0, 1), f.overlaps(Options{}, 1); len(leads) != 1 || len(list) != 0 {
		t.Errorf("leads %v, overlaps %v", leads, list)
	}
	if list := f.overlaps(Options{}, 0); len(list) != 1 || list[0] != (Overlap{0, 1, 0, 0}) {
		t.Errorf("overlaps %v", list)
	}
}
