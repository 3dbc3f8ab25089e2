package verify

import (
	"fmt"
	"iter"
	"math"
	"math/bits"
	"slices"

	"memplan/model"
)

// overlaps adds every pair of buffers that share a byte and a step. Time is
// swept; the live buffers are held in a tree over all buffers in the order of
// their offsets, each node knowing the highest end of the live ones below it,
// so that a birth finds all that it lands on in O(log n) each.
func overlaps(f *Faults, in *model.Instance, p model.Plan, inRange []bool) {
	placed, rank := byOffset(in, p)
	live, of := newEnds(len(placed)), pairsOf(in)
	for _, e := range changes(in, inRange, rank) {
		own := &placed[e.who]
		if !e.birth {
			live.set(int(e.who), 0)
			continue
		}
		for r := range live.above(own.offset) {
			if placed[r].offset >= own.end {
				break // all others are as high
			}
			i, o := int(own.buffer), int(placed[r].buffer)
			steps := firstShared(&in.Buffers[i], &in.Buffers[o])
			if steps.Start != e.step || of.allow(in, p, i, o) {
				continue
			}
			if !f.add(overlap(in, p, min(i, o), max(i, o), steps, of)) {
				return
			}
		}
		live.set(int(e.who), own.end)
	}
}

func overlap(in *model.Instance, p model.Plan, i, j int, steps model.Interval, of pairs) Fault {
	a, b := &in.Buffers[i], &in.Buffers[j]
	at, bt := p.Offsets[i], p.Offsets[j]
	return Fault{Overlap, i, j, steps, fmt.Sprintf("buffers %q at [%d,%d) and %q at [%d,%d) overlap, both live at steps %v",
		a.ID, at, at+a.Size, b.ID, bt, bt+b.Size, steps) + of.missed(in, p, i, j)}
}

// A place is where a plan has a buffer, from its offset to its end, which is
// meaningless where it leaves int64.
type place struct {
	offset, end int64
	buffer      int32
}

// byOffset lists the buffers by offset, then index, and the rank of each.
func byOffset(in *model.Instance, p model.Plan) (placed []place, rank []int32) {
	placed = make([]place, len(p.Offsets))
	for i, at := range p.Offsets {
		placed[i] = place{at, at + in.Buffers[i].Size, int32(i)}
	}
	placed = sorted(placed, func(at *place) int64 { return at.offset })
	rank = make([]int32, len(placed))
	for r := range placed {
		rank[placed[r].buffer] = int32(r)
	}
	return placed, rank
}

// A change is a birth or death, at the end of a live part, of whoever has a number.
type change struct {
	step  int64
	who   int32
	birth bool
}

// changes lists the births and deaths of buffers, by their ranks, in order of
// time, deaths first within a step: a buffer is dead at the step it ends at.
func changes(in *model.Instance, inRange []bool, rank []int32) []change {
	list := make([]change, 0, 2*len(in.Buffers))
	for _, birth := range [...]bool{false, true} {
		for i := range in.Buffers {
			if !inRange[i] || in.Buffers[i].Size == 0 {
				continue
			}
			for _, part := range parts(&in.Buffers[i]) {
				list = append(list, changeOf(rank[i], part, birth))
			}
		}
	}
	return inTime(list)
}

// changeOf is the birth, or the death, of who is live for a part.
func changeOf(who int32, part model.Interval, birth bool) change {
	if birth {
		return change{part.Start, who, true}
	}
	return change{part.End, who, false}
}

// inTime sorts changes by step. Those of one step stay as they were.
func inTime(list []change) []change {
	return sorted(list, func(c *change) int64 { return c.step })
}

// sorted is a list by rising keys, those with equal keys as they were: a radix
// sort, a byte at a time from the last. The list given is room for it.
func sorted[T any](list []T, key func(*T) int64) []T {
	least, most := int64(math.MaxInt64), int64(math.MinInt64)
	for i := range list {
		k := key(&list[i])
		least, most = min(least, k), max(most, k)
	}
	next := make([]T, len(list))
	for shift, width := 0, bits.Len64(uint64(most)-uint64(least)); shift < width; shift += 8 {
		digit := func(e *T) byte { return byte((uint64(key(e)) - uint64(least)) >> shift) }
		var below [257]int // from here on, by digit
		for i := range list {
			below[int(digit(&list[i]))+1]++
		}
		for d := range 256 {
			below[d+1] += below[d]
		}
		for i := range list {
			to := &below[digit(&list[i])]
			next[*to] = list[i]
			*to++
		}
		list, next = next, list
	}
	return list
}

// parts lists what the gaps leave of a buffer's lifetime.
func parts(b *model.Buffer) []model.Interval {
	left := make([]model.Interval, 0, 1+len(b.Gaps))
	from := b.Life.Start
	for _, g := range b.Gaps {
		if from < g.Start {
			left = append(left, model.Interval{Start: from, End: g.Start})
		}
		from = max(from, g.End)
	}
	if from < b.Life.End {
		left = append(left, model.Interval{Start: from, End: b.Life.End})
	}
	return left
}

// firstShared is the first run of steps at which both are live; empty when
// there is none.
func firstShared(a, b *model.Buffer) model.Interval {
	pa, pb := parts(a), parts(b)
	for len(pa) > 0 && len(pb) > 0 {
		from, to := max(pa[0].Start, pb[0].Start), min(pa[0].End, pb[0].End)
		switch {
		case from < to:
			return model.Interval{Start: from, End: to}
		case pa[0].End <= pb[0].End:
			pa = pa[1:]
		default:
			pb = pb[1:]
		}
	}
	return model.Interval{}
}

// ends is a tree over ranks 0..n-1 that holds an end for each, 0 for none, and
// above every eight the highest of them: rows[k+1][i] is that of rows[k][8*i:8*i+8].
type ends struct{ rows [][]int64 }

// broad is the number of children of a node, a power of two: so many numbers are
// read together.
const broad = 8

func newEnds(n int) *ends {
	var t ends
	for {
		n = (n + broad - 1) / broad
		t.rows = append(t.rows, make([]int64, broad*max(n, 1)))
		if n <= 1 {
			return &t
		}
	}
}

func (t *ends) set(rank int, end int64) {
	for _, row := range t.rows {
		if row[rank] == end {
			return // and so nothing above changes
		}
		row[rank] = end
		rank /= broad
		end = slices.Max(row[rank*broad:][:broad])
	}
}

// above yields each rank whose end is above a number, in order. What is yielded
// may not be changed meanwhile.
func (t *ends) above(number int64) iter.Seq[int] {
	return func(yield func(int) bool) { t.walk(len(t.rows)-1, 0, number, yield) }
}

// walk does so below the node that begins at first in a row, and reports whether
// it went to the end.
func (t *ends) walk(row, first int, number int64, yield func(int) bool) bool {
	for k, end := range t.rows[row][first:][:broad] {
		switch {
		case end <= number:
		case row > 0 && !t.walk(row-1, (first+k)*broad, number, yield), row == 0 && !yield(first+k):
			return false
		}
	}
	return true
}
