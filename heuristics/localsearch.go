package heuristics

import (
	"cmp"
	"context"
	"slices"

	"memplan/model"
)

// IteratedLocalSearch is approximate. Start: size descending, then longer life,
// first fit; or, from a plan, by rising offset. Step: take a body at random, of those that end highest in half of
// the cases, and insert it at a random earlier place of the order; keep the
// order unless the peak is higher. After 200 steps without a lower peak go back
// to the best order and make 8 insertions at once, whatever they give. It ends
// at the load, or after Iterations.
// Cost: O(Iterations (n log n + m)). Guarantee: that of first-fit-decreasing.
// Source: iterated local search (Lourenço, Martin and Stützle 2003), over orders.
type IteratedLocalSearch struct {
	Iterations int         // 0: 2000
	Seed       uint64      // of math/rand/v2's PCG
	From       *model.Plan // to begin with its order; nil: none
}

func (IteratedLocalSearch) Name() string { return "iterated-local-search" }
func (IteratedLocalSearch) Definition() string {
	return "insertions in the order of first-fit-decreasing, with kicks when stuck, first fit; seeded, 2000 steps"
}

// WithSeed implements [Seeded].
func (p IteratedLocalSearch) WithSeed(seed int64) Planner {
	p.Seed = uint64(seed)
	return p
}

func (p IteratedLocalSearch) Plan(ctx context.Context, in *model.Instance) (model.Result, error) {
	start := bySize
	if p.From != nil {
		start = byOffset(p.From)
	}
	s, err := newSearch(in, p.Seed, start)
	if err != nil {
		return model.Result{}, err
	}
	current, best := slices.Clone(s.order), slices.Clone(s.order)
	height, last := s.lowest, 0
	for i := 1; i < cmp.Or(p.Iterations, 2000) && !s.over(ctx); i++ {
		kick := i-last > 200
		if kick {
			last = i
			copy(s.order, best)
			for range 8 {
				s.insert()
			}
			height = unlimited
		} else {
			s.insert()
		}
		before := s.lowest
		if err := s.attempt(height); err != nil {
			return model.Result{}, err
		}
		if s.peak > height {
			copy(s.order, current)
			continue
		}
		height = s.peak
		copy(current, s.order)
		if s.peak < before {
			last = i
			copy(best, s.order)
		}
	}
	return s.result(), nil
}

// byOffset orders as a plan has the roots of bodies. Without ties, no peak is
// higher than the plan's.
func byOffset(plan *model.Plan) order {
	return func(t *draft, items []item) {
		rank(items, func(it *item) uint64 { return model.Rising(plan.Offsets[t.bodies[it.body][0]]) })
	}
}

// insert moves a body to an earlier place of the order.
func (s *search) insert() {
	from := 1 + s.random.IntN(len(s.order)-1)
	if s.random.IntN(2) == 0 {
		top := slices.IndexFunc(s.order, func(it item) bool { return s.end[it.body] >= s.peak })
		from = max(top, 1)
	}
	it := s.order[from]
	to := s.random.IntN(from)
	copy(s.order[to+1:from+1], s.order[to:from])
	s.order[to] = it
}
