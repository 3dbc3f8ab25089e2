package verify

import (
	"cmp"
	"fmt"
	"slices"

	"memplan/model"
)

// overlaps adds every pair of buffers that share a byte and a step. Time is
// swept; the live buffers are held in a tree over all buffers in the order of
// their offsets, each node knowing the highest end of the live ones below it,
// so that a birth finds all that it lands on in O(log n) each.
func overlaps(f *Faults, in *model.Instance, p model.Plan, inRange []bool) {
	rank, byRank := byOffset(p)
	live, of := newEnds(len(byRank)), pairsOf(in)
	for _, e := range changes(in, inRange) {
		i := int(e.buffer)
		if !e.birth {
			live.set(rank[i], 0)
			continue
		}
		b := &in.Buffers[i]
		full := live.meeting(p.Offsets[i], func(r int) int64 { return p.Offsets[byRank[r]] }, p.Offsets[i]+b.Size, func(r int) bool {
			o := int(byRank[r])
			steps := firstShared(b, &in.Buffers[o])
			if steps.Start != e.step || of.allow(in, p, i, o) {
				return true
			}
			return f.add(overlap(in, p, min(i, o), max(i, o), steps, of))
		})
		if full {
			return
		}
		live.set(rank[i], p.Offsets[i]+b.Size)
	}
}

func overlap(in *model.Instance, p model.Plan, i, j int, steps model.Interval, of pairs) Fault {
	a, b := &in.Buffers[i], &in.Buffers[j]
	at, bt := p.Offsets[i], p.Offsets[j]
	return Fault{Overlap, i, j, steps, fmt.Sprintf("buffers %q at [%d,%d) and %q at [%d,%d) overlap, both live at steps %v",
		a.ID, at, at+a.Size, b.ID, bt, bt+b.Size, steps) + of.missed(in, p, i, j)}
}

// byOffset ranks the buffers by offset, then index.
func byOffset(p model.Plan) (rank []int, byRank []int32) {
	byRank = make([]int32, len(p.Offsets))
	for i := range byRank {
		byRank[i] = int32(i)
	}
	slices.SortFunc(byRank, func(a, b int32) int {
		return cmp.Or(cmp.Compare(p.Offsets[a], p.Offsets[b]), cmp.Compare(a, b))
	})
	rank = make([]int, len(byRank))
	for r, i := range byRank {
		rank[i] = r
	}
	return rank, byRank
}

// A change is the birth or death of a buffer, at the end of one of its live
// parts.
type change struct {
	step   int64
	buffer int32
	birth  bool
}

// changes lists the births and deaths in order of time, deaths first within a
// step: a buffer is dead at the step it ends at.
func changes(in *model.Instance, inRange []bool) []change {
	list := make([]change, 0, 2*len(in.Buffers))
	for i := range in.Buffers {
		if !inRange[i] || in.Buffers[i].Size == 0 {
			continue
		}
		for _, part := range parts(&in.Buffers[i]) {
			list = append(list, change{part.Start, int32(i), true}, change{part.End, int32(i), false})
		}
	}
	inTime(list)
	return list
}

// inTime sorts changes by step, deaths first, then buffer.
func inTime(list []change) {
	slices.SortFunc(list, func(a, b change) int {
		if c := cmp.Compare(a.step, b.step); c != 0 {
			return c
		}
		if a.birth != b.birth {
			if b.birth {
				return -1
			}
			return 1
		}
		return cmp.Compare(a.buffer, b.buffer)
	})
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

// ends is a complete binary tree over ranks 0..n-1 that holds an end for each,
// 0 for none, and in each inner node the highest end below it.
type ends struct {
	leaves int // a power of two
	max    []int64
}

func newEnds(n int) *ends {
	leaves := 1
	for leaves < n {
		leaves *= 2
	}
	return &ends{leaves, make([]int64, 2*leaves)}
}

func (t *ends) set(rank int, end int64) {
	k := t.leaves + rank
	t.max[k] = end
	for k /= 2; k > 0; k /= 2 {
		t.max[k] = max(t.max[2*k], t.max[2*k+1])
	}
}

// meeting calls found with each rank, in order, whose range [start(rank), end)
// meets [from, to), until found returns false; it then returns true.
func (t *ends) meeting(from int64, start func(int) int64, to int64, found func(rank int) bool) (stopped bool) {
	var walk func(k int) (stop bool)
	walk = func(k int) bool {
		if t.max[k] <= from {
			return false
		}
		if k < t.leaves {
			return walk(2*k) || walk(2*k+1)
		}
		r := k - t.leaves
		// Beyond a live range that starts at or above to, all others do too.
		if start(r) >= to {
			return true
		}
		stopped = !found(r)
		return stopped
	}
	walk(1)
	return stopped
}
