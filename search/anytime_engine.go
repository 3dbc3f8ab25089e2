package search

import (
	"context"

	"memplan/model"
)

// engine is Anytime's part in a race.
type engine struct{ finder *finder }

// NewAnytime returns the anytime search of an instance as an engine.
func NewAnytime(in *model.Instance, seed int64) model.Engine {
	return &engine{newFinder(in, seed)}
}

// Name is "anytime".
func (e *engine) Name() string { return "anytime" }

// Run implements model.Engine.
func (e *engine) Run(ctx context.Context, known model.Result, work int64) (model.Finding, error) {
	f := e.finder
	f.know(known.Plan)
	f.raise(known.Bound)
	var found model.Finding
	work0, nodes0 := f.work, f.nodes
	for ctx.Err() == nil && !f.done() && f.work-work0 < work {
		for _, better := range f.round(ctx, 1, work0+work-f.work) {
			found.Plan = better.plan
		}
	}
	found.Work, found.Stats.Nodes = f.work-work0, f.nodes-nodes0
	found.Done = f.done()
	return found, nil
}
