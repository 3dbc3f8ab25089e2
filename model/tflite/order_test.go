package tflite

import (
	"math/rand"
	"strings"
	"testing"

	"memplan/internal/shared"
)

// An operator that reads what a later one makes is an error that names both, in
// every runtime; every such operator is named.
func TestOperatorsOutOfOrder(t *testing.T) {
	for _, c := range []struct {
		file  string
		wants []string
	}{
		{string(shared.Read(t, "found/71-operators-out-of-order/t40e.tflite")), []string{`subgraph 0: operator 0 ADD reads tensor 1 "b" before operator 1 ADD makes it`}},
		{string((&testModel{subs: []testSub{{
			tensors: []testTensor{floats("x", 4), floats("a", 4), floats("b", 4), floats("c", 4)}, in: []int{0}, out: []int{3},
			ops: []testOp{binaryOp(add, addOptions, 1, 2, 3), unary(relu, 2, 1), unary(absolute, 0, 2)},
		}}}).build()), []string{`operator 0 ADD reads tensor 1 "a" before operator 1 RELU`, `operator 0 ADD reads tensor 2 "b" before operator 2 ABS`, `operator 1 RELU reads tensor 2 "b" before operator 2 ABS`}},
	} {
		f, err := Read([]byte(c.file))
		if err != nil {
			t.Fatal(err)
		}
		for rt := TFLM; rt <= Generic; rt++ {
			_, _, err := f.Graph(Options{Runtime: rt})
			for _, want := range c.wants {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("%v: %v, want %s", rt, err, want)
				}
			}
		}
	}
}

// Of operators in any order, exactly those that are in one that can run are read.
func TestOperatorsInAnyOrder(t *testing.T) {
	fine := 0
	for seed := range int64(500) {
		r := rand.New(rand.NewSource(seed))
		m := reshapes(r)
		ops := m.subs[0].ops
		for range r.Intn(3) {
			a, b := r.Intn(len(ops)), r.Intn(len(ops))
			ops[a], ops[b] = ops[b], ops[a]
		}
		made := map[int]bool{0: true}
		for _, t := range m.subs[0].in {
			made[t] = true
		}
		runs := true
		for _, op := range ops {
			for _, t := range op.in {
				runs = runs && made[t]
			}
			made[op.out[0]] = true
		}
		f, err := Read(m.build())
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := f.Graph(Options{}); (err == nil) != runs {
			t.Errorf("seed %d: can run: %v; %v", seed, runs, err)
		}
		if runs {
			fine++
		}
	}
	if fine < 50 || fine > 450 {
		t.Errorf("%d of 500 can run", fine)
	}
}
