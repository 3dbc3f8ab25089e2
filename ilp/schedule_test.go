package ilp_test

import (
	"fmt"
	"math/rand"
	"testing"

	"memplan/model/graph"
	"memplan/model/schedule"
)

// randomDAG is a graph of n operators with views, workspaces and outputs.
func randomDAG(r *rand.Rand, n int) *graph.Graph {
	g := &graph.Graph{}
	value := func(bytes int64) int {
		g.Tensors = append(g.Tensors, graph.Tensor{ID: fmt.Sprint("t", len(g.Tensors)), Bytes: bytes})
		return len(g.Tensors) - 1
	}
	ready := []int{value(1 + r.Int63n(9)), value(r.Int63n(9))}
	g.Inputs = []int{0, 1}
	for o := range n {
		op := graph.Op{ID: fmt.Sprint("op", o)}
		for range 1 + r.Intn(2) {
			op.Inputs = append(op.Inputs, ready[r.Intn(len(ready))])
		}
		y := value(1 + r.Int63n(20))
		if base := op.Inputs[0]; r.Intn(6) == 0 && g.Tensors[base].Bytes > 0 {
			g.Tensors[y].Bytes, g.Tensors[y].View = g.Tensors[base].Bytes, &graph.View{Of: base}
		}
		op.Outputs = []int{y}
		if r.Intn(5) == 0 {
			op.Scratch = []int64{r.Int63n(9)}
		}
		ready = append(ready, y)
		g.Ops = append(g.Ops, op)
	}
	for range 2 {
		g.Outputs = append(g.Outputs, ready[r.Intn(len(ready))])
	}
	return g
}

// The integer program and the search over downsets find the same least load.
func TestScheduleAgreesWithSearch(t *testing.T) {
	better := 0
	for seed := range int64(60) {
		g := randomDAG(rand.New(rand.NewSource(seed)), 3+int(seed%4))
		order, load := leastLoad(t, g)
		l, err := g.Lower(graph.LowerOptions{Schedule: schedule.Optimal})
		if err != nil || !l.Order.Proven() || l.Order.Load != load {
			t.Fatalf("seed %d: %v: search %+v, program %d by %v", seed, err, l.Order, load, order)
		}
		given, err := g.Lower(graph.LowerOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if given.Order.Load > load {
			better++
		}
	}
	if better < 5 {
		t.Errorf("the given order was best in all but %d graphs", better)
	}
}
