package heuristics

import (
	"cmp"
	"context"
	"slices"

	"memplan/model"
)

// TwoTier is approximate. Order: the buffers of at least Threshold bytes by
// size descending, first fit; then the smaller ones by size descending, best
// fit, into the holes. Ties: longer life, then index.
// Cost: O(n log n + m). Guarantee: none.
// Source: none; a rule of thumb, that keeps small tensors from breaking up the
// room of large ones.
type TwoTier struct {
	Threshold int64 // bytes; 0: the mean size
}

func (TwoTier) Name() string { return "two-tier" }
func (TwoTier) Definition() string {
	return "buffers of at least the mean size by size, first fit; then the smaller ones by size, best fit"
}

func (p TwoTier) Plan(ctx context.Context, in *model.Instance) (model.Result, error) {
	t := blankDraft(in)
	items := t.items()
	bySize(t, items)
	limit := p.threshold(items)
	large := slices.IndexFunc(items, func(it item) bool { return it.size < limit })
	if large < 0 {
		large = len(items)
	}
	bodies := sequence(items)
	t.open()
	if r, err := t.list(ctx, bodies[:large], FirstFit); err != nil || r.Plan == nil {
		return r, err
	}
	return t.list(ctx, bodies[large:], BestFit)
}

// threshold is p's, or the mean size rounded up.
func (p TwoTier) threshold(items []item) int64 {
	if p.Threshold > 0 || len(items) == 0 {
		return p.Threshold
	}
	var sum wide
	for _, it := range items {
		sum = sum.plus(wide{lo: uint64(it.size)})
	}
	return cmp.Or(sum.meanUp(len(items)), 1)
}
