package anytime

import (
	"context"
	"math"
	"math/rand/v2"

	"memplan/model"
	"memplan/search/learning"
)

// A question is a task: whether there is a plan within a capacity, put to the
// learning search. Where beams and dives are lost, in chains that leave little
// room, it finds plans, and capacities that none has.
type question struct {
	search   *learning.Search // nil: not begun
	capacity int64            // bytes
	left     int64            // units of work
	seed     int64
}

// newQuestion is the so-manieth question, about a capacity drawn with a stream
// of its own.
func newQuestion(w known, seed, number int64) *question {
	r := rand.New(rand.NewPCG(uint64(seed), math.MaxUint64-uint64(number)))
	return &question{capacity: w.aim(r, w.peak, low), left: tuned.questionWork * learning.Luby(number), seed: seed + number}
}

// over reports whether the answer is known, or no longer of use.
func (q *question) over(w known) bool {
	return q.left <= 0 || q.capacity >= w.peak || q.capacity < w.least
}

func (q *question) run(ctx context.Context, w known, share int64, _ *rand.Rand) outcome {
	out := w.outcome(asking)
	if q.search == nil {
		q.search = learning.Ask(w.in, learning.Question{Window: model.Always, Height: q.capacity, Seed: q.seed})
	}
	if q.search == nil {
		q.left = 0
		return out
	}
	a := q.search.Run(ctx, share)
	q.left -= share
	out.effort.Work = share
	switch {
	case a.Refutation != nil:
		out.none, q.left = q.capacity, 0
	case a.Offsets != nil:
		q.left = 0
		if plan := w.spread(a); w.in.Check(plan) == nil {
			out.take(w.in, &plan)
		}
	}
	return out
}

// spread is the plan of an answer. Buffers without bytes are in none.
func (w *known) spread(a learning.Answer) model.Plan {
	plan := model.Plan{Offsets: make([]int64, len(w.in.Buffers))}
	for i := range w.in.Buffers {
		if at := w.in.Buffers[i].Offset; at != nil {
			plan.Offsets[i] = *at
		}
	}
	for k, i := range a.Buffers {
		plan.Offsets[i] = a.Offsets[k]
	}
	return plan
}
