package tflite

import (
	"fmt"
	"math/rand"
	"os"
	"slices"
	"testing"

	"memplan/heuristics"
	"memplan/internal/shared"
	"memplan/model"
	"memplan/search/pairs"
)

// reshapes is a random model rich in reshapes: chains and trees of them, values
// used long after, and values that nobody uses.
func reshapes(r *rand.Rand) *testModel {
	m := &testModel{}
	axis := m.constant(words(0)...)
	s := testSub{name: "main", tensors: []testTensor{{name: "axis", kind: int32s, shape: []int{1}, buffer: axis}}, in: []int{1}}
	value := func(shape []int) int {
		s.tensors = append(s.tensors, floats(fmt.Sprint("t", len(s.tensors)), shape...))
		return len(s.tensors) - 1
	}
	pick := func() int { // rather a late one
		n := len(s.tensors) - 1
		return n - min(n-1, r.Intn(n), r.Intn(n))
	}
	value([]int{1 + r.Intn(8)})
	if r.Intn(3) == 0 {
		s.in = append(s.in, value([]int{1 + r.Intn(8)}))
	}
	for range 3 + r.Intn(8) {
		x := pick()
		shape := s.tensors[x].shape
		switch r.Intn(6) {
		case 0, 1, 2:
			if len(shape) < 4 {
				s.ops = append(s.ops, testOp{kind: expandDims, in: []int{x, 0}, out: []int{value(slices.Concat([]int{1}, shape))}})
				continue
			}
			fallthrough
		case 3:
			if len(shape) > 1 {
				s.ops = append(s.ops, testOp{kind: squeeze, in: []int{x}, out: []int{value(shape[len(shape)-1:])}, union: squeezeOptions, options: tableOf()})
				continue
			}
			fallthrough
		case 4:
			y := x
			for k := range s.tensors[1:] {
				if r.Intn(2) == 0 && slices.Equal(s.tensors[k+1].shape, shape) {
					y = k + 1
				}
			}
			s.ops = append(s.ops, binaryOp(add, addOptions, x, y, value(shape)))
		default:
			s.ops = append(s.ops, unary(absolute, x, value(shape)))
		}
	}
	s.out = []int{s.ops[len(s.ops)-1].out[0]}
	if extra := pick(); r.Intn(3) == 0 && extra != s.out[0] && !slices.Contains(s.in, extra) {
		s.out = append(s.out, extra)
	}
	m.subs = []testSub{s}
	return m
}

// executed tells whether a model of one subgraph computes what it must with its
// tensors at the offsets: byte by byte, whose value it holds. It knows nothing of
// lifetimes and families. A reshape copies, unless its output is its input's
// bytes; any other operator must not write what it reads.
func executed(m *testModel, offset []int32, size func(t int) int32) bool {
	return executedFor(m, offset, size, m.subs[0].out)
}

// executedFor is executed with the values that must be there afterwards.
func executedFor(m *testModel, offset []int32, size func(t int) int32, wanted []int) bool {
	type token struct {
		value int
		byte  int32
	}
	s := &m.subs[0]
	memory := make(map[int32]token)
	value := make([]int, len(s.tensors)) // a reshape's is its input's
	bytes := func(t int) int32 { return size(t) }
	holds := func(t int) bool {
		for b := range bytes(t) {
			if memory[offset[t]+b] != (token{value[t], b}) {
				return false
			}
		}
		return true
	}
	write := func(t int) {
		for b := range bytes(t) {
			memory[offset[t]+b] = token{value[t], b}
		}
	}
	for t := range value {
		value[t] = t + 1
	}
	for _, t := range s.in {
		write(t)
	}
	for _, t := range s.in {
		if !holds(t) {
			return false
		}
	}
	for _, op := range s.ops {
		out := op.out[0]
		reshaped := op.kind == expandDims || op.kind == squeeze
		for _, t := range op.in {
			if s.tensors[t].buffer > 0 {
				continue
			}
			if !holds(t) {
				return false
			}
			apart := offset[t]+bytes(t) <= offset[out] || offset[out]+bytes(out) <= offset[t]
			if !apart && !(reshaped && offset[t] == offset[out]) {
				return false
			}
		}
		if reshaped {
			value[out] = value[op.in[0]]
		}
		write(out)
	}
	return !slices.ContainsFunc(wanted, func(t int) bool { return !holds(t) })
}

// A plan is accepted exactly if the model computes the same with it: plans of
// every planner with some tensors moved, mostly onto others of their family.
func TestSharedAgainstExecution(t *testing.T) {
	holds, fails, views := 0, 0, 0
	for seed := range int64(1500) {
		r := rand.New(rand.NewSource(seed))
		m := reshapes(r)
		f, err := Read(m.build())
		if err != nil {
			t.Fatal(err)
		}
		a, err := f.Arena(Options{AliasViews: seed%2 == 0})
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		planners := heuristics.All()
		c, err := a.Best(t.Context(), Search{heuristics.TFLMGreedy{}, []model.Planner{pairs.Planner{Of: planners[r.Intn(len(planners))]}}, solve})
		if err != nil {
			t.Fatal(err)
		}
		size := func(t int) int32 { return int32(a.Apart.Buffers[a.apart[t]].Size) }
		for range 20 {
			offsets := slices.Clone(c.Offsets)
			for range r.Intn(4) {
				x, y := 1+r.Intn(len(offsets)-1), 1+r.Intn(len(offsets)-1)
				offsets[x] = offsets[y]
			}
			layout, err := a.Layout(t.Context(), heuristics.TFLMGreedy{}, offsets)
			if err != nil {
				t.Fatal(err)
			}
			_, notes := a.Shared(layout)
			fault := unexplained(a, layout)
			if want := executed(m, offsets, size); want != (fault == nil) {
				t.Fatalf("seed %d: %v: computes the same: %v; %v\n%+v", seed, offsets, want, fault, m.subs[0])
			}
			if fault != nil {
				fails++
			} else if holds++; len(notes) > 0 {
				views++
			}
		}
	}
	t.Log(holds, fails, views)
	if min(holds, fails, views) < 2000 {
		t.Error("too few of a kind to tell")
	}
}

// What TFLM's interpreter computes is the same with every plan, views sharing
// their input's bytes or not; also for the models on which that once failed.
func TestRealReshapes(t *testing.T) {
	i := startInterpreter(t)
	files := make(map[string][]byte)
	for seed := range int64(40) {
		files[fmt.Sprint("seed ", seed)] = reshapes(rand.New(rand.NewSource(seed))).build()
	}
	for _, p := range shared.Glob(t, "found/59-*/*.tflite") {
		files[p] = readFile(t, p)
	}
	for name, data := range files {
		before := i.run(data, roomy)
		for _, alias := range []bool{false, true} {
			a, c, out := planned(t, data, Options{AliasViews: alias})
			if err := unexplained(a, c.Layout); err != nil {
				t.Errorf("%s, views share: %v: %v", name, alias, err)
			}
			if after := i.run(out, roomy); after.Outputs == "" || after.Outputs != before.Outputs || after.Head != c.Head {
				t.Errorf("%s, views share: %v: %+v with a plan of %d bytes, %+v before", name, alias, after, c.Head, before)
			}
		}
	}
}

// The heads of the found models, and plans in two of them that hold.
func TestFoundReshapes(t *testing.T) {
	for name, want := range map[string][2]int64{"reshape_chain3": {624, 416}, "vf0": {64, 48}, "reshape_chain3_handplanned": {624, 416}, "vf1": {64, 48}} {
		a, c, _ := planned(t, shared.Read(t, "found/59-reshape-chains/"+name+".tflite"), Options{})
		if c.Own != want[0] || c.Head != want[1] {
			t.Errorf("%s: %d bytes before, %d after", name, c.Own, c.Head)
		}
		offsets, err := a.file.Plan()
		if err != nil {
			t.Fatal(err)
		}
		if offsets == nil {
			continue
		}
		layout, err := a.Layout(t.Context(), heuristics.TFLMGreedy{}, offsets)
		if err == nil {
			err = unexplained(a, layout)
		}
		if err != nil {
			t.Errorf("%s: its own plan: %v", name, err)
		}
	}
}

func readFile(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// The head that TFLM makes of a file with a plan is known, also of a plan that
// does not hold; so is the arena that the file loads in once it has a plan that
// does.
func TestRealHeadsOfAnyPlan(t *testing.T) {
	i := startInterpreter(t)
	unsound := 0
	for seed := range int64(40) {
		r := rand.New(rand.NewSource(seed))
		f, err := Read(reshapes(r).build())
		if err != nil {
			t.Fatal(err)
		}
		offsets := make([]int32, f.Tensors())
		for k := range offsets {
			offsets[k] = 16 * int32(r.Intn(8)-1)
			if offsets[k] < 0 {
				offsets[k] = online
			}
		}
		data, err := f.WithPlan(offsets, nil)
		if err != nil {
			t.Fatal(err)
		}
		a, c, out := planned(t, data, Options{})
		layout, err := a.Layout(t.Context(), heuristics.TFLMGreedy{}, offsets)
		if err != nil {
			t.Fatal(err)
		}
		if unexplained(a, layout) != nil {
			unsound++
		}
		today := i.run(data, roomy)
		if today.Head != a.Head(layout) {
			t.Errorf("seed %d: head %d, predicted %d", seed, today.Head, a.Head(layout))
		}
		size := today.Total - today.Head + max(c.Head, a.Planning(8))
		if after := i.run(out, size); after.Error != "" {
			t.Errorf("seed %d: the planned file does not load in %d bytes: %s", seed, size, after.Error)
		}
	}
	if unsound < 20 {
		t.Errorf("only %d plans do not hold", unsound)
	}
}

// Inputs that are to be kept are there when the model has run, with the plan; with
// TFLM's own they often are not. TFLM's interpreter computes the same.
func TestKeptInputs(t *testing.T) {
	i := startInterpreter(t)
	lost := 0
	for seed := range int64(100) {
		m := reshapes(rand.New(rand.NewSource(seed)))
		data := m.build()
		a, c, out := planned(t, data, Options{KeepInputs: true, AliasViews: seed%2 == 0})
		size := func(t int) int32 { return int32(a.Apart.Buffers[a.apart[t]].Size) }
		wanted := slices.Concat(m.subs[0].out, m.subs[0].in)
		if !executedFor(m, c.Offsets, size, wanted) {
			t.Errorf("seed %d: %v does not keep the inputs", seed, c.Offsets)
		}
		if err := unexplained(a, c.Layout); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
		own, err := a.Layout(t.Context(), heuristics.TFLMGreedy{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if !executedFor(m, a.fixed(own), size, wanted) {
			lost++
		}
		if seed < 10 {
			if before, after := i.run(data, roomy), i.run(out, roomy); after.Outputs == "" || after.Outputs != before.Outputs || after.Head != c.Head {
				t.Errorf("seed %d: %+v with a plan of %d bytes, %+v before", seed, after, c.Head, before)
			}
		}
	}
	if lost < 20 {
		t.Errorf("TFLM's own plan loses inputs of %d models only", lost)
	}
}
