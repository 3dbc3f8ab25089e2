package corpus

import (
	"encoding/binary"
	"slices"
	"testing"

	"memplan/model"
)

// brute is the optimal peak, by trying the buffers in every order of offset:
// each as low as those before it allow, pinned ones where they must be. Every
// plan, pushed down, is one of these. For ten buffers at most.
func brute(in *model.Instance) int64 {
	b := bruteForce{in: in, placed: make([]bool, len(in.Buffers)), at: make([]int64, len(in.Buffers)), best: model.MaxBytes}
	b.place(0, 0)
	return b.best
}

type bruteForce struct {
	in     *model.Instance
	placed []bool
	at     []int64
	best   int64
}

func (b *bruteForce) place(depth int, peak int64) {
	if peak >= b.best {
		return
	}
	if depth == len(b.at) {
		b.best = peak
		return
	}
	for i := range b.at {
		if b.placed[i] {
			continue
		}
		x := &b.in.Buffers[i]
		low := int64(0)
		for j, done := range b.placed {
			if o := &b.in.Buffers[j]; done && o.Conflicts(x) {
				low = max(low, b.at[j]+o.Size)
			}
		}
		low, _ = model.AlignUp(low, x.Align)
		if x.Offset != nil {
			if *x.Offset < low {
				continue
			}
			low = *x.Offset
		}
		b.placed[i], b.at[i] = true, low
		b.place(depth+1, max(peak, low+x.Size))
		b.placed[i] = false
	}
}

// exact is the optimal peak of an instance without alignment, pins and gaps,
// height by height from the load.
func exact(in *model.Instance) int64 {
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
	c := canonical{in: in, height: height, failed: map[string]bool{}}
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

type canonical struct {
	in          *model.Instance
	height      int64
	spans       [][]int // sections of each buffer
	floor, left []int64 // of each section: filled up to, bytes unplaced
	placed      uint64
	failed      map[string]bool
}

// search places the rest, none below level, and none at level with an index up
// to last.
func (c *canonical) search(depth int, level int64, last int) bool {
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
		floors := slices.Clone(c.floor)
		if c.put(i, off) && c.search(depth+1, off, i) {
			return true
		}
		c.placed &^= 1 << i
		for _, s := range c.spans[i] {
			c.left[s] += c.in.Buffers[i].Size
		}
		c.floor = floors
	}
	c.failed[key] = true
	return false
}

// put places i, and reports whether every section can still hold what is left.
func (c *canonical) put(i int, off int64) bool {
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

func (c *canonical) key(level int64, last int) string {
	key := binary.AppendUvarint(nil, c.placed)
	key = binary.AppendVarint(binary.AppendVarint(key, level), int64(last))
	for s, f := range c.floor {
		if c.left[s] > 0 {
			key = binary.AppendVarint(key, max(f, level))
		}
	}
	return string(key)
}

// TestOracles: the two agree, so that a mistake would have to be in both.
func TestOracles(t *testing.T) {
	above := 0
	for seed := range int64(1000) {
		in := chain(8, 6, seed)
		a, b := brute(in), exact(in)
		if a != b {
			t.Fatalf("chain-8-6-%d: %d by brute force, %d by search", seed, a, b)
		}
		if a > in.Load() {
			above++
		}
	}
	for _, rows := range [][]row{sixFits, sevenAbove, sevenTwins, eightAbove} {
		in := listed("b", rows)
		a, b := brute(in), exact(in)
		if a != b {
			t.Errorf("%v: %d by brute force, %d by search", rows, a, b)
		}
		if a > in.Load() {
			above++
		}
	}
	if above < 3 {
		t.Errorf("%d instances above their load: too few to try the search on", above)
	}
}

// optimum is the optimal peak of a small instance.
func optimum(in *model.Instance) int64 {
	for _, b := range in.Buffers {
		if b.Alignment() > 1 || b.Offset != nil || len(b.Gaps) > 0 || b.Size == 0 {
			return brute(in)
		}
	}
	return exact(in)
}
