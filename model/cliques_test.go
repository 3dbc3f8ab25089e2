package model_test

import (
	"math/rand"
	"reflect"
	"slices"
	"testing"

	"memplan/internal/oracle"
	"memplan/model"
)

// The members of a clique conflict pairwise, every two that conflict are in one,
// and without gaps none is part of another.
func TestCliquesAgainstPairs(t *testing.T) {
	for seed := range int64(2000) {
		in := oracle.Random(rand.New(rand.NewSource(seed)), oracle.Features{Gaps: seed%2 == 0, Ties: seed%3 == 0})
		var all [][]int32
		together := make(map[[2]int32]bool)
		for c := range in.Cliques() {
			var bytes int64
			for k, i := range c.Members {
				bytes += in.Buffers[i].Size
				for _, j := range c.Members[k+1:] {
					together[[2]int32{i, j}] = true
				}
			}
			if bytes != c.Bytes || !slices.IsSorted(c.Members) {
				t.Fatalf("seed %d: %+v has %d bytes", seed, c, bytes)
			}
			all = append(all, c.Members)
		}
		for i := range in.Buffers {
			for j := range i {
				a, b := &in.Buffers[j], &in.Buffers[i]
				meet := a.Conflicts(b) && a.Size > 0 && b.Size > 0
				if meet != together[[2]int32{int32(j), int32(i)}] {
					t.Fatalf("seed %d: %d and %d conflict: %t", seed, j, i, meet)
				}
			}
		}
		for k, c := range all {
			for m, d := range all {
				inside := !slices.ContainsFunc(c, func(i int32) bool { return !slices.Contains(d, i) })
				if seed%2 == 1 && k != m && inside {
					t.Fatalf("seed %d: %v is part of %v", seed, c, d)
				}
			}
		}
	}
}

// Twins are of the same size and alignment, free, and in the same cliques: a gap
// at steps that matter to nobody makes no difference.
func TestTwins(t *testing.T) {
	life := model.Interval{Start: 0, End: 4}
	gap := []model.Interval{{Start: 1, End: 2}}
	pin := int64(8)
	in := &model.Instance{Buffers: []model.Buffer{
		{Life: life, Size: 4, Gaps: gap}, {Life: life, Size: 4}, {Life: life, Size: 4, Align: 1}, {Life: life, Size: 4, Align: 2},
		{Life: life, Size: 4, Offset: &pin}, {Life: life, Size: 4, Gaps: gap}, {Life: life, Size: 4, Tie: &model.Tie{To: 7}},
		{Life: model.Interval{Start: 4, End: 5}, Size: 4}, {Life: life, Size: 4}, {Life: life, Size: 0}, {Life: life, Size: 0},
	}}
	if got, want := in.Twins(), [][]int{{0, 1, 2, 5, 8}}; !reflect.DeepEqual(got, want) {
		t.Errorf("twins %v, want %v", got, want)
	}
	in.Buffers = append(in.Buffers, model.Buffer{Life: model.Interval{Start: 1, End: 2}, Size: 1})
	if got, want := in.Twins(), [][]int{{0, 5}, {1, 2, 8}}; !reflect.DeepEqual(got, want) {
		t.Errorf("with one in the gap, twins %v, want %v", got, want)
	}
}
