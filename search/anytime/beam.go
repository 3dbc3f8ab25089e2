package anytime

import (
	"context"
	"math/rand/v2"
)

// beams is a task: beams with drawn orders and parameters, at capacities so
// aimed.
type beams struct{ aim aim }

func (b beams) run(ctx context.Context, w known, share int64, r *rand.Rand) outcome {
	out := w.outcome(beaming)
	for out.effort.Work < share && out.peak > w.least && ctx.Err() == nil {
		order, beam := w.problem.Draw(r, w.widest)
		beam.Limit = tuned.beamShares * share
		plan, effort := w.problem.Beam(ctx, order, w.aim(r, out.peak, b.aim), beam)
		out.add(effort)
		out.take(w.in, plan)
	}
	return out
}
