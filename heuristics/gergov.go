package heuristics

import (
	"cmp"
	"context"
	"slices"

	"memplan/model"
)

// Gergov is approximate: at most 3 times the load.
//
// Order: by the offsets of Gergov's allocation, then index; fit: first, which
// puts no buffer above its offset there and lowers many. Gergov's allocation:
//
//  1. Keep stretches of time at heights, at first the whole time at 0. Take
//     the lowest away, the earliest of equals. If some buffer meets it and no
//     other stretch, put the longest-lived such buffer at its height, raise
//     the common part by the buffer's size and put all parts back; else the
//     stretch is gone for good.
//  2. Each buffer now overlaps at most two earlier ones, one that comes over
//     it from the left and one from the right: three layers are enough, each
//     buffer in the first in which it overlaps none.
//
// A stretch's height is the sum of sizes that are live together, so no layer
// is higher than the load. Why two: an earlier rectangle i that overlaps j
// where the stretches are gone must still stand on a stretch of its own, which
// j does not meet; of two such on the same side the nearer would have been met
// by the farther.
// Cost: O(n log n) as [Skyline], and twice O(m) for layers and fit.
// Guarantee: 3 times the load without alignment, ties, gaps and pins.
// Source: Gergov 1999.
type Gergov struct{}

func (Gergov) Name() string { return "gergov" }
func (Gergov) Definition() string {
	return "by the offsets of Gergov's 3-approximation; " + FirstFit.rule()
}

func (Gergov) Plan(ctx context.Context, in *model.Instance) (model.Result, error) {
	return list(ctx, in, byGergov, FirstFit)
}

func byGergov(t *draft, items []item) {
	at := make([]layered, len(t.bodies))
	for _, p := range layers(twoAllocation(items)) {
		at[p.body] = p
	}
	slices.SortFunc(items, func(a, b item) int {
		x, y := at[a.body], at[b.body]
		return cmp.Or(cmp.Compare(x.layer, y.layer), cmp.Compare(x.offset, y.offset), cmp.Compare(a.body, b.body))
	})
}

// layered is an item at an offset within a layer.
type layered struct {
	item
	offset int64
	layer  int
}

// twoAllocation is step 1: the items with bytes in the order in which they got
// their offsets.
func twoAllocation(items []item) []layered {
	items = slices.DeleteFunc(slices.Clone(items), func(it item) bool { return it.size == 0 })
	if len(items) == 0 {
		return nil
	}
	wait := newPending(items)
	sky := newSkyline(items)
	placed := make([]layered, 0, len(items))
	for len(placed) < len(items) {
		low := sky.heap[0]
		near := model.Always
		if low.prev != nil {
			near.Start = low.prev.steps.End
		}
		if low.next != nil {
			near.End = low.next.steps.Start
		}
		i := wait.longest(model.Interval{Start: near.Start, End: low.steps.End}, model.Interval{Start: low.steps.Start, End: near.End})
		if i < 0 {
			sky.remove(low)
			continue
		}
		it := wait.take(i)
		placed = append(placed, layered{item: it, offset: low.height})
		sky.split(low, it.life.Intersect(low.steps), model.SaturatingAdd(low.height, it.size))
	}
	return placed
}

// layers is step 2.
func layers(placed []layered) []layered {
	items := make([]item, len(placed))
	for i, p := range placed {
		items[i] = p.item
	}
	in := hulls(items)
	var full []*arena
	for i := range placed {
		p := &placed[i]
		bytes := model.Interval{Start: p.offset, End: model.SaturatingAdd(p.offset, p.size)}
		for p.layer < len(full) && full[p.layer].overlaps(i, bytes) {
			p.layer++
		}
		if p.layer == len(full) {
			full = append(full, newArena(in))
		}
		full[p.layer].insert(i, bytes)
	}
	return placed
}
