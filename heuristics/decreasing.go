package heuristics

import (
	"cmp"
	"context"
	"slices"

	"memplan/model"
)

// Decreasing is approximate. Order: size descending, ties as Ties says, then
// index. Fit: first or best.
// Cost: O(n log n + m). Guarantee: none; peaks of 1.68 times the optimum are
// known for n = 14.
// Source: XLA's spatial heap and TensorFlow Lite's GPU delegate (longer life,
// best fit); the start of idealloc (longer life, first fit); TensorFlow Lite
// Micro's kind of rule (earlier birth, first fit).
type Decreasing struct {
	Fit  Fit
	Ties Ties
}

// Ties says what decides between equal sizes.
type Ties int

const (
	LongerLife Ties = iota
	EarlierBirth
)

func (p Decreasing) Name() string {
	name := p.Fit.String() + "-decreasing"
	if p.Ties == EarlierBirth {
		name += "-birth"
	}
	return name
}

func (p Decreasing) Definition() string {
	ties := "longer life"
	if p.Ties == EarlierBirth {
		ties = "earlier birth"
	}
	return "size descending, then " + ties + "; " + p.Fit.rule()
}

func (p Decreasing) Plan(ctx context.Context, in *model.Instance) (model.Result, error) {
	if p.Ties == EarlierBirth {
		return list(ctx, in, bySizeThenBirth, p.Fit)
	}
	return list(ctx, in, bySize, p.Fit)
}

// bySize orders by size descending, then longer life.
func bySize(_ *task, items []item) {
	slices.SortFunc(items, func(a, b item) int {
		return cmp.Or(cmp.Compare(b.size, a.size), cmp.Compare(duration(b.life), duration(a.life)), cmp.Compare(a.body, b.body))
	})
}

func bySizeThenBirth(_ *task, items []item) {
	slices.SortFunc(items, func(a, b item) int {
		return cmp.Or(cmp.Compare(b.size, a.size), cmp.Compare(a.life.Start, b.life.Start), cmp.Compare(a.body, b.body))
	})
}
