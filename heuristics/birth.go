package heuristics

import (
	"cmp"
	"context"
	"slices"

	"memplan/model"
)

// ByBirth is approximate. Order: birth ascending, then index. Fit: first or
// best. Cost: O(n log n + m). Guarantee: as [Online].
// Source: none; what an allocator does that replays the program and looks back.
type ByBirth struct{ Fit Fit }

func (p ByBirth) Name() string       { return "birth-" + p.Fit.String() }
func (p ByBirth) Definition() string { return "birth ascending; " + p.Fit.rule() }

func (p ByBirth) Plan(ctx context.Context, in *model.Instance) (model.Result, error) {
	return list(ctx, in, byBirth, p.Fit)
}

func byBirth(_ *draft, items []item) {
	slices.SortFunc(items, func(a, b item) int {
		return cmp.Or(cmp.Compare(a.life.Start, b.life.Start), cmp.Compare(a.body, b.body))
	})
}
