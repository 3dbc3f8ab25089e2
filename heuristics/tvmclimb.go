package heuristics

import (
	"cmp"
	"context"
	"math/bits"
	"slices"

	"memplan/model"
)

// TVMHillClimb is approximate. Start: the order of [TVMBySize], first fit.
// Step: take a body at the peak, at random; its conflicting bodies that come
// earlier in the order, and of all its conflicting bodies those conflicting
// ones that come earlier than they; exchange one of the first with one of the
// second (of the first, in a quarter of the cases). Keep the order if the peak
// is lower, or at random in (50 d / attempt) of 100 cases where it is higher by
// the share d; else change back. It ends at the load, or after Attempts.
// Cost: O(Attempts (n log n + m)), from 16384 plain bodies on only what each
// exchange moves, and m in memory; bodies in more than 2^26
// conflicts are placed once and not climbed. Guarantee: none.
// Source: TVM's unified static memory planner, hill_climb, with the generator
// that it uses, rand_r of the GNU C library.
type TVMHillClimb struct {
	Attempts int    // 0: 500, as in TVM
	Seed     uint32 // TVM's is 0
}

func (TVMHillClimb) Name() string { return "tvm-hill-climb" }
func (TVMHillClimb) Definition() string {
	return "exchanges in the order of tvm-by-size around the bodies at the peak, first fit; seeded, 500 attempts"
}

// WithSeed implements [Seeded].
func (p TVMHillClimb) WithSeed(seed int64) Planner {
	p.Seed = uint32(seed)
	return p
}

func (p TVMHillClimb) Plan(ctx context.Context, in *model.Instance) (model.Result, error) {
	c := tvmClimb{climb: newClimb(in), seed: p.Seed}
	tvmBySize(c.draft, c.order)
	c.at = make([]int, len(c.bodies))
	for i, it := range c.order {
		c.at[it.body] = i
	}
	load := in.Load()
	var best model.Result
	lowest := int64(-1)
	for attempt := range cmp.Or(p.Attempts, 500) {
		if ctx.Err() != nil {
			break
		}
		peak, err := c.place(attempt)
		if err != nil {
			return model.Result{}, err
		}
		if lowest < 0 || peak < lowest || c.random()%100 < chance(peak, lowest, attempt) {
			best.Plan, lowest = c.snapshot(), peak
			c.top(peak)
			if peak <= load || attempt == 0 && !c.connect(ctx) {
				break
			}
		} else {
			c.exchange(c.last[0], c.last[1])
		}
		c.step()
	}
	best.Stats.Placements = c.count
	return best, nil
}

// place places the bodies, at first all of them.
func (c *tvmClimb) place(attempt int) (peak int64, err error) {
	if attempt == 0 {
		return c.replay(unlimited)
	}
	return c.replan()
}

// chance is the percentage at which a peak above the lowest is accepted.
func chance(peak, lowest int64, attempt int) uint32 {
	hi, lo := bits.Mul64(50, uint64(peak-lowest))
	if peak == 0 || attempt == 0 {
		return 0
	}
	share, _ := bits.Div64(hi, lo, uint64(peak))
	return uint32(share / uint64(attempt))
}

// tvmClimb is the state of a [TVMHillClimb].
type tvmClimb struct {
	*climb
	at   []int   // at[k] is the place of body k in the order
	tops []int32 // bodies at the peak of the plan last accepted
	last [2]int  // the places exchanged by the last step
	seed uint32
}

// top notes the bodies at the peak, by their place in the order.
func (c *tvmClimb) top(peak int64) {
	c.tops = c.tops[:0]
	for _, it := range c.order {
		if c.end[it.body] == peak {
			c.tops = append(c.tops, int32(it.body))
		}
	}
}

func (c *tvmClimb) exchange(i, j int) {
	c.swap(i, j)
	c.at[c.order[i].body], c.at[c.order[j].body] = i, j
}

// step makes the next exchange, or none where there is nothing to exchange.
func (c *tvmClimb) step() {
	c.last = [2]int{}
	if len(c.tops) == 0 {
		return
	}
	slices.SortFunc(c.tops, func(a, b int32) int { return cmp.Compare(c.at[a], c.at[b]) })
	body := c.tops[c.pick(len(c.tops))]
	first, second := c.earlier(body, nil), []int32(nil)
	for _, k := range c.near[body] {
		second = c.earlier(k, second)
	}
	byPlace := func(a, b int32) int { return cmp.Compare(c.at[a], c.at[b]) }
	slices.SortFunc(first, byPlace)
	slices.SortFunc(second, byPlace)
	if len(first) == 0 {
		return
	}
	one := first[c.pick(len(first))]
	isOne := func(k int32) bool { return k == one }
	if !slices.ContainsFunc(first, func(k int32) bool { return !isOne(k) }) && !slices.ContainsFunc(second, func(k int32) bool { return !isOne(k) }) {
		return
	}
	other := one
	for other == one {
		if len(second) > 0 && c.random()%100 > 25 {
			other = second[c.pick(len(second))]
		} else {
			other = first[c.pick(len(first))]
		}
	}
	c.last = [2]int{c.at[one], c.at[other]}
	c.exchange(c.last[0], c.last[1])
}

// earlier appends to list the bodies near k that come before it in the order.
func (c *tvmClimb) earlier(k int32, list []int32) []int32 {
	for _, j := range c.near[k] {
		if c.at[j] < c.at[k] {
			list = append(list, j)
		}
	}
	return list
}

func (c *tvmClimb) pick(n int) int { return int(c.random()) % n }

// random is rand_r: eleven, ten and ten bits of a linear congruential
// generator.
func (c *tvmClimb) random() uint32 {
	next := func() uint32 {
		c.seed = c.seed*1103515245 + 12345
		return c.seed / 65536
	}
	r := next() % 2048
	r = r<<10 ^ next()%1024
	return r<<10 ^ next()%1024
}
