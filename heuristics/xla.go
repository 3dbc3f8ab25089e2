package heuristics

import (
	"context"
	"math"

	"memplan/model"
)

// Spatial is approximate. Order: size descending, then longer life, then index.
// Fit: best. Cost: O(n log n + m). Guarantee: none.
// Source: XLA's GlobalDecreasingSizeBestFitHeap, kSpatial: the same rule as
// best-fit-decreasing, but that of values that share a buffer the life of the
// one that XLA allocates counts, by XLA's clock, where the file tells
// (model.Ticks).
type Spatial struct{}

func (Spatial) Name() string { return "xla-spatial" }
func (Spatial) Definition() string {
	return "size descending, then longer life; " + BestFit.rule()
}

func (Spatial) Plan(ctx context.Context, in *model.Instance) (model.Result, error) {
	return list(ctx, in, bySizeThenFirst, BestFit)
}

func bySizeThenFirst(t *draft, items []item) {
	rank(items, largest, func(it *item) uint64 { return math.MaxUint64 - t.ticks(it, firstTicks) })
}

// Temporal is approximate. Order: duration descending, then larger size, then
// index. Fit: best. Cost: O(n log n + m). Guarantee: none.
// Source: XLA's GlobalDecreasingSizeBestFitHeap, kTemporal. The duration is by
// XLA's clock where the file tells (model.Ticks).
type Temporal struct{}

func (Temporal) Name() string { return "xla-temporal" }
func (Temporal) Definition() string {
	return "duration descending, then larger size; " + BestFit.rule()
}

func (Temporal) Plan(ctx context.Context, in *model.Instance) (model.Result, error) {
	return list(ctx, in, byTicksThenSize, BestFit)
}

func byTicksThenSize(t *draft, items []item) {
	rank(items, func(it *item) uint64 { return math.MaxUint64 - t.ticks(it, allTicks) }, largest)
}

func firstTicks(k *model.Ticks) int64 { return k.First }
func allTicks(k *model.Ticks) int64   { return k.All }

// ticks is how long an item lives: by the clock of whoever made the instance
// where that is known, else by its steps.
func (t *draft) ticks(it *item, of func(*model.Ticks) int64) uint64 {
	if body := t.bodies[it.body]; len(body) == 1 && t.in.Buffers[body[0]].Ticks != nil {
		return uint64(of(t.in.Buffers[body[0]].Ticks))
	}
	return duration(it.life)
}

// xlaChooseBest is what XLA's buffer assignment runs by default.
var xlaChooseBest = ChooseBest{Label: "xla-choose-best", Of: []Planner{Spatial{}, Temporal{}}}
