package heuristics

import (
	"cmp"
	"context"
	"slices"

	"memplan/model"
)

// Spatial is approximate. Order: size descending, then longer life, then index.
// Fit: best. Cost: O(n log n + m). Guarantee: none.
// Source: XLA's GlobalDecreasingSizeBestFitHeap, kSpatial: the same rule as
// best-fit-decreasing, listed under the name it has there.
type Spatial struct{}

func (Spatial) Name() string { return "xla-spatial" }
func (Spatial) Definition() string {
	return "size descending, then longer life; " + BestFit.rule()
}

func (Spatial) Plan(ctx context.Context, in *model.Instance) (model.Result, error) {
	return list(ctx, in, bySize, BestFit)
}

// Temporal is approximate. Order: duration descending, then larger size, then
// index. Fit: best. Cost: O(n log n + m). Guarantee: none.
// Source: XLA's GlobalDecreasingSizeBestFitHeap, kTemporal.
type Temporal struct{}

func (Temporal) Name() string { return "xla-temporal" }
func (Temporal) Definition() string {
	return "duration descending, then larger size; " + BestFit.rule()
}

func (Temporal) Plan(ctx context.Context, in *model.Instance) (model.Result, error) {
	return list(ctx, in, byDurationThenSize, BestFit)
}

func byDurationThenSize(_ *task, items []item) {
	slices.SortFunc(items, func(a, b item) int {
		return cmp.Or(cmp.Compare(duration(b.life), duration(a.life)), cmp.Compare(b.size, a.size), cmp.Compare(a.body, b.body))
	})
}

// xlaChooseBest is what XLA's buffer assignment runs by default.
var xlaChooseBest = ChooseBest{Label: "xla-choose-best", Of: []model.Planner{Spatial{}, Temporal{}}}
