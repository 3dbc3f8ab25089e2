package heuristics

import (
	"context"

	"memplan/model"
)

// ByDuration is approximate. Order: duration descending, then index. Fit:
// first or best. Cost: O(n log n + m). Guarantee: none.
// Source: XLA's temporal order, of which [Temporal] is the exact form.
type ByDuration struct{ Fit Fit }

func (p ByDuration) Name() string       { return "duration-" + p.Fit.String() }
func (p ByDuration) Definition() string { return "duration descending; " + p.Fit.rule() }

func (p ByDuration) Plan(ctx context.Context, in *model.Instance) (model.Result, error) {
	return list(ctx, in, byDuration, p.Fit)
}

func byDuration(_ *draft, items []item) {
	rank(items, longest)
}
