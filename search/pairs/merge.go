package pairs

import (
	"context"
	"errors"

	"memplan/model"
)

// A Planner asks a planner that knows nothing of pairs. Equal pairs are merged
// first: all that can be together, those that cost no byte, or none; leads are
// not used. Of the plans the best counts, the first of equals. Its bounds are of
// no use where something was merged, and are left out.
type Planner struct{ Of model.Planner }

// Name is that of the planner asked.
func (p Planner) Name() string { return p.Of.Name() }

// Plan implements model.Planner.
func (p Planner) Plan(ctx context.Context, in *model.Instance) (model.Result, error) {
	if len(in.Pairs) == 0 {
		return p.Of.Plan(ctx, in)
	}
	var best model.Result
	var failed error
	tried := map[int]bool{} // by how many pairs were merged
	for _, which := range []func(p model.Pair, over, under int64) bool{model.TakeAll, free, never} {
		m := in.Merge(which)
		if tried[m.Taken] {
			continue
		}
		tried[m.Taken] = true
		res, err := p.Of.Plan(ctx, m.Instance)
		failed = errors.Join(failed, err)
		best.Stats.Nodes += res.Stats.Nodes
		best.Stats.Placements += res.Stats.Placements
		if res.Plan == nil {
			continue
		}
		plan := m.Lift(*res.Plan)
		if best.Plan == nil || plan.Peak(in) < best.Plan.Peak(in) {
			best.Plan = &plan
			best.Stats.Trace = res.Stats.Trace
		}
	}
	if best.Plan != nil {
		failed = nil
	}
	return best, failed
}

func never(model.Pair, int64, int64) bool { return false }

// free reports whether the two of a pair take as many bytes merged as the
// larger of them, at every step at which either is live.
func free(p model.Pair, over, under int64) bool { return p.Distance == 0 && over == under }
