package learning

import (
	"cmp"
	"slices"

	"memplan/model"
	"memplan/model/reduce"
)

// A stage is a part of the instance with its questions.
type stage struct {
	part    *reduce.Part
	only    func(i int) bool // the part's buffers, and those at the bottom below it
	setUp   int64            // units that it costs to state a problem
	queries []*query         // by width, the whole last
	turn    int

	height int64       // bytes that are asked about; -1: none yet
	spent  int64       // units at this height, without the probe's
	all    int64       // and at all heights
	stride int64       // units of the part to go up by, beyond the next peak
	first  *query      // asked first: it was refuted last
	plan   *model.Plan // of the part, the best so far
	peak   int64       // its peak in the instance, bytes
	probe  probe
}

// A standing is what is known of a query.
type standing int

const (
	open standing = iota
	fitting
	declined // too large
)

// A query is the question whether a window of a part fits below the height.
type query struct {
	stage    *stage
	window   model.Interval // of the instance's steps
	whole    bool
	standing standing
	height   int64   // bytes that are asked about
	search   *solver // nil: not begun at this height
	spent    int64   // units, at this height
}

func newStage(in *model.Instance, r *reduce.Reduction, k int) *stage {
	s := &stage{part: &r.Parts[k], height: -1}
	steps := s.part.Steps
	if steps == nil {
		for c := range s.part.Instance.Sections() {
			steps = append(steps, c.Steps)
		}
	}
	span := model.Interval{Start: steps[0].Start, End: steps[len(steps)-1].End}
	s.only = members(in, r, k)
	n := int64(len(s.part.Index))
	s.setUp = (n*n+int64(len(steps))*int64(len(steps)))/100 + 16
	for width := tuned.firstWidth; width <= len(steps)*2/3; width += (width + 1) / 2 {
		for from := 0; ; from += max(1, width/3) {
			to := min(from+width, len(steps))
			s.queries = append(s.queries, &query{stage: s, window: model.Interval{Start: steps[to-width].Start, End: steps[to-1].End}})
			if to == len(steps) {
				break
			}
		}
	}
	s.queries = append(s.queries, &query{stage: s, window: span, whole: true})
	s.probe.query = &query{stage: s, window: span, whole: true}
	return s
}

// members are the buffers of a part, and those in no part that conflict with
// all of them: the ones that lie at the bottom below it are among those. To leave
// out others weakens no proof.
func members(in *model.Instance, r *reduce.Reduction, k int) func(i int) bool {
	inside := make([]bool, len(in.Buffers))
	for i := range in.Buffers {
		inside[i] = !slices.ContainsFunc(r.Parts[k].Index, func(j int) bool { return !in.Buffers[i].Conflicts(&in.Buffers[j]) })
	}
	for _, p := range r.Parts {
		for _, i := range p.Index {
			inside[i] = false
		}
	}
	for _, i := range r.Parts[k].Index {
		inside[i] = true
	}
	return func(i int) bool { return inside[i] }
}

// aim sets the height: below the best peak, and so far up that nothing between
// two peaks that the part can have is asked twice.
func (s *stage) aim(bound, peak int64) {
	if s.spent > 4*tuned.cheap {
		s.stride = 0
	}
	height := s.part.Height(bound) + 1
	next, ok := model.Add(height, s.stride)
	if !ok {
		next = height
	}
	if height = min(s.part.Bytes(next), peak) - 1; height == s.height {
		return
	}
	s.height, s.spent, s.turn = height, 0, 0
	for _, t := range s.queries {
		t.height, t.search, t.spent = height, nil, 0
	}
	if s.probe.height == height {
		s.whole().search, s.probe.search = s.probe.search, nil
	}
	if whole := s.whole(); whole.standing == fitting && s.plan != nil && s.peak > height {
		whole.standing = open
	}
	s.arrange()
}

// whole is the query of all the part.
func (s *stage) whole() *query { return s.queries[len(s.queries)-1] }

// arrange puts the window that was refuted last in front, and drops those that
// will prove nothing any more.
func (s *stage) arrange() {
	if s.first != nil && s.first != s.whole() {
		k := slices.Index(s.queries, s.first)
		s.queries = slices.Insert(slices.Delete(s.queries, k, k+1), 0, s.first)
	}
	s.first = nil
	s.queries = slices.DeleteFunc(s.queries, func(t *query) bool { return !t.whole && t.standing != open })
}

// next is the next open query of the pass, before it the probe where that is due;
// nil at its end. When the whole fits, so does every window.
func (s *stage) next(peak int64) *query {
	if s.turn == 0 && s.probe.spent < s.all && s.ready(peak) {
		return s.probe.query
	}
	for s.whole().standing != fitting && s.turn < len(s.queries) {
		t := s.queries[s.turn]
		if s.turn++; t.standing == open {
			return t
		}
	}
	s.turn = 0
	return nil
}

// due is what a query may spend now: its share; the whole, as much as all the
// windows have; the probe, as much as all of them together.
func (t *query) due(share int64) int64 {
	s := t.stage
	switch {
	case t == s.probe.query:
		return min(s.probe.left, max(share, s.all-t.spent))
	case t.whole:
		return max(share, s.spent-2*t.spent)
	}
	return share
}

// pay books units that a query spent.
func (t *query) pay(units int64) {
	s := t.stage
	t.spent += units
	if t == s.probe.query {
		s.probe.left -= units
	} else {
		s.spent, s.all = s.spent+units, s.all+units
	}
}

// refuted notes that a query was refuted.
func (s *stage) refuted(t *query) {
	if t == s.probe.query {
		return
	}
	s.first = t
	if s.spent < tuned.cheap {
		s.stride = 2*s.stride + 1
	} else {
		s.stride = 0
	}
}

// fits notes that a query has a plan, and reports whether that is a better one
// of the part.
func (s *stage) fits(t *query) bool {
	search := t.search
	t.standing, t.search = fitting, nil
	if !t.whole {
		return false
	}
	plan := s.settle(search)
	peak := s.part.Bytes(plan.Peak(s.part.Instance))
	if s.part.Instance.Check(plan) != nil || s.plan != nil && peak >= s.peak {
		return false
	}
	s.plan, s.peak, s.probe.standing = &plan, peak, open
	return true
}

// settle makes a plan of the part from one that was found: from the bottom up,
// each buffer goes as low as those that lay lower allow. A buffer below the part
// may have been anywhere; in the part it is at the bottom.
func (s *stage) settle(search *solver) model.Plan {
	found := make(map[int]int64, len(search.p.buffer))
	for k, off := range search.offsets() {
		found[search.p.buffer[k]] = off
	}
	in, index := s.part.Instance, s.part.Index
	plan := model.Plan{Offsets: make([]int64, len(index))}
	order := model.Identity(len(index))
	for k, i := range index {
		plan.Offsets[k] = (found[i] - s.part.Base) / s.part.Unit
	}
	if slices.ContainsFunc(in.Buffers, func(b model.Buffer) bool { return b.Tie != nil }) {
		return plan
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(found[index[a]], found[index[b]]) })
	for n, k := range order {
		b, low := &in.Buffers[k], int64(0)
		for _, o := range order[:n] {
			if in.Buffers[o].Conflicts(b) {
				low = max(low, plan.Offsets[o]+in.Buffers[o].Size)
			}
		}
		if low, _ = model.AlignUp(low, b.Align); b.Offset != nil {
			low = *b.Offset
		}
		plan.Offsets[k] = low
	}
	return plan
}
