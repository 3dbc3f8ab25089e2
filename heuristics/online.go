package heuristics

import (
	"context"

	"memplan/model"
)

// Online is approximate. Order: births and deaths replayed in time, deaths
// first within a step, births by size descending, then index; nothing is known
// of what comes later except the pinned bodies. Fit: first or best, over the live ranges.
// Cost: O(n log n + m). Guarantee: first fit within about the logarithm of the
// largest size times the load, best fit within the largest size (Robson 1977).
// Source: the allocators of ONNX Runtime's memory pattern planner, nnfusion
// and ggml.
type Online struct{ Fit Fit }

func (p Online) Name() string { return "online-" + p.Fit.String() }
func (p Online) Definition() string {
	return "births and deaths replayed in time without look-ahead; " + p.Fit.rule()
}

func (p Online) Plan(ctx context.Context, in *model.Instance) (model.Result, error) {
	return list(ctx, in, byBirthThenSize, p.Fit)
}

func byBirthThenSize(_ *draft, items []item) {
	rank(items, birth, largest)
}
