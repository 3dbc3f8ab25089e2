package heuristics

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestRepairAgainstReplay: after any exchanges the bodies that may be affected,
// placed anew, lie where placing all anew puts them.
func TestRepairAgainstReplay(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 0))
	fewer := false
	for seed := range uint64(40) {
		in := uniform(300, 8, seed)
		for i := range in.Buffers {
			in.Buffers[i].Size %= 50
			in.Buffers[i].Size++
			in.Buffers[i].Align = 1 << r.IntN(4)
		}
		local, whole := newClimb(in), newClimb(in)
		if !local.connect(context.Background()) || !local.plain() {
			t.Fatal("not for repair")
		}
		if _, err := local.replay(unlimited); err != nil {
			t.Fatal(err)
		}
		for range 10 {
			before := local.count
			for range 1 + r.IntN(3) {
				i, j := r.IntN(len(local.order)), r.IntN(len(local.order))
				local.swap(i, j)
				whole.swap(i, j)
			}
			got, err := local.repair()
			if err != nil {
				t.Fatal(err)
			}
			want, err := whole.replay(unlimited)
			if err != nil {
				t.Fatal(err)
			}
			if got != want || !slices.Equal(local.offsets, whole.offsets) || !slices.Equal(local.turn, whole.turn) || !slices.Equal(local.end, whole.end) {
				t.Fatalf("seed %d: peak %d, want %d", seed, got, want)
			}
			fewer = fewer || local.count-before < 100
		}
	}
	if !fewer {
		t.Error("no exchange was local")
	}
}
