package search

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"memplan/model"
)

// Race is the exact planner, a portfolio: engines that find plans and engines that prove
// bounds work on the same instance at the same time, share what they know, and
// stop together when the best peak meets the bound.
//
// Exact: given time it ends with a plan and a bound that meet, and the
// certificate of the engine that raised the bound last. Stopped before, it
// returns the best plan, the bound and its certificate.
//
// The race runs in rounds. In a round every engine that is not done gets the
// same knowledge and the same slice of counted work; what they found is put
// together in the engines' order, and once best and bound meet, the findings of
// the engines behind are not looked at, whether they were quick or slow. So the
// result is the same for any number of threads, unless ctx ends first.
type Race struct {
	Title   string                                  // the planner's name; "": exact
	Starts  []model.Planner                         // give a first plan; in this order
	Engines func(in *model.Instance) []model.Engine // new engines, the most useful first
	Threads int                                     // engines that run at once; 0: one a processor
	Rounds  int                                     // at most so many rounds; 0: no limit
	Watch   func(model.Point)                       // told of every improvement; may be nil
}

// pace is the units of work, each about a microsecond, of an engine in a round.
var pace = struct {
	// first is that of the first round: 65 ms, so that what one engine finds at once
	// spares the others their work.
	first int64
	// last is where the doubling ends: two seconds, so that the end of a race is
	// never long after it could have been.
	last int64
}{first: 1 << 16, last: 1 << 21}

// Name is the title.
func (r Race) Name() string { return cmp.Or(r.Title, "exact") }

// Plan implements model.Planner. An error of an engine ends that engine's part
// in the race, not the race; it is returned only when no plan was found, unless it
// is a bug: then there is no result but the error.
func (r Race) Plan(ctx context.Context, in *model.Instance) (model.Result, error) {
	inc := incumbent(in, r.Watch)
	total, failed := start(ctx, r.Starts, in, inc)
	if !closed(inc) && ctx.Err() == nil && r.Engines != nil {
		failed = errors.Join(failed, r.run(ctx, in, inc, &total))
	}
	return result(inc, total, failed)
}

// run races the engines, round by round, and adds their work to total.
func (r Race) run(ctx context.Context, in *model.Instance, inc *model.Incumbent, total *model.Stats) (failed error) {
	engines, work := r.Engines(in), int64(0)
	slice := pace.first
	for round := 0; len(engines) > 0 && ctx.Err() == nil && (r.Rounds == 0 || round < r.Rounds); round++ {
		var left []model.Engine
		for k, rep := range r.round(ctx, engines, inc, slice, &work) {
			total.Nodes += rep.found.Stats.Nodes
			total.Placements += rep.found.Stats.Placements
			total.Learnt += rep.found.Stats.Learnt
			if rep.err != nil {
				failed = errors.Join(failed, fmt.Errorf("%s: %w", engines[k].Name(), rep.err))
			} else if !rep.found.Done {
				left = append(left, engines[k])
			}
		}
		if closed(inc) {
			break
		}
		engines, slice = left, min(2*slice, pace.last)
	}
	return failed
}

// A report is what an engine made of its slice in a round.
type report struct {
	found model.Finding
	err   error
}

// round gives every engine one slice and merges what they find in the engines'
// order. It returns the reports that count: all, or those up to the one that
// closed the race.
func (r Race) round(ctx context.Context, engines []model.Engine, inc *model.Incumbent, slice int64, work *int64) []report {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	known := inc.Result()
	known.Stats = model.Stats{}
	reports := make([]chan report, len(engines))
	turn := make(chan int, len(engines)) // hands out engines in order
	for k := range engines {
		reports[k] = make(chan report, 1)
		turn <- k
	}
	close(turn)
	for range min(threads(r.Threads), len(engines)) {
		go func() {
			for k := range turn {
				reports[k] <- runSlice(ctx, engines[k], known, slice)
			}
		}()
	}
	counted := make([]report, 0, len(engines))
	for k, e := range engines {
		l := <-reports[k]
		if closed(inc) {
			continue // wait for the engine to stop, but do not look
		}
		counted = append(counted, l)
		*work += l.found.Work
		if err := merge(inc, e.Name(), l.found, *work); err != nil {
			counted[k].err = errors.Join(l.err, err)
		}
		if closed(inc) {
			stop()
		}
	}
	return counted
}

// runSlice runs one slice; an engine that has been called off is not begun.
func runSlice(ctx context.Context, e model.Engine, known model.Result, slice int64) (r report) {
	if ctx.Err() != nil {
		return report{}
	}
	defer model.Recover(&r.err)
	r.found, r.err = e.Run(ctx, known, slice)
	return r
}

// merge takes over what an engine found, where it is news. A bound above a
// known peak is false, and the end of that engine's part in the race.
func merge(inc *model.Incumbent, name string, f model.Finding, work int64) error {
	if f.Plan != nil {
		inc.Offer(*f.Plan, name, work)
	}
	if f.Certificate == nil {
		return nil
	}
	if peak := inc.Peak(); f.Certificate.Bound > peak {
		return fmt.Errorf("claims the bound %d, above the known peak %d", f.Certificate.Bound, peak)
	}
	inc.Raise(f.Certificate, name, work)
	return nil
}
