package spill_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"memplan/internal/shared"
	"memplan/model/graph"
	"memplan/spill"
)

// inOrders is what is found in the order given and, unless nothing fits, in the best.
func inOrders(t *testing.T, q *spill.Question) (given, best *spill.Answer) {
	t.Helper()
	given, err := spill.Solve(context.Background(), q, tools)
	if err != nil {
		t.Fatal(err)
	}
	if given.None != nil {
		return given, nil
	}
	best, err = spill.Order(context.Background(), q, tools, given)
	if err != nil || best == nil {
		t.Fatalf("%v capacity %d: %v, %v: %+v", q.Way, q.Capacity, best, err, q.Graph)
	}
	return given, best
}

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
		given, a := inOrders(t, q)
		if given.Fitted == nil || given.Fitted.Cost() != 10 {
			t.Fatalf("%v: %+v, want a cost of 10", way, given)
		}
		if a.Bound != 0 || a.Fitted.Cost() != 0 {
			t.Errorf("%v: %+v, want nothing moved", way, a)
		}
	}
	n := len(g.Tensors) // another tensor, which is too many beside v; the order given is as good as any
	g.Ops[1].Scratch = nil
	g.Tensors = append(g.Tensors, graph.Tensor{ID: "z", Bytes: 9}, graph.Tensor{ID: "d", Bytes: 1})
	g.Ops = append(g.Ops, graph.Op{ID: "D", Inputs: []int{4, n}, Outputs: []int{n + 1}})
	g.Inputs, g.Outputs = append(g.Inputs, n), []int{n + 1}
	c := counts{both: startCheckers(t)}
	for _, way := range []spill.Way{spill.Whole, spill.Pieces} {
		q := &spill.Question{Graph: g, Capacity: 10, Way: way}
		_, a := inOrders(t, q)
		if !a.Optimal() || a.Fitted.Cost() != 9 {
			t.Fatalf("%v: %+v, want a cost of 9", way, a)
		}
		if proof := c.prove(t, q, a); proof == nil || len(proof.Traffic.Question.Before) == 0 || proof.Traffic.Question.Values[0].Least != 2 {
			t.Errorf("%v: %+v is not proven: %+v", way, a, proof)
		}
	}
}

// A state that no operator reaches is in slow memory for nothing, though operators reach
// fast memory alone.
func TestOrderBesideState(t *testing.T) {
	var asked, better int
	for n := 0; asked < 12; n++ {
		g := drawPlain(rand.New(rand.NewPCG(uint64(n), 3)))
		capacity, with := load(t, g), *g
		with.Tensors = append(slices.Clone(g.Tensors), graph.Tensor{ID: "s", Bytes: 9, Kind: graph.Variable})
		with.Inputs = append(slices.Clone(g.Inputs), len(g.Tensors))
		var costs []int64
		for _, g := range []*graph.Graph{g, &with} {
			q := &spill.Question{Graph: g, Capacity: capacity, Way: spill.Staged}
			given, a := inOrders(t, q)
			if given.None != nil {
				break
			}
			if !a.Optimal() {
				t.Fatalf("%d: %+v", n, a)
			}
			if costs = append(costs, a.Fitted.Cost()); a.Fitted.Cost() < given.Fitted.Cost() {
				better++
			}
		}
		if len(costs) == 0 {
			continue
		}
		if asked++; len(costs) < 2 || costs[0] != costs[1] {
			t.Errorf("%d: costs %d without a state, and with one", n, costs)
		}
	}
	if better == 0 {
		t.Error("the test has lost its point")
	}
}

// drawPlain is a small graph in which nothing shares bytes.
func drawPlain(rnd *rand.Rand) *graph.Graph {
	g := drawGraph(rnd, 3+rnd.IntN(2))
	for o := range g.Ops {
		g.Ops[o].InPlace, g.Ops[o].Overlap = nil, nil
	}
	for i := range g.Tensors {
		g.Tensors[i].View = nil
	}
	return g
}

// The order of least traffic is the best of all orders, in a search over what the
// memories hold. A thousand graphs: go test ./spill -run Orders -v -times 4.
func TestAllOrders(t *testing.T) {
	var asked, better, looked, tried int
	c := counts{both: startCheckers(t)}
	for n := 0; asked < shared.Many(250); n++ {
		rnd := rand.New(rand.NewPCG(uint64(n), 3))
		g := drawPlain(rnd)
		q := &spill.Question{Graph: g, Capacity: load(t, g), Way: spill.Way(n % 3), Read: 1 + rnd.Int64N(3), Write: 1 + rnd.Int64N(3)}
		given, a := inOrders(t, q)
		if given.None != nil {
			continue
		}
		all := newReference(q)
		all.any = true
		want, _ := all.least()
		if !a.Optimal() || a.Fitted.Cost() != want {
			t.Fatalf("%d %v capacity %d: %+v, want %d, given %d: %+v", n, q.Way, q.Capacity, a, want, given.Fitted.Cost(), g)
		}
		if asked++; want > 0 && asked%3 == 0 {
			tried++
			c.prove(t, q, a)
		}
		looked += a.Cuts
		if want < given.Fitted.Cost() {
			better++
		}
	}
	t.Logf("%d asked, %d better than in the order given, %d orders looked at; %d of %d proven, in %d sums", asked, better, looked, c.proven, tried, c.leaves)
	if better < asked/10 || c.proven < tried*3/4 {
		t.Error("the test has lost its point")
	}
}
