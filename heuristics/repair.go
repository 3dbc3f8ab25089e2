package heuristics

import (
	"cmp"
	"math/bits"
	"slices"

	"memplan/model"
)

// minLocal is the number of bodies from which on an exchange is worked out
// locally. With a hundred bodies live at once it moves about a thousand, however
// many there are; placing five thousand anew costs the same.
const minLocal = 1 << 14

// replan gives what replay gives, after the order was changed by swap alone
// since the last placement of all.
func (c *climb) replan() (peak int64, err error) {
	if len(c.order) < minLocal || c.near == nil || !c.plain() {
		return c.replay(unlimited)
	}
	return c.repair()
}

// plain reports whether every body is one buffer with bytes, neither pinned nor
// with gaps.
func (c *climb) plain() bool {
	if len(c.bodies) != len(c.in.Buffers) {
		return false
	}
	return !slices.ContainsFunc(c.in.Buffers, func(b model.Buffer) bool { return b.Size == 0 || b.Offset != nil || len(b.Gaps) > 0 })
}

// repair places anew, in order, the bodies with other bodies before them than
// at their last placement, and those that conflict with one whose offset this
// changed. The bodies must be plain.
// Cost: O(d log d) for each of them with d conflicts, and O(n).
func (c *climb) repair() (peak int64, err error) {
	stale := make([]uint64, (len(c.order)+63)/64) // a bit a place
	mark := func(place int) { stale[place/64] |= 1 << (place % 64) }
	for _, place := range c.moved {
		k := c.order[place].body
		from, to := min(c.turn[k], place), max(c.turn[k], place)
		c.turn[k] = place
		if from == to {
			continue
		}
		mark(place)
		for _, j := range c.near[k] {
			if from <= c.turn[j] && c.turn[j] <= to {
				mark(c.turn[j])
			}
		}
	}
	c.moved = c.moved[:0]
	for w := range stale {
		for stale[w] != 0 {
			place := 64*w + bits.TrailingZeros64(stale[w])
			stale[w] &= stale[w] - 1
			changed, err := c.refit(place)
			if err != nil {
				return 0, err
			}
			for _, j := range changed {
				if c.turn[j] > place {
					mark(c.turn[j])
				}
			}
		}
	}
	return slices.Max(c.end), nil
}

// refit places the body at that place of the order by first fit among those
// before it, and lists its neighbours if its offset has changed.
func (c *climb) refit(place int) (near []int32, err error) {
	it := c.order[place]
	root := c.bodies[it.body][0]
	below := c.under[:0]
	for _, j := range c.near[it.body] {
		if c.turn[j] < place {
			below = append(below, model.Interval{Start: c.offsets[c.bodies[j][0]], End: c.end[j]})
		}
	}
	slices.SortFunc(below, func(a, b model.Interval) int { return cmp.Compare(a.Start, b.Start) })
	var off, top int64
	fits := true
	for _, used := range below {
		if used.Start-off >= it.size {
			break
		}
		if top = max(top, used.End); off < top {
			off, fits = model.AlignUp(top, c.in.Buffers[root].Alignment())
		}
		if !fits {
			break
		}
	}
	c.under = below
	end, ok := model.Add(off, it.size)
	if !fits || !ok {
		return nil, overflow(&c.in.Buffers[root])
	}
	if off == c.offsets[root] && end == c.end[it.body] {
		return nil, nil
	}
	c.count++
	c.offsets[root], c.end[it.body] = off, end
	return c.near[it.body], nil
}
