package iree

import (
	"slices"

	"memplan/model"
)

// A reserved is a slice that has its place.
type reserved struct{ first, last, offset, end int64 }

// greedy is where IREE puts a pack's slices, nil where they do not fit in int64
// or are not known: in the order of the slices each into the smallest hole between those placed
// before that it meets, else above them; sizes count rounded up. The hole's
// size is measured, as IREE does, from where it begins once it is taken, and
// from the aligned offset when it is compared. Cost: O(s^2) for s slices.
func (p *Pack) greedy(align int64) *model.Plan {
	if p.Why != "" {
		return nil
	}
	plan := &model.Plan{Offsets: make([]int64, len(p.Slices))}
	var placed []reserved // by offset
	for i, s := range p.Slices {
		size, ok := model.AlignUp(s.Size, align)
		offset, fits := place(placed, s, size, align)
		end, sum := model.Add(offset, size)
		if !ok || !fits || !sum {
			return nil
		}
		plan.Offsets[i] = offset
		at, _ := slices.BinarySearchFunc(placed, offset, func(r reserved, offset int64) int {
			if r.offset < offset {
				return -1
			}
			return 1
		})
		placed = slices.Insert(placed, at, reserved{s.First, s.Last, offset, end})
	}
	return plan
}

// place is the offset of one more slice; false where it does not fit in int64.
func place(placed []reserved, s Slice, size, align int64) (int64, bool) {
	best, smallest := int64(-1), int64(model.MaxBytes)
	free := int64(0)
	for _, r := range placed {
		if r.last < s.First || s.Last < r.first {
			continue
		}
		offset, ok := model.AlignUp(free, align)
		if end, sum := model.Add(offset, size); ok && sum && end <= r.offset && r.offset-offset < smallest {
			best, smallest = offset, r.offset-free
		}
		free = max(free, r.end)
	}
	if best >= 0 {
		return best, true
	}
	return model.AlignUp(free, align)
}
