package main

import (
	"cmp"
	"slices"

	"memplan/model"
)

// liveAt lists the buffers with bytes that are live at step, largest first.
func liveAt(in *model.Instance, step int64) []int {
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
