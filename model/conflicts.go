package model

import (
	"cmp"
	"context"
	"iter"
	"slices"
)

// Conflicts reports whether a and b are live at a common step and both have
// bytes. Cost: O(1) without gaps, else linear in the gaps of both.
func (b *Buffer) Conflicts(a *Buffer) bool {
	if a.Size == 0 || b.Size == 0 || !a.Life.Meets(b.Life) {
		return false
	}
	step, end := max(a.Life.Start, b.Life.Start), min(a.Life.End, b.Life.End)
	first, second := a.Gaps, b.Gaps
	for step < end {
		first, second = after(first, step), after(second, step)
		switch {
		case len(first) > 0 && first[0].Start <= step:
			step = first[0].End
		case len(second) > 0 && second[0].Start <= step:
			step = second[0].End
		default:
			return true
		}
	}
	return false
}

// after leaves out the gaps that end by a step.
func after(gaps []Interval, step int64) []Interval {
	for len(gaps) > 0 && gaps[0].End <= step {
		gaps = gaps[1:]
	}
	return gaps
}

// FirstShared returns the first maximal interval during which both a and b are
// live, and whether there is one. Sizes are not looked at.
func (b *Buffer) FirstShared(a *Buffer) (Interval, bool) {
	next, stop := iter.Pull(a.Live())
	defer stop()
	other, ok := next()
	for part := range b.Live() {
		for ok && other.End <= part.Start {
			other, ok = next()
		}
		if !ok {
			break
		}
		if both := part.Intersect(other); !both.Empty() {
			return both, true
		}
	}
	return Interval{}, false
}

// Conflicts counts the pairs of buffers that conflict. Cost: O(n log n), and where
// there are gaps that of Conflicting.
func (in *Instance) Conflicts() int64 {
	var pairs int64
	gapped := slices.ContainsFunc(in.Buffers, func(b Buffer) bool { return len(b.Gaps) > 0 })
	if !gapped {
		live := int64(0)
		for _, e := range in.events() {
			if e.born {
				pairs += live
				live++
			} else {
				live--
			}
		}
		return pairs
	}
	for range in.Conflicting() {
		pairs++
	}
	return pairs
}

// Conflicting gives each pair of buffers that conflict once, by index. Cost: O(n log n)
// and the number of pairs whose lifetimes meet, gaps left aside; memory O(n), where
// Neighbours keeps every pair.
func (in *Instance) Conflicting() iter.Seq2[int, int] {
	return func(yield func(int, int) bool) {
		whole := Instance{Buffers: slices.Clone(in.Buffers)}
		for i := range whole.Buffers {
			whole.Buffers[i].Gaps = nil
		}
		for born, live := range whole.births() {
			for _, o := range live {
				if in.Buffers[o].Conflicts(&in.Buffers[born]) && !yield(int(o), int(born)) {
					return
				}
			}
		}
	}
}

// births gives each live part's buffer as that begins, with the buffers that are live
// then, in no order; good until the next.
func (in *Instance) births() iter.Seq2[int32, []int32] {
	return func(yield func(int32, []int32) bool) {
		live, slot := make([]int32, 0, 64), make([]int, len(in.Buffers))
		for _, e := range in.events() {
			if !e.born {
				last := live[len(live)-1]
				live[slot[e.buf]], slot[last] = last, slot[e.buf]
				live = live[:len(live)-1]
				continue
			}
			if !yield(e.buf, live) {
				return
			}
			slot[e.buf] = len(live)
			live = append(live, e.buf)
		}
	}
}

// Neighbours lists, for each buffer, the buffers it conflicts with, by index.
// Cost: O(n log n + conflicts), in time and in memory: not for large instances.
func (in *Instance) Neighbours() [][]int32 { return in.NeighboursWithin(context.Background()) }

// NeighboursWithin is Neighbours, or nil where ctx ends before that is done.
func (in *Instance) NeighboursWithin(ctx context.Context) [][]int32 {
	near := make([][]int32, len(in.Buffers))
	k := 0
	for born, live := range in.births() {
		if k++; k%1024 == 0 && ctx.Err() != nil {
			return nil
		}
		for _, o := range live {
			near[o] = append(near[o], born)
			near[born] = append(near[born], o)
		}
	}
	for i := range near {
		if i%1024 == 0 && ctx.Err() != nil {
			return nil
		}
		slices.Sort(near[i])
		near[i] = slices.Compact(near[i]) // buffers with gaps may meet more than once
	}
	return near
}

// clashes lists the pairs of the given buffers, placed at the given offsets,
// that share both a byte and a step and no pair lets, by index. It sweeps over
// time, with the live ones in an interval tree over addresses. Cost: O((n +
// pairs) log n) for n live parts.
func (in *Instance) clashes(which []int, at []int64) [][2]int {
	var some Instance
	for _, i := range which {
		some.Buffers = append(some.Buffers, in.Buffers[i])
	}
	live := newAddresses(at)
	var pairs [][2]int
	for _, e := range some.events() {
		k := int(e.buf)
		if !e.born {
			live.set(k, 0)
			continue
		}
		end := at[k] + some.Buffers[k].Size
		live.meeting(at[k], end, func(other int) {
			a, b := which[k], which[other]
			pairs = append(pairs, [2]int{min(a, b), max(a, b)})
		})
		live.set(k, end)
	}
	pairs = slices.DeleteFunc(pairs, in.allowed(which, at))
	slices.SortFunc(pairs, func(a, b [2]int) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) })
	return slices.Compact(pairs) // buffers with gaps may meet more than once
}

// addresses is an interval tree over a fixed set of things, by start address,
// each node with the largest end below it. An end of 0 is none.
type addresses struct {
	start  []int64 // by thing
	thing  []int   // by rank
	rank   []int   // by thing
	ends   []int64
	leaves int
}

func newAddresses(start []int64) *addresses {
	a := &addresses{start: start, thing: Identity(len(start)), rank: make([]int, len(start)), leaves: 1}
	slices.SortStableFunc(a.thing, func(x, y int) int { return cmp.Compare(start[x], start[y]) })
	for r, x := range a.thing {
		a.rank[x] = r
	}
	for a.leaves < len(start) {
		a.leaves *= 2
	}
	a.ends = make([]int64, 2*a.leaves)
	return a
}

func (a *addresses) set(thing int, end int64) {
	k := a.leaves + a.rank[thing]
	a.ends[k] = end
	for k /= 2; k > 0; k /= 2 {
		a.ends[k] = max(a.ends[2*k], a.ends[2*k+1])
	}
}

// meeting calls f with everything that shares an address of [start, end).
func (a *addresses) meeting(start, end int64, f func(thing int)) {
	below, _ := slices.BinarySearchFunc(a.thing, end, func(x int, end int64) int { return cmp.Compare(a.start[x], end) })
	stack := []int{1}
	for len(stack) > 0 {
		k := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		first := k // the leftmost leaf below k
		for first < a.leaves {
			first *= 2
		}
		switch {
		case first-a.leaves >= below || a.ends[k] <= start:
		case k >= a.leaves:
			f(a.thing[k-a.leaves])
		default:
			stack = append(stack, 2*k+1, 2*k)
		}
	}
}

// allowed tells which of two buffers' places a pair allows.
func (in *Instance) allowed(which []int, at []int64) func(both [2]int) bool {
	place := make(map[int]int64)
	may := make(map[[2]int]bool)
	if len(in.Pairs) > 0 {
		for k, i := range which {
			place[i] = at[k]
		}
	}
	for _, p := range in.Pairs {
		over, known := place[p.Over]
		under, too := place[p.Under]
		if known && too && p.Allows(over, under) {
			may[[2]int{min(p.Over, p.Under), max(p.Over, p.Under)}] = true
		}
	}
	return func(both [2]int) bool { return may[both] }
}
