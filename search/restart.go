package search

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"memplan/search/canonical"
)

// restarts is a task: short dives at drawn capacities, half in fresh orders
// with noise, half in perturbations of orders that did well. An order that
// succeeds is tried again lower.
//
// Successful dives are short, so the order decides, not the depth: a dive may
// try the next number of Luby's sequence times twice the buffers.
func (w knowledge) restarts(share int64) task {
	return func(ctx context.Context, r *rand.Rand) outcome {
		out := outcome{source: "restart", peak: w.peak, none: -1}
		var again []int32
		for k := int64(1); out.effort.Work < share && out.peak > w.least && ctx.Err() == nil; k++ {
			order := again
			if order == nil {
				order = w.order(r)
			}
			again = nil
			capacity := w.aim(r, out.peak, low)
			d := w.problem.Dive(order, capacity)
			got := d.Run(luby(k) * 2 * int64(len(order)+1))
			out.add(d.Effort())
			switch got {
			case canonical.Found:
				if out.take(w.in, d.Plan(), order) {
					again = order
				}
			case canonical.Exhausted:
				if capacity > out.none && d.Effort().Nodes > 0 {
					out.none = capacity
				}
			}
		}
		return out
	}
}

// order draws an order: each buffer's place in a good order or in a static one,
// plus noise.
func (w *knowledge) order(r *rand.Rand) []int32 {
	var base []int32
	if len(w.orders) > 0 && r.IntN(2) == 0 {
		base = w.orders[r.IntN(len(w.orders))].order
	} else {
		base = w.problem.Order(canonical.Orders[r.IntN(len(canonical.Orders))])
	}
	noise := float64(len(base)) * math.Pow(10, -2.3+2*r.Float64())
	at := make([]float64, len(base))
	for k, i := range base {
		at[i] = float64(k) + noise*r.NormFloat64()
	}
	order := slices.Clone(base)
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Or(cmp.Compare(at[a], at[b]), cmp.Compare(a, b)) })
	return order
}

// An orderPool holds the orders of the best plans found, best first.
type orderPool []rankedOrder

type rankedOrder struct {
	order []int32
	peak  int64
}

const poolSize = 5

// learn returns the pool with the order of an outcome; p stays as it is.
func (p orderPool) learn(o outcome) orderPool {
	if o.order == nil {
		return p
	}
	q := append(slices.Clone(p), rankedOrder{o.order, o.peak})
	slices.SortStableFunc(q, func(a, b rankedOrder) int { return cmp.Compare(a.peak, b.peak) })
	return q[:min(len(q), poolSize)]
}

// luby is the k-th number, from 1, of the sequence 1 1 2 1 1 2 4 1 1 2 ...,
// within a constant factor of the best way to restart (Luby, Sinclair and
// Zuckerman, 1993).
func luby(k int64) int64 {
	for size := int64(1); ; size = 2*size + 1 {
		if k == size {
			return (size + 1) / 2
		}
		if k < size {
			return luby(k - size/2)
		}
	}
}
