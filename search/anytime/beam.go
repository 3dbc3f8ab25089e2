package anytime

import (
	"context"
	"math/rand/v2"

	"memplan/search/canonical"
)

// beams is a task: beams with drawn orders and parameters, at capacities so
// aimed.
type beams struct {
	aim    aim
	taught bool // drawn near the best of those before
}

func (b beams) run(ctx context.Context, w known, share int64, r *rand.Rand) outcome {
	out := w.outcome(beaming)
	for out.effort.Work < share && out.peak > w.least && ctx.Err() == nil {
		var best []canonical.Trial
		if b.taught {
			best = w.trials
		}
		beam := w.problem.Draw(r, w.widest, b.aim == lowest, best)
		beam.Limit = tuned.beamShares * share
		capacity := w.aim(r, out.peak, b.aim)
		plan, far, effort := w.problem.Beam(ctx, capacity, beam)
		if capacity == w.least {
			out.trials = append(out.trials, canonical.Trial{Beam: beam, Far: far})
		}
		out.add(effort)
		out.take(w.in, plan)
	}
	return out
}
