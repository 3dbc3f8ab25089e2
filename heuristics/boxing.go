package heuristics

import (
	"cmp"
	"context"
	"math/bits"
	"slices"

	"memplan/model"
)

// Boxing is approximate. Order: by the offsets of the construction of
// Buchsbaum et al., then index; fit: first, which puts no buffer above its
// offset there and lowers many. The construction, for an epsilon:
//
//  1. Large buffers, above epsilon^4 of the load, are packed by exact search,
//     to begin with by first-fit-decreasing, within a budget of work.
//  2. Small buffers lie above them. Sizes are rounded up to classes that grow
//     by 1+epsilon; each class is shared out over boxes of 1/epsilon times the
//     largest small size (Corollary 15, by way of [boxer]); boxes are coloured
//     with the fewest rows.
//
// Their reduction of the ratio between sizes before step 2 (Theorem 16) needs
// sizes that differ by more than epsilon^-6 lg^14, which int64 does not hold.
// Cost: O(n log n) windows and holes for step 2 where few rounds are needed,
// O(n^2) at worst; 2^24 looks at a section for step 1; O(m) for the fit.
// Guarantee, without alignment, ties, gaps and pins: the optimum of the large
// (if the search ends within its budget) plus (1+9 epsilon) times the load plus
// what depends on epsilon and the small sizes alone: 2+O(epsilon) times the
// optimum as the small sizes shrink against the load.
// Source: Buchsbaum, Karloff, Kenyon, Reingold and Thorup 2004.
type Boxing struct {
	Inverse int // 1/epsilon, at most 1000; 0: 2
}

func (Boxing) Name() string { return "boxing" }
func (Boxing) Definition() string {
	return "by the offsets of the boxing of Buchsbaum et al. (2+epsilon), large buffers by search; " + FirstFit.rule()
}

func (p Boxing) Plan(ctx context.Context, in *model.Instance) (model.Result, error) {
	return list(ctx, in, p.order, FirstFit)
}

func (p Boxing) order(t *draft, items []item) {
	at := make([]int64, len(t.bodies))
	inverse := min(cmp.Or(p.Inverse, 2), 1000)
	large, small := split(scaled(items), uint64(inverse))
	boxAll(small, inverse, at, packLarge(large, at))
	slices.SortFunc(items, func(a, b item) int {
		return cmp.Or(cmp.Compare(at[a.body], at[b.body]), cmp.Compare(a.body, b.body))
	})
}

// scaled copies the items that have bytes, their sizes in units such that no
// sum of theirs, nor a thousand times that, leaves int64.
func scaled(items []item) []item {
	var largest int64
	for _, it := range items {
		largest = max(largest, it.size)
	}
	shift := max(0, bits.Len64(uint64(largest))+bits.Len(uint(len(items)))-50)
	var list []item
	for _, it := range items {
		if it.size > 0 {
			it.size = (it.size-1)>>shift + 1
			list = append(list, it)
		}
	}
	return list
}

// hulls is the items as an instance.
func hulls(items []item) *model.Instance {
	in := &model.Instance{Buffers: make([]model.Buffer, len(items))}
	for i, it := range items {
		in.Buffers[i] = model.Buffer{Life: it.life, Size: it.size}
	}
	return in
}

// split tells the large items, above 1/inverse^4 of their load, from the small.
func split(items []item, inverse uint64) (large, small []item) {
	load := wide{lo: uint64(hulls(items).Load())}
	for _, it := range items {
		if times(uint64(it.size), inverse*inverse*inverse*inverse).compare(load) > 0 {
			large = append(large, it)
		} else {
			small = append(small, it)
		}
	}
	return large, small
}

// packLarge gives the items their offsets, and returns the highest end.
func packLarge(items []item, at []int64) (top int64) {
	in := hulls(items)
	r, err := Decreasing{}.Plan(context.Background(), in)
	if err != nil || r.Plan == nil {
		panic("heuristics: scaled sizes do not fit in int64")
	}
	offsets, _ := pack(items, r.Plan.Offsets, 1<<24)
	for i, it := range items {
		at[it.body] = offsets[i]
		top = max(top, offsets[i]+it.size)
	}
	return top
}

// A part is something in a box, at an offset.
type part struct {
	body   int
	offset int64
}

// boxAll gives the items offsets from base on: it boxes each class of sizes and
// colours all boxes.
func boxAll(items []item, inverse int, at []int64, base int64) {
	if len(items) == 0 {
		return
	}
	slices.SortFunc(items, func(a, b item) int {
		return cmp.Or(cmp.Compare(a.size, b.size), cmp.Compare(a.body, b.body))
	})
	height := items[len(items)-1].size * int64(inverse)
	var boxes []item // body: the index in contents
	var contents [][]part
	for len(items) > 0 {
		n := 1
		for n < len(items) && items[n].size*int64(inverse) <= items[0].size*int64(inverse+1) {
			n++
		}
		boxes, contents = boxClass(items[:n], height, inverse, boxes, contents)
		items = items[n:]
	}
	size := make([]int64, len(contents))
	for _, b := range boxes {
		size[b.body] = b.size
	}
	byBirth(nil, boxes)
	for _, row := range colour(boxes) {
		var top int64
		for _, k := range row {
			for _, p := range contents[k] {
				at[p.body] = base + p.offset
			}
			top = max(top, size[k])
		}
		base += top
	}
}

// boxClass boxes items of about one size, in order of size, and appends their
// boxes.
func boxClass(items []item, height int64, inverse int, boxes []item, contents [][]part) ([]item, [][]part) {
	class := items[len(items)-1].size
	b := boxer{items: items, rows: int(min(height/class, int64(len(items)))), inverse: inverse}
	b.box()
	first := len(boxes)
	for k := range b.boxes {
		boxes = append(boxes, item{body: first + k})
		contents = append(contents, nil)
	}
	for i, s := range b.seats {
		it, box, in := items[i], &boxes[first+s.box], &contents[first+s.box]
		if len(*in) == 0 {
			box.life = it.life
		}
		offset := int64(s.row) * class
		box.life = model.Interval{Start: min(box.life.Start, it.life.Start), End: max(box.life.End, it.life.End)}
		box.size = max(box.size, offset+it.size)
		*in = append(*in, part{it.body, offset})
	}
	return boxes, contents
}
