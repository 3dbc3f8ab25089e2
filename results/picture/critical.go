package picture

import (
	"cmp"
	"slices"

	"memplan/model"
)

// CriticalPath lists buffers that stand on each other from the bottom of the
// arena up to its peak, the highest first: each lies as low as the next one in
// the list, which it conflicts with, and its own alignment let it. Lowering the
// peak takes moving one of them. It ends early where a buffer rests on nothing.
// Of several that a buffer rests on the first by index is taken.
// Cost: O(n log n), and the buffers that end where one of the path rests.
func CriticalPath(in *model.Instance, p model.Plan) []int {
	var byEnd []int
	end := func(i int) int64 { return p.Offsets[i] + in.Buffers[i].Size }
	for i := range in.Buffers {
		if in.Buffers[i].Size > 0 {
			byEnd = append(byEnd, i)
		}
	}
	slices.SortFunc(byEnd, func(a, b int) int { return cmp.Or(cmp.Compare(end(a), end(b)), cmp.Compare(a, b)) })
	if len(byEnd) == 0 {
		return nil
	}
	first := func(at int64) int { // of those that end at or above at
		k, _ := slices.BinarySearchFunc(byEnd, at, func(i int, at int64) int { return cmp.Compare(end(i), at) })
		return k
	}
	top := byEnd[first(end(byEnd[len(byEnd)-1]))]
	path := []int{top}
	for p.Offsets[top] > 0 {
		b, at := &in.Buffers[top], p.Offsets[top]
		below := -1
		for k := first(at - b.Alignment() + 1); k < len(byEnd) && end(byEnd[k]) <= at; k++ {
			if in.Buffers[byEnd[k]].Conflicts(b) && (below < 0 || byEnd[k] < below) {
				below = byEnd[k]
			}
		}
		if below < 0 {
			break
		}
		path, top = append(path, below), below
	}
	return path
}
