package anytime

import (
	"context"
	"math/rand/v2"
	"sync"

	"memplan/model"
	"memplan/search/canonical"
)

// A task looks for better plans. It may have a state of its own, to go on from
// in a later round, but changes nothing that another task sees: a round has
// each of those with a state once.
type task interface {
	// run works for about so many units, each about a microsecond.
	run(ctx context.Context, w known, share int64, r *rand.Rand) outcome
}

// A turn is a task's part in a round.
type turn struct {
	task  task
	share int64 // units of work
}

// A source says which kind of task found a plan.
type source string

const (
	sweeping  source = "sweep"
	loosening source = "loose sweep"
	diving    source = "dive"
	climbing  source = "ladder"
	beaming   source = "beam"
	asking    source = "question"
	ejecting  source = "ejection"
	repacking source = "repack"
)

// An outcome is what a task gives.
type outcome struct {
	source source
	plan   *model.Plan       // nil: nothing better
	peak   int64             // of plan, or the best known before
	none   int64             // a capacity that a search was exhausted at; -1: none
	trials []canonical.Trial // beams at the least
	effort canonical.Effort
	err    error // a bug
}

// outcome is that of a task that has found nothing yet.
func (w *known) outcome(s source) outcome { return outcome{source: s, peak: w.peak, none: -1} }

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

// run has the turns taken by so many threads, in order. The k-th task draws
// from the stream of numbers that seed and first + k begin.
func run(ctx context.Context, turns []turn, w known, threads int, seed int64, first uint64) []chan outcome {
	outs := make([]chan outcome, len(turns))
	for k := range outs {
		outs[k] = make(chan outcome, 1)
	}
	var mu sync.Mutex
	next := 0
	for range min(threads, len(turns)) {
		go func() {
			for {
				mu.Lock()
				k := next
				next++
				mu.Unlock()
				if k >= len(turns) {
					return
				}
				r := rand.New(rand.NewPCG(uint64(seed), first+uint64(k)))
				outs[k] <- turns[k].run(ctx, w, r)
			}
		}()
	}
	return outs
}

// run takes the turn.
func (t turn) run(ctx context.Context, w known, r *rand.Rand) (out outcome) {
	out = w.outcome("")
	defer model.Recover(&out.err)
	return t.task.run(ctx, w, t.share, r)
}
