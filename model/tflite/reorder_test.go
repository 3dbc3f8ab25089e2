package tflite

import (
	"bytes"
	"maps"
	"math/rand"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"memplan/internal/shared"
	"memplan/model"
	"memplan/model/graph"
	"memplan/model/schedule"
)

// loadable are the real models that the interpreter loads, each once.
func loadable(t *testing.T) map[string][]byte {
	t.Helper()
	files := realModels(t)
	for _, p := range shared.Glob(t, "models/*.tflite") {
		files[strings.TrimPrefix(filepath.Base(p), "mediapipe__")] = readFile(t, p)
	}
	for _, name := range unloadable {
		delete(files, name)
	}
	return files
}

// differences counts the bytes that are different.
func differences(a, b []byte) (n int) {
	if len(a) != len(b) {
		return max(len(a), len(b))
	}
	for k := range a {
		if a[k] != b[k] {
			n++
		}
	}
	return n
}

// Any order that the checker takes gives the same outputs and states, and TFLM's
// own head in it is predicted.
func TestRealAnyOrder(t *testing.T) {
	i := startInterpreter(t)
	files := loadable(t)
	models := map[string][]byte{"branches": branches().build(), "once": once().build()}
	for _, name := range []string{"alexa.tflite", "hey_mycroft.tflite", "okay_nabu.tflite", "esphome__hey_jarvis.tflite", "tflm__audio_preprocessor_int8.tflite"} {
		models[name] = files[name]
	}
	moved, refused := 0, 0
	for seed, name := range slices.Sorted(maps.Keys(models)) {
		f, err := Read(models[name])
		if err != nil {
			t.Fatal(err)
		}
		before := i.run(models[name], roomy)
		for k := range 4 {
			order, no := shuffled(rand.New(rand.NewSource(int64(4*seed+k))), f)
			refused += no
			if slices.IsSorted(order) {
				continue
			}
			moved++
			g, err := f.Reordered(order)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			_, c, _ := planned(t, g.data, Options{})
			after := i.run(g.data, roomy)
			if after.Outputs == "" || after.Outputs != before.Outputs || after.Head != c.Own {
				t.Errorf("%s: %+v in order %v, predicted %d; %+v before", name, after, order, c.Own, before)
			}
		}
	}
	if moved < 16 || refused < 1000 {
		t.Errorf("%d orders, %d steps refused: too few to tell", moved, refused)
	}
}

// shuffled swaps neighbours at random where every operator finds what it found.
func shuffled(r *rand.Rand, f *File) (order []int, refused int) {
	order = model.Identity(len(f.Subgraphs[0].Ops))
	want := f.seen(order)
	for range 8 * len(order) {
		if len(order) < 2 {
			break
		}
		k := r.Intn(len(order) - 1)
		order[k], order[k+1] = order[k+1], order[k]
		if !slices.Equal(f.seen(order), want) {
			order[k], order[k+1] = order[k+1], order[k]
			refused++
		}
	}
	return order, refused
}

// effects is a random model whose operators have effects: resources of two names,
// a variable, random numbers, custom operators.
func effects(r *rand.Rand) *testModel {
	s := testSub{tensors: []testTensor{floats("x", 4), {name: "state", shape: []int{4}, variable: true}}, in: []int{0}}
	value := func() int {
		s.tensors = append(s.tensors, floats("", 4))
		return len(s.tensors) - 1
	}
	var handles []int
	for _, name := range []string{"a", "b", "a"} {
		handles = append(handles, value())
		s.ops = append(s.ops, testOp{kind: varHandle, out: handles[len(handles)-1:], union: optionsVarHandle, options: tableOf(text(""), text(name))})
	}
	some := func(list ...int) int { return list[r.Intn(len(list))] }
	values := []int{0}
	for range 8 {
		switch r.Intn(8) {
		case 0, 1:
			s.ops = append(s.ops, testOp{kind: readVariable, in: []int{some(handles...)}, out: []int{value()}})
		case 2:
			s.ops = append(s.ops, testOp{kind: assignVariable, in: []int{some(handles...), some(values...)}})
			continue
		case 3:
			s.ops = append(s.ops, testOp{kind: randomUniform, in: []int{some(values...)}, out: []int{value()}})
		case 4:
			if r.Intn(2) == 0 {
				s.ops = append(s.ops, testOp{kind: Custom, custom: "Own", in: []int{some(values...)}, out: []int{value()}})
				break
			}
			fallthrough
		case 5:
			s.ops = append(s.ops, testOp{kind: svdf, in: []int{some(values...), 1}, out: []int{value()}})
		case 6: // written again
			s.ops = append(s.ops, unary(relu, some(values...), some(values...)))
			continue
		default:
			s.ops = append(s.ops, unary(absolute, some(values...), value()))
		}
		values = append(values, len(s.tensors)-1)
	}
	s.out = values[len(values)-1:]
	return &testModel{subs: []testSub{s}}
}

// What must keep its order keeps it, and nothing else does: two neighbours may be
// swapped for the scheduler exactly if every operator then finds what it found.
func TestEffects(t *testing.T) {
	free, tied := 0, 0
	for seed := range int64(600) {
		r := rand.New(rand.NewSource(seed))
		m := effects(r)
		if seed >= 400 {
			m = branching(r, 6)
		}
		f, err := Read(m.build())
		if err != nil {
			t.Fatal(err)
		}
		order := model.Identity(len(f.Subgraphs[0].Ops))
		want := f.seen(order)
		for k := range len(order) - 1 {
			order[k], order[k+1] = order[k+1], order[k]
			same := slices.Equal(f.seen(order), want)
			w, err := f.walk(Options{}, left)
			if err != nil {
				t.Fatal(err)
			}
			g, exact := w.whole()
			g.Schedule = []int{0} // the inputs
			for _, o := range order {
				g.Schedule = append(g.Schedule, o+1)
			}
			_, fault := g.Lower(graph.LowerOptions{}) // which names the two
			may := fault == nil
			if may && !same || !may && same && exact { // shared bodies tie those that run them
				t.Errorf("seed %d: operators %d and %d may be swapped: %v; find the same: %v: %v", seed, k, k+1, may, same, f.Subgraphs[0].Ops)
			}
			if may {
				free++
			} else {
				tied++
			}
			order[k], order[k+1] = order[k+1], order[k]
		}
	}
	if t.Log(free, tied); min(free, tied) < 500 {
		t.Error("too few of a kind to tell")
	}
}

// Metadata that numbers operators follows their order.
func TestControlsFollow(t *testing.T) {
	m := &testModel{subs: []testSub{{
		tensors: []testTensor{floats("x", 4), floats("a", 4), floats("b", 4), floats("c", 4), floats("d", 4)}, in: []int{0}, out: []int{3, 4},
		ops: []testOp{unary(relu, 0, 1), unary(absolute, 0, 2), unary(relu, 1, 3), unary(absolute, 2, 4)},
	}}, metadata: map[string][]byte{controlName: {1, 1, 2, 2, 4, 1, 6}}} // 1 before 2, the beginning before 3
	f, err := Read(m.build())
	if err != nil {
		t.Fatal(err)
	}
	g, err := f.Reordered([]int{1, 0, 3, 2})
	if err != nil {
		t.Fatal(err)
	}
	if data, _ := g.entry(controlName); !bytes.Equal(data, []byte{1, 1, 2, 0, 6, 1, 4}) {
		t.Errorf("control dependencies %v", data)
	}
	for _, wrong := range [][]int{{0, 2, 1, 3}, {2, 0, 1, 3}, {0, 1, 2}, {0, 0, 1, 2}} {
		if _, err := f.Reordered(wrong); err == nil {
			t.Errorf("%v is written", wrong)
		}
	}
	for _, data := range [][]byte{{2, 0}, {1}, {1, 1, 200}, {1, 255, 255, 255, 255, 15}, {1, 1, 1, 2, 100}} {
		m.metadata[controlName] = data
		f, err := Read(m.build())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Reordered([]int{1, 0, 3, 2}); err == nil {
			t.Errorf("control dependencies %v are renumbered", data)
		}
	}
}

// Of operators that run bodies a bound of all orders is known, unless they share
// bodies that have tensors.
func TestBoundBesideBodies(t *testing.T) {
	late := once()
	ops := late.subs[0].ops
	ops[0], ops[1] = ops[1], ops[0]
	large := once()
	large.subs[1].tensors = []testTensor{floats("p", 1000), floats("q", 2000)}
	twice := branches()
	twice.subs[0].ops[2] = testOp{kind: If, in: []int{0, 3}, out: []int{4}, union: optionsIf, options: tableOf(1, 2)}
	empty := branches() // bodies without operators
	empty.subs[0].ops[2] = twice.subs[0].ops[2]
	empty.subs[0].ops[1].options, empty.subs[0].ops[2].options = tableOf(1, 1), tableOf(1, 1)
	empty.subs[1] = testSub{name: "nothing", tensors: []testTensor{floats("i", 40)}, in: []int{0}, out: []int{0}}
	viewed := branches()
	viewed.subs[1].ops[1].kind = reshape
	for _, c := range []struct {
		name  string
		m     *testModel
		bound int64
	}{{"once, which needs most", large, 12160}, {"once", once(), 880}, {"once, later", late, 880}, {"branches", branches(), 816}, {"loop", loop(), 64}, {"uneven", uneven(), 880}, {"branches, twice", twice, 0}, {"empty, twice", empty, 0}, {"views in a body", viewed, 0}} {
		f, err := Read(c.m.build())
		if err != nil {
			t.Fatal(err)
		}
		_, bound, err := f.Order(Options{AliasViews: c.m == viewed}, graph.LowerOptions{Schedule: schedule.Optimal})
		if err != nil || bound != c.bound {
			t.Errorf("%s: bound %d, %v", c.name, bound, err)
		}
	}
}

// A handle without a container is of any variable that has its name, as TFLM looks
// for it: a READ_VARIABLE by the one does not cross an ASSIGN_VARIABLE by another.
func TestHandlesWithoutContainer(t *testing.T) {
	i := startInterpreter(t)
	handle := testTensor{name: "handle", kind: int32s, shape: []int{1}}
	m := &testModel{subs: []testSub{{
		tensors: []testTensor{floats("x", 4), handle, handle, floats("y", 4), floats("z", 4)}, in: []int{0}, out: []int{3, 4},
		ops: []testOp{
			{kind: varHandle, out: []int{1}, union: optionsVarHandle, options: tableOf(text("box"), text("a"))},
			{kind: varHandle, out: []int{2}, union: optionsVarHandle, options: tableOf(nil, text("a"))},
			{kind: assignVariable, in: []int{1, 0}},
			{kind: readVariable, in: []int{2}, out: []int{3}},
			unary(absolute, 3, 4),
		},
	}}}
	f, err := Read(m.build())
	if err != nil {
		t.Fatal(err)
	}
	if got := i.run(f.data, roomy); got.Error != "" {
		t.Errorf("TFLM does not find the variable: %s", got.Error)
	}
	for _, order := range [][]int{{0, 1, 3, 2, 4}, {1, 0, 2, 3, 4}} {
		if _, err := f.Reordered(order); err == nil {
			t.Errorf("order %v is taken", order)
		}
	}
}
