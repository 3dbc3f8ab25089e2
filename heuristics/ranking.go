package heuristics

import (
	"math"
	"slices"

	"memplan/model"
)

// falling is a key in the opposite order of model.Rising.
func falling(x int64) uint64 { return math.MaxUint64 - model.Rising(x) }

// rank sorts items, which are in index order, by keys, the first of which
// counts most; equal ones stay in index order.
func rank(items []item, keys ...func(it *item) uint64) {
	for _, key := range slices.Backward(keys) {
		model.SortByKey(items, key)
	}
}
