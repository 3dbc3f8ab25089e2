package anytime

import (
	"context"
	"math/rand/v2"

	"memplan/search/canonical"
)

// A dive is a task: the depth-first search of one ranking at the least goes on,
// or begins.
type dive struct {
	by     canonical.Ranking
	search *canonical.Dive // at the least when it last had a turn; nil: no turn yet
}

// newDives are the dives of so many rankings, the best first.
func newDives(n int) []*dive {
	list := make([]*dive, n)
	for k := range list {
		list[k] = &dive{by: canonical.Rankings[k]}
	}
	return list
}

func (d *dive) run(ctx context.Context, w known, share int64, _ *rand.Rand) outcome {
	if d.search == nil || d.search.Capacity() != w.least {
		d.search = w.problem.Dive(w.problem.Order(d.by.Order), w.least, d.by.Look)
	}
	out := w.outcome(diving)
	for before := d.search.Effort(); d.search.Effort().Work-before.Work < share && ctx.Err() == nil; {
		was := d.search.Effort()
		got := d.search.Run(tuned.diveNodes)
		now := d.search.Effort()
		out.add(canonical.Effort{Nodes: now.Nodes - was.Nodes, Work: now.Work - was.Work})
		switch got {
		case canonical.Found:
			out.take(w.in, d.search.Plan())
			return out
		case canonical.Exhausted:
			out.none = w.least
			return out
		}
	}
	return out
}
