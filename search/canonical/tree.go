package canonical

import (
	"cmp"
	"math"
	"slices"

	"memplan/model"
)

// placed is the effective offset of a buffer that has been placed.
const placed = math.MaxInt64

// A tree is a node of the canonical tree: some buffers are placed, and every
// other has an effective offset, a lower bound on where it goes. Buffers are
// numbered in the order of the search.
//
// Invariant, after settle: every section that is not full has a member whose
// effective offset is at most latest; if it has only one, all others start
// above that one. watch names two such members, or the one and n.
type tree struct {
	p        *Problem
	order    []int32 // buffers of the problem by rank
	rank     []int32 // and back
	capacity int64   // a multiple of the unit; -1: too small

	size, align, pin []int64
	twin             []int32
	spans            [][]span
	near, members    [][]int32
	bySize           [][]int32 // near, the smallest first; nil: not wanted

	eff    []int64 // effective offsets; eff[n] is placed
	off    []int64 // offsets of the placed
	latest []int64 // capacity - unplaced bytes: where the next buffer of a section starts at the latest
	cross  []int32 // unplaced buffers live both in a section and in the next
	watch  [][2]int32
	guards []int32 // how many watches name a buffer, or n
	held   []hold  // buffers passed over, and not yet held up by a buffer placed since
	key    uint64  // hash of the unplaced and their effective offsets

	trail   []change
	queue   []int32 // sections to look at
	queued  []bool
	changes int64 // effective offsets raised and buffers placed, ever
	looks   int64 // buffers and sections looked at for the next to place, ever
}

// A span is a run of sections [lo, hi).
type span struct{ lo, hi int32 }

// A hold says that a buffer does not lie at the floor it was passed over at,
// so that another must lie below it, and reach above that floor.
type hold struct {
	buf   int32
	by    int32 // the one with the lowest top among those that may
	floor int64
	top   int64 // its top
}

// A change is an entry of the trail: an effective offset, or a watch.
type change struct {
	of  int32 // a buffer, or ^section
	old int64 // its effective offset, or its watch
}

// grow makes the root for an order of the buffers and a capacity.
func (p *Problem) grow(order []int32, capacity int64) *tree {
	n, sections := len(p.buf), len(p.total)
	t := &tree{
		p: p, order: order, rank: make([]int32, n), capacity: p.floor(capacity),
		size: make([]int64, n), align: make([]int64, n), pin: make([]int64, n),
		twin: make([]int32, n), spans: make([][]span, n),
		eff: make([]int64, n+1), off: make([]int64, n),
		latest: make([]int64, sections), cross: make([]int32, sections),
		watch: make([][2]int32, sections), guards: make([]int32, n+1), queued: make([]bool, sections),
	}
	for r, i := range order {
		t.rank[i] = int32(r)
	}
	for r, i := range order {
		t.size[r], t.align[r], t.pin[r], t.spans[r] = p.size[i], p.align[i], p.pin[i], p.spans[i]
		t.twin[r] = -1
		if p.twin[i] >= 0 {
			t.twin[r] = t.rank[p.twin[i]]
		}
		for s := p.first(i); s < p.last(i); s++ {
			t.cross[s]++
		}
	}
	t.near, t.members = renumber(p.near, order, t.rank), renumber(p.members, nil, t.rank)
	for s := range p.total {
		t.latest[s] = t.capacity - p.total[s]
		t.watch[s] = [2]int32{int32(n), int32(n)}
	}
	t.guards[n] = int32(2 * sections)
	t.eff[n] = placed
	return t
}

// renumber copies lists[order[k]] (or lists[k]) with each entry replaced by its rank.
func renumber(lists [][]int32, order, rank []int32) [][]int32 {
	total := 0
	for _, l := range lists {
		total += len(l)
	}
	flat := make([]int32, 0, total)
	out := make([][]int32, len(lists))
	for k := range lists {
		l := lists[k]
		if order != nil {
			l = lists[order[k]]
		}
		start := len(flat)
		for _, i := range l {
			flat = append(flat, rank[i])
		}
		out[k] = flat[start:len(flat):len(flat)]
	}
	return out
}

// begin draws the first conclusions. It reports whether the capacity may do.
func (t *tree) begin() bool {
	if t.capacity < 0 {
		return false
	}
	for r := range t.size {
		if t.size[r] > t.capacity || t.pin[r] > 0 && !t.raise(int32(r), t.pin[r]) {
			return false
		}
	}
	for r, k := range t.twin {
		if k >= 0 && !t.raise(k, t.eff[r]+t.size[r]) {
			return false
		}
	}
	for s := range t.latest {
		t.push(int32(s))
	}
	if !t.settle() {
		return false
	}
	for _, i := range t.p.base {
		if !t.place(t.rank[i]) || !t.settle() {
			return false
		}
	}
	return true
}

// push has a section looked at.
func (t *tree) push(s int32) {
	if !t.queued[s] {
		t.queued[s] = true
		t.queue = append(t.queue, s)
	}
}

// raise makes v the effective offset of j, aligned, unless it is as high. It
// reports whether j can still be placed.
func (t *tree) raise(j int32, v int64) bool {
	old := t.eff[j]
	if v <= old {
		return true
	}
	if a := t.align[j]; a > 1 {
		if r := v % a; r != 0 {
			if a-r > t.capacity-v {
				return false
			}
			v += a - r
		}
	}
	if v > t.capacity-t.size[j] || t.pin[j] >= 0 && v > t.pin[j] {
		return false
	}
	t.changes++
	t.trail = append(t.trail, change{j, old})
	t.key ^= hash(j, old) ^ hash(j, v)
	t.eff[j] = v
	if t.guards[j] > 0 {
		t.alarm(j)
	}
	if k := t.twin[j]; k >= 0 {
		return t.raise(k, v+t.size[j])
	}
	return true
}

// alarm has the sections looked at whose watches name j.
func (t *tree) alarm(j int32) {
	for _, r := range t.spans[j] {
		watch := t.watch[r.lo:r.hi]
		for k := range watch {
			if watch[k][0] == j || watch[k][1] == j {
				t.push(r.lo + int32(k))
			}
		}
	}
}

// guard makes two buffers the watch of s.
func (t *tree) guard(s int32, w [2]int32) {
	was := t.watch[s]
	t.guards[was[0]]--
	t.guards[was[1]]--
	t.guards[w[0]]++
	t.guards[w[1]]++
	t.watch[s] = w
}

// hash is a random number for each buffer and effective offset.
func hash(j int32, v int64) uint64 {
	x := uint64(v)*0x9e3779b97f4a7c15 + uint64(j+1)*0xd6e8feb86659fd93
	x = (x ^ x>>32) * 0xd6e8feb86659fd93
	return (x ^ x>>29) * 0x9e3779b97f4a7c15
}

// settle draws all conclusions. It reports whether none is a contradiction; if
// one is, undo must follow.
func (t *tree) settle() bool {
	for {
		for len(t.queue) > 0 {
			s := t.queue[len(t.queue)-1]
			t.queue = t.queue[:len(t.queue)-1]
			t.queued[s] = false
			if !t.section(s) {
				return false
			}
		}
		mark := len(t.trail)
		for k := range t.held {
			h := &t.held[k]
			if t.eff[h.by] != h.top-t.size[h.by] && !t.lift(h) {
				return false
			}
		}
		if len(t.trail) == mark {
			return true
		}
	}
}

// section looks for the buffers of s that may be its next. None: no plan.
// Exactly one: all others start above it.
func (t *tree) section(s int32) bool {
	latest := t.latest[s]
	if latest == t.capacity {
		return true // full
	}
	w := t.watch[s]
	if t.eff[w[0]] <= latest && t.eff[w[1]] <= latest {
		return true
	}
	a, b := t.next(s)
	if t.eff[a] > latest {
		return false
	}
	if t.eff[b] > latest {
		t.trail = append(t.trail, change{^s, int64(w[0])<<32 | int64(w[1])})
	}
	t.guard(s, [2]int32{a, b})
	if t.eff[b] <= latest {
		return true
	}
	top := t.eff[a] + t.size[a]
	for _, j := range t.members[s] {
		if t.eff[j] < top && j != a && !t.raise(j, top) {
			return false
		}
	}
	return true
}

// next returns the first two members of s that may be its next buffer; n, the
// number of buffers, stands for none.
func (t *tree) next(s int32) (a, b int32) {
	latest, n := t.latest[s], int32(len(t.size))
	a, b = n, n
	for _, j := range t.members[s] {
		if t.eff[j] <= latest {
			if a != n {
				return a, j
			}
			a = j
		}
	}
	return a, b
}

// lift raises a buffer that was passed over to the lowest top of those that may
// hold it up. None: in any plan from here it could be moved down to its floor.
func (t *tree) lift(h *hold) bool {
	end := h.floor + t.size[h.buf]
	h.top = placed
	near := t.near[h.buf]
	if t.bySize != nil {
		near = t.lightest(h.buf)
	}
	for _, k := range near {
		if t.bySize != nil && t.size[k] >= h.top-h.floor {
			break // nothing unplaced is below the floor, and the others are no smaller
		}
		if e := t.eff[k]; e < end && e+t.size[k] < h.top {
			h.by, h.top = k, e+t.size[k]
		}
	}
	return h.top != placed && t.raise(h.buf, h.top)
}

// lightest is what a buffer conflicts with, the smallest first.
func (t *tree) lightest(i int32) []int32 {
	if t.bySize[i] == nil {
		t.bySize[i] = slices.Clone(t.near[i])
		slices.SortFunc(t.bySize[i], func(a, b int32) int { return cmp.Compare(t.size[a], t.size[b]) })
	}
	return t.bySize[i]
}

// place puts c at its effective offset, the least of all. It reports whether
// that leads to no contradiction at once; settle draws the conclusions.
func (t *tree) place(c int32) bool {
	o, z := t.eff[c], t.size[c]
	for _, r := range t.spans[c] {
		for _, latest := range t.latest[r.lo:r.hi] {
			if o > latest {
				return false
			}
		}
	}
	t.changes++
	t.trail = append(t.trail, change{c, o})
	t.eff[c], t.off[c] = placed, o
	t.key ^= hash(c, o)
	for _, r := range t.spans[c] {
		for s := r.lo; s < r.hi; s++ {
			t.latest[s] += z
			t.push(s)
		}
	}
	t.uncross(c, -1)
	if !t.release(c, o) {
		return false
	}
	top := o + z
	for _, j := range t.near[c] {
		if t.eff[j] < top && !t.raise(j, top) {
			return false
		}
	}
	return true
}

// fullest is the most bytes that are unplaced in one of the sections of i.
func (t *tree) fullest(i int32) int64 {
	least := t.capacity
	for _, r := range t.spans[i] {
		t.looks += int64(r.hi - r.lo)
		least = min(least, slices.Min(t.latest[r.lo:r.hi]))
	}
	return t.capacity - least
}

// uncross changes the number of unplaced buffers that cross into the next section.
func (t *tree) uncross(c, by int32) {
	spans := t.spans[c]
	cross := t.cross[spans[0].lo : spans[len(spans)-1].hi-1]
	for s := range cross {
		cross[s] += by
	}
}

// release lets go of what c, placed at o, holds up. It fails if c itself was
// passed over, and nothing has come below it since.
func (t *tree) release(c int32, o int64) bool {
	if len(t.held) == 0 {
		return true
	}
	kept := make([]hold, 0, len(t.held))
	for _, h := range t.held {
		if h.buf == c {
			return false
		}
		if !t.p.meet(t.order[c], t.order[h.buf]) {
			kept = append(kept, h)
		}
	}
	t.held = kept
	return true
}

// pass decides that c does not lie at its effective offset, the least of all.
func (t *tree) pass(c int32) bool {
	if t.pin[c] >= 0 {
		return false
	}
	t.held = append(t.held[:len(t.held):len(t.held)], hold{buf: c, floor: t.eff[c]})
	return t.settle()
}

// undo goes back to when the trail had mark entries. The caller restores held.
func (t *tree) undo(mark int) {
	for _, s := range t.queue {
		t.queued[s] = false
	}
	t.queue = t.queue[:0]
	for k := len(t.trail) - 1; k >= mark; k-- {
		ch := t.trail[k]
		switch {
		case ch.of < 0:
			t.guard(^ch.of, [2]int32{int32(ch.old >> 32), int32(ch.old)})
		case t.eff[ch.of] == placed:
			t.unplace(ch.of, ch.old)
		default:
			t.key ^= hash(ch.of, ch.old) ^ hash(ch.of, t.eff[ch.of])
			t.eff[ch.of] = ch.old
		}
	}
	t.trail = t.trail[:mark]
}

// unplace takes c away; everything since has been undone.
func (t *tree) unplace(c int32, o int64) {
	z := t.size[c]
	t.eff[c] = o
	t.key ^= hash(c, o)
	for _, r := range t.spans[c] {
		for s := r.lo; s < r.hi; s++ {
			t.latest[s] -= z
			if w := t.watch[s]; t.eff[w[0]] > t.latest[s] || t.eff[w[1]] > t.latest[s] {
				a, b := t.next(s)
				t.guard(s, [2]int32{a, b})
			}
		}
	}
	t.uncross(c, 1)
}

// work is what was done in this tree, in units of about a microsecond.
func (t *tree) work() int64 { return t.changes/tuned.changesPerUnit + t.looks/tuned.looksPerUnit }

// plan is the plan of a tree without unplaced buffers.
func (t *tree) plan() *model.Plan {
	plan := &model.Plan{Offsets: make([]int64, len(t.p.in.Buffers))}
	for i := range t.p.in.Buffers {
		if o := t.p.in.Buffers[i].Offset; o != nil {
			plan.Offsets[i] = *o
		}
	}
	for r, i := range t.order {
		plan.Offsets[t.p.buf[i]] = t.off[r]
	}
	return plan
}
