package spill_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"memplan/internal/shared"
	"memplan/spill"
)

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
