package verify

import (
	"cmp"
	"fmt"
	"slices"

	"memplan/model"
)

// none is the column of what is not allowed: always 0.
const none = -1

const (
	maxCost     = int64(1) << 50 // of all columns together
	maxAsked    = int64(1) << 40 // that any number of a question may be
	maxRounding = int64(1) << 44 // that any number of a row made by rounding may be
)

// A residence is the program of a question: columns that are 0 or 1, and rows.
type residence struct {
	q     *model.TrafficQuestion
	costs []int64
	of    []where
	rows  []inequality
}

// where has the columns of a value, by event; left[j] is of the time between the
// events j and j+1.
type where struct{ out, left []int }

// An inequality says that so many times columns are together at least a number.
type inequality struct {
	terms []times
	least int64
}

type times struct {
	column int
	times  int64
}

// steps is how many there are, the caller's last one not counted.
func (r *residence) steps() int64 { return int64(len(r.q.Scratch)) }

func newResidence(q *model.TrafficQuestion) (*residence, error) {
	if err := sound(q); err != nil {
		return nil, err
	}
	r := &residence{q: q}
	if len(q.Before) > 0 {
		if err := r.orders(); err != nil {
			return nil, err
		}
		return r, r.small()
	}
	for v := range q.Values {
		switch x := &q.Values[v]; {
		case x.Copied:
			r.state(x)
		case q.Way == model.WholeValues || x.State:
			r.whole(x)
		default:
			r.pieces(x)
		}
	}
	for s := int64(0); s <= r.steps(); s++ {
		r.cover(s)
	}
	return r, r.small()
}

// small checks that there are not too many columns, nor too large costs.
func (r *residence) small() error {
	if len(r.costs) > 1<<18 {
		return fmt.Errorf("%d columns are too many", len(r.costs))
	}
	sum := int64(0)
	for _, c := range r.costs {
		if sum = total(sum, max(c, -c)); sum > maxCost {
			return fmt.Errorf("the costs add up to more than %d", maxCost)
		}
	}
	return nil
}

// sound checks what a question says, so that nothing below is out of range.
func sound(q *model.TrafficQuestion) error {
	small := func(list ...int64) bool {
		return !slices.ContainsFunc(list, func(x int64) bool { return x < 0 || x > maxAsked })
	}
	n := int64(len(q.Scratch))
	switch {
	case q.Way != model.WholeValues && q.Way != model.DirectPieces && q.Way != model.CopiedPieces:
		return fmt.Errorf("unknown way %q", q.Way)
	case !small(q.Capacity, q.Read, q.Write) || q.Read == 0 || q.Write == 0 || len(q.Values) > 1<<16 || n > 1<<16:
		return fmt.Errorf("the capacity, a cost, or how much there is, is out of range")
	}
	for _, list := range q.Scratch {
		if !small(list...) {
			return fmt.Errorf("a workspace out of range")
		}
	}
	for _, a := range q.Reserved {
		if !small(a.Start, a.End) || a.Start >= a.End {
			return fmt.Errorf("reserved addresses %v", a)
		}
	}
	for v := range q.Values {
		x := &q.Values[v]
		last, needed := int64(-2), x.Bytes
		ok := small(x.Bytes, x.Align, x.Least) && x.Bytes > 0 && x.Align > 0 && len(x.Events) > 0 && x.Made >= 0 && x.Made <= len(x.Events) &&
			(x.Made == 0 || !x.State && x.Events[x.Made-1].Step < n)
		for j := range x.Events {
			e := &x.Events[j]
			ok = ok && small(e.Reads, e.Writes, e.Needed) && e.Step > last && e.Step <= n && e.Needed <= needed && (e.Step == -1) == (j == 0 && x.Made == 0)
			last, needed = e.Step, e.Needed
		}
		ok = ok && (!x.Copied || x.State && q.Way != model.WholeValues && last == n && len(x.Moves) == 0 && !x.Events[0].Reached() && !x.Events[len(x.Events)-1].Reached())
		if !ok || !slices.IsSorted(x.Moves) {
			return fmt.Errorf("value %d: its events are not in order, or out of range", v)
		}
	}
	for k, h := range q.Handovers {
		in := func(v int) bool { return v >= 0 && v < len(q.Values) && event(&q.Values[v], h.Step) >= 0 }
		if !in(h.Under) || !in(h.Over) || h.Under == h.Over || !small(h.Distance) || h.Step < 0 {
			return fmt.Errorf("handover %d is of no two values", k)
		}
	}
	return nil
}

// event is the number of a value's event at a step, -1 where there is none.
func event(x *model.TrafficValue, step int64) int {
	if j, at := next(x, step); at {
		return j
	}
	return -1
}

// next is the number of a value's first event at a step or later, and whether it is
// at the step.
func next(x *model.TrafficValue, step int64) (j int, at bool) {
	return slices.BinarySearchFunc(x.Events, step, func(e model.TrafficEvent, s int64) int { return cmp.Compare(e.Step, s) })
}

// column adds one. A cost beyond what is counted is just that.
func (r *residence) column(cost int64) int {
	r.costs = append(r.costs, cost)
	return len(r.costs) - 1
}

// paid is what it costs to move so many bytes.
func paid(bytes, each int64) int64 {
	if bytes > maxCost/each {
		return maxCost + 1
	}
	return bytes * each
}

// reaching is what it costs to reach a value in slow memory at some events.
func (r *residence) reaching(events []model.TrafficEvent) (cost int64) {
	for _, e := range events {
		cost = total(cost, total(paid(e.Reads, r.q.Read), paid(e.Writes, r.q.Write)))
	}
	return cost
}

// whole gives a value one column.
func (r *residence) whole(x *model.TrafficValue) {
	all := slices.Repeat([]int{r.forGood(x)}, len(x.Events))
	r.of = append(r.of, where{all, all[1:]})
}

// forGood is a column that says that a value is in slow memory all the time.
func (r *residence) forGood(x *model.TrafficValue) int {
	if r.q.Way == model.CopiedPieces && slices.ContainsFunc(x.Events, func(e model.TrafficEvent) bool { return e.Reached() }) {
		return none
	}
	return r.column(r.reaching(x.Events))
}

// pieces gives a value its columns and their rows.
func (r *residence) pieces(x *model.TrafficValue) {
	var w where
	var back []int
	kept := none
	if x.Made > 0 {
		kept = r.column(paid(x.Bytes, r.q.Write))
	}
	for j, e := range x.Events {
		out, in := none, none
		switch {
		case j > 0 && j < x.Made:
			out = w.out[0]
		case j > 0 && e.Step == r.steps():
			out = w.left[j-1]
		case r.q.Way == model.CopiedPieces && e.Reached():
		case j == 0 && x.Made > 0: // what is written there stands in for the copy
			out = r.column(r.reaching(x.Events[:x.Made]) - paid(x.Bytes, r.q.Write))
		default:
			out = r.column(paid(e.Reads, r.q.Read))
		}
		if j >= max(x.Made, 1) && e.Step < r.steps() {
			in = r.column(paid(x.Bytes, r.q.Read))
		}
		w.out, back = append(w.out, out), append(back, in)
		switch {
		case j == len(x.Events)-1:
		case j+1 < x.Made || e.Step == -1:
			w.left = append(w.left, w.out[0])
		default:
			w.left = append(w.left, r.column(0))
		}
	}
	r.comesAndGoes(w, back, kept)
	if len(w.left) == 0 && kept != none {
		r.row(0, times{kept, 1}, times{w.out[0], -1})
	}
}

// comesAndGoes ties the columns of a value to each other; back are those of its
// events.
func (r *residence) comesAndGoes(w where, back []int, kept int) {
	r.of = append(r.of, w)
	for j, left := range w.left {
		r.row(0, times{left, 1}, times{w.out[j], -1})
		r.row(0, times{left, 1}, times{w.out[j+1], -1})
		if back[j+1] != none {
			r.row(0, times{back[j+1], 1}, times{w.out[j+1], 1}, times{left, -1})
		}
		if kept != none {
			r.row(0, times{kept, 1}, times{left, -1})
		}
	}
}

// state gives a state that is copied its columns and their rows. Its last time and
// its first are one, from run to run.
func (r *residence) state(x *model.TrafficValue) {
	n := len(x.Events) - 1 // times between events
	around := r.column(0)
	w := where{slices.Repeat([]int{around}, n+1), slices.Repeat([]int{around}, n)}
	back := slices.Repeat([]int{none}, n+1)
	for j := 1; j < n; j++ {
		if w.out[j] = none; r.q.Way == model.DirectPieces {
			w.out[j] = r.column(r.reaching(x.Events[j : j+1]))
		}
		if !fresh(x, j) {
			back[j] = r.column(paid(x.Bytes, r.q.Read))
		}
		if j < n-1 {
			w.left[j] = r.column(0)
		}
	}
	r.comesAndGoes(w, back, none)
	for j := range n {
		if !x.Events[j].Written {
			continue
		}
		kept := r.column(paid(x.Bytes, r.q.Write))
		for _, k := range lasts(x, j) {
			r.row(0, times{kept, 1}, times{w.out[j], 1}, times{w.left[k], -1})
		}
	}
}

// fresh reports whether all of a state is written at event j, and nothing read.
func fresh(x *model.TrafficValue, j int) bool { return x.Events[j].Written && !x.Events[j].Read }

// lasts lists the times at which a state is as it was written at event j, up to the
// next event that writes it, in this run or the next, and is needed.
func lasts(x *model.TrafficValue, j int) (list []int) {
	n := len(x.Events) - 1
	for k := j; k < j+n && (k == j || !x.Events[k%n].Written); k++ {
		event := k%n + 1 // that the time leads up to; the first, if it is the last of a run
		if event == n {
			event = 1
		}
		if !fresh(x, event) {
			list = append(list, k%n)
		}
	}
	return list
}

// row adds one, without what is always 0, and with each column once; one that holds
// whatever the columns are is left out.
func (r *residence) row(least int64, list ...times) {
	var terms []times
	at := make(map[int]int, len(list)) // by column
	for _, x := range list {
		k, met := at[x.column]
		switch {
		case x.column == none:
		case met:
			terms[k].times += x.times
		default:
			at[x.column] = len(terms)
			terms = append(terms, x)
		}
	}
	terms = slices.DeleteFunc(terms, func(t times) bool { return t.times == 0 })
	lowest := int64(0)
	for _, t := range terms {
		lowest += min(0, t.times)
	}
	if lowest < least {
		r.rows = append(r.rows, inequality{terms, least})
	}
}

// absent is the column that says that a value is not in fast memory at a step, and
// how many of its bytes are needed there; 0 where it is not live.
func (r *residence) absent(v int, step int64) (column int, bytes int64) {
	x := &r.q.Values[v]
	j, at := next(x, step)
	switch {
	case at:
		return r.of[v].out[j], x.Events[j].Needed
	case j == 0 || j == len(x.Events):
		return none, 0
	}
	return r.of[v].left[j-1], x.Events[j].Needed
}

// cover adds the rows of a step at which more bytes are live than there is room
// for.
func (r *residence) cover(step int64) {
	live := int64(0)
	if step < r.steps() {
		for _, bytes := range r.q.Scratch[step] {
			live = total(live, bytes)
		}
	}
	var away []times
	for v := range r.q.Values {
		column, bytes := r.absent(v, step)
		if live = total(live, bytes); bytes > 0 {
			away = append(away, times{column, bytes})
		}
	}
	excess := live - r.q.Capacity
	if excess <= 0 {
		return
	}
	away = append(away, r.shares(step)...)
	for k := range away {
		away[k].times = min(away[k].times, excess)
	}
	r.row(excess, away...)
}

// shares gives each handover of a step a column, 1 where the two share bytes.
func (r *residence) shares(step int64) (all []times) {
	of := make([][]times, len(r.q.Values))
	for _, h := range r.q.Handovers {
		under, over := &r.q.Values[h.Under], &r.q.Values[h.Over]
		bytes := sharable(h, under, over)
		if h.Step != step || stays(under) || stays(over) || bytes == 0 || needed(under, step) == 0 || needed(over, step) == 0 {
			continue
		}
		share := r.column(0)
		for _, v := range []int{h.Under, h.Over} {
			of[v] = append(of[v], times{share, -bytes})
			if column, _ := r.absent(v, step); column != none {
				r.row(-1, times{share, -1}, times{column, -1})
			}
		}
		j, left := event(under, step), r.of[h.Under].left
		if j < len(left) {
			r.row(0, times{left[j], 1}, times{share, -1})
		}
		if h.Given && !under.State {
			row := []times{{share, -1}}
			for _, column := range distinct(left[:j]) {
				row = append(row, times{column, 1})
			}
			r.row(0, row...)
		}
		all = append(all, times{share, bytes})
	}
	for v, list := range of {
		if len(list) > 1 {
			r.row(-r.q.Values[v].Bytes, list...)
		}
	}
	return all
}

// sharable is how many bytes the two of a handover take less of together, at most.
func sharable(h model.Handover, under, over *model.TrafficValue) int64 {
	if h.Lead {
		return min(under.Bytes, max(0, over.Bytes-h.Distance))
	}
	return min(under.Bytes, over.Bytes)
}

// stays reports whether a value is a state that is in one memory for good.
func stays(x *model.TrafficValue) bool { return x.State && !x.Copied }

// distinct is a list with each number once.
func distinct(list []int) (once []int) {
	for _, x := range list {
		if !slices.Contains(once, x) {
			once = append(once, x)
		}
	}
	return once
}

// needed is how many bytes of a value are needed at a step at which it has an
// event.
func needed(x *model.TrafficValue, step int64) int64 { return x.Events[event(x, step)].Needed }

// unit is the greatest common divisor of all costs.
func (r *residence) unit() int64 {
	unit := int64(0)
	for _, c := range r.costs {
		for c != 0 {
			unit, c = c, unit%c
		}
	}
	return max(unit, -unit, 1)
}

// rounded is what a row comes to in parts of a divisor, since columns are integers:
// whole parts of a number count as much each as what the right side is beyond its
// whole parts, and the rest of it no more than that. Such a count of a sum is no
// more than the sum of the counts. Columns that are turned are counted in what they
// are short of 1.
func (i *inequality) rounded(divisor int64, turned []int) (out inequality, err error) {
	least, list := i.least, slices.Clone(i.terms)
	for k, t := range list {
		if slices.Contains(turned, t.column) {
			least -= t.times
			list[k].times = -t.times
		}
	}
	whole, beyond := floored(least, divisor)
	if beyond == 0 {
		beyond, whole = divisor, whole-1
	}
	out.least = (whole + 1) * beyond
	for _, t := range list {
		whole, rest := floored(t.times, divisor)
		t.times = whole*beyond + min(rest, beyond)
		if slices.Contains(turned, t.column) {
			out.least -= t.times
			t.times = -t.times
		}
		if out.terms = append(out.terms, t); max(t.times, -t.times) > maxRounding {
			return out, fmt.Errorf("a row of numbers beyond %d", maxRounding)
		}
	}
	if max(out.least, -out.least) > maxRounding*int64(1)<<10 {
		return out, fmt.Errorf("a row of numbers beyond %d", maxRounding)
	}
	return out, nil
}

// floored is a number's whole parts of a divisor, and the rest.
func floored(x, divisor int64) (whole, rest int64) {
	rest = (x%divisor + divisor) % divisor
	return (x - rest) / divisor, rest
}
