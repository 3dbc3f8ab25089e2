package model

import (
	"fmt"
	"strings"
	"testing"
)

// Lives that would take too many steps are refused, not tried: of 2n buffers in two
// camps each meets all of the other camp and nobody of its own.
func TestTooManyMeetings(t *testing.T) {
	in, when := &Instance{}, make(map[int]When)
	for i := range 600 {
		k := int64(i / 2)
		w := When{Start: []int64{k, 0}, End: []int64{k + 1, 0}}
		if i%2 == 1 {
			w = When{Start: []int64{0, k}, End: []int64{0, k + 1}}
		}
		when[i] = w
		in.Buffers = append(in.Buffers, Buffer{ID: fmt.Sprint(i), Size: 1})
	}
	if err := in.Coexist(when); err == nil || !strings.Contains(err.Error(), "more than 65536 steps") {
		t.Error(err)
	}
}

// Buffers that conflict in pairs at three steps are never live all at once, and yet
// disjoint: their load is the sum of two, their bound that of three.
func TestCrowdLoad(t *testing.T) {
	gap := func(from, to int64) []Interval { return []Interval{{from, to}} }
	in := &Instance{Buffers: []Buffer{
		{ID: "a", Life: Interval{0, 2}, Size: 3}, {ID: "b", Life: Interval{1, 3}, Size: 4},
		{ID: "c", Life: Interval{0, 3}, Size: 5, Gaps: gap(1, 2)}, {ID: "d", Life: Interval{3, 4}, Size: 6},
	}}
	c := in.CrowdLoad()
	if load := in.Load(); load != 9 || c == nil || c.Bound != 12 || len(c.Refutation.Buffers) != 3 {
		t.Fatalf("load %d, %+v", load, c)
	}
	in.Buffers[2].Gaps = nil
	if c := in.CrowdLoad(); c != nil {
		t.Errorf("without gaps: %+v", c)
	}
}
