package heuristics

import (
	"context"

	"memplan/model"
)

// ByDeath is approximate. Order: death ascending, then index. Fit: first or
// best. Cost: O(n log n + m). Guarantee: none.
// Source: none; a baseline, in which what dies first lies lowest.
type ByDeath struct{ Fit Fit }

func (p ByDeath) Name() string       { return "death-" + p.Fit.String() }
func (p ByDeath) Definition() string { return "death ascending; " + p.Fit.rule() }

func (p ByDeath) Plan(ctx context.Context, in *model.Instance) (model.Result, error) {
	return list(ctx, in, byDeath, p.Fit)
}

func byDeath(_ *draft, items []item) {
	rank(items, func(it *item) uint64 { return model.Rising(it.life.End) })
}
