package anytime

import (
	"context"
	"math/rand/v2"

	"memplan/model"
	"memplan/search/canonical"
)

// A Local makes a planner that improves a plan by a local search of so many
// steps, each of which places every buffer anew; without a plan it begins with
// one of its own.
type Local func(from *model.Plan, seed uint64, steps int) model.Planner

// A local is a task: a local search goes on from the best plan of all, or from
// the best of its own.
type local struct {
	make    Local
	follows bool // the best of all
	own     *model.Plan
	peak    int64 // of own
}

func (l *local) run(ctx context.Context, w known, share int64, r *rand.Rand) outcome {
	out := w.outcome(repacking)
	if l.follows && w.best != nil && (l.own == nil || w.peak < l.peak) {
		l.own, l.peak = w.best, w.peak
	}
	steps := int(share*tuned.placementsPerUnit)/len(w.in.Buffers) + 2 // the first places them as they were
	res, _ := l.make(l.own, r.Uint64(), steps).Plan(ctx, w.in)        // an error is no plan: it has offsets beyond int64
	out.add(canonical.Effort{Nodes: res.Stats.Placements, Work: res.Stats.Placements / tuned.placementsPerUnit})
	if res.Plan != nil && (l.own == nil || res.Plan.Peak(w.in) <= l.peak) {
		l.own, l.peak = res.Plan, res.Plan.Peak(w.in)
		out.take(w.in, res.Plan)
	}
	return out
}
