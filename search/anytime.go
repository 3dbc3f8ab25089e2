package search

import (
	"context"
	"runtime"

	"memplan/model"
)

// Anytime improves plans for as long as it is allowed to.
//
// Approximate: it proves nothing, but that the load is reached. First the plans
// of Starts; then, in rounds of tasks, sweeps for a plan that leaves no byte free,
// where there may be one (package tiling), depth-first searches and beams at
// capacities from the load to the best peak (package canonical), questions to
// the learning search, and ejection searches, which are what improves plans of
// many buffers. Where ties forbid these there is a local search on orders. It
// ends at the load, and when it has nothing left to try.
//
// A round's tasks are numbered, each has its own seed, its own share of counted
// work, and what was known before the round; their findings are put together in
// their order. So the plan is the same for any number of threads, unless ctx
// ends first.
type Anytime struct {
	Starts  []model.Planner // give the first plans; in this order
	Seed    int64
	Threads int               // tasks that run at once; 0: one a processor
	Work    int64             // units of about a microsecond after the starts; 0: no limit
	Watch   func(model.Point) // told of every improvement; may be nil
}

// Name is "anytime".
func (a Anytime) Name() string { return "anytime" }

// Plan implements model.Planner. Errors of starts are returned only when there
// is no plan at all.
func (a Anytime) Plan(ctx context.Context, in *model.Instance) (model.Result, error) {
	inc := incumbent(in, a.Watch)
	stats, failed := start(ctx, a.Starts, in, inc)
	if !closed(inc) && ctx.Err() == nil {
		a.improve(ctx, in, inc, &stats)
	}
	return result(inc, stats, failed)
}

// improve runs rounds until the load, the end of the work, or of what there is
// to try.
func (a Anytime) improve(ctx context.Context, in *model.Instance, inc *model.Incumbent, stats *model.Stats) {
	threads := a.Threads
	if threads <= 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	f := newFinder(in, a.Seed)
	f.know(inc.Result().Plan)
	began := stats.Placements
	for ctx.Err() == nil && !f.done() && (a.Work == 0 || f.work < a.Work) {
		share := int64(0)
		if a.Work > 0 {
			share = a.Work - f.work
		}
		for _, found := range f.round(ctx, threads, share) {
			inc.Offer(*found.plan, found.source, began+f.work)
		}
	}
	stats.Nodes += f.nodes
}
