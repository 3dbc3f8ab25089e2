package heuristics

import (
	"context"
	"math"
	"slices"

	"memplan/model"
)

// maxGraph is the number of conflicts above which nobody lists the neighbours
// of every body: what needs them keeps the plan of its first order.
const maxGraph = 1 << 26

// A climb is an order of bodies under change: what the hill climbs share.
type climb struct {
	*draft
	near  [][]int32 // for each body those it conflicts with that are not pinned, by index; connect makes it
	order []item
	turn  []int   // turn[k] is body k's place in the order at its last placement
	end   []int64 // end[k] is body k's highest end at its last placement
	moved []int   // places that swap has touched since the last placement of all

	under []model.Interval // refit's own
}

func newClimb(in *model.Instance) *climb {
	c := &climb{draft: newDraft(in)}
	c.order = c.items()
	c.turn, c.end = make([]int, len(c.bodies)), make([]int64, len(c.bodies))
	return c
}

// connect lists the neighbours of all bodies, and reports whether there was time
// for it, there are few enough of them, and there is something to exchange.
func (c *climb) connect(ctx context.Context) bool {
	if len(c.order) < 2 || c.in.Conflicts() > maxGraph {
		return false
	}
	near := c.in.NeighboursWithin(ctx)
	if near == nil {
		return false
	}
	c.near = c.graph(near)
	return true
}

// graph lists, for each body, the bodies it conflicts with that are not pinned,
// of what each buffer conflicts with, which it may take apart.
func (c *climb) graph(buffers [][]int32) [][]int32 {
	body := make([]int32, len(c.in.Buffers))
	alone := true // each body is the buffer of its number
	for k, b := range c.bodies {
		for _, i := range b {
			body[i] = int32(k)
			alone = alone && i == k
		}
	}
	pinned := func(k int32) bool { return c.in.Buffers[c.bodies[k][0]].Offset != nil }
	if alone {
		for k := range buffers {
			buffers[k] = slices.DeleteFunc(buffers[k], pinned)
		}
		return buffers
	}
	near := make([][]int32, len(c.bodies))
	for i, js := range buffers {
		for _, j := range js {
			if k := body[j]; k != body[i] && !pinned(k) {
				near[body[i]] = append(near[body[i]], k)
			}
		}
	}
	for k := range near {
		slices.Sort(near[k])
		near[k] = slices.Compact(near[k])
	}
	return near
}

// replay places all bodies anew, in order, by first fit; it stops once the
// peak, which it returns, exceeds limit.
func (c *climb) replay(limit int64) (peak int64, err error) {
	c.arena.clear()
	c.moved = c.moved[:0]
	for k, b := range c.bodies {
		if off := c.in.Buffers[b[0]].Offset; off != nil {
			if reach := c.put(b, *off); reach > 0 {
				c.end[k] = *off + reach
				peak = max(peak, c.end[k])
			}
		}
	}
	for turn, it := range c.order {
		b := c.bodies[it.body]
		off, err := c.arena.find(c.in, b, FirstFit, 0)
		if err != nil {
			return 0, err
		}
		c.put(b, off)
		c.turn[it.body], c.end[it.body] = turn, off+it.size
		if peak = max(peak, c.end[it.body]); peak > limit {
			break
		}
	}
	return peak, nil
}

// snapshot is the plan as it stands.
func (c *climb) snapshot() *model.Plan {
	return &model.Plan{Offsets: slices.Clone(c.offsets)}
}

// swap exchanges the items at two places of the order.
func (c *climb) swap(i, j int) {
	c.order[i], c.order[j] = c.order[j], c.order[i]
	c.moved = append(c.moved, i, j)
}

// below is a body, placed before k, on which k rests; -1 on the ground.
func (c *climb) below(k int) int {
	root := c.bodies[k][0]
	off := c.offsets[root]
	if off == 0 {
		return -1
	}
	for _, j := range c.near[k] {
		if rest, _ := model.AlignUp(c.end[j], c.in.Buffers[root].Alignment()); rest == off && c.turn[j] < c.turn[k] {
			return int(j)
		}
	}
	return -1
}

// unlimited is a limit that no peak exceeds.
const unlimited = math.MaxInt64
