package heuristics

import (
	"cmp"
	"context"
	"slices"

	"memplan/model"
)

// Tabu is approximate. Start: size descending, then longer life, first fit.
// Step: on a path of bodies, each resting on the next, from the highest end
// down to the ground, exchange in the order each pair that rest on one another;
// make the exchange with the lowest peak, the highest pair of equals, even if
// it is worse. A pair exchanged may not be exchanged again for as many steps as
// the root of the number of bodies, plus up to 9 at random, unless that gives
// the lowest peak so far. It ends at the load, where no pair is left, or after
// Iterations. Bodies in more than 2^26 conflicts are placed once.
// Cost: O(Iterations path (n log n + m)), from 16384 plain bodies on only what
// each exchange moves. Guarantee: that of first-fit-decreasing.
// Source: tabu search on the critical path of the disjunctive graph, as in job
// shops (Nowicki and Smutnicki 1996), here over orders.
type Tabu struct {
	Iterations int    // 0: 200
	Seed       uint64 // of math/rand/v2's PCG
}

func (Tabu) Name() string { return "tabu" }
func (Tabu) Definition() string {
	return "exchanges of bodies that rest on one another below the peak, with a tabu list, first fit; seeded, 200 steps"
}

// WithSeed implements [Seeded].
func (p Tabu) WithSeed(seed int64) Planner {
	p.Seed = uint64(seed)
	return p
}

func (p Tabu) Plan(ctx context.Context, in *model.Instance) (model.Result, error) {
	s, err := newSearch(in, p.Seed, bySize)
	if err != nil {
		return model.Result{}, err
	}
	until := map[[2]int]int{} // looked up, never ranged over
	tenure := 0
	for tenure*tenure < len(s.order) {
		tenure++
	}
	climbable := !s.over(ctx) && s.connect(ctx)
	for i := 1; i < cmp.Or(p.Iterations, 200) && climbable && !s.over(ctx); i++ {
		pairs := s.path()
		best, lowest := -1, int64(unlimited)
		for k, pair := range pairs {
			if ctx.Err() != nil {
				return s.result(), nil
			}
			before := s.lowest
			if err := s.exchange(pair); err != nil {
				return model.Result{}, err
			}
			if s.peak < lowest && (until[key(pair)] < i || s.peak < before) {
				best, lowest = k, s.peak
			}
			s.swap(s.placeOf(pair[0]), s.placeOf(pair[1]))
		}
		if best < 0 {
			break
		}
		until[key(pairs[best])] = i + tenure + s.random.IntN(10)
		if err := s.exchange(pairs[best]); err != nil {
			return model.Result{}, err
		}
	}
	return s.result(), nil
}

// key is a pair of bodies without its order.
func key(pair [2]int) [2]int { return [2]int{min(pair[0], pair[1]), max(pair[0], pair[1])} }

// path lists the pairs of bodies that rest on one another on one path from the
// highest end to the ground, highest first. Pinned bodies have no place.
func (s *search) path() (pairs [][2]int) {
	top := s.order[0].body
	for _, it := range s.order {
		if s.end[it.body] > s.end[top] {
			top = it.body
		}
	}
	for k := s.below(top); k >= 0; top, k = k, s.below(k) {
		pairs = append(pairs, [2]int{top, k})
	}
	return pairs
}

// placeOf is the place of body k in the order.
func (s *search) placeOf(k int) int {
	return slices.IndexFunc(s.order, func(it item) bool { return it.body == k })
}

// exchange exchanges two bodies in the order and plans anew.
func (s *search) exchange(pair [2]int) error {
	s.swap(s.placeOf(pair[0]), s.placeOf(pair[1]))
	return s.keep(s.replan())
}
