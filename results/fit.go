package results

import (
	"context"

	"memplan/ilp/highs"
	"memplan/model"
	"memplan/spill"
)

// Fit asks what a graph moves at least to fit into a fast memory: with HiGHS,
// and the exact planner, which proves what clashes. Limit is of each of its
// plans; of all together, ctx.
func Fit(ctx context.Context, q *spill.Question, s Settings) (*spill.Answer, error) {
	return spill.Solve(ctx, q, spill.Tools{Solver: highs.Solver{}, Threads: s.Threads, Pack: func(ctx context.Context, in *model.Instance) (model.Result, error) {
		return pack(ctx, in, s)
	}})
}

// pack plans an instance until it fits into its capacity, or is proven not to.
func pack(ctx context.Context, in *model.Instance, s Settings) (model.Result, error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	s.Watch = func(at model.Point) {
		if at.Peak <= in.Capacity {
			stop()
		}
	}
	exact, err := Find("exact", s)
	if err != nil {
		return model.Result{}, err
	}
	res, _, err := solveWithin(ctx, exact, in)
	return res, err
}
