package anytime

import (
	"context"
	"math/rand/v2"
	"slices"

	"memplan/search/canonical"
)

// A ladder is a task: for each order dives at capacities that halve what lies
// between the last that failed, at first the least, and the best peak. Far from
// the load a dive succeeds at once or not at all, so a good plan costs little
// more than a heuristic's.
type ladder struct{ orders []string }

// ladders are the turns of a round: every static order's ladder.
func ladders() (turns []turn) {
	each := (len(canonical.Orders) + tuned.tasks - 1) / tuned.tasks
	for orders := range slices.Chunk(canonical.Orders, each) {
		turns = append(turns, turn{ladder{orders}, tuned.ladderShare})
	}
	return turns
}

func (l ladder) run(ctx context.Context, w known, share int64, _ *rand.Rand) outcome {
	out := w.outcome(climbing)
	for _, letters := range l.orders {
		order := w.problem.Order(letters)
		for low := w.least; low < out.peak && out.effort.Work < share && ctx.Err() == nil; {
			capacity := low + (w.ceiling(out.peak)-1-low)/2
			d := w.problem.Dive(order, capacity, canonical.Never)
			got := canonical.Open
			for limit := tuned.rungNodes * int64(len(order)+1); got == canonical.Open && d.Effort().Nodes < limit && ctx.Err() == nil; {
				got = d.Run(min(limit-d.Effort().Nodes, 256))
			}
			out.add(d.Effort())
			if got != canonical.Found || !out.take(w.in, d.Plan()) {
				low = capacity + 1
			}
		}
	}
	return out
}
