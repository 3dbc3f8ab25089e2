package schedule

import (
	"math/rand"
	"slices"
	"testing"

	"memplan/model"

	"gonum.org/v1/gonum/graph/simple"
	"gonum.org/v1/gonum/graph/topo"
)

// newDAG is the DAG in which each unit waits for those listed.
func newDAG(before [][]int) *DAG {
	d := &DAG{Before: before, After: make([][]int, len(before))}
	d.Mirror()
	return d
}

// The cycles are the classes of units that reach each other, by the definition.
func TestCyclesAgainstReachability(t *testing.T) {
	whole, several := 0, 0
	for seed := range int64(2000) {
		r := rand.New(rand.NewSource(seed))
		n := 1 + r.Intn(8)
		before, reach := make([][]int, n), make([][]bool, n)
		for o := range n {
			reach[o] = make([]bool, n)
			for b := range n {
				if r.Intn(2*n) < 2 {
					before[o] = append(before[o], b)
					reach[o][b] = true
				}
			}
		}
		for k := range n {
			for a := range n {
				for b := range n {
					reach[a][b] = reach[a][b] || reach[a][k] && reach[k][b]
				}
			}
		}
		var want [][]int
		listed := make([]bool, n)
		for a := range n {
			if !reach[a][a] || listed[a] {
				continue
			}
			var set []int
			for b := range n {
				if reach[a][b] && reach[b][a] {
					set, listed[b] = append(set, b), true
				}
			}
			want = append(want, set)
			whole += len(set)
		}
		if len(want) > 1 {
			several++
		}
		if got := newDAG(before).Cycles(); !slices.EqualFunc(got, want, slices.Equal[[]int]) {
			t.Fatalf("seed %d: %v: %v, want %v", seed, before, got, want)
		}
	}
	if whole < 1000 || several < 100 {
		t.Errorf("%d units on cycles, %d graphs with several", whole, several)
	}
}

// A ring of millions is told, as one set, without a stack as deep.
func TestCyclesOfMany(t *testing.T) {
	const n = 3_000_000
	before := make([][]int, n)
	next := model.Identity(n + 1)
	next[n] = 0
	for k := range n {
		before[k] = next[k+1 : k+2]
	}
	if got := newDAG(before).Cycles(); len(got) != 1 || len(got[0]) != n {
		t.Errorf("%d sets", len(got))
	}
}

// skips is n units in a row, where each waits for the one before, and most for
// one long before.
func skips(n int) *DAG {
	before := make([][]int, n)
	for k := 1; k < n; k++ {
		if far := k - 1 - k%97; far >= 0 && far < k-1 {
			before[k] = append(before[k], far)
		}
		before[k] = append(before[k], k-1)
	}
	return newDAG(before)
}

func BenchmarkOrder100k(b *testing.B) {
	d := skips(100_000)
	b.Run("by hand", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			d.Kahn(model.Identity(len(d.Before)))
		}
	})
	graph := func() *simple.DirectedGraph {
		g := simple.NewDirectedGraph()
		for k := range d.Before {
			g.AddNode(simple.Node(k))
		}
		for k, list := range d.Before {
			for _, before := range list {
				g.SetEdge(simple.Edge{F: simple.Node(before), T: simple.Node(k)})
			}
		}
		return g
	}
	b.Run("gonum", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := topo.SortStabilized(graph(), nil); err != nil {
				b.Fatal(err)
			}
		}
	})
	made := graph()
	b.Run("gonum, its graph made before", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := topo.SortStabilized(made, nil); err != nil {
				b.Fatal(err)
			}
		}
	})
}
