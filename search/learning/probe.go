package learning

import "memplan/model"

// A probe looks for plans of the whole further up than where the bound is asked
// for: half way between there and the best peak, where an answer is most likely
// soon. A plan lowers the peak, a refutation raises the bound. Where its work
// runs out the next is half way further up, and tries pairs in another order. It
// does not where one height is left: when the bound comes to it, the probe's work
// goes on as the proof's.
type probe struct {
	*query
	begun  int64 // so many
	left   int64 // units
	failed int64 // height of the part at which the last one ended without an answer
}

// ready makes the probe ready to go on, or begins another; false when there is
// no height to ask about.
func (s *stage) ready(peak int64) bool {
	d := &s.probe
	if s.plan != nil {
		peak = min(peak, s.peak)
	} else if peak == model.MaxBytes {
		peak = min(s.height, model.MaxBytes-s.height) + s.height
	}
	lowest, highest := s.part.Height(s.height)+1, s.part.Height(peak-1)
	if d.standing != open || s.whole().standing != open || lowest > highest {
		return false
	}
	at := s.part.Height(d.height)
	if lowest == highest {
		d.left = max(d.left, s.all)
	}
	if d.search != nil && d.left > 0 && lowest <= at && at <= highest {
		return true
	}
	if d.search != nil && d.left <= 0 {
		d.failed = at
	}
	from := max(lowest, d.failed+1)
	if from > highest {
		from, d.failed = lowest, lowest-1
	}
	d.height, d.search = s.part.Bytes(from+(highest-from)/2+1)-1, nil
	d.begun++
	d.left = tuned.probeUnits * Luby(d.begun)
	return true
}

// seed is that of a query: each probe has its own.
func (t *query) seed(seed int64) int64 {
	if d := &t.stage.probe; t == d.query {
		return seed + d.begun - 1
	}
	return seed
}
