package heuristics

import (
	"fmt"

	"memplan/model"

	"pgregory.net/rapid"
)

// features says what instances may have.
type features struct {
	most                    int   // buffers
	horizon, size           int64 // largest
	align, pins, gaps, ties bool
	distinct                bool // sizes and births and deaths and durations
}

var everything = features{most: 24, horizon: 12, size: 9, align: true, pins: true, gaps: true, ties: true}

// draw makes a valid instance.
func (f features) draw(t *rapid.T) *model.Instance {
	in := &model.Instance{}
	taken := map[string]bool{}
	once := func(kind string, v int64) bool {
		key := fmt.Sprint(kind, v)
		if !f.distinct || !taken[key] {
			taken[key] = true
			return true
		}
		return false
	}
	n := rapid.OneOf(rapid.IntRange(0, f.most), rapid.Just(f.most)).Draw(t, "n") // IntRange prefers few
	for i := range n {
		start := rapid.Int64Range(-3, f.horizon).Draw(t, "start")
		long := rapid.Int64Range(1, f.horizon/2).Draw(t, "long")
		b := model.Buffer{ID: fmt.Sprint(i), Life: model.Interval{Start: start, End: start + long}, Size: rapid.Int64Range(0, f.size).Draw(t, "size")}
		if !once("size", b.Size) || !once("start", start) || !once("end", start+long) || !once("long", long) || !once("area", b.Size*long) {
			continue
		}
		if f.align {
			b.Align = rapid.SampledFrom([]int64{0, 0, 1, 2, 3, 8}).Draw(t, "align")
		}
		if f.gaps && long > 2 && rapid.IntRange(0, 3).Draw(t, "gap") == 0 {
			from := start + rapid.Int64Range(0, long-2).Draw(t, "from")
			b.Gaps = []model.Interval{{Start: from, End: from + 1}}
		}
		in.Buffers = append(in.Buffers, b)
		last := &in.Buffers[len(in.Buffers)-1]
		if f.ties && i > 0 && rapid.IntRange(0, 4).Draw(t, "tie") == 0 {
			last.Tie = &model.Tie{To: rapid.IntRange(0, len(in.Buffers)-1).Draw(t, "to"), Delta: rapid.Int64Range(0, 12).Draw(t, "delta")}
		} else if f.pins && rapid.IntRange(0, 5).Draw(t, "pin") == 0 {
			off := rapid.Int64Range(0, 40).Draw(t, "offset")
			last.Offset = &off
		}
		if in.Validate() != nil {
			last.Tie, last.Offset = nil, nil // the body or the pin was in the way
		}
	}
	if err := in.Validate(); err != nil {
		t.Fatal(err)
	}
	return in
}
