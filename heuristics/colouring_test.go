package heuristics

import (
	"math/rand"
	"testing"

	"memplan/internal/oracle"

	"gonum.org/v1/gonum/graph/coloring"
	"gonum.org/v1/gonum/graph/simple"
)

// Colouring in birth order takes as few pools as gonum's exact colouring of the
// conflicts, which knows nothing of intervals, and no two of a pool conflict.
func TestColouringAgainstExactColouring(t *testing.T) {
	below := 0
	for seed := range int64(1000) {
		in := oracle.Random(rand.New(rand.NewSource(seed)), oracle.Features{})
		if seed%2 == 0 { // twice as many
			more := oracle.Random(rand.New(rand.NewSource(-1-seed)), oracle.Features{})
			in.Buffers = append(in.Buffers, more.Buffers...)
		}
		conflicts := simple.NewUndirectedGraph()
		bytes := 0
		for i := range in.Buffers {
			if in.Buffers[i].Size == 0 {
				continue
			}
			bytes++
			conflicts.AddNode(simple.Node(i))
			for j := range i {
				if in.Buffers[i].Conflicts(&in.Buffers[j]) {
					conflicts.SetEdge(simple.Edge{F: simple.Node(i), T: simple.Node(j)})
				}
			}
		}
		want, _, err := coloring.DsaturExact(nil, conflicts)
		if err != nil {
			t.Fatal(err)
		}
		d := newDraft(in)
		items := d.withBytes(d.items())
		byBirth(d, items)
		pools := colour(items)
		if len(pools) != want {
			t.Fatalf("seed %d: %d pools, %d colours: %+v", seed, len(pools), want, in.Buffers)
		}
		for _, pool := range pools {
			for k, i := range pool {
				for _, j := range pool[:k] {
					if in.Buffers[i].Conflicts(&in.Buffers[j]) {
						t.Fatalf("seed %d: %d and %d share a pool", seed, i, j)
					}
				}
			}
		}
		if want < bytes {
			below++
		}
	}
	if below < 500 {
		t.Errorf("only %d instances where anything shares", below)
	}
}
