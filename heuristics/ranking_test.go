package heuristics

import (
	"cmp"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// A ranking is what a stable sort by comparisons gives, whatever the keys.
func TestRankingIsAStableSort(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		few := rapid.SampledFrom([]int64{-1 << 63, -256, -1, 0, 1, 255, 256, 65536, 1<<63 - 1})
		keys := rapid.SliceOfN(rapid.OneOf(few, rapid.Int64()), 0, 40).Draw(t, "keys")
		minor := rapid.SliceOfN(rapid.Int64Range(0, 3), len(keys), len(keys)).Draw(t, "minor keys")
		r := newRanking(len(keys), nil)
		r.by(func(at int32) uint64 { return rising(minor[at]) })
		r.by(func(at int32) uint64 { return falling(keys[at]) })
		want := make([]int32, len(keys))
		for i := range want {
			want[i] = int32(i)
		}
		slices.SortStableFunc(want, func(a, b int32) int {
			return cmp.Or(cmp.Compare(keys[b], keys[a]), cmp.Compare(minor[a], minor[b]))
		})
		for i, e := range r.list {
			if e.at != want[i] {
				t.Fatalf("%v by %v: %v, want %v", keys, minor, r.list, want)
			}
		}
	})
}
