package search

import (
	"context"
	"errors"
	"runtime"

	"memplan/model"
	"memplan/search/anytime"
)

// Anytime improves plans for as long as it is allowed to.
//
// Approximate: it proves nothing, but that the load is reached. First the plans
// of Starts; then rounds of tasks (see the package's comment, and package
// anytime), until the load, or the end of Work or of ctx.
//
// The plan is the same for any number of threads, unless ctx ends first.
type Anytime struct {
	Starts  []model.Planner // give the first plans; in this order
	Local   anytime.Local   // for what the searches cannot treat, as ties; may be nil
	Seed    int64
	Threads int               // tasks that run at once; 0: one a processor
	Work    int64             // units of about a microsecond after the starts; 0: no limit
	Watch   func(model.Point) // told of every improvement; may be nil
}

// Name is "anytime".
func (a Anytime) Name() string { return "anytime" }

// Plan implements model.Planner. Errors of starts are returned only when there
// is no plan at all, bugs always.
func (a Anytime) Plan(ctx context.Context, in *model.Instance) (model.Result, error) {
	inc := incumbent(in, a.Watch)
	stats, failed := start(ctx, a.Starts, in, inc)
	if !closed(inc) && ctx.Err() == nil {
		failed = errors.Join(failed, a.improve(ctx, in, inc, &stats))
	}
	return result(inc, stats, failed)
}

// improve runs rounds until the load, the end of the work, or of what there is
// to try.
func (a Anytime) improve(ctx context.Context, in *model.Instance, inc *model.Incumbent, stats *model.Stats) (failed error) {
	f := anytime.NewFinder(in, a.Seed, a.Local)
	f.Know(inc.Result())
	began := stats.Placements
	for ctx.Err() == nil && failed == nil && !f.Done() && (a.Work == 0 || f.Work() < a.Work) {
		left := int64(0)
		if a.Work > 0 {
			left = a.Work - f.Work()
		}
		var round []anytime.Found
		round, failed = f.Round(ctx, threads(a.Threads), left)
		for _, found := range round {
			inc.Offer(*found.Plan, found.Source, began+f.Work())
		}
	}
	stats.Nodes += f.Nodes()
	return failed
}

// threads is how many run at once: one a processor where it is not said.
func threads(n int) int {
	if n > 0 {
		return n
	}
	return runtime.GOMAXPROCS(0)
}
