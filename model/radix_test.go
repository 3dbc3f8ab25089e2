package model

import (
	"cmp"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// A radix sort is what a stable sort by comparisons gives, whatever the keys.
func TestSortByKeyIsAStableSort(t *testing.T) {
	type pair struct{ major, minor int64 }
	rapid.Check(t, func(t *rapid.T) {
		few := rapid.SampledFrom([]int64{-1 << 63, -256, -1, 0, 1, 255, 256, 65536, 1<<63 - 1})
		keys := rapid.SliceOfN(rapid.OneOf(few, rapid.Int64()), 0, 40).Draw(t, "keys")
		minor := rapid.SliceOfN(rapid.Int64Range(0, 3), len(keys), len(keys)).Draw(t, "minor keys")
		got := make([]pair, len(keys))
		for i := range got {
			got[i] = pair{keys[i], minor[i]}
		}
		want := slices.Clone(got)
		slices.SortStableFunc(want, func(a, b pair) int {
			return cmp.Or(cmp.Compare(b.major, a.major), cmp.Compare(a.minor, b.minor))
		})
		SortByKey(got, func(p *pair) uint64 { return Rising(p.minor) })
		SortByKey(got, func(p *pair) uint64 { return ^Rising(p.major) })
		if !slices.Equal(got, want) {
			t.Fatalf("%v, want %v", got, want)
		}
	})
}
