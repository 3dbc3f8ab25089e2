package search

import (
	"context"
	"errors"
	"fmt"

	"memplan/model"
)

// incumbent knows no plan as yet, and the load, also of rounded sizes and of sets
// in conflict.
func incumbent(in *model.Instance, watch func(model.Point)) *model.Incumbent {
	inc := model.NewIncumbent(in, watch)
	step, load := in.LoadStep()
	inc.Raise(&model.Certificate{Proof: model.ProofLoad, Bound: load, Step: step}, "load", 0)
	if c := in.RoundedLoad(); c != nil {
		inc.Raise(c, "rounded", 0)
	}
	if c := in.CrowdLoad(); c != nil {
		inc.Raise(c, "crowd", 0)
	}
	return inc
}

// start offers the plans of the starts, until one of them is at the bound.
func start(ctx context.Context, starts []model.Planner, in *model.Instance, inc *model.Incumbent) (total model.Stats, failed error) {
	for _, p := range starts {
		if closed(inc) {
			break
		}
		res, err := p.Plan(ctx, in)
		total.Placements += res.Stats.Placements
		total.Nodes += res.Stats.Nodes
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("%s: %w", p.Name(), err))
		} else if res.Plan != nil {
			inc.Offer(*res.Plan, p.Name(), total.Placements+total.Nodes)
		}
	}
	return total, failed
}

// closed reports whether best and bound have met.
func closed(inc *model.Incumbent) bool {
	select {
	case <-inc.Closed():
		return true
	default:
		return false
	}
}

// result is the state of affairs with the work done for it. What failed is an
// error only where there is no plan, but for a bug, which leaves nothing that one
// could rely on.
func result(inc *model.Incumbent, total model.Stats, failed error) (model.Result, error) {
	if bug := (*model.Panic)(nil); errors.As(failed, &bug) {
		return model.Result{Stats: total}, failed
	}
	res := inc.Result()
	total.Trace = res.Stats.Trace
	res.Stats = total
	if res.Plan != nil {
		failed = nil
	}
	return res, failed
}
