package anytime

import (
	"context"
	"math"
	"math/rand/v2"

	"memplan/search/tiling"
)

// A loose is a task: the search along time, or against it, for a plan within a
// capacity between the load and the best peak. Successes double the step down to
// the next capacity, and failures halve it.
type loose struct {
	problem *tiling.Problem
	against bool // time
	seed    int64
	search  *tiling.Loose // nil: none in hand
	begun   int64
	parts   int64 // one in so many of the way from the peak to the least is a step
	left    int64 // units of work before the search in hand is given up
}

// newLooses are the searches along time and against it.
func newLooses(p *tiling.Problem, seed int64) [2]*loose {
	return [2]*loose{{problem: p, seed: seed, parts: tuned.looseParts}, {problem: p, seed: seed, against: true, parts: tuned.looseParts}}
}

func (l *loose) run(ctx context.Context, w known, share int64, _ *rand.Rand) outcome {
	out := w.outcome(loosening)
	for out.effort.Work < share && out.peak > w.least && ctx.Err() == nil {
		if l.search == nil || l.search.Capacity >= out.peak {
			l.begin(w.ceiling(out.peak), w.least)
		}
		before := l.search.Work()
		over := l.search.Run(ctx, min(share-out.effort.Work, l.left))
		done := max(l.search.Work()-before, 1)
		l.left -= done
		out.effort.Work += done
		switch {
		case over:
			out.take(w.in, l.search.Plan())
			l.search, l.parts = nil, max(l.parts/2, tuned.looseParts)
		case l.left <= 0:
			l.search, l.parts = nil, 2*l.parts
		}
	}
	return out
}

// begin begins a search below a peak.
func (l *loose) begin(peak, least int64) {
	stream := math.MaxUint64/4 + 2*uint64(l.begun)
	if l.against {
		stream++
	}
	l.begun++
	l.left = tuned.looseWork
	l.search = l.problem.Loose(tiling.LooseOptions{
		Capacity: peak - max((peak-least)/l.parts, 1), Width: tuned.looseWidth, Backwards: l.against,
		Rand: rand.New(rand.NewPCG(uint64(l.seed), stream)),
	})
}
