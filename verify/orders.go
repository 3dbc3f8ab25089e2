package verify

import (
	"errors"
	"fmt"
	"slices"

	"memplan/model"
)

const maxPlaces = 1 << 9 // steps that may run in any order

// An ordering adds to a program when the steps of a question run, each at a place of
// its own: those that the question has are one order of many.
type ordering struct {
	*residence
	before      [][]bool // of each step: which come before it in every order
	first, last []int    // place of each step, as early and as late as can be
	at          [][]int  // by step and place
	load        [][]times
}

// orders lays out the program of all orders.
func (r *residence) orders() error {
	n := len(r.q.Before)
	o := &ordering{residence: r, before: make([][]bool, n), first: make([]int, n), last: slices.Repeat([]int{n - 1}, n), load: make([][]times, n+1)}
	if int64(n) != r.steps() || n > maxPlaces {
		return fmt.Errorf("what comes before is of %d steps, of %d", n, r.steps())
	}
	for u, list := range r.q.Before {
		o.before[u] = make([]bool, n)
		for k, before := range list {
			if before < 0 || before >= u || k > 0 && list[k-1] >= before {
				return fmt.Errorf("what comes before step %d is no list of steps before it", u)
			}
			o.before[u][before] = true
			for w, is := range o.before[before] {
				o.before[u][w] = o.before[u][w] || is
			}
		}
	}
	for u := range n {
		for w, is := range o.before[u] {
			if is {
				o.first[u]++
				o.last[w]--
			}
		}
	}
	o.places()
	for v := range r.q.Values {
		x := &r.q.Values[v]
		switch {
		case x.Copied || x.Made > 1:
			return fmt.Errorf("value %d is copied, or made in parts: nothing is known of other orders", v)
		case !x.State && x.Made > 0 && slices.ContainsFunc(x.Events[1:], func(e model.TrafficEvent) bool {
			return e.Step < r.steps() && !o.before[e.Step][x.Events[0].Step]
		}):
			return fmt.Errorf("value %d is used in orders in which it is not made", v)
		case x.State || r.q.Way == model.WholeValues:
			o.stay(x)
		default:
			o.move(x)
		}
	}
	if len(r.q.Handovers) > 0 {
		return errors.New("results take operands' places: nothing is known of other orders")
	}
	for _, load := range o.load {
		r.row(-r.q.Capacity, load...)
	}
	return nil
}

// places says that each step runs once, no two at a time, and after those before it.
func (o *ordering) places() {
	n := len(o.first)
	each := make([][]times, n)
	for u := range n {
		o.at = append(o.at, slices.Repeat([]int{none}, n))
		scratch := int64(0)
		for _, bytes := range o.q.Scratch[u] {
			scratch = total(scratch, bytes)
		}
		for k := o.first[u]; k <= o.last[u]; k++ {
			o.at[u][k] = o.column(0)
			each[k] = append(each[k], times{o.at[u][k], -1})
			o.load[k] = append(o.load[k], times{o.at[u][k], -scratch})
		}
		o.row(1, o.by(u, n, 1)...)
	}
	for _, all := range each {
		o.row(-1, all...)
	}
	for u := range n {
		for w, is := range o.before[u] {
			for k := o.first[u]; is && k <= min(o.last[u], o.last[w]); k++ {
				o.row(0, append(o.by(w, k-1, 1), o.by(u, k, -1)...)...)
			}
		}
	}
}

// by says that a step runs at a place or before.
func (o *ordering) by(u, place int, often int64) (list []times) {
	for k := o.first[u]; k <= min(place, o.last[u]); k++ {
		list = append(list, times{o.at[u][k], often})
	}
	return list
}

// A life is a value's time in fast memory, by place; maker is the step that makes it,
// -1 where it is given.
type life struct {
	here     []int
	from, to int
	maker    int
}

// live is from which place to which a value may be needed.
func (o *ordering) live(x *model.TrafficValue) life {
	n := len(o.first)
	s := life{here: slices.Repeat([]int{none}, n+1), maker: -1}
	if x.Made > 0 {
		s.maker = int(x.Events[0].Step)
		s.from = o.first[s.maker]
	}
	for _, e := range x.Events {
		switch {
		case e.Step == int64(n):
			s.to = n
		case e.Step >= 0:
			s.to = max(s.to, o.last[e.Step])
		}
	}
	return s
}

// held adds a column that says that a value is in fast memory at a place.
func (o *ordering) held(x *model.TrafficValue, s *life, k int) {
	s.here[k] = o.column(0)
	o.load[k] = append(o.load[k], times{s.here[k], -x.Least})
}

// lasts says that a value is at a place where it was before, is copied in, or is made.
func (o *ordering) lasts(s *life, k, back int) {
	made := none
	if s.maker >= 0 && k < len(o.first) {
		made = o.at[s.maker][k]
	}
	o.row(0, times{s.here[k-1], 1}, times{s.here[k], -1}, times{back, 1}, times{made, 1})
}

// present says that a value is there when a step runs, unless the column away is 1.
func (o *ordering) present(s *life, u, away int) {
	for k := o.first[u]; k <= o.last[u]; k++ {
		o.row(0, times{s.here[k], 1}, times{o.at[u][k], -1}, times{away, 1})
	}
}

// begins says that a value is not there before it is made.
func (o *ordering) begins(s *life) {
	o.row(0, times{o.at[s.maker][s.from], 1}, times{s.here[s.from], -1})
}

// taken says that what the caller takes is somewhere.
func (o *ordering) taken(x *model.TrafficValue, s *life, kept int) {
	if x.Events[len(x.Events)-1].Step == o.steps() && !x.State && (s.maker >= 0 || kept != none) {
		o.row(1, times{s.here[len(o.first)], 1}, times{kept, 1})
	}
}

// uses are the events of operators that do not make a value.
func (o *ordering) uses(x *model.TrafficValue) (list []model.TrafficEvent) {
	for _, e := range x.Events[x.Made:] {
		if e.Step >= 0 && e.Step < o.steps() {
			list = append(list, e)
		}
	}
	return list
}

// stay is a value that is in one memory for good.
func (o *ordering) stay(x *model.TrafficValue) {
	z, s := o.forGood(x), o.live(x)
	for k := s.from; k <= s.to; k++ {
		if o.held(x, &s, k); x.State {
			o.row(1, times{s.here[k], 1}, times{z, 1})
		} else {
			o.row(-1, times{s.here[k], -1}, times{z, -1})
		}
		if k > s.from {
			o.lasts(&s, k, none)
		}
	}
	for _, e := range o.uses(x) {
		o.present(&s, int(e.Step), z)
	}
	o.taken(x, &s, z)
	if s.maker >= 0 {
		o.present(&s, s.maker, z)
		o.begins(&s)
	}
}

// move is a value that may come and go.
func (o *ordering) move(x *model.TrafficValue) {
	kept, s, n := none, o.live(x), len(o.first)
	if s.maker >= 0 {
		kept = o.column(paid(x.Bytes, o.q.Write))
	}
	needs := func(column int) {
		if kept != none {
			o.row(0, times{kept, 1}, times{column, -1})
		}
	}
	for k := s.from; k <= s.to; k++ {
		if o.held(x, &s, k); k == s.from {
			continue
		}
		back := none
		if k < n {
			back = o.column(paid(x.Bytes, o.q.Read))
			if needs(back); s.maker >= 0 {
				o.row(0, append(o.by(s.maker, k-1, 1), times{back, -1})...)
			}
		}
		o.lasts(&s, k, back)
	}
	direct := o.q.Way == model.DirectPieces
	if s.maker >= 0 {
		o.begins(&s)
		wrote := none
		if direct {
			wrote = o.column(o.reaching(x.Events[:1]) - paid(x.Bytes, o.q.Write))
			needs(wrote)
		}
		o.present(&s, s.maker, wrote)
	}
	for _, e := range o.uses(x) {
		away := kept
		switch {
		case !e.Reached() && s.maker < 0:
			continue // it is somewhere
		case e.Reached() && direct:
			away = o.column(paid(e.Reads, o.q.Read))
			needs(away)
		case e.Reached():
			away = none
		}
		o.present(&s, int(e.Step), away)
	}
	o.taken(x, &s, kept)
}
