package learning

import "memplan/model"

// A dive looks for plans of the whole further up than where the bound is asked
// for: half way between there and the best peak, where an answer is most likely
// soon. A plan lowers the peak, a refutation raises the bound. Where patience
// runs out the next is half way further up, and tries pairs in another order. It
// does not where one height is left: when the bound comes to it, the dive's work
// goes on as the proof's.
type dive struct {
	*task
	begun  int64 // so many
	left   int64 // units of patience
	failed int64 // height of the part at which the last one ended without an answer
}

const patience = 1 << 20 // units for a dive, times Luby's sequence

// plunge makes the dive ready to go on, or begins another; false when there is
// no height to ask about.
func (s *stage) plunge(peak int64) bool {
	d := &s.dive
	if s.plan != nil {
		peak = min(peak, s.peak)
	} else if peak == model.MaxBytes {
		peak = min(s.height, model.MaxBytes-s.height) + s.height
	}
	least, most := s.part.Height(s.height)+1, s.part.Height(peak-1)
	if d.state != open || s.whole().state != open || least > most {
		return false
	}
	at := s.part.Height(d.height)
	if least == most {
		d.left = max(d.left, s.all)
	}
	if d.search != nil && d.left > 0 && least <= at && at <= most {
		return true
	}
	if d.search != nil && d.left <= 0 {
		d.failed = at
	}
	from := max(least, d.failed+1)
	if from > most {
		from, d.failed = least, least-1
	}
	d.height, d.search = s.part.Bytes(from+(most-from)/2+1)-1, nil
	d.begun++
	d.left = patience * Luby(d.begun)
	return true
}

// seed is that of a task: each dive has its own.
func (t *task) seed(seed int64) int64 {
	if d := &t.stage.dive; t == d.task {
		return seed + d.begun - 1
	}
	return seed
}
