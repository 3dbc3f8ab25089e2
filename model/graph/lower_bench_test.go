package graph_test

import (
	"fmt"
	"testing"

	"memplan/model/graph"
	"memplan/model/schedule"
)

// deep is a graph of n operators: residual blocks one after another, with
// views, in-place pairs, weights and a long skip.
func deep(n int) *graph.Graph {
	g := &graph.Graph{Name: "deep"}
	tensor := func(bytes int64, kind graph.Kind) int {
		g.Tensors = append(g.Tensors, graph.Tensor{ID: fmt.Sprint("t", len(g.Tensors)), Bytes: bytes, Kind: kind})
		return len(g.Tensors) - 1
	}
	x := tensor(4096, graph.Activation)
	first := x
	g.Inputs = []int{x}
	op := func(inputs ...int) int {
		y := tensor(4096, graph.Activation)
		g.Ops = append(g.Ops, graph.Op{ID: fmt.Sprint("op", len(g.Ops)), Inputs: inputs, Outputs: []int{y}})
		return y
	}
	for len(g.Ops) < n {
		a := op(x, tensor(64, graph.Weight))
		b := op(a)
		last := &g.Ops[len(g.Ops)-1]
		last.InPlace, last.Elementwise = [][2]int{{a, b}}, true
		v := op(b)
		g.Tensors[v].View = &graph.View{Of: b}
		c := op(v, x)
		last = &g.Ops[len(g.Ops)-1]
		last.InPlace, last.Elementwise = [][2]int{{v, c}, {x, c}}, true
		x = c
	}
	g.Outputs = []int{op(x, first)}
	return g
}

func BenchmarkLower100k(b *testing.B) {
	g := deep(100_000)
	for kind := schedule.Given; kind <= schedule.Optimal; kind++ {
		b.Run(kind.String(), func(b *testing.B) {
			for b.Loop() {
				l, err := g.Lower(graph.LowerOptions{Schedule: kind, Concat: true, Fuse: graph.FuseElementwise})
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(l.Order.Load), "load")
				b.ReportMetric(float64(l.Order.Bound), "bound")
			}
		})
	}
}
