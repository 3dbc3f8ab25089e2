package search

import (
	"context"
	"math/rand/v2"
	"slices"

	"memplan/search/canonical"
)

// ladderShare is the work that a ladder may take.
const ladderShare = 200_000

// ladders are the tasks of a round: every static order's ladder.
func (w knowledge) ladders() (tasks []task) {
	each := (len(canonical.Orders) + tasksEach - 1) / tasksEach
	for orders := range slices.Chunk(canonical.Orders, each) {
		tasks = append(tasks, w.ladder(orders))
	}
	return tasks
}

// ladder is a task: for each order dives at capacities that halve what lies
// between the last that failed, at first the least, and the best peak. Far from
// the load a dive succeeds at once or not at all, so a good plan costs little
// more than a heuristic's.
func (w knowledge) ladder(orders []string) task {
	return func(ctx context.Context, _ *rand.Rand) outcome {
		out := outcome{source: "ladder", peak: w.peak, none: -1}
		for _, letters := range orders {
			order := w.problem.Order(letters)
			for low := w.least; low < out.peak && out.effort.Work < ladderShare && ctx.Err() == nil; {
				capacity := low + (w.ceiling(out.peak)-1-low)/2
				d := w.problem.Dive(order, capacity, canonical.Never)
				got := canonical.Open
				for most := 4 * int64(len(order)+1); got == canonical.Open && d.Effort().Nodes < most && ctx.Err() == nil; {
					got = d.Run(min(most-d.Effort().Nodes, 256))
				}
				out.add(d.Effort())
				if got != canonical.Found || !out.take(w.in, d.Plan()) {
					low = capacity + 1
				}
			}
		}
		return out
	}
}
