package graph_test

import (
	"fmt"
	"testing"

	"memplan/model/graph"
	"memplan/model/schedule"
)

// Every cycle of operators is named, each as a whole; what waits for one, or is
// waited for, is not.
func TestCyclesAreNamed(t *testing.T) {
	g := &graph.Graph{}
	op := func(after ...int) {
		g.Ops = append(g.Ops, graph.Op{ID: string(rune('a' + len(g.Ops))), After: after})
	}
	for _, after := range [][]int{{}, {0, 3}, {1}, {2}, {3}, {4, 5}, {7}, {6, 8}, {7}} { // b, c, d; f alone; g, h, i
		op(after...)
	}
	err := g.Validate()
	want := `op "b": needs its own result: "b", "c", "d" wait for each other
op "f": needs its own result: "f" wait for each other
op "g": needs its own result: "g", "h", "i" wait for each other`
	if err == nil || err.Error() != want {
		t.Errorf("%v, want\n%s", err, want)
	}
}

// Depth is no matter: a hundred thousand operators one after another, and long
// chains of views, in-place results, concats in concats, and elementwise
// operators that fuse into one.
func TestDeepGraphs(t *testing.T) {
	const n, many = 20_000, 100_000
	chain := func(make func(g *graph.Graph, before, next int)) *graph.Graph {
		g := &graph.Graph{Tensors: []graph.Tensor{{ID: "x", Bytes: 8}}, Inputs: []int{0}}
		for k := 1; k <= n; k++ {
			g.Tensors = append(g.Tensors, graph.Tensor{ID: fmt.Sprint("t", k), Bytes: 8})
			g.Ops = append(g.Ops, graph.Op{ID: fmt.Sprint("op", k), Inputs: []int{k - 1}, Outputs: []int{k}})
			make(g, k-1, k)
		}
		g.Outputs = []int{n}
		return g
	}
	for name, c := range map[string]struct {
		graph          *graph.Graph
		buffers, pairs int
		load           int64
	}{
		"blocks":   {deep(many), many + 2, many - 1, 12288},
		"views":    {chain(func(g *graph.Graph, before, next int) { g.Tensors[next].View = &graph.View{Of: before} }), n + 1, n, 8},
		"in place": {chain(func(g *graph.Graph, before, next int) { g.Ops[before].InPlace = [][2]int{{before, next}} }), n + 1, n - 1, 16},
		"concats":  {chain(func(g *graph.Graph, before, next int) { g.Ops[before].Layout = graph.Concat }), n + 1, n, 8},
		"fused": {chain(func(g *graph.Graph, before, next int) {
			g.Ops[before].Elementwise = true
			g.Ops[before].InPlace = [][2]int{{before, next}}
		}), 2, 0, 16},
	} {
		for _, kind := range []schedule.Kind{schedule.DepthFirst, schedule.Optimal} {
			o := graph.LowerOptions{Schedule: kind, Concat: true}
			if name == "fused" {
				o.Fuse = graph.FuseElementwise
			}
			l, err := c.graph.Lower(o)
			if err != nil {
				t.Fatal(name, err)
			}
			if in := l.Arenas[0]; len(in.Buffers) != c.buffers || len(in.Pairs) != c.pairs || l.Order.Load != c.load {
				t.Errorf("%s, %v: %d buffers, %d pairs, load %d, want %d, %d, %d", name, kind, len(in.Buffers), len(in.Pairs), l.Order.Load, c.buffers, c.pairs, c.load)
			}
		}
	}
}
