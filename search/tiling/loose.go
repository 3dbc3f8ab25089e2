package tiling

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"memplan/model"
)

// A Loose is a beam search along time for a plan within a capacity above the
// load. It keeps its place between runs.
//
// A state is where the live buffers lie, and with them the free bytes. The
// buffers are put one by one, those of one event by falling size, at the lower or
// the upper end of some free bytes. Of all states that follow, those with the
// lowest cost are kept: the roots of the free bytes between two buffers, the more
// the longer both live; less where neighbours die together; and the root of what
// an event to come lacks, if its births go into what may then be free (lack).
//
// Where a buffer fits in no state, what its event lacks weighs more from then on,
// and the search goes back some events, the farther the more often it failed
// there.
//
// Approximate: it finds plans, and proves nothing. Cost: for each buffer and
// state, the live buffers times the events looked ahead to.
//
// Source: this project's; what it learns from where it fails is as in Boussemart,
// Hemery, Lecoutre and Sais, Boosting systematic search by weighting constraints, ECAI
// 2004.
type Loose struct {
	LooseOptions
	in     *model.Instance
	load   int64
	events []event // the born by falling size
	since  []int32 // by buffer: the event at which it is born
	until  []int32 // and dies
	order  []int32 // in which they are put
	rank   []int32 // by buffer: its place in order

	next    int // in order
	states  []layout
	marks   []mark  // by event: what was there before it
	fails   []int   // by event
	weight  []int64 // by event: of what it lacks
	visited int64

	choices []choice
	tried   []trial
	room    []piece // of those
	coming  []int64 // by event: bytes born there that die at the event in hand
	runs    []int64
}

// LooseOptions are how a loose sweep is done.
type LooseOptions struct {
	Capacity  int64
	Width     int  // states that are kept
	Backwards bool // against time
	Rand      *rand.Rand
}

// A piece is a live buffer, or free bytes, among the others by address.
type piece struct {
	buffer int32 // free: none
	size   int64
}

const free = -1

// A layout is a state: what lies in the arena, and how it came there.
type layout struct {
	pieces []piece
	past   *placement
}

// A placement is where a buffer was put, and those before it.
type placement struct {
	before *placement
	buffer int32
	offset int64
}

// A mark is where the search stood before an event.
type mark struct {
	next   int
	states []layout
}

// A choice is to put the next buffer at an end of some free bytes of a state.
type choice struct {
	state, piece int32
	upper        bool
	cost         int64
}

// A trial is a choice made: its pieces are in the search's room.
type trial struct {
	choice
	from, to int
}

// Loose begins a search.
func (p *Problem) Loose(o LooseOptions) *Loose {
	n := len(p.in.Buffers)
	l := &Loose{LooseOptions: o, in: p.in, load: p.in.Load(), events: p.seen(o.Backwards)}
	l.since, l.until, l.rank = make([]int32, n), make([]int32, n), make([]int32, n)
	for k := range l.events {
		e := &l.events[k]
		e.born = slices.Clone(e.born)
		slices.SortStableFunc(e.born, func(a, b int32) int { return cmp.Compare(l.size(b), l.size(a)) })
		for _, i := range e.born {
			l.since[i], l.rank[i] = int32(k), int32(len(l.order))
			l.order = append(l.order, i)
		}
		for _, i := range e.dead {
			l.until[i] = int32(k)
		}
	}
	l.marks, l.fails, l.coming = make([]mark, len(l.events)), make([]int, len(l.events)), make([]int64, len(l.events))
	l.weight = slices.Repeat([]int64{tuned.lackWeight}, len(l.events))
	l.states = []layout{{pieces: []piece{{free, o.Capacity}}}}
	return l
}

func (l *Loose) size(i int32) int64 { return l.in.Buffers[i].Size }

// Work is what has been done, in units of about a microsecond.
func (l *Loose) Work() int64 { return l.visited / tuned.piecesPerUnit }

// Plan is the plan found; nil: none yet.
func (l *Loose) Plan() *model.Plan {
	if l.next < len(l.order) {
		return nil
	}
	plan := &model.Plan{Offsets: make([]int64, len(l.in.Buffers))}
	for p := l.states[0].past; p != nil; p = p.before {
		plan.Offsets[p.buffer] = p.offset
	}
	return plan
}

// Run goes on for about so many units of work, and reports whether there is a
// plan.
func (l *Loose) Run(ctx context.Context, work int64) (over bool) {
	for end := l.Work() + work; l.next < len(l.order) && l.Work() < end && ctx.Err() == nil; {
		if i := l.order[l.next]; i == l.events[l.since[i]].born[0] {
			l.enter(l.since[i])
		}
		if !l.put(l.order[l.next]) {
			l.retreat(l.since[l.order[l.next]])
		}
	}
	return l.next == len(l.order)
}

// enter goes on to an event: what dies there leaves free bytes.
func (l *Loose) enter(event int32) {
	l.marks[event] = mark{l.next, slices.Clone(l.states)}
	for k := range l.states {
		var left []piece
		for _, p := range l.states[k].pieces {
			if p.buffer != free && l.until[p.buffer] <= event {
				p.buffer = free
			}
			if last := len(left) - 1; p.buffer == free && last >= 0 && left[last].buffer == free {
				left[last].size += p.size
			} else {
				left = append(left, p)
			}
		}
		l.states[k].pieces = left
	}
}

// retreat goes back from an event at which a buffer fits nowhere.
func (l *Loose) retreat(event int32) {
	l.fails[event]++
	l.weight[event] += tuned.lackLesson
	to := max(0, int(event)-tuned.retreat*l.fails[event])
	for l.marks[to].states == nil {
		to++
	}
	l.next, l.states = l.marks[to].next, l.marks[to].states
}

// put puts a buffer into every state in every way, and keeps the best. It reports
// false where there is none.
func (l *Loose) put(i int32) bool {
	l.choices = l.choices[:0]
	for k := range l.states {
		l.choose(int32(k), i)
	}
	if len(l.choices) == 0 {
		return false
	}
	slices.SortFunc(l.choices, compare)
	l.try(i)
	l.foresee(l.since[i])
	slices.SortFunc(l.tried, func(a, b trial) int { return compare(a.choice, b.choice) })
	next := make([]layout, min(l.Width, len(l.tried)))
	for k, t := range l.tried[:len(next)] {
		pieces := slices.Clone(l.room[t.from:t.to])
		var at int64
		for k := 0; pieces[k].buffer != i; k++ {
			at += pieces[k].size
		}
		next[k] = layout{pieces, &placement{l.states[t.state].past, i, at}}
	}
	l.states = next
	l.next++
	return true
}

func compare(a, b choice) int {
	if a.cost != b.cost || a.state != b.state || a.piece != b.piece {
		return cmp.Or(cmp.Compare(a.cost, b.cost), cmp.Compare(a.state, b.state), cmp.Compare(a.piece, b.piece))
	}
	if a.upper {
		return 1
	}
	return -1
}

// choose lists the ways to put a buffer into a state, with their cost.
func (l *Loose) choose(state, i int32) {
	pieces, now := l.states[state].pieces, l.since[i]
	at := func(k int) piece {
		if k < 0 || k == len(pieces) {
			return piece{buffer: free}
		}
		return pieces[k]
	}
	l.visited += int64(len(pieces))
	var sum int64
	for k, p := range pieces {
		if p.buffer == free {
			sum += l.gap(now, at(k-1), p.size, at(k+1))
		} else {
			sum += l.seam(at(k-1), p)
		}
	}
	me := piece{i, l.size(i)}
	for k, p := range pieces {
		if p.buffer != free || p.size < me.size {
			continue
		}
		below, above, rest := at(k-1), at(k+1), p.size-me.size
		others := sum - l.gap(now, below, p.size, above)
		if rest == 0 {
			l.choice(state, k, false, others+l.seam(below, me)+l.seam(me, above))
			continue
		}
		l.choice(state, k, false, others+l.seam(below, me)+l.gap(now, me, rest, above))
		l.choice(state, k, true, others+l.seam(me, above)+l.gap(now, below, rest, me))
	}
}

func (l *Loose) choice(state int32, piece int, upper bool, cost int64) {
	l.choices = append(l.choices, choice{state, int32(piece), upper, cost + l.Rand.Int64N(tuned.looseNoise)})
}

// gap is the cost of free bytes between two pieces.
func (l *Loose) gap(now int32, below piece, size int64, above piece) int64 {
	until := int32(len(l.events))
	for _, p := range [...]piece{below, above} {
		if p.buffer != free {
			until = min(until, l.until[p.buffer])
		}
	}
	left := int64(until - now)
	return l.root(size) * left / (left + tuned.gapHalf)
}

// seam is the cost of two pieces that meet.
func (l *Loose) seam(below, above piece) int64 {
	if below.buffer != free && above.buffer != free && l.until[below.buffer] == l.until[above.buffer] {
		return -tuned.together
	}
	return 0
}

// root is the square root of a part of the load; all of it is 1024.
func (l *Loose) root(size int64) int64 {
	return int64(math.Sqrt(float64(size)/float64(l.load)) * 1024)
}

// try makes the best choices, as many as are to be looked at again.
func (l *Loose) try(i int32) {
	l.tried, l.room = l.tried[:0], l.room[:0]
	seen := make(map[uint64]bool, tuned.looseTried*l.Width)
	for _, c := range l.choices {
		from := len(l.room)
		pieces := l.states[c.state].pieces
		gap := pieces[c.piece]
		l.room = append(l.room, pieces[:c.piece]...)
		if c.upper {
			l.room = append(l.room, piece{free, gap.size - l.size(i)})
		}
		l.room = append(l.room, piece{i, l.size(i)})
		if !c.upper && gap.size > l.size(i) {
			l.room = append(l.room, piece{free, gap.size - l.size(i)})
		}
		l.room = append(l.room, pieces[c.piece+1:]...)
		key := l.key(l.room[from:])
		if seen[key] {
			l.room = l.room[:from]
			continue
		}
		seen[key] = true
		l.tried = append(l.tried, trial{c, from, len(l.room)})
		if len(l.tried) == tuned.looseTried*l.Width {
			break
		}
	}
	l.visited += int64(len(l.room))
}

// key is the same for layouts that differ in names alone, or are upside down.
func (l *Loose) key(pieces []piece) uint64 {
	var up, down uint64
	for k := range pieces {
		up = mix(up + l.kin(pieces[k]))
		down = mix(down + l.kin(pieces[len(pieces)-1-k]))
	}
	return up + down
}

func (l *Loose) kin(p piece) uint64 {
	if p.buffer == free {
		return uint64(p.size)
	}
	return mix(uint64(p.size)) + uint64(l.until[p.buffer]) + 1
}

// foresee adds to the costs of what was tried what the events to come lack.
func (l *Loose) foresee(now int32) {
	for k := int(now) + 1; k < min(int(now)+1+tuned.horizon, len(l.events)-1); k++ {
		e := &l.events[k]
		alive, unborn := false, int64(0)
		for _, i := range e.dead {
			if l.rank[i] <= int32(l.next) {
				alive = true
			} else {
				l.coming[l.since[i]] += l.size(i)
				unborn += l.size(i)
			}
		}
		if alive {
			for j := range l.tried {
				t := &l.tried[j]
				if lack := l.lack(int32(k), unborn, l.room[t.from:t.to]); lack > 0 {
					t.cost += l.root(lack) * l.weight[k] / 16
				}
			}
			l.visited += int64(len(l.room))
		}
		for _, i := range e.dead {
			l.coming[l.since[i]] = 0
		}
	}
}

// lack is how many bytes of an event's births go nowhere, those not yet born that
// die there left aside, if they are put by falling size into the smallest runs
// of pieces that are free at that event: of those that die there, and of those
// in whose place others may be born that do.
func (l *Loose) lack(event int32, unborn int64, pieces []piece) (lack int64) {
	l.runs = l.runs[:0]
	var run, dying int64
	most := unborn + l.Capacity - l.load
	end := func() {
		if dying > 0 {
			l.runs = append(l.runs, min(run, dying+most))
		}
		run, dying = 0, 0
	}
	for _, p := range pieces {
		switch {
		case p.buffer == free:
			run += p.size
		case l.until[p.buffer] == event:
			run += p.size
			dying += p.size
		case l.coming[l.until[p.buffer]] > 0:
			run += min(p.size, l.coming[l.until[p.buffer]])
		default:
			end()
		}
	}
	end()
	for _, i := range l.events[event].born {
		size, best := l.size(i), -1
		for k, run := range l.runs {
			if run >= size && (best < 0 || run < l.runs[best]) {
				best = k
			}
		}
		if best < 0 {
			lack += size
		} else {
			l.runs[best] -= size
		}
	}
	return lack - unborn
}
