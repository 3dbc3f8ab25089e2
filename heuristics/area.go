package heuristics

import (
	"cmp"
	"context"
	"slices"

	"memplan/model"
)

// ByArea is approximate. Order: size times duration descending, then index.
// Fit: first or best. Cost: O(n log n + m). Guarantee: none.
// Source: TelaMalloc (Maas et al. 2022) compares this order with others.
type ByArea struct{ Fit Fit }

func (p ByArea) Name() string       { return "area-" + p.Fit.String() }
func (p ByArea) Definition() string { return "size times duration descending; " + p.Fit.rule() }

func (p ByArea) Plan(ctx context.Context, in *model.Instance) (model.Result, error) {
	return list(ctx, in, byArea, p.Fit)
}

func byArea(_ *draft, items []item) {
	area := func(it item) wide { return times(uint64(it.size), duration(it.life)) }
	slices.SortFunc(items, func(a, b item) int {
		return cmp.Or(area(b).compare(area(a)), cmp.Compare(a.body, b.body))
	})
}
