package heuristics

import (
	"cmp"
	"context"
	"slices"

	"memplan/model"
)

// TFLMGreedy is approximate. Order: size descending, then *descending* index;
// pinned buffers go first, in index order. Fit: first. Sizes are taken as they
// are given: whoever makes the instance rounds them up to 16 as the interpreter
// does.
// Cost: O(n log n + m). Guarantee: none.
// Source: TensorFlow Lite Micro's GreedyMemoryPlanner, to the byte; its list is
// filled from the tail, hence the descending index.
type TFLMGreedy struct{}

func (TFLMGreedy) Name() string { return "tflm-greedy" }
func (TFLMGreedy) Definition() string {
	return "size descending, then descending index; " + FirstFit.rule()
}

func (TFLMGreedy) Plan(ctx context.Context, in *model.Instance) (model.Result, error) {
	return list(ctx, in, tflmOrder, FirstFit)
}

func tflmOrder(_ *draft, items []item) {
	slices.SortFunc(items, func(a, b item) int {
		return cmp.Or(cmp.Compare(b.size, a.size), cmp.Compare(b.body, a.body))
	})
}
