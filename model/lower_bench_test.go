package model_test

import (
	"fmt"
	"testing"

	"memplan/model"
)

// deep is a graph of n operators: residual blocks one after another, with
// views, in-place pairs, weights and a long skip.
func deep(n int) *model.Graph {
	g := &model.Graph{Name: "deep"}
	tensor := func(bytes int64, kind model.Kind) int {
		g.Tensors = append(g.Tensors, model.Tensor{ID: fmt.Sprint("t", len(g.Tensors)), Bytes: bytes, Kind: kind})
		return len(g.Tensors) - 1
	}
	x := tensor(4096, model.Activation)
	first := x
	g.Inputs = []int{x}
	op := func(inputs ...int) int {
		y := tensor(4096, model.Activation)
		g.Ops = append(g.Ops, model.Op{ID: fmt.Sprint("op", len(g.Ops)), Inputs: inputs, Outputs: []int{y}})
		return y
	}
	for len(g.Ops) < n {
		a := op(x, tensor(64, model.Weight))
		b := op(a)
		last := &g.Ops[len(g.Ops)-1]
		last.InPlace, last.Elementwise = [][2]int{{a, b}}, true
		v := op(b)
		g.Tensors[v].View = &model.View{Of: b}
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
	for kind := model.GivenOrder; kind <= model.OptimalOrder; kind++ {
		b.Run(kind.String(), func(b *testing.B) {
			for b.Loop() {
				l, err := g.Lower(model.LowerOptions{Schedule: kind, Concat: true, Fuse: model.FuseElementwise})
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(l.Order.Load), "load")
				b.ReportMetric(float64(l.Order.Bound), "bound")
			}
		})
	}
}
