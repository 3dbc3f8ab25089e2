package model_test

import (
	"strings"
	"testing"

	"memplan/model"
)

// Each fault of a pair by itself, and what the load makes of good ones.
func TestPairs(t *testing.T) {
	buffers := []model.Buffer{
		{ID: "x", Life: model.Interval{Start: 0, End: 2}, Size: 8},
		{ID: "y", Life: model.Interval{Start: 1, End: 3}, Size: 10},
		{ID: "z", Life: model.Interval{Start: 1, End: 3}, Size: 1},
	}
	for _, c := range []struct {
		pairs []model.Pair
		fault string
		load  int64
	}{
		{nil, "", 19},
		{[]model.Pair{{Over: 1, Under: 0, Distance: 5}}, "", 14},
		{[]model.Pair{{Over: 1, Under: 0, Distance: 50}}, "", 19},
		{[]model.Pair{{Over: 1, Under: 0, Equal: true}}, "", 11},
		{[]model.Pair{{Over: 1, Under: 0, Equal: true}, {Over: 2, Under: 0, Equal: true}}, "", 11},
		{[]model.Pair{{Over: 1, Under: 1}}, `buffer "y": over itself`, 0},
		{[]model.Pair{{Over: 1, Under: 3}}, "number 2 and 4, of 3", 0},
		{[]model.Pair{{Over: 1, Under: 0}, {Over: 1, Under: 0, Distance: 1}}, `buffer "y": over "x" twice`, 0},
		{[]model.Pair{{Over: 1, Under: 0, Distance: -1}}, "negative distance -1", 0},
		{[]model.Pair{{Over: 0, Under: 1}}, "not one step", 0},
		{[]model.Pair{{Over: 1, Under: 2}}, "not one step", 0},
		{[]model.Pair{{Over: 1, Under: 2, Distance: 9, Equal: true}}, "", 18},
	} {
		in := &model.Instance{Buffers: buffers, Pairs: c.pairs}
		err := in.Validate()
		if c.fault == "" != (err == nil) || err != nil && !strings.Contains(err.Error(), c.fault) {
			t.Errorf("%v: %v, want %q", c.pairs, err, c.fault)
		} else if err == nil && in.Load() != c.load {
			t.Errorf("%v: load %d, want %d", c.pairs, in.Load(), c.load)
		}
	}
}
