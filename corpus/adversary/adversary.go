// Package adversary searches for the instances on which a planner is worst.
package adversary

import (
	"context"
	"errors"
	"math/bits"

	"memplan/model"
)

// A Search climbs, by seeded random changes, towards the instance for which the
// victim's peak is the largest multiple of the optimum, or of a rival's peak.
//
// Each change that makes the ratio larger, or leaves it, is kept; after Patience
// changes in a row that did not make it larger the climb starts anew from a
// random instance. An instance is asked of the oracle only when its peak is as
// large a multiple of its load as the ratio to beat is, for the optimum is never
// below the load. Everything is counted: the same fields give the same find.
// The zero value of each number is its default.
type Search struct {
	Victim model.Planner
	Oracle model.Planner // an exact planner: what it does not prove is passed over
	Rival  model.Planner // when not nil, its peak is what counts, and nothing is proven

	Buffers  int    // at most that many, 8
	MaxSize  int64  // bytes, 16
	Steps    int64  // lives are within [0, Steps), 6
	Tries    int64  // instances looked at, 100,000
	Patience int64  // 2,000
	Seed     uint64 // 0
	Overlaps bool   // buffers may lie over others that die where they begin, by pairs

	Progress func(done, total int64) // told before each try; may be nil
}

// A Find is the worst instance found.
type Find struct {
	Instance *model.Instance
	Peak     int64        // the victim's
	Best     int64        // the optimum, or the rival's peak
	Result   model.Result // the oracle's, with plan and certificate, or the rival's
	Tries    int64
	Asked    int64 // how often the oracle or rival was asked
}

// worse reports whether f's ratio is above g's.
func (f *Find) worse(g *Find) bool { return above(f.Peak, f.Best, g.Peak, g.Best) }

// above reports whether a/b > c/d, for positive numbers.
func above(a, b, c, d int64) bool {
	h1, l1 := bits.Mul64(uint64(a), uint64(d))
	h2, l2 := bits.Mul64(uint64(c), uint64(b))
	return h1 > h2 || h1 == h2 && l1 > l2
}

// Run searches until the tries are used up or ctx ends. The find is reduced as
// far as its ratio allows. An error is one of a planner.
func (s Search) Run(ctx context.Context) (*Find, error) {
	if s.Victim == nil || s.Oracle == nil && s.Rival == nil {
		return nil, errors.New("adversary: a victim and an oracle or rival are needed")
	}
	s.defaults()
	c := climb{Search: s, ctx: ctx, d: newDice(s.Seed)}
	best := &Find{Peak: 1, Best: 1}
	for c.tries < s.Tries && ctx.Err() == nil {
		find, err := c.once()
		if err != nil {
			return nil, err
		}
		if find.Instance != nil && (best.Instance == nil || find.worse(best)) {
			best = find
		}
	}
	if best.Instance == nil {
		return nil, errors.New("adversary: no instance was decided")
	}
	if err := c.reduce(best); err != nil {
		return nil, err
	}
	best.Tries, best.Asked = c.tries, c.asked
	best.Instance.Name = "worst-" + s.Victim.Name()
	return best, nil
}

func (s *Search) defaults() {
	for _, d := range []struct {
		field   *int64
		initial int64
	}{{&s.MaxSize, 16}, {&s.Steps, 6}, {&s.Tries, 100_000}, {&s.Patience, 2_000}} {
		if *d.field <= 0 {
			*d.field = d.initial
		}
	}
	if s.Buffers <= 0 {
		s.Buffers = 8
	}
}

// A climb is a search under way.
type climb struct {
	Search
	ctx          context.Context
	d            dice
	tries, asked int64
}

// once climbs from one random instance until patience ends.
func (c *climb) once() (*Find, error) {
	here := &Find{Peak: 1, Best: 1}
	rows := c.random()
	for idle := int64(0); idle < c.Patience && c.tries < c.Tries && c.ctx.Err() == nil; idle++ {
		next := rows
		if here.Instance != nil {
			next = c.changed(rows)
		}
		if c.Progress != nil {
			c.Progress(c.tries, c.Tries)
		}
		c.tries++
		find, err := c.judge(next, here)
		if err != nil {
			return nil, err
		}
		if find == nil {
			if here.Instance == nil {
				rows = c.random()
			}
			continue
		}
		if find.worse(here) {
			idle = 0
		}
		here, rows = find, next
	}
	return here, nil
}

// judge plans an instance with the victim and, when its ratio may be at least
// that of the find to beat, asks the oracle. It returns nil when the ratio is
// smaller, or unproven.
func (c *climb) judge(rows []row, beat *Find) (*Find, error) {
	in := instance(rows)
	r, err := c.Victim.Plan(c.ctx, in)
	if err != nil || r.Plan == nil {
		return nil, err
	}
	f := &Find{Instance: in, Peak: r.Plan.Peak(in), Best: in.Load()}
	if f.Best == 0 || beat.worse(f) {
		return nil, nil
	}
	c.asked++
	other := c.Rival
	if other == nil {
		other = c.Oracle
	}
	if f.Result, err = other.Plan(c.ctx, in); err != nil || f.Result.Plan == nil {
		return nil, err
	}
	if f.Best = f.Result.Plan.Peak(in); c.Rival == nil && f.Best > f.Result.Bound || beat.worse(f) {
		return nil, nil
	}
	return f, nil
}
