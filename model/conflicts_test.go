package model

import (
	"runtime"
	"strconv"
	"testing"
)

// Counting conflicts keeps none of them, gaps or not.
func TestConflictsAreNotKept(t *testing.T) {
	const n = 3000
	in := &Instance{}
	for i := range n {
		in.Buffers = append(in.Buffers, Buffer{ID: strconv.Itoa(i), Life: Interval{0, 9}, Size: 1, Gaps: []Interval{{1, 4 + int64(i%3)}}})
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	got := in.Conflicts()
	runtime.ReadMemStats(&after)
	if got != n*(n-1)/2 {
		t.Errorf("%d conflicts", got)
	}
	if allotted := after.TotalAlloc - before.TotalAlloc; allotted > 1000*n {
		t.Errorf("%d bytes for %d buffers", allotted, n)
	}
}
