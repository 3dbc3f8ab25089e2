package heuristics

import (
	"context"

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
	rank(items, birth)
}
