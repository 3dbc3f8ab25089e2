package search

import (
	"context"
	"math"
	"math/rand/v2"

	"memplan/model"
	"memplan/model/reduce"
	"memplan/search/learning"
)

const (
	mostAsked = 1 << 14 // conflicts beyond which the learning search is not asked
	patience  = 1 << 18 // units of work for a question, times Luby's sequence
)

// A question is whether there is a plan within a capacity, put to the learning
// search. Where beams and dives are lost, in chains that leave little room, it
// finds plans, and capacities that none has.
type question struct {
	search   *learning.Search
	capacity int64 // bytes
	left     int64 // units of work
}

// ask is a task: the k-th question in hand goes on, or the next one begins.
func (f *finder) ask(k int, share int64) task {
	if q := f.questions[k]; q == nil || q.left <= 0 || q.capacity >= f.peak || q.capacity < f.least {
		f.asked++
		r := rand.New(rand.NewPCG(uint64(f.seed), math.MaxUint64-uint64(f.asked)))
		f.questions[k] = &question{capacity: f.aim(r, f.peak, low), left: patience * learning.Luby(f.asked)}
	}
	q, w, seed := f.questions[k], f.knowledge, f.seed+f.asked
	return func(ctx context.Context, _ *rand.Rand) outcome {
		out := outcome{source: asking, peak: w.peak, none: -1}
		if q.search == nil {
			q.search = learning.Ask(w.in, learning.Question{Window: model.Always, Height: q.capacity, Seed: seed})
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
			if plan := w.spread(a); reduce.Check(w.in, plan) == nil {
				out.take(w.in, &plan)
			}
		}
		return out
	}
}

// spread is the plan of an answer. Buffers without bytes are in none.
func (w *knowledge) spread(a learning.Answer) model.Plan {
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
