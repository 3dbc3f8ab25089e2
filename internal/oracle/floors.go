package oracle

import (
	"encoding/binary"
	"slices"

	"memplan/model"
)

// Peak is the optimal peak of a small instance without ties, by the quicker of
// the ways that know its features.
func Peak(in *model.Instance) int64 {
	for _, b := range in.Buffers {
		if b.Alignment() > 1 || b.Offset != nil || len(b.Gaps) > 0 || b.Size == 0 {
			return ByOrders(in)
		}
	}
	return ByFloors(in)
}

// ByFloors is the optimal peak of an instance without alignment, pins, gaps, ties
// and empty buffers, height by height from the load. For about fifteen buffers.
func ByFloors(in *model.Instance) int64 {
	height := in.Load()
	for !fits(in, height) {
		height++
	}
	return height
}

// fits decides whether a plan with a peak of at most height exists, placing the
// buffers in order of offset, each as low as possible, and remembering failed
// states: which buffers are placed, and how high each section is filled.
func fits(in *model.Instance, height int64) bool {
	c := floors{in: in, height: height, failed: map[string]bool{}}
	for s := range in.Sections() {
		k := len(c.floor)
		for i, b := range in.Buffers {
			if b.Life.Contains(s.Steps) {
				if len(c.spans) <= i {
					c.spans = append(c.spans, make([][]int, i+1-len(c.spans))...)
				}
				c.spans[i] = append(c.spans[i], k)
			}
		}
		c.floor, c.left = append(c.floor, 0), append(c.left, s.Bytes)
	}
	return c.search(0, 0, -1)
}

type floors struct {
	in          *model.Instance
	height      int64
	spans       [][]int // sections of each buffer
	floor, left []int64 // of each section: filled up to, bytes unplaced
	placed      uint64
	failed      map[string]bool
}

// search places the rest, none below level, and none at level with an index up
// to last.
func (c *floors) search(depth int, level int64, last int) bool {
	if depth == len(c.in.Buffers) {
		return true
	}
	key := c.key(level, last)
	if c.failed[key] {
		return false
	}
	for i := range c.in.Buffers {
		if c.placed&(1<<i) != 0 {
			continue
		}
		off := int64(0)
		for _, s := range c.spans[i] {
			off = max(off, c.floor[s])
		}
		if off < level || off == level && i < last {
			continue // it may be lifted later
		}
		before := slices.Clone(c.floor)
		if c.put(i, off) && c.search(depth+1, off, i) {
			return true
		}
		c.placed &^= 1 << i
		for _, s := range c.spans[i] {
			c.left[s] += c.in.Buffers[i].Size
		}
		c.floor = before
	}
	c.failed[key] = true
	return false
}

// put places i, and reports whether every section can still hold what is left.
func (c *floors) put(i int, off int64) bool {
	size := c.in.Buffers[i].Size
	c.placed |= 1 << i
	for _, s := range c.spans[i] {
		c.left[s] -= size
		c.floor[s] = off + size
	}
	for s := range c.floor {
		if c.left[s] > 0 && max(c.floor[s], off)+c.left[s] > c.height || c.floor[s] > c.height {
			return false
		}
	}
	return true
}

func (c *floors) key(level int64, last int) string {
	key := binary.AppendUvarint(nil, c.placed)
	key = binary.AppendVarint(binary.AppendVarint(key, level), int64(last))
	for s, f := range c.floor {
		if c.left[s] > 0 {
			key = binary.AppendVarint(key, max(f, level))
		}
	}
	return string(key)
}
