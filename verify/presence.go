package verify

import (
	"errors"
	"fmt"
	"slices"

	"memplan/model"
)

// cut checks that the values of one cannot be in fast memory all at once, and adds
// the row that says so.
func (r *residence) cut(c *model.Cut) error {
	if len(r.q.Before) > 0 {
		return errors.New("what clashes in one order says nothing of others")
	}
	if err := r.listed(c.Pieces); err != nil {
		return err
	}
	if c.Certificate.Bound <= r.q.Capacity {
		return fmt.Errorf("the bound %d is within the capacity", c.Certificate.Bound)
	}
	if err := Certificate(together(r.q, c.Pieces), &c.Certificate); err != nil {
		return err
	}
	var columns []int
	for _, p := range c.Pieces {
		columns = append(columns, r.gone(p)...)
	}
	var row []times
	for _, column := range distinct(columns) {
		row = append(row, times{column, 1})
	}
	r.row(1, row...)
	return nil
}

// listed checks that pieces are parts of lives, in order of values and time, and none
// meets another of its value.
func (r *residence) listed(pieces []model.PresentPiece) error {
	if len(pieces) == 0 {
		return errors.New("there are no pieces")
	}
	for k, p := range pieces {
		if p.Value < 0 || p.Value >= len(r.q.Values) {
			return fmt.Errorf("piece %d is of no value", k)
		}
		x := &r.q.Values[p.Value]
		from, to := x.Events[0].Step, x.Events[len(x.Events)-1].Step
		if p.Steps.Start < from || p.Steps.End > to+1 || max(p.Steps.Start, 0) >= p.Steps.End {
			return fmt.Errorf("piece %d: the value is there at steps %d to %d", k, from, to)
		}
		if k > 0 && (pieces[k-1].Value > p.Value || pieces[k-1].Value == p.Value && pieces[k-1].Steps.End > p.Steps.Start) {
			return fmt.Errorf("piece %d does not come after the one before", k)
		}
	}
	return nil
}

// gone lists the columns of which one is 1 where a piece is not in fast memory.
func (r *residence) gone(p model.PresentPiece) (list []int) {
	x, w := &r.q.Values[p.Value], &r.of[p.Value]
	first, last := p.Steps.Start, p.Steps.End-1
	if j := event(x, first); j >= 0 && first == last {
		return []int{w.out[j]}
	}
	for j := range w.left {
		if x.Events[j].Step < max(last, first+1) && x.Events[j+1].Step > first {
			list = append(list, w.left[j])
		}
	}
	return list
}

// A stretch is steps of a piece during which no operator makes a view of it.
type stretch struct {
	piece model.PresentPiece
	life  model.Interval
	gap   model.Interval // part of life during which it is elsewhere, or nowhere
	size  int64
}

// around makes one of the two stretches of a state with which a run begins and ends,
// since it is at one place then. The second is left without bytes.
func around(list []stretch, q *model.TrafficQuestion) {
	begins := -1
	for k := range list {
		s := &list[k]
		switch {
		case !q.Values[s.piece.Value].Copied || s.size == 0:
		case s.piece.Steps.Start == -1:
			begins = k
		case s.piece.Steps.End == int64(len(q.Scratch))+1 && begins >= 0 && list[begins].piece.Value == s.piece.Value:
			b := &list[begins]
			b.gap, b.life.End, s.size = model.Interval{Start: b.life.End, End: s.life.Start}, s.life.End, 0
		}
	}
}

// together is the instance that pieces make: what is in fast memory for certain
// where all of them are, and how it may share.
func together(q *model.TrafficQuestion, pieces []model.PresentPiece) *model.Instance {
	list := stretches(q, pieces)
	in := &model.Instance{Capacity: q.Capacity}
	for _, h := range q.Handovers {
		u := slices.IndexFunc(list, func(s stretch) bool { return s.dies(h) })
		o := slices.IndexFunc(list, func(s stretch) bool { return s.piece.Value == h.Over && s.life.Start == h.Step && s.size > 0 })
		if u < 0 || o < 0 {
			continue
		}
		under, over := &q.Values[h.Under], &q.Values[h.Over]
		if list[u].size < under.Bytes || list[o].size < over.Bytes || under.Copied || over.Copied {
			list[u].shorten() // which of its bytes are there, or what a state's copy may share, is not known
			continue
		}
		p := model.Pair{Over: o, Under: u, Distance: h.Distance, Equal: !h.Lead}
		if k := slices.IndexFunc(in.Pairs, func(x model.Pair) bool {
			return x.Over == o && x.Under == u && x.Equal == p.Equal && (h.Lead || x.Distance == p.Distance)
		}); k >= 0 {
			in.Pairs[k].Distance = min(in.Pairs[k].Distance, p.Distance)
		} else {
			in.Pairs = append(in.Pairs, p)
		}
	}
	around(list, q)
	steps := pieces[0].Steps
	for _, s := range list {
		b := model.Buffer{Life: s.life, Size: s.size, Align: q.Values[s.piece.Value].Align}
		if !s.gap.Empty() {
			b.Gaps = []model.Interval{s.gap}
		}
		in.Buffers = append(in.Buffers, b)
		steps = model.Interval{Start: min(steps.Start, s.piece.Steps.Start), End: max(steps.End, s.piece.Steps.End)}
	}
	for s := max(steps.Start, 0); s < min(steps.End, int64(len(q.Scratch))); s++ {
		for _, bytes := range q.Scratch[s] {
			in.Buffers = append(in.Buffers, model.Buffer{Life: model.Interval{Start: s, End: s + 1}, Size: bytes, Align: 1})
		}
	}
	for k := range q.Reserved {
		a := &q.Reserved[k]
		in.Buffers = append(in.Buffers, model.Buffer{Life: model.Interval{End: int64(len(q.Scratch)) + 1}, Size: a.End - a.Start, Align: 1, Offset: &a.Start})
	}
	for i := range in.Buffers {
		in.Buffers[i].ID = fmt.Sprint(i)
	}
	return in
}

// stretches parts pieces at the steps at which they may move.
func stretches(q *model.TrafficQuestion, pieces []model.PresentPiece) (list []stretch) {
	for _, p := range pieces {
		x := &q.Values[p.Value]
		from := max(p.Steps.Start, 0)
		for _, to := range append(slices.Clone(x.Moves), p.Steps.End) {
			if to = min(to, p.Steps.End); to > from {
				j, _ := next(x, to-1)
				list = append(list, stretch{piece: p, life: model.Interval{Start: from, End: to}, size: x.Events[j].Needed})
				from = to
			}
		}
	}
	return list
}

// dies reports whether a stretch may give its bytes to another value: the piece ends
// there, and is not the caller's.
func (s *stretch) dies(h model.Handover) bool {
	at := h.Step + 1
	return s.piece.Value == h.Under && s.piece.Steps.End == at && s.life.End == at && s.size > 0 && !(h.Given && s.piece.Steps.Start == -1)
}

// shorten takes the last step of a stretch away.
func (s *stretch) shorten() {
	if s.life.End--; s.life.Empty() {
		s.life.End++
		s.size = 0
	}
}
