package heuristics

import (
	"cmp"
	"context"
	"math/bits"
	"slices"

	"memplan/model"
)

// SizeClassColouring is approximate, exact where all sizes are equal. Rule:
// sizes are rounded up to classes; each class is coloured apart, in birth
// order, with the fewest slots; slots are stacked, larger classes lower. A slot
// is as large as its largest tenant; what rounding would add is [Waste]'s.
// Cost: O(n log n). Guarantee: a class of p slots has p of its buffers live at
// one step: where all sizes are equal the peak is the load (and the classes'
// loads add up otherwise), if no offset is aligned, tied or pinned.
// Source: weighted interval colouring (Pemmaraju, Raman and Varadarajan 2004); the
// size classes of pool allocators.
type SizeClassColouring struct {
	Granularity int64 // classes are its multiples, 1: each size is a class; 0: classes are powers of two
}

func (p SizeClassColouring) Name() string {
	if p.Granularity == 1 {
		return "equal-size-colouring"
	}
	return "size-class-colouring"
}

func (p SizeClassColouring) Definition() string {
	if p.Granularity == 1 {
		return "the fewest slots for each size, in birth order; stacked, larger sizes lower"
	}
	return "the fewest slots for each class of sizes, powers of two or multiples of a granularity; stacked, larger classes lower"
}

func (p SizeClassColouring) Plan(ctx context.Context, in *model.Instance) (model.Result, error) {
	t := newDraft(in)
	return t.stack(ctx, p.slots(t))
}

// slots shares out the bodies of t over slots.
func (p SizeClassColouring) slots(t *draft) []group {
	items := t.withBytes(t.items())
	slices.SortFunc(items, func(a, b item) int {
		return cmp.Or(p.class(b.size).compare(p.class(a.size)), cmp.Compare(a.life.Start, b.life.Start), cmp.Compare(a.body, b.body))
	})
	var slots []group
	for len(items) > 0 {
		n := 1
		for n < len(items) && p.class(items[n].size) == p.class(items[0].size) {
			n++
		}
		slots = append(slots, colour(items[:n])...)
		items = items[n:]
	}
	return slots
}

// class is size, above 0, rounded up to its class; that may exceed int64.
func (p SizeClassColouring) class(size int64) wide {
	if p.Granularity <= 0 {
		return wide{lo: 1 << bits.Len64(uint64(size-1))}
	}
	return times((uint64(size)-1)/uint64(p.Granularity)+1, uint64(p.Granularity))
}

// Waste is what the slots of in would take more if each had the full size of
// its class: the price of rounding, in bytes, and whether it fits in int64.
func (p SizeClassColouring) Waste(in *model.Instance) (bytes int64, ok bool) {
	t := newDraft(in)
	size := make([]int64, len(t.bodies))
	for _, it := range t.items() {
		size[it.body] = it.size
	}
	var sum wide
	for _, slot := range p.slots(t) {
		var largest int64
		for _, k := range slot {
			largest = max(largest, size[k])
		}
		sum = sum.plus(p.class(largest).minus(wide{lo: uint64(largest)}))
	}
	return int64(sum.lo), sum.hi == 0 && int64(sum.lo) >= 0
}
