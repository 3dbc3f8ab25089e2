package heuristics

import (
	"fmt"
	"math"

	"memplan/model"
)

// Fit says which hole a body goes into.
type Fit int

const (
	FirstFit Fit = iota // the lowest
	BestFit             // the smallest after alignment, the lowest among equals
	onTop               // none: on top of the highest
)

func (f Fit) String() string { return [...]string{"first-fit", "best-fit", "on-top"}[f] }

// rule is the fit in the words of a planner's definition.
func (f Fit) rule() string {
	return [...]string{"first fit", "best fit", "on top of the highest conflicting buffer"}[f]
}

// find is the offset that fit gives to the root of body b among the placed
// rectangles, at least from.
func (a *arena) find(in *model.Instance, b []int, fit Fit, from int64) (int64, error) {
	var reach int64 // bytes from the root's offset to the highest end
	a.walks = a.walks[:0]
	for _, i := range b {
		buf := &in.Buffers[i]
		delta := distance(buf)
		reach = max(reach, delta+buf.Size)
		if !a.any {
			continue
		}
		for _, p := range a.of(i) {
			for k := p.from; k < p.to; k++ {
				a.walks = append(a.walks, walk{a.entries(k), p.life, delta, buf.Size})
			}
		}
	}
	align := in.Buffers[b[0]].Alignment()
	off, ok := int64(0), false
	if fit == FirstFit {
		off, ok = lowest(a.walks, align, from)
	} else {
		off, ok = choose(a.forbidden(from), align, fit)
	}
	if _, fits := model.Add(off, reach); !ok || !fits {
		return 0, overflow(&in.Buffers[b[0]])
	}
	return off, nil
}

// A walk goes by rising address through what is placed in one block, of which a
// rectangle of a body's, of the given size and delta above the root, must overlap
// nothing that meets its life.
type walk struct {
	rest        []rect
	life        ranks
	delta, size int64
}

// lowest is the first multiple of align, at least off, at which the body that
// the walks are of overlaps nothing, and whether it fits in int64. They go no
// further than there.
func lowest(walks []walk, align, off int64) (int64, bool) {
	for {
		aligned, ok := model.AlignUp(off, align)
		if !ok {
			return 0, false
		}
		off = aligned
		for k := range walks {
			off = walks[k].climb(off)
		}
		if off == aligned {
			return off, true
		}
	}
}

// climb is the first offset of the root, at least off, that keeps clear of the
// entries that begin below the end of the rectangle there. Those it has passed end
// at or below any later off. As in cover, no branch depends on which entries meet
// the life.
func (w *walk) climb(off int64) int64 {
	for k := range w.rest {
		e := &w.rest[k]
		if e.bytes.Start-w.delta-w.size >= off {
			w.rest = w.rest[k:]
			return off
		}
		end := e.bytes.End - w.delta
		if e.life.meeting(w.life) == 0 {
			end = off
		}
		off = max(off, end)
	}
	w.rest = nil
	return off
}

// distance is how far b lies above its root.
func distance(b *model.Buffer) int64 {
	if b.Tie == nil {
		return 0
	}
	return b.Tie.Delta
}

func overflow(b *model.Buffer) error {
	return fmt.Errorf("buffer %q: %w", b.ID, model.ErrOverflow)
}

// forbidden are the offsets of the root below from, and those at which one of
// the walks' rectangles would overlap what is placed, as cover has them.
func (a *arena) forbidden(from int64) []model.Interval {
	a.runs = append(a.runs[:0], model.Interval{Start: math.MinInt64, End: from})
	for _, w := range a.walks {
		if len(a.more) <= len(w.rest) {
			a.more = make([]model.Interval, 2*len(w.rest)+minBlock)
		}
		if len(a.runs) == 1 { // the block's runs begin with it, and there is nothing to unite
			n := cover(a.more, a.runs[0].End, w)
			a.runs, a.more = a.more[:n], a.runs[:cap(a.runs)]
			continue
		}
		n := cover(a.more, math.MinInt64, w)
		a.spare = unite(a.spare[:0], a.runs, a.more[:n])
		a.runs, a.spare = a.spare, a.runs
	}
	return a.runs
}

// cover writes to out the union of the offsets below low and of those that put
// the walk's rectangle onto an entry that meets its life, as rising runs that do
// not touch, and returns their number. The entries rise, and out is longer than
// they are. The loop has no branch that depends on the data: half of the
// entries of a block meet a life that begins inside it, at random.
func cover(out []model.Interval, low int64, w walk) int {
	n := 0
	run := model.Interval{Start: math.MinInt64, End: low}
	for i := range w.rest {
		e := &w.rest[i]
		lo, hi := e.bytes.Start-w.delta-w.size+1, e.bytes.End-w.delta
		meets := e.life.meeting(w.life)
		apart := meets & one(lo > run.End)
		out[n] = run
		n += apart
		if apart != 0 {
			run.Start = lo
		}
		if meets == 0 {
			hi = run.End
		}
		run.End = max(run.End, hi)
	}
	out[n] = run
	return n + 1
}

// meeting is 1 where a meets b, without a branch.
func (a ranks) meeting(b ranks) int { return one(a.end > b.start) & one(a.start < b.end) }

// one is 1 for true, without a branch.
func one(b bool) int {
	if b {
		return 1
	}
	return 0
}

// unite appends to out the union of two lists of rising runs that do not
// touch, in the same form: between any two is an offset that is allowed.
func unite(out, a, b []model.Interval) []model.Interval {
	if b[0].Start < a[0].Start {
		a, b = b, a
	}
	run := a[0]
	a = a[1:]
	for len(a)+len(b) > 0 {
		var next model.Interval
		if len(b) == 0 || len(a) > 0 && a[0].Start <= b[0].Start {
			next, a = a[0], a[1:]
		} else {
			next, b = b[0], b[1:]
		}
		if next.Start > run.End {
			out = append(out, run)
			run.Start = next.Start
		}
		run.End = max(run.End, next.End)
	}
	return append(out, run)
}

// choose picks the offset that fit prefers among the multiples of align
// outside the runs, and whether it fits in int64.
func choose(runs []model.Interval, align int64, fit Fit) (int64, bool) {
	best, slack := int64(0), int64(math.MaxInt64)
	last := len(runs) - 1
	for k := 0; k < last && fit != onTop; k++ {
		off, ok := model.AlignUp(runs[k].End, align)
		room := runs[k+1].Start - 1 - off
		if !ok || room < 0 || room >= slack {
			continue
		}
		best, slack = off, room
	}
	if slack < math.MaxInt64 {
		return best, true
	}
	return model.AlignUp(runs[last].End, align)
}
