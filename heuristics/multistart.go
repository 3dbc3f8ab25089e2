package heuristics

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"

	"memplan/model"
)

// Multistart is approximate. Rule: the best of Rounds orders, each by size
// times a random factor from 3/4 to 5/4 descending (the first without), then
// longer life, then index; first fit. It ends at the load.
// Cost: O(Rounds (n log n + m)). Guarantee: that of first-fit-decreasing.
// Source: multi-start (Martí 2003), over perturbed orders.
type Multistart struct {
	Rounds int    // 0: 100
	Seed   uint64 // of math/rand/v2's PCG
}

func (Multistart) Name() string { return "multistart" }
func (Multistart) Definition() string {
	return "the best of 100 orders by size times a random factor, first fit; seeded"
}

// WithSeed implements [Seeded].
func (p Multistart) WithSeed(seed int64) Planner {
	p.Seed = uint64(seed)
	return p
}

func (p Multistart) Plan(ctx context.Context, in *model.Instance) (model.Result, error) {
	s, err := newSearch(in, p.Seed, bySize)
	if err != nil {
		return model.Result{}, err
	}
	key := make([]wide, len(s.bodies))
	for range cmp.Or(p.Rounds, 100) - 1 {
		if s.over(ctx) {
			break
		}
		slices.SortFunc(s.order, func(a, b item) int { return cmp.Compare(a.body, b.body) })
		for _, it := range s.order {
			key[it.body] = times(uint64(it.size), 768+s.random.Uint64N(513))
		}
		slices.SortFunc(s.order, func(a, b item) int {
			return cmp.Or(key[b.body].compare(key[a.body]), cmp.Compare(duration(b.life), duration(a.life)), cmp.Compare(a.body, b.body))
		})
		if err := s.attempt(s.lowest); err != nil {
			return model.Result{}, err
		}
	}
	return s.result(), nil
}

// A search changes the order of a climb at random and keeps the best plan.
type search struct {
	*climb
	random *rand.Rand
	load   int64
	best   *model.Plan
	lowest int64 // peak of best
	peak   int64 // of the last attempt
}

// newSearch plans in by first fit in the given order.
func newSearch(in *model.Instance, seed uint64, by order) (*search, error) {
	s := &search{climb: newClimb(in), random: rand.New(rand.NewPCG(seed, 0)), load: in.Load(), lowest: unlimited}
	by(s.draft, s.order)
	return s, s.attempt(unlimited)
}

// over reports whether there is nothing to gain or no time.
func (s *search) over(ctx context.Context) bool {
	return s.lowest <= s.load || len(s.order) < 2 || ctx.Err() != nil
}

// attempt plans in the order as it stands, as far as the peak is within limit.
func (s *search) attempt(limit int64) error {
	return s.keep(s.replay(limit))
}

// keep notes the peak of an attempt, and its plan if it is the best.
func (s *search) keep(peak int64, err error) error {
	if err != nil {
		return err
	}
	s.peak = peak
	if s.best == nil || s.peak < s.lowest {
		s.best, s.lowest = s.snapshot(), s.peak
	}
	return nil
}

func (s *search) result() model.Result {
	return model.Result{Plan: s.best, Stats: model.Stats{Placements: s.count}}
}
