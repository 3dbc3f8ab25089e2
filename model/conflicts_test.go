package model

import (
	"context"
	"math/rand"
	"slices"
	"testing"
)

// Clashes against their definition, pair by pair.
func TestClashesAgainstEveryPair(t *testing.T) {
	found := 0
	for seed := range int64(3000) {
		r := rand.New(rand.NewSource(seed))
		in := &Instance{}
		var which []int
		var at []int64
		for i := range r.Intn(12) {
			s := r.Int63n(9)
			b := Buffer{Life: Interval{s, s + 1 + r.Int63n(5)}, Size: r.Int63n(5)}
			if n := b.Life.End - b.Life.Start; n > 2 && r.Intn(2) == 0 {
				b.Gaps = []Interval{{s + 1, s + 2}}
			}
			in.Buffers = append(in.Buffers, b)
			if r.Intn(4) > 0 {
				which, at = append(which, i), append(at, r.Int63n(12))
			}
		}
		var want [][2]int
		for k, i := range which {
			for l := range k {
				j := which[l]
				if in.Buffers[i].Conflicts(&in.Buffers[j]) && at[k] < at[l]+in.Buffers[j].Size && at[l] < at[k]+in.Buffers[i].Size {
					want = append(want, [2]int{j, i})
				}
			}
		}
		slices.SortFunc(want, func(a, b [2]int) int { return slices.Compare(a[:], b[:]) })
		if got := in.clashes(which, at); !slices.Equal(got, want) {
			t.Fatalf("seed %d: %v, want %v", seed, got, want)
		}
		found += len(want)
	}
	if found < 1000 {
		t.Errorf("only %d clashes", found)
	}
}

// Neighbours that nobody waits for any more are not listed.
func TestNeighboursWithin(t *testing.T) {
	in := &Instance{Buffers: []Buffer{{Life: Interval{Start: 0, End: 1}, Size: 1}, {Life: Interval{Start: 0, End: 1}, Size: 1}}}
	ctx, stop := context.WithCancel(t.Context())
	if near := in.NeighboursWithin(ctx); len(near) != 2 || len(near[0]) != 1 {
		t.Errorf("%v", near)
	}
	stop()
	if near := in.NeighboursWithin(ctx); near != nil {
		t.Errorf("%v", near)
	}
}
