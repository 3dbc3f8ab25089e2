package model

import (
	"cmp"
	"math/rand"
	"slices"
	"testing"
)

// Events come by step, deaths first, then by index, whether births rise or not.
func TestEventsAreInOrder(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for n := range 300 {
		in := &Instance{Buffers: make([]Buffer, r.Intn(8))}
		var want []event
		for i := range in.Buffers {
			b := &in.Buffers[i]
			b.Size, b.Life = r.Int63n(3), Interval{int64(i), int64(i) + 1 + r.Int63n(5)}
			if n%2 == 0 {
				b.Life = Interval{-r.Int63n(5), 1 + r.Int63n(9)}
			}
			if n%3 == 0 && b.Life.End-b.Life.Start > 2 {
				b.Gaps = []Interval{{b.Life.Start + 1, b.Life.End - 1}}
			}
			for part := range b.Live() {
				if b.Size > 0 {
					want = append(want, event{part.Start, int32(i), true}, event{part.End, int32(i), false})
				}
			}
		}
		slices.SortStableFunc(want, func(a, b event) int {
			if a.step == b.step && a.born != b.born {
				if a.born {
					return 1
				}
				return -1
			}
			return cmp.Compare(a.step, b.step)
		})
		if got := in.events(); !slices.Equal(got, want) {
			t.Fatalf("%v: %v, want %v", in.Buffers, got, want)
		}
	}
}
