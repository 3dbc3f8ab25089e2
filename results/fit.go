package results

import (
	"context"
	"errors"
	"fmt"

	"memplan/ilp/highs"
	"memplan/model"
	"memplan/spill"
	"memplan/verify/traffic"
)

// Fit asks what a graph moves at least to fit into a fast memory: with HiGHS,
// and the exact planner, which proves what clashes. Limit is of each of its
// plans; of all together, ctx.
func Fit(ctx context.Context, q *spill.Question, s Settings) (*spill.Answer, error) {
	return spill.Solve(ctx, q, fitting(s))
}

// FitOrder is Fit for all orders of the operators, given what is known of one; see
// spill.Order.
func FitOrder(ctx context.Context, q *spill.Question, s Settings, known *spill.Answer) (*spill.Answer, error) {
	return spill.Order(ctx, q, fitting(s), known)
}

func fitting(s Settings) spill.Tools {
	return spill.Tools{Solver: highs.Solver{}, Threads: s.Threads, Pack: func(ctx context.Context, in *model.Instance) (model.Result, error) {
		return pack(ctx, in, s)
	}}
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

// ProveFit gives an answer a certificate that nothing costs less, where one is
// found: it is replayed for the graph that was fitted. See spill.Answer.Prove.
func ProveFit(ctx context.Context, q *spill.Question, s Settings, a *spill.Answer) error {
	c, err := a.Prove(ctx, fitting(s))
	if err != nil || c == nil {
		return err
	}
	switch cost, err := traffic.Check(q.Graph, q.Lowering, a.Fitted.Lowered, c); {
	case errors.Is(err, traffic.ErrNames):
		return nil
	case err != nil:
		return fmt.Errorf("the proof that nothing costs less than %d does not hold: %w", c.Bound, err)
	case cost != c.Bound:
		return fmt.Errorf("the proof that nothing costs less than %d is of an answer that costs %d", c.Bound, cost)
	}
	a.Certificate = c
	return nil
}
