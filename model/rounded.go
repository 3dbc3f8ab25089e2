package model

import (
	"container/heap"
	"slices"
)

// RoundedLoad is a lower bound on every peak where offsets are multiples of a
// common alignment A: of the buffers live at a step, all but the highest take
// their size rounded up to A, so together they take the sum of the rounded
// sizes less the largest rounding. The greatest of all steps is returned with
// its certificate; nil where that is no more than the load, or where buffers
// are pinned, tied or may overlap. Cost: O(n log n).
func (in *Instance) RoundedLoad() *Certificate {
	unit := in.unit()
	if unit <= 1 || len(in.Pairs) > 0 {
		return nil
	}
	var most rounding
	now := rounding{unit: unit, in: in, dead: make([]bool, len(in.Buffers))}
	for _, e := range in.roundingEvents() {
		if !now.step(e) {
			return nil
		}
		if bound := now.bound(); e.born && bound > most.best {
			most.best, most.at = bound, e.at
		}
	}
	if most.best <= in.Load() {
		return nil
	}
	return in.rounded(most.at)
}

// unit is the greatest common divisor of all alignments; 0 where the bound does
// not apply.
func (in *Instance) unit() (unit int64) {
	for i := range in.Buffers {
		b := &in.Buffers[i]
		if b.Offset != nil || b.Tie != nil {
			return 0
		}
		if b.Size > 0 {
			unit = GCD(unit, b.Alignment())
		}
	}
	return unit
}

// A roundingEvent is the begin or the end of a part of a buffer's life.
type roundingEvent struct {
	at     int64
	buffer int
	born   bool
}

// roundingEvents are those of buffers with bytes, in order of time; ends come first.
func (in *Instance) roundingEvents() []roundingEvent {
	var list []roundingEvent
	for i := range in.Buffers {
		if in.Buffers[i].Size == 0 {
			continue
		}
		for part := range in.Buffers[i].Live() {
			list = append(list, roundingEvent{part.Start, i, true}, roundingEvent{part.End, i, false})
		}
	}
	slices.SortFunc(list, func(a, b roundingEvent) int {
		switch {
		case a.at != b.at && a.at < b.at, a.at == b.at && !a.born && b.born:
			return -1
		case a.at == b.at && a.born == b.born:
			return a.buffer - b.buffer
		}
		return 1
	})
	return list
}

// A rounding is what is live at a step.
type rounding struct {
	in   *Instance
	unit int64
	sum  int64  // of the rounded sizes
	by   pile   // live buffers by what rounding adds, those that are dead still among them
	dead []bool // no longer live
	best int64
	at   int64
}

// step takes an event; false where sums leave int64.
func (r *rounding) step(e roundingEvent) bool {
	size := r.in.Buffers[e.buffer].Size
	up, ok := AlignUp(size, r.unit)
	if !ok {
		return false
	}
	if !e.born {
		r.sum -= up
		r.dead[e.buffer] = true
		return true
	}
	r.dead[e.buffer] = false
	heap.Push(&r.by, added{up - size, e.buffer})
	r.sum, ok = Add(r.sum, up)
	return ok
}

// bound is that of what is live.
func (r *rounding) bound() int64 {
	for len(r.by) > 0 && r.dead[r.by[0].buffer] {
		heap.Pop(&r.by)
	}
	if len(r.by) == 0 {
		return 0
	}
	return r.sum - r.by[0].bytes
}

// added is what rounding adds to a buffer.
type added struct {
	bytes  int64
	buffer int
}

// A pile has the largest on top.
type pile []added

func (p pile) Len() int           { return len(p) }
func (p pile) Less(i, j int) bool { return p[i].bytes > p[j].bytes }
func (p pile) Swap(i, j int)      { p[i], p[j] = p[j], p[i] }
func (p *pile) Push(x any)        { *p = append(*p, x.(added)) }
func (p *pile) Pop() any {
	last := (*p)[len(*p)-1]
	*p = (*p)[:len(*p)-1]
	return last
}

// What a checker takes on.
const (
	maxRefuted      = 2048 // buffers
	maxRefutedBytes = 1 << 60
)

// rounded is the certificate of what is live at a step.
func (in *Instance) rounded(at int64) *Certificate {
	var live []int
	for i := range in.Buffers {
		for part := range in.Buffers[i].Live() {
			if in.Buffers[i].Size > 0 && part.Start <= at && at < part.End {
				live = append(live, i)
			}
		}
	}
	return in.crowd(Interval{at, at + 1}, live)
}

// crowd is the certificate of free buffers that conflict, each with each, during a
// window: the sum of their sizes rounded up to the common alignment, which may be
// greater than all buffers' have it, less the largest rounding. Below that every
// buffer ends a whole unit below the sum, where they have no room. Nil where the
// checkers do not take it on.
func (in *Instance) crowd(window Interval, members []int) *Certificate {
	r := &Refutation{Window: window, Buffers: members}
	unit, alike := int64(0), true
	for _, i := range members {
		b := &in.Buffers[i]
		alike = alike && (unit == 0 || b.Alignment() == unit)
		unit = GCD(unit, b.Alignment())
	}
	sum, most, fits := int64(0), int64(0), len(members) <= maxRefuted
	for _, i := range members {
		up, ok := AlignUp(in.Buffers[i].Size, unit)
		if sum, fits = addIf(fits && ok, sum, up); !fits || sum > maxRefutedBytes {
			return nil
		}
		most = max(most, up-in.Buffers[i].Size)
	}
	r.Height = sum - most - 1
	clique, room := Identity(len(members)), sum-unit
	if alike && most == unit-1 { // a plain scene: the height is a multiple of the alignment
		clique, room = in.passing(window, members, room)
	}
	r.Hints = &Hints{Steps: [][]Step{nil}} // the scene alone has no room
	if len(clique) > 0 {
		r.Hints = &Hints{Cliques: [][]int{clique}, Steps: [][]Step{{{Rule: "edge", Args: []int64{0, 0, room, int64(clique[0])}}}}}
	}
	return &Certificate{Proof: ProofSearch, Bound: sum - most, Refutation: r}
}

// passing is which of some buffers, by position, are not live at every step of the
// window at which any is, and the room that the others leave of so many bytes.
// Those the checkers take out of a plain scene.
func (in *Instance) passing(window Interval, members []int, room int64) (left []int, rest int64) {
	some := &Instance{}
	for _, i := range members {
		b := in.Buffers[i]
		var parts []Interval
		for part := range b.Live() {
			if part = part.Intersect(window); !part.Empty() {
				parts = append(parts, part)
			}
		}
		b.SetLive(parts)
		some.Buffers = append(some.Buffers, b)
	}
	live, dead := make([]bool, len(members)), make([]bool, len(members)) // now; ever
	for s := range some.Sections() {
		for _, k := range s.Died {
			live[k] = false
		}
		for _, k := range s.Born {
			live[k] = true
		}
		for k := range live {
			dead[k] = dead[k] || !live[k]
		}
	}
	for k, i := range members {
		if dead[k] {
			left = append(left, k)
			continue
		}
		up, _ := AlignUp(in.Buffers[i].Size, in.Buffers[i].Alignment())
		room -= up
	}
	return left, room
}

func addIf(ok bool, a, b int64) (int64, bool) {
	sum, fits := Add(a, b)
	return sum, ok && fits
}
