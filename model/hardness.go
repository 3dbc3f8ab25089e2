package model

import "slices"

// Hardness says in counts why an instance is easy or hard to plan.
//
// Largest/Load near 1 leaves the rest little choice; the density of conflicts,
// Conflicts out of Pairs, is high where few buffers can share a place at all;
// few distinct Sizes make gaps fit exactly; the number of Sections is how many
// different live sets a proof may have to look at.
type Hardness struct {
	Buffers   int
	Load      int64 // bytes
	Largest   int64 // bytes of the largest buffer
	Conflicts int64 // pairs of buffers that conflict
	Pairs     int64 // pairs of buffers
	Sizes     int   // distinct sizes
	Sections  int
	MostLive  int // buffers live at once
}

// Hardness counts. Cost: that of Conflicts.
func (in *Instance) Hardness() Hardness {
	n := int64(len(in.Buffers))
	h := Hardness{Buffers: len(in.Buffers), Conflicts: in.Conflicts(), Pairs: n * (n - 1) / 2}
	sizes := make([]int64, len(in.Buffers))
	for i := range in.Buffers {
		sizes[i] = in.Buffers[i].Size
		h.Largest = max(h.Largest, sizes[i])
	}
	slices.Sort(sizes)
	h.Sizes = len(slices.Compact(sizes))
	for s := range in.Sections() {
		h.Sections++
		h.MostLive = max(h.MostLive, s.Live)
		h.Load = max(h.Load, s.Bytes)
	}
	if len(in.Pairs) > 0 {
		h.Load = in.Load()
	}
	return h
}
