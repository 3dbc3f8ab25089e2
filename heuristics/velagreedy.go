package heuristics

import (
	"cmp"
	"context"
	"slices"

	"memplan/model"
)

// VelaGreedy is approximate. Order: birth ascending, then later death, then
// smaller size, then index. Fit: best, over the live ranges.
// Cost: O(n log n + m). Guarantee: none.
// Source: Vela's greedy allocator, which replays the schedule. It rounds sizes
// up to the alignment and compares names last; here sizes stay as they are.
type VelaGreedy struct{}

func (VelaGreedy) Name() string { return "vela-greedy" }
func (VelaGreedy) Definition() string {
	return "birth ascending, then later death; " + BestFit.rule()
}

func (VelaGreedy) Plan(ctx context.Context, in *model.Instance) (model.Result, error) {
	return list(ctx, in, velaReplay, BestFit)
}

func velaReplay(_ *draft, items []item) {
	slices.SortFunc(items, func(a, b item) int {
		return cmp.Or(cmp.Compare(a.life.Start, b.life.Start), cmp.Compare(b.life.End, a.life.End),
			cmp.Compare(a.size, b.size), cmp.Compare(a.body, b.body))
	})
}
