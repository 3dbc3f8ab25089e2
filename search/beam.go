package search

import (
	"context"
	"math/rand/v2"

	"memplan/model"
	"memplan/search/canonical"
)

// beamShares is how many times a task's share of work a single beam may take:
// an interrupted beam finds next to nothing.
const beamShares = 20

// beams is a task: beams with drawn orders and parameters.
func (w knowledge) beams(share int64, how aim) task {
	return func(ctx context.Context, r *rand.Rand) outcome {
		out := outcome{source: "beam", peak: w.peak, none: -1}
		for out.effort.Work < share && out.peak > w.least && ctx.Err() == nil {
			order, beam := w.problem.Draw(r, w.widest)
			beam.Limit = beamShares * share
			plan, effort := w.problem.Beam(ctx, order, w.aim(r, out.peak, how), beam)
			out.add(effort)
			out.take(w.in, plan)
		}
		return out
	}
}

// dive is a task: the next of the searches at the least goes on, or begins.
func (f *finder) dive(share int64) task {
	k, w := f.next%len(f.dives), f.knowledge
	f.next++
	return func(ctx context.Context, _ *rand.Rand) outcome {
		if f.dives[k] == nil || f.dives[k].Capacity() != w.least {
			by := canonical.Rankings[k]
			f.dives[k] = w.problem.Dive(w.problem.Order(by.Order), w.least, by.Look)
		}
		d := f.dives[k]
		out := outcome{source: "dive", peak: w.peak, none: -1}
		for before := d.Effort(); d.Effort().Work-before.Work < share && ctx.Err() == nil; {
			was := d.Effort()
			got := d.Run(500)
			now := d.Effort()
			out.add(canonical.Effort{Nodes: now.Nodes - was.Nodes, Work: now.Work - was.Work})
			if got == canonical.Found {
				out.take(w.in, d.Plan())
				break
			}
			if got == canonical.Exhausted {
				out.none = w.least
				break
			}
		}
		return out
	}
}

// add counts effort.
func (o *outcome) add(e canonical.Effort) {
	o.effort.Nodes += e.Nodes
	o.effort.Work += max(e.Work, 1)
}

// take keeps the plan, if there is one and it is better.
func (o *outcome) take(in *model.Instance, plan *model.Plan) bool {
	if plan == nil {
		return false
	}
	peak := plan.Peak(in)
	if peak >= o.peak {
		return false
	}
	o.plan, o.peak = plan, peak
	return true
}
