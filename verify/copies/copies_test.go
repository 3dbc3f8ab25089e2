package copies_test

import (
	"slices"
	"strings"
	"testing"

	"memplan/model/graph"
	"memplan/verify/copies"
)

// before is x -> f -> a -> g -> b -> h (a, b) -> y, whose a waits.
func before() *graph.Graph {
	return &graph.Graph{
		Tensors: []graph.Tensor{{ID: "x", Bytes: 4}, {ID: "a", Bytes: 8}, {ID: "b", Bytes: 8}, {ID: "y", Bytes: 4}},
		Ops: []graph.Op{
			{ID: "f", Inputs: []int{0}, Outputs: []int{1}, Scratch: []int64{2}}, {ID: "g", Inputs: []int{1}, Outputs: []int{2}},
			{ID: "h", Inputs: []int{1, 2}, Outputs: []int{3}},
		},
		Inputs: []int{0}, Outputs: []int{3},
	}
}

func fitted() *graph.Graph {
	g := before()
	g.Spaces = []graph.Space{{ID: "fast"}, {ID: "slow"}}
	g.Tensors = append(g.Tensors, graph.Tensor{ID: "a.slow", Bytes: 8, Spaces: []int{1}}, graph.Tensor{ID: "a.2", Bytes: 8})
	g.Ops[2].Inputs = []int{5, 2}
	g.Ops = append(g.Ops,
		graph.Op{ID: "store a", Inputs: []int{1}, Outputs: []int{4}, Layout: graph.Concat},
		graph.Op{ID: "load a.2", Inputs: []int{4}, Outputs: []int{5}, Layout: graph.Concat})
	g.Schedule = []int{0, 3, 1, 4, 2}
	return g
}

// A state that f reads and writes is in slow memory between runs.
func TestCheckStates(t *testing.T) {
	was := &graph.Graph{Tensors: []graph.Tensor{{ID: "s", Bytes: 4, Kind: graph.Variable}, {ID: "y", Bytes: 4}},
		Ops: []graph.Op{{ID: "f", Inputs: []int{0}, Outputs: []int{1, 0}}}, Outputs: []int{1}}
	staged := func() *graph.Graph {
		return &graph.Graph{
			Tensors: []graph.Tensor{{ID: "s.slow", Bytes: 4, Kind: graph.Variable, Spaces: []int{1}}, {ID: "y", Bytes: 4}, {ID: "s", Bytes: 4, Kind: graph.Mutable}},
			Ops: []graph.Op{{ID: "load", Inputs: []int{0}, Outputs: []int{2}, Layout: graph.Concat}, {ID: "f", Inputs: []int{2}, Outputs: []int{1, 2}},
				{ID: "store", Inputs: []int{2}, Outputs: []int{0}, Layout: graph.Concat}},
			Outputs: []int{1}, Spaces: []graph.Space{{ID: "fast"}, {ID: "slow"}}, Schedule: []int{0, 1, 2},
		}
	}
	if err := copies.Check(was, staged()); err != nil {
		t.Error(err)
	}
	for want, spoil := range map[string]func(g *graph.Graph){
		`"s.slow" is there from run to run and ends as`: func(g *graph.Graph) { g.Ops, g.Schedule = g.Ops[:2], []int{0, 1} },
		`"s" is there from run to run and ends as`: func(g *graph.Graph) {
			g.Ops, g.Schedule = []graph.Op{{ID: "f", Inputs: []int{2}, Outputs: []int{1, 0}}}, []int{0}
		},
		`nothing keeps "s" from run to run`: func(g *graph.Graph) {
			g.Tensors[0].Kind, g.Tensors[2].Kind = graph.Weight, graph.Activation
			g.Ops = []graph.Op{{ID: "f", Inputs: []int{0}, Outputs: []int{1, 2}}}
			g.Schedule = []int{0}
		},
	} {
		g := staged()
		spoil(g)
		if err := copies.Check(was, g); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %s, got %v", want, err)
		}
	}
}

func TestCheck(t *testing.T) {
	if err := copies.Check(before(), fitted()); err != nil {
		t.Error(err)
	}
	if err := copies.Check(before(), before()); err != nil {
		t.Error(err)
	}
	for want, spoil := range map[string]func(g *graph.Graph){
		`operator "h" reads "b"`:              func(g *graph.Graph) { g.Ops[2].Inputs = []int{2, 5} },
		"none of the graph before":            func(g *graph.Graph) { g.Ops[4].Layout = graph.Apart },
		`operator "load a.2" copies "x"`:      func(g *graph.Graph) { g.Ops[4].Inputs = []int{0} },
		`operator "h" reads "a.2"`:            func(g *graph.Graph) { g.Ops[3].Inputs, g.Schedule = []int{2}, []int{0, 1, 3, 4, 2} },
		"another workspace":                   func(g *graph.Graph) { g.Ops[0].Scratch = nil },
		`"b" in place of "a"`:                 func(g *graph.Graph) { g.Ops[1].InPlace = [][2]int{{1, 2}} },
		`accesses 16 bytes of "a", before 8`:  func(g *graph.Graph) { g.Ops[1].Accesses = []graph.Access{{Operand: 1, Times: 2, Of: 1}} },
		`"b" over "a" at a lead of 1`:         func(g *graph.Graph) { g.Ops[1].Overlap = []graph.Lead{{Under: 1, Over: 2, Bytes: 1}} },
		`the caller does not read "y"`:        func(g *graph.Graph) { g.Outputs = []int{2} },
		"has other bytes":                     func(g *graph.Graph) { g.Tensors[5].Bytes = 7 },
		`result "y" has other bytes`:          func(g *graph.Graph) { g.Tensors[3].Bytes = 3 },
		`op "h": not in the schedule`:         func(g *graph.Graph) { g.Ops[2].ID = "store" },
		`tensor "a.slow": read by "load a.2"`: func(g *graph.Graph) { g.Ops, g.Schedule = slices.Delete(g.Ops, 3, 4), []int{0, 1, 3, 2} },
	} {
		g := fitted()
		spoil(g)
		if err := copies.Check(before(), g); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %s, got %v", want, err)
		}
	}
}
