package anytime

import (
	"context"

	"memplan/model"
)

// engine is a finder's part in a race.
type engine struct{ finder *Finder }

// NewEngine returns the anytime search of an instance as an engine.
func NewEngine(in *model.Instance, seed int64, local Local) model.Engine {
	return &engine{NewFinder(in, seed, local)}
}

// Name is "anytime".
func (e *engine) Name() string { return "anytime" }

// Run implements model.Engine.
func (e *engine) Run(ctx context.Context, known model.Result, work int64) (model.Finding, error) {
	f := e.finder
	f.Know(known)
	var found model.Finding
	work0, nodes0 := f.Work(), f.Nodes()
	for ctx.Err() == nil && !f.Done() && f.Work()-work0 < work {
		round, err := f.Round(ctx, 1, work0+work-f.Work())
		if err != nil {
			return found, err
		}
		for _, better := range round {
			found.Plan = better.Plan
		}
	}
	found.Work, found.Stats.Nodes = f.Work()-work0, f.Nodes()-nodes0
	found.Done = f.Done()
	return found, nil
}
