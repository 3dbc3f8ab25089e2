package spill_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"memplan/internal/shared"
	"memplan/model/graph"
	"memplan/spill"
)

// What is needed of a tensor depends on the order: of x no more than v, where A runs first.
func TestOrderOfViews(t *testing.T) {
	g := &graph.Graph{
		Tensors: []graph.Tensor{{ID: "x", Bytes: 8}, {ID: "v", Bytes: 2, View: &graph.View{Of: 0}}, {ID: "a", Bytes: 1}, {ID: "b", Bytes: 1}, {ID: "c", Bytes: 1}},
		Ops: []graph.Op{{ID: "S", Inputs: []int{0}, Outputs: []int{1}}, {ID: "B", Inputs: []int{1}, Outputs: []int{3}, Scratch: []int64{5}},
			{ID: "A", Inputs: []int{0}, Outputs: []int{2}}, {ID: "C", Inputs: []int{2, 3}, Outputs: []int{4}}},
		Inputs: []int{0}, Outputs: []int{4},
	}
	for _, way := range []spill.Way{spill.Whole, spill.Pieces} {
		q := &spill.Question{Graph: g, Capacity: 10, Way: way}
		given, err := spill.Solve(context.Background(), q, tools)
		if err != nil || given.Fitted == nil || given.Fitted.Cost() != 10 {
			t.Fatalf("%v: %v, %+v, want a cost of 10", way, err, given)
		}
		if a, err := spill.Order(context.Background(), q, tools, given); err != nil || a.Bound != 0 || a.Fitted.Cost() != 0 {
			t.Errorf("%v: %v, %+v, want nothing moved", way, err, a)
		}
	}
}

// The order of least traffic is the best of all orders, in a search over what the
// memories hold. A thousand graphs: go test ./spill -run Orders -v -times 4.
func TestAllOrders(t *testing.T) {
	var asked, better, looked int
	for n := 0; asked < shared.Many(250); n++ {
		rnd := rand.New(rand.NewPCG(uint64(n), 3))
		g := drawGraph(rnd, 3+rnd.IntN(2))
		for o := range g.Ops {
			g.Ops[o].InPlace, g.Ops[o].Overlap = nil, nil
		}
		for i := range g.Tensors {
			g.Tensors[i].View = nil
		}
		q := &spill.Question{Graph: g, Capacity: load(t, g), Way: spill.Way(n % 3), Read: 1 + rnd.Int64N(3), Write: 1 + rnd.Int64N(3)}
		given, err := spill.Solve(context.Background(), q, tools)
		if err != nil {
			t.Fatal(err)
		}
		if given.None != nil {
			continue
		}
		a, err := spill.Order(context.Background(), q, tools, given)
		if err != nil || a == nil {
			t.Fatalf("%d: %v, %v", n, a, err)
		}
		all := newReference(q)
		all.any = true
		want, _ := all.least()
		if !a.Optimal() || a.Fitted.Cost() != want {
			t.Fatalf("%d %v capacity %d: %+v, want %d, given %d: %+v", n, q.Way, q.Capacity, a, want, given.Fitted.Cost(), g)
		}
		asked++
		looked += a.Cuts
		if want < given.Fitted.Cost() {
			better++
		}
	}
	t.Logf("%d asked, %d better than in the order given, %d orders looked at", asked, better, looked)
	if better < asked/10 {
		t.Error("the test has lost its point")
	}
}
