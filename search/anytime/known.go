package anytime

import (
	"math/rand/v2"

	"memplan/model"
	"memplan/search/canonical"
)

// known is what a task starts from: its own copy of what was known before the
// round.
type known struct {
	in      *model.Instance
	problem *canonical.Problem // nil: not for the canonical tree
	least   int64              // the lowest capacity worth asking for
	best    *model.Plan        // nil: none yet
	peak    int64              // its peak; MaxBytes
	widest  int                // doublings of the width of beams
	trials  []canonical.Trial  // the best beams at the least
}

// learn takes over a plan if it is better.
func (w *known) learn(p *model.Plan) {
	if p == nil {
		return
	}
	if peak := p.Peak(w.in); w.best == nil || peak < w.peak {
		w.best, w.peak = p, peak
	}
}

// met reports whether there is nothing left to try.
func (w *known) met() bool { return w.best != nil && w.peak <= w.least }

// An aim is a way to draw a capacity between the least and the peak. Success is
// not monotone in it.
type aim int

const (
	near   aim = iota // about a third of the way up: likely to succeed
	low               // more often near the least
	lowest            // the least
)

// ceiling is the peak to stay below: with no plan as yet twice the least.
func (w *known) ceiling(peak int64) int64 {
	if peak == model.MaxBytes {
		return min(w.least, model.MaxBytes-w.least) + w.least
	}
	return peak
}

// aim draws the capacity to ask for.
func (w *known) aim(r *rand.Rand, peak int64, how aim) int64 {
	peak = w.ceiling(peak)
	u := r.Float64()
	switch how {
	case near:
		u = tuned.nearFrom + tuned.nearOver*u
	case low:
		u *= u
	case lowest:
		u = 0
	}
	unit := w.problem.Unit()
	steps := max((peak-1-w.least)/unit, 0)
	return w.least + min(int64(u*float64(steps+1)), steps)*unit
}
