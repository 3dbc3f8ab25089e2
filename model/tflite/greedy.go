package tflite

import (
	"cmp"
	"context"
	"slices"

	"memplan/model"
)

// Greedy is TFLM's own planner, exactly as its interpreter runs it: approximate,
// no guarantee. Pinned buffers stay where they are, unchecked; then the others
// by size, largest first, ties by index, highest first (TFLM fills its list from
// the tail); each at the lowest offset, from 0 or the end of a buffer live at a
// common step, at which it ends below the next such buffer. Buffers of size 0
// are not planned and get offset 0. Cost: O(n^2).
//
// Source: TFLM's greedy_memory_planner.cc.
type Greedy struct{}

func (Greedy) Name() string { return "tflm-greedy" }

func (Greedy) Plan(_ context.Context, in *model.Instance) (model.Result, error) {
	p := model.Plan{Offsets: make([]int64, len(in.Buffers))}
	var order, placed []int // placed: by offset
	for i := range in.Buffers {
		switch b := &in.Buffers[i]; {
		case b.Size == 0:
		case b.Offset != nil:
			p.Offsets[i] = *b.Offset
			placed = append(placed, i)
		default:
			order = append(order, i)
		}
	}
	lower := func(i, j int) int { return cmp.Compare(p.Offsets[i], p.Offsets[j]) }
	slices.SortStableFunc(placed, lower)
	slices.SortFunc(order, func(i, j int) int {
		return cmp.Or(cmp.Compare(in.Buffers[j].Size, in.Buffers[i].Size), cmp.Compare(j, i))
	})
	for _, i := range order {
		p.Offsets[i] = firstGap(in, p, placed, i)
		at, _ := slices.BinarySearchFunc(placed, i, func(j, i int) int {
			return cmp.Or(lower(j, i), -1)
		})
		placed = slices.Insert(placed, at, i)
	}
	return model.Result{Plan: &p, Stats: model.Stats{Placements: int64(len(placed))}}, nil
}

// firstGap is the lowest offset at which buffer i fits among those placed.
func firstGap(in *model.Instance, p model.Plan, placed []int, i int) int64 {
	b := &in.Buffers[i]
	var at int64
	for _, j := range placed {
		other := &in.Buffers[j]
		if !b.Conflicts(other) {
			continue
		}
		if p.Offsets[j]-at >= b.Size {
			break
		}
		at = max(at, p.Offsets[j]+other.Size)
	}
	return at
}
