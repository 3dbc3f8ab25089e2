package heuristics

import (
	"context"
	"math"

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
func bySize(_ *draft, items []item) {
	rank(items, largest, longest)
}

func bySizeThenBirth(_ *draft, items []item) {
	rank(items, largest, birth)
}

// birth is a key by which the earliest items come first.
func birth(it *item) uint64 { return model.Rising(it.life.Start) }

// largest is a key by which the largest items come first.
func largest(it *item) uint64 { return falling(it.size) }

// longest is a key by which what lives longest comes first.
func longest(it *item) uint64 { return math.MaxUint64 - duration(it.life) }
