package spill

import (
	"maps"
	"math"
	"slices"

	"memplan/ilp"
	"memplan/model"
)

// never is the column of what is not allowed: always 0.
const never = -1

// A program is the integer program of a task. Of each value that may be in
// pieces:
//
//	out[j]   1: at event j it is in slow memory alone, and reached there
//	left[j]  1: between the events j and j+1 it is in slow memory alone
//	back[j]  1: it is copied in before event j
//	kept     1: there is a copy in slow memory
//
// with left[j] >= out[j] and out[j+1], back[j] >= left[j-1] - out[j], kept >=
// left[j] and out[j]. While a value is being made its columns are one; what the
// caller gives is where it is until it is used first, and what the caller takes
// at the end is where it was before. States have columns of their own, see states.go.
// Of a whole tensor all columns are one. At every step the values that are not in fast
// memory are as many bytes as there are too many:
//
//	sum of min(bytes, excess) * (out or left) >= excess
type program struct {
	k     *task
	lp    ilp.Program
	costs []int64 // of each column
	unit  int64   // the greatest common divisor of the costs
	cols  []columns
}

// columns are those of a value.
type columns struct {
	out, left, back []int // by event; left[j] is between the events j and j+1
	kept            int
}

// largest is the sum of all costs from which on the solver's floating point is
// not to be believed.
const largest = 1 << 50

// newProgram lays it out. ok is false where the costs are too large.
func newProgram(k *task) (p *program, ok bool) {
	p = &program{k: k, cols: make([]columns, len(k.values))}
	for v := range k.values {
		switch x := &k.values[v]; {
		case x.comes:
			p.comes(v, x)
		case k.q.Way == Whole || x.state:
			p.whole(v, x)
		default:
			p.pieces(v, x)
		}
	}
	for s := range k.steps + 1 {
		p.cover(s)
	}
	return p, p.scale()
}

// scale gives the columns their costs, in the largest unit that divides all. It
// reports false where they are too large.
func (p *program) scale() bool {
	sum := int64(0)
	for _, cost := range p.costs {
		var ok bool
		cost = max(cost, -cost)
		p.unit = model.GCD(p.unit, cost)
		if sum, ok = model.Add(sum, cost); !ok || sum > largest {
			return false
		}
	}
	p.unit = max(p.unit, 1)
	for c := range p.costs {
		p.lp.Columns[c].Cost = float64(p.costs[c] / p.unit)
	}
	return true
}

func (p *program) column(cost int64, integer bool) int {
	p.lp.Columns = append(p.lp.Columns, ilp.Column{Upper: 1, Integer: integer})
	p.costs = append(p.costs, cost)
	return len(p.costs) - 1
}

// row adds that so many terms are together between two numbers.
func (p *program) row(lower, upper float64, terms ...ilp.Term) {
	p.lp.Rows = append(p.lp.Rows, ilp.Row{Lower: lower, Upper: upper, Terms: terms})
}

// atLeast adds that a column is at least the sum of others, with their signs.
// Columns that are never count as 0.
func (p *program) atLeast(column int, others ...ilp.Term) {
	var terms []ilp.Term
	if column != never {
		terms = append(terms, ilp.Term{Column: column, Coef: 1})
	}
	for _, t := range others {
		if t.Column == column {
			return // it is itself
		}
		if t.Column != never {
			terms = append(terms, ilp.Term{Column: t.Column, Coef: -t.Coef})
		}
	}
	if len(terms) > 1 || len(terms) == 1 && terms[0].Coef < 0 {
		p.row(0, math.Inf(1), terms...)
	}
}

// whole gives a value one column for all.
func (p *program) whole(v int, x *value) {
	c, z := &p.cols[v], never
	if p.k.q.Way != Staged || !slices.ContainsFunc(x.events, func(e event) bool { return e.reached }) {
		z = p.column(p.k.q.reaching(x.events), true)
	}
	for range x.events {
		c.out, c.left, c.back = append(c.out, z), append(c.left, z), append(c.back, never)
	}
	c.left, c.kept = c.left[:len(x.events)-1], z
}

// pieces gives a value its columns, in order of time.
func (p *program) pieces(v int, x *value) {
	c, last := &p.cols[v], len(x.events)-1
	c.kept = never
	if !x.given {
		c.kept = p.column(p.k.q.write(x.size), false)
	}
	direct := p.k.q.Way == Pieces
	for j := range x.events {
		e, out, back := &x.events[j], never, never
		switch {
		case j > 0 && j < x.making:
			out = c.out[0]
		case j > 0 && e.step == p.k.steps:
			out = c.left[j-1]
		case direct || !e.reached:
			out = p.column(p.reached(x, j), true)
		}
		if j >= max(x.making, 1) && e.step < p.k.steps {
			back = p.column(p.k.q.read(x.size), false)
		}
		c.out, c.back = append(c.out, out), append(c.back, back)
		if j < last && (j+1 < x.making || e.step == arrival) {
			c.left = append(c.left, c.out[0])
		} else if j < last {
			c.left = append(c.left, p.column(0, true))
		}
	}
	p.bind(c)
}

// reached is what it costs to reach a value at event j in slow memory: what is
// written there while it is made stands in for the copy out.
func (p *program) reached(x *value, j int) (cost int64) {
	if j > 0 || x.making == 0 {
		return p.k.q.read(x.events[j].reads)
	}
	return p.k.q.reaching(x.events[:x.making]) - p.k.q.write(x.size)
}

// bind ties the columns of a value to each other.
func (p *program) bind(c *columns) {
	for j, left := range c.left {
		p.atLeast(left, ilp.Term{Column: c.out[j], Coef: 1})
		p.atLeast(left, ilp.Term{Column: c.out[j+1], Coef: 1})
		if c.back[j+1] != never {
			p.atLeast(c.back[j+1], ilp.Term{Column: left, Coef: 1}, ilp.Term{Column: c.out[j+1], Coef: -1})
		}
		if c.kept != never {
			p.atLeast(c.kept, ilp.Term{Column: left, Coef: 1})
		}
	}
	if len(c.left) == 0 && c.kept != never {
		p.atLeast(c.kept, ilp.Term{Column: c.out[0], Coef: 1})
	}
}

// absent is the column that says that a value is not in fast memory at a step,
// and how many of its bytes are needed there; 0 where it is not live.
func (p *program) absent(v int, step int64) (column int, bytes int64) {
	x := &p.k.values[v]
	j, at := x.find(step)
	switch {
	case at:
		return p.cols[v].out[j], x.events[j].needed
	case j == 0 || j == len(x.events):
		return never, 0
	}
	return p.cols[v].left[j-1], x.events[j].needed
}

// cover adds the row of a step, where more bytes are live than there is room for.
func (p *program) cover(step int64) {
	live := p.k.scratch[step]
	var away []ilp.Term
	var values []int
	for v := range p.k.values {
		column, bytes := p.absent(v, step)
		live = model.SaturatingAdd(live, bytes)
		if bytes > 0 {
			values = append(values, v)
		}
		if bytes > 0 && column != never {
			away = append(away, ilp.Term{Column: column, Coef: float64(bytes)})
		}
	}
	if live > p.k.q.Capacity {
		if p.k.q.Overlap {
			away = append(away, p.shared(values, step)...)
		}
		p.enough(away, float64(live-p.k.q.Capacity))
	}
}

// enough adds that what is not in fast memory is so many bytes, in units of them.
func (p *program) enough(terms []ilp.Term, excess float64) {
	for k := range terms {
		terms[k].Coef = min(terms[k].Coef, excess) / excess
	}
	p.row(1, math.Inf(1), terms...)
}

// read and write are what it costs to read and write so many bytes of slow memory.
func (q *Question) read(bytes int64) int64  { return times(bytes, q.Read) }
func (q *Question) write(bytes int64) int64 { return times(bytes, q.Write) }

// reaching is what it costs to reach a value in slow memory at all these events.
func (q *Question) reaching(events []event) (cost int64) {
	for _, e := range events {
		cost = model.SaturatingAdd(cost, model.SaturatingAdd(q.read(e.reads), q.write(e.writes)))
	}
	return cost
}

func times(bytes, cost int64) int64 {
	product, ok := model.Mul(bytes, max(cost, 1))
	if !ok {
		return model.MaxBytes
	}
	return product
}

// A choice says of each value where it is: out by event, left by gap.
type choice [][2][]bool

// read takes a choice from the columns' values, rounded, and makes it one.
func (p *program) read(values []float64) choice {
	is := func(column int) bool { return column != never && values[column] > 0.5 }
	list := make(choice, len(p.cols))
	for v, c := range p.cols {
		out, left := make([]bool, len(c.out)), make([]bool, len(c.left))
		for j := range out {
			out[j] = is(c.out[j])
		}
		for j := range left {
			left[j] = is(c.left[j]) || out[j] || out[j+1]
		}
		list[v] = [2][]bool{out, left}
	}
	return list
}

// shared gives each handover of a step a column, 1 where the two share bytes:
// neither is in slow memory, the operand dies, and it is not where the caller put
// it. A value shares no more bytes than it has.
func (p *program) shared(values []int, step int64) (terms []ilp.Term) {
	of := make(map[int][]ilp.Term)
	for _, h := range p.k.pairs(values, model.Interval{Start: step, End: step + 1}) {
		x := &p.k.values[h.under]
		if x.state || p.k.values[h.over].state || h.bytes == 0 {
			continue
		}
		share := p.column(0, false)
		for _, v := range []int{h.under, h.over} {
			of[v] = append(of[v], ilp.Term{Column: share, Coef: float64(h.bytes)})
			if column, _ := p.absent(v, step); column != never {
				p.row(math.Inf(-1), 1, ilp.Term{Column: share, Coef: 1}, ilp.Term{Column: column, Coef: 1})
			}
		}
		c, j := &p.cols[h.under], p.k.event(h.under, step)
		if j < len(c.left) {
			p.atLeast(c.left[j], ilp.Term{Column: share, Coef: 1})
		}
		if h.given {
			row := []ilp.Term{{Column: share, Coef: -1}}
			for _, column := range slices.Compact(slices.Clone(c.left[:j])) {
				row = append(row, ilp.Term{Column: column, Coef: 1})
			}
			p.row(0, math.Inf(1), row...)
		}
		terms = append(terms, ilp.Term{Column: share, Coef: float64(h.bytes)})
	}
	for _, v := range slices.Sorted(maps.Keys(of)) {
		size := float64(p.k.values[v].size)
		if len(of[v]) > 1 {
			for k := range of[v] {
				of[v][k].Coef /= size
			}
			p.row(math.Inf(-1), 1, of[v]...)
		}
	}
	return terms
}
