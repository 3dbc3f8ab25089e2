package heuristics

import (
	"context"

	"memplan/model"
)

// ChooseBest is approximate, exact where it reaches the load. Rule: the plan
// with the lowest peak of a set of planners, the first among equals; it stops
// at the load. Cost: the sum of the set. Guarantee: the best of the set's.
// Source: XLA's ChooseBestHeapAlgorithm, ExecuTorch's suite of planners.
type ChooseBest struct {
	Label string    // the name; "": choose-best
	Of    []Planner // nil: the planners of [All] that look at each body once
}

func (p ChooseBest) Name() string {
	if p.Label != "" {
		return p.Label
	}
	return "choose-best"
}

func (p ChooseBest) Definition() string {
	if p.Of == nil {
		return "the best plan of all one-pass planners"
	}
	of := ""
	for _, q := range p.Of {
		of += ", " + q.Name()
	}
	return "the best plan of" + of[1:]
}

func (p ChooseBest) Plan(ctx context.Context, in *model.Instance) (model.Result, error) {
	of := p.Of
	if of == nil {
		of = onePass()
	}
	var best model.Result
	load, lowest, placements := in.Load(), int64(0), int64(0)
	var failed error
	for _, q := range of {
		r, err := q.Plan(ctx, in)
		placements += r.Stats.Placements
		if err != nil {
			failed = err // another may fit in int64 where this one does not
			continue
		}
		if r.Plan == nil {
			break // ctx ended
		}
		if peak := r.Plan.Peak(in); best.Plan == nil || peak < lowest {
			best, lowest = r, peak
		}
		if lowest == load {
			break
		}
	}
	if best.Plan == nil {
		return model.Result{}, failed
	}
	best.Stats = model.Stats{Placements: placements}
	return best, nil
}
