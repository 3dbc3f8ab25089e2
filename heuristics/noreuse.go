package heuristics

import (
	"context"

	"memplan/model"
)

// NoReuse is approximate. Order: index. Fit: on top of all before, so the peak
// is the naive total. Cost: O(n). Guarantee: the worst peak a sane planner has.
// Source: TensorFlow Lite Micro's LinearMemoryPlanner.
type NoReuse struct{}

func (NoReuse) Name() string       { return "no-reuse" }
func (NoReuse) Definition() string { return "input order, each on top of all before" }

func (NoReuse) Plan(ctx context.Context, in *model.Instance) (model.Result, error) {
	t := newDraft(in)
	return t.stack(ctx, t.singles(t.items()))
}
