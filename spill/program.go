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
	rows  []inequality // those of lp, in integers
	costs []int64      // of each column
	unit  int64        // the greatest common divisor of the costs
	cols  []columns
	cuts  [][]model.PresentPiece

	copies   []int // columns of shares with states' copies, which no graph has that is fitted here
	withheld bool  // those are 0, or a cut says nothing of them: what is least then is no bound
}

// An inequality says that so many times columns are together at least a number.
type inequality struct {
	terms []term
	least int64
}

type term struct {
	column int
	times  int64
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

// least adds that so many times columns are together at least a number. Columns
// that are never count as 0; what holds whatever the columns are is left out.
func (p *program) least(least int64, list ...term) {
	var row inequality
	at := make(map[int]int, len(list)) // by column
	for _, t := range list {
		k, met := at[t.column]
		switch {
		case t.column == never:
		case met:
			row.terms[k].times += t.times
		default:
			at[t.column] = len(row.terms)
			row.terms = append(row.terms, t)
		}
	}
	row.terms = slices.DeleteFunc(row.terms, func(t term) bool { return t.times == 0 })
	lowest := int64(0)
	for _, t := range row.terms {
		lowest += min(0, t.times)
	}
	if lowest >= least {
		return
	}
	row.least = least
	p.rows = append(p.rows, row)
	p.lp.Rows = append(p.lp.Rows, row.solvers())
}

// exactly is least, where more would be no choice: the solver is told so.
func (p *program) exactly(least int64, list ...term) {
	before := len(p.rows)
	if p.least(least, list...); len(p.rows) > before {
		row := &p.lp.Rows[len(p.lp.Rows)-1]
		row.Upper = row.Lower
	}
}

// scale is what the row is divided by in the solver's program.
func (i *inequality) scale() int64 { return max(i.least, -i.least, 1) }

// solvers is the row as the solver has it.
func (i *inequality) solvers() ilp.Row {
	scale := i.scale()
	row := ilp.Row{Lower: float64(i.least / scale), Upper: math.Inf(1)}
	for _, t := range i.terms {
		row.Terms = append(row.Terms, ilp.Term{Column: t.column, Coef: float64(t.times) / float64(scale)})
	}
	return row
}

// atLeast adds that a column is at least another.
func (p *program) atLeast(column, other int) { p.least(0, term{column, 1}, term{other, -1}) }

// whole gives a value one column for all.
func (p *program) whole(v int, x *value) {
	c, z := &p.cols[v], p.forGood(x)
	for range x.events {
		c.out, c.left, c.back = append(c.out, z), append(c.left, z), append(c.back, never)
	}
	c.left, c.kept = c.left[:len(x.events)-1], z
}

// forGood is a column that says that a value is in slow memory throughout.
func (p *program) forGood(x *value) int {
	if p.k.q.Way == Staged && slices.ContainsFunc(x.events, func(e event) bool { return e.reached() }) {
		return never
	}
	return p.column(p.k.q.reaching(x.events), true)
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
		case direct || !e.reached():
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
		p.atLeast(left, c.out[j])
		p.atLeast(left, c.out[j+1])
		if back := c.back[j+1]; back != never {
			p.least(0, term{back, 1}, term{c.out[j+1], 1}, term{left, -1})
		}
		if c.kept != never {
			p.atLeast(c.kept, left)
		}
	}
	if len(c.left) == 0 && c.kept != never {
		p.atLeast(c.kept, c.out[0])
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
	var away []term
	var values []int
	for v := range p.k.values {
		column, bytes := p.absent(v, step)
		live = model.SaturatingAdd(live, bytes)
		if bytes > 0 {
			values, away = append(values, v), append(away, term{column, bytes})
		}
	}
	excess := live - p.k.q.Capacity
	if excess <= 0 {
		return
	}
	if p.k.q.Overlap {
		away = append(away, p.shared(values, step)...)
	}
	for k := range away {
		away[k].times = min(away[k].times, excess)
	}
	p.least(excess, away...)
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
// it. A value shares no more bytes than it has. A state in one memory shares none.
func (p *program) shared(values []int, step int64) (terms []term) {
	of := make(map[int][]term)
	for _, h := range p.k.pairs(values, model.Interval{Start: step, End: step + 1}) {
		x, y := &p.k.values[h.under], &p.k.values[h.over]
		if x.stays() || y.stays() || h.bytes == 0 {
			continue
		}
		share := p.column(0, false)
		if x.comes || y.comes {
			p.copies = append(p.copies, share)
		}
		for _, v := range []int{h.under, h.over} {
			of[v] = append(of[v], term{share, -h.bytes})
			if column, _ := p.absent(v, step); column != never {
				p.least(-1, term{share, -1}, term{column, -1})
			}
		}
		c, j := &p.cols[h.under], p.k.event(h.under, step)
		if j < len(c.left) {
			p.atLeast(c.left[j], share)
		}
		if h.given && !x.state {
			row := []term{{share, -1}}
			for _, column := range slices.Compact(slices.Clone(c.left[:j])) {
				row = append(row, term{column, 1})
			}
			p.least(0, row...)
		}
		terms = append(terms, term{share, h.bytes})
	}
	for _, v := range slices.Sorted(maps.Keys(of)) {
		if len(of[v]) > 1 {
			p.least(-p.k.values[v].size, of[v]...)
		}
	}
	return terms
}
