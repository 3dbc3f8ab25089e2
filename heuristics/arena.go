package heuristics

import (
	"slices"

	"memplan/model"
)

// A rect is one live part of a placed buffer.
type rect struct{ life, bytes model.Interval }

// An arena holds the rectangles placed so far, so that those that meet a
// lifetime can be walked by rising address without sorting them.
//
// Time is cut into blocks, and each block keeps the rectangles that meet it, by
// address. A block ends once as many parts were born in it as were alive at
// its start (or half of those died), which bounds the entries of all blocks by
// 3n plus the smallest block times their number, and the entries that a lifetime
// meets by a small multiple of the buffers it meets.
//
// Cost: building O(n log n); insertion and search linear in the entries of the
// blocks that the lifetime meets, by sequential reads; 32 bytes an entry.
type arena struct {
	cuts   []int64 // block b covers the steps [cuts[b], cuts[b+1]); the last has no end
	first  []int   // the entries of block b are placed[first[b]:first[b]+count[b]]
	count  []int
	placed []rect
	any    bool // something was inserted

	runs, more, spare []model.Interval // find's own: the forbidden offsets, and room to add to them
}

// minBlock is the number of births below which a block is not closed.
const minBlock = 32

// newArena makes room for the live parts of all buffers of in.
func newArena(in *model.Instance) *arena {
	births := make([]int64, 0, len(in.Buffers))
	deaths := make([]int64, 0, len(in.Buffers))
	for i := range in.Buffers {
		if in.Buffers[i].Size == 0 {
			continue
		}
		for part := range in.Buffers[i].Live() {
			births, deaths = append(births, part.Start), append(deaths, part.End)
		}
	}
	slices.Sort(births)
	slices.Sort(deaths)
	a := &arena{}
	live, start, born, died := 0, 0, 0, 0 // start, born, died: of the open block
	size := 0
	for i, j := 0, 0; i < len(births); {
		step := births[i]
		for ; deaths[j] <= step; j++ {
			live--
			died++
		}
		if i == 0 || born >= max(start, minBlock) || died >= minBlock && 2*died >= start {
			a.cuts, a.first = append(a.cuts, step), append(a.first, size)
			start, born, died = live, 0, 0
			size += live
		}
		for ; i < len(births) && births[i] == step; i++ {
			live++
			born++
			size++
		}
	}
	a.count = make([]int, len(a.cuts))
	a.placed = make([]rect, size)
	return a
}

// clear takes everything out.
func (a *arena) clear() {
	clear(a.count)
	a.any = false
}

// blocks is the range of the blocks that life meets.
func (a *arena) blocks(life model.Interval) (from, to int) {
	from, found := slices.BinarySearch(a.cuts, life.Start)
	if !found {
		from = max(from-1, 0)
	}
	for to = from; to < len(a.cuts) && a.cuts[to] < life.End; to++ {
	}
	return from, to
}

// block lists the rectangles placed in block b, by address.
func (a *arena) block(b int) []rect { return a.placed[a.first[b]:][:a.count[b]] }

// insert places r.
func (a *arena) insert(r rect) {
	a.any = true
	for b, to := a.blocks(r.life); b < to; b++ {
		in := a.block(b)
		at, _ := slices.BinarySearchFunc(in, r.bytes.Start, func(e rect, start int64) int {
			if e.bytes.Start <= start {
				return -1
			}
			return 1
		})
		a.count[b]++
		in = a.block(b)
		copy(in[at+1:], in[at:])
		in[at] = r
	}
}

// overlaps reports whether r shares a byte and a step with what is placed.
func (a *arena) overlaps(r rect) bool {
	for b, to := a.blocks(r.life); b < to; b++ {
		for _, e := range a.block(b) {
			if e.bytes.Start >= r.bytes.End {
				break
			}
			if e.bytes.End > r.bytes.Start && e.life.Meets(r.life) {
				return true
			}
		}
	}
	return false
}
