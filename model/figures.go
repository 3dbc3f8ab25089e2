package model

import (
	"cmp"
	"slices"
)

// Figures say how much memory an instance takes under the simplest schemes,
// and where its load is what it is. Sums that leave int64 are MaxBytes.
type Figures struct {
	Buffers  int
	Sum      int64 // bytes without any reuse
	Largest  int64 // S, the largest size
	MostLive int   // k, buffers with bytes live at once
	Slots    int64 // N*S: a slot of the largest size for each buffer
	Shared   int64 // k*S: as many such slots as are in use at once
	Load     int64
	Step     int64 // the first at which the load is reached
	Live     []int // the buffers live then, largest first
}

// Figures works them out. Cost: O(n log n).
func (in *Instance) Figures() Figures {
	f := Figures{Buffers: len(in.Buffers)}
	f.Sum, _ = in.Sum()
	f.Step, f.Load = in.LoadStep()
	for i := range in.Buffers {
		f.Largest = max(f.Largest, in.Buffers[i].Size)
	}
	for s := range in.Sections() {
		f.MostLive = max(f.MostLive, s.Live)
	}
	f.Slots = saturatedProduct(int64(f.Buffers), f.Largest)
	f.Shared = saturatedProduct(int64(f.MostLive), f.Largest)
	f.Live = in.LiveAt(f.Step)
	return f
}

func saturatedProduct(a, b int64) int64 {
	if p, ok := Mul(a, b); ok {
		return p
	}
	return MaxBytes
}

// LiveAt lists the buffers with bytes that are live at a step, largest first.
func (in *Instance) LiveAt(step int64) []int {
	var live []int
	for i := range in.Buffers {
		b := &in.Buffers[i]
		if b.Size == 0 {
			continue
		}
		for part := range b.Live() {
			if part.Start <= step && step < part.End {
				live = append(live, i)
			}
		}
	}
	slices.SortFunc(live, func(a, b int) int {
		return cmp.Or(cmp.Compare(in.Buffers[b].Size, in.Buffers[a].Size), cmp.Compare(a, b))
	})
	return live
}
