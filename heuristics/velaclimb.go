package heuristics

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"

	"memplan/model"
)

// VelaHillClimb is approximate. Start: most live bytes at any step of the life
// descending, then longer life, earlier birth, larger size, index; first fit.
// Step: take the body with the highest end; collect it, its conflicting bodies,
// and whatever each of them rests on, down to the ground; exchange two of these
// in the order, in 30 of 101 cases one that does not conflict with the highest;
// after 50 steps without a lower peak exchange two more, drawn also from the
// neighbours of those that do not conflict. Keep the order unless the peak is
// higher. It ends at the load, after Patience steps without a lower peak, or
// after Iterations.
// Cost: O(steps (n log n + m)), and m in memory; bodies in more than 2^26
// conflicts are placed once and not climbed. A step places all bodies anew, for
// where an attempt was broken off is part of the rule: a third of a second for
// 10^5. Guarantee: none.
// Source: Vela 5.2's hill climb. It draws from another generator, and goes on
// to the last iteration where its memory limit is exceeded.
type VelaHillClimb struct {
	Iterations int    // 0: 99999, as in Vela
	Patience   int    // 0: 500, as in Vela
	Seed       uint64 // of math/rand/v2's PCG
}

func (VelaHillClimb) Name() string { return "vela-hill-climb" }
func (VelaHillClimb) Definition() string {
	return "exchanges in the order among what supports the highest body, first fit; seeded, 500 steps of patience"
}

// WithSeed implements [Seeded].
func (p VelaHillClimb) WithSeed(seed int64) Planner {
	p.Seed = uint64(seed)
	return p
}

func (p VelaHillClimb) Plan(ctx context.Context, in *model.Instance) (model.Result, error) {
	c := velaClimb{climb: newClimb(in), random: rand.New(rand.NewPCG(p.Seed, 0))}
	byUrgency(c.draft, c.order)
	lowest, err := c.replay(unlimited)
	if err != nil {
		return model.Result{}, err
	}
	best := model.Result{Plan: c.snapshot()}
	kept := slices.Clone(c.order)
	load := in.Load()
	iterations, patience := cmp.Or(p.Iterations, 99999), cmp.Or(p.Patience, 500)
	climbable := lowest > load && c.connect(ctx)
	for i, last := 0, 0; i < iterations && i-last < patience && lowest > load && climbable && ctx.Err() == nil; i++ {
		c.step(i - last)
		peak, err := c.replay(lowest)
		if err != nil {
			return model.Result{}, err
		}
		if peak > lowest {
			copy(c.order, kept)
			continue
		}
		if peak < lowest {
			last = i
		}
		lowest, best.Plan = peak, c.snapshot()
		copy(kept, c.order)
	}
	best.Stats.Placements = c.count
	return best, nil
}

// byUrgency orders by the most live bytes during the life.
func byUrgency(t *draft, items []item) {
	w := newWidths(t.in)
	urgency := make([]int64, len(t.bodies))
	for _, it := range items {
		if s := t.widest(w, it); s >= 0 {
			urgency[it.body] = w.bytes[s]
		}
	}
	slices.SortFunc(items, func(a, b item) int {
		return cmp.Or(cmp.Compare(urgency[b.body], urgency[a.body]), cmp.Compare(duration(b.life), duration(a.life)),
			cmp.Compare(a.life.Start, b.life.Start), cmp.Compare(b.size, a.size), cmp.Compare(a.body, b.body))
	})
}

// velaClimb is the state of a [VelaHillClimb].
type velaClimb struct {
	*climb
	random *rand.Rand
	seen   []bool // by place in the order
	places []int
}

// step exchanges two items of the order, four when stuck for long.
func (c *velaClimb) step(stuck int) {
	top := c.order[0].body
	for _, it := range c.order {
		if c.end[it.body] > c.end[top] || c.end[it.body] == c.end[top] && it.body < top {
			top = it.body
		}
	}
	c.seen, c.places = make([]bool, len(c.order)), c.places[:0]
	c.support(top)
	for _, k := range c.near[top] {
		c.support(int(k))
	}
	var apart []int // places of bodies that do not conflict with the top
	for _, i := range c.places {
		if k := c.order[i].body; k != top && !c.conflict(top, k) {
			apart = append(apart, i)
		}
	}
	i := c.draw(c.places)
	if c.random.IntN(101) < 30 && len(apart) > 0 {
		i = c.draw(apart)
	}
	j := c.places[c.random.IntN(max(len(c.places)-1, 1))]
	if i == j {
		j = c.places[len(c.places)-1]
	}
	c.swap(i, j)
	if stuck <= 50 {
		return
	}
	for _, i := range apart {
		for _, k := range c.near[c.order[i].body] {
			c.add(int(k))
		}
	}
	c.swap(c.draw(c.places), c.draw(c.places))
}

func (c *velaClimb) draw(places []int) int { return places[c.random.IntN(len(places))] }

// add notes the place of body k, once.
func (c *velaClimb) add(k int) {
	if i := c.turn[k]; !c.seen[i] {
		c.seen[i] = true
		c.places = append(c.places, i)
	}
}

// support adds body k and what it rests on, down to the ground.
func (c *velaClimb) support(k int) {
	for k >= 0 {
		c.add(k)
		k = c.below(k)
	}
}

// conflict reports whether bodies a and b conflict.
func (c *velaClimb) conflict(a, b int) bool {
	_, found := slices.BinarySearch(c.near[a], int32(b))
	return found
}
