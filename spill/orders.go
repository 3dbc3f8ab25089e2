package spill

import (
	"context"
	"slices"

	"memplan/ilp"
	"memplan/model/graph"
	"memplan/model/schedule"
)

// most is up to how many columns the program of orders has; a larger one is not
// asked.
const most = 6000

// An orders is the integer program of a task whose operators run in any order.
// Of unit u and step k, within what its ancestors and descendants leave:
//
//	at[u][k]    1: it runs then
//	fast[v][k]  1: value v is in fast memory at that step
//	back[v][k]  1: it is copied in before that step
//	kept[v], wrote[v], read[v][u]: there is a copy in slow memory; it is made
//	            there; unit u reads it there
//
// A value is in fast memory where it was a step before, is copied in, or is
// made. What is known not to fit by its offsets is known for one order only:
// that order is left out.
type orders struct {
	k           *task
	p           program  // columns, costs and rows
	first, last []int    // step of each unit: as early, as late as can be
	asked       [][]int  // of each unit: what must run before it for a reason of its own, ascending
	before      [][]bool // of each unit: what must run before it
	at          [][]int
	load        [][]term // by step
}

// Order looks for the order of the operators in which least is moved, given what
// was found in one. Exact, where the bound meets the cost of what it finds, on the
// solver's word but for what Prove finds. known is the answer for the question's own order; it is improved
// on. It is nil where the program would be too large, or the graph has what the
// program does not know: fused operators, tensors made piece by piece, results
// that take operands' places, states that come and go.
func Order(ctx context.Context, q *Question, t Tools, known *Answer) (*Answer, error) {
	k, err := newTask(q)
	if err != nil {
		return nil, err
	}
	s := k.anyOrder()
	if s == nil {
		return nil, nil
	}
	a := &Answer{Fitted: known.Fitted, Certificate: known.Certificate, program: known.program, ordered: true, Columns: len(s.p.lp.Columns)}
	for !a.Optimal() && ctx.Err() == nil {
		done, err := s.round(ctx, t, a)
		if done || err != nil {
			return a, err
		}
	}
	return a, nil
}

// round finds an order that may move less, and what is moved in it.
func (s *orders) round(ctx context.Context, t Tools, a *Answer) (done bool, err error) {
	out, err := s.p.solve(ctx, t, a)
	if err != nil {
		return true, err
	}
	switch {
	case out.Verdict == ilp.Infeasible && a.Fitted != nil: // no order is left
		a.Bound, a.Word = a.Fitted.Cost(), true
		return true, nil
	case out.Verdict == ilp.Infeasible:
		return true, nil
	}
	a.raise(out.Dual, s.p.unit)
	if a.Fitted != nil {
		a.Bound = min(a.Bound, a.Fitted.Cost())
	}
	if out.Values == nil || a.Optimal() {
		return true, nil
	}
	order := s.order(out.Values)
	q, g := *s.k.q, *s.k.q.Graph
	g.Schedule, q.Graph, q.Lowering.Schedule = s.k.ops(order), &g, schedule.Given
	one, err := Solve(ctx, &q, t)
	if err != nil || one.Fitted == nil || !one.Optimal() {
		return true, err
	}
	if a.Fitted == nil || one.Fitted.Cost() < a.Fitted.Cost() {
		a.Fitted, a.Certificate, a.program = one.Fitted, nil, one.program
	}
	a.Cuts++
	s.exclude(order)
	return out.Verdict != ilp.Solved, nil
}

// order reads which unit runs at each step.
func (s *orders) order(values []float64) []int {
	list := make([]int, len(s.at))
	for u := range s.at {
		for k, column := range s.at[u] {
			if column != never && values[column] > 0.5 {
				list[k] = u
			}
		}
	}
	return list
}

// ops are the operators of units, in their order.
func (k *task) ops(units []int) (list []int) {
	for _, u := range units {
		list = append(list, k.l.Steps[u]...)
	}
	return list
}

// exclude leaves an order out that was looked at.
func (s *orders) exclude(order []int) {
	var terms []term
	for k, u := range order {
		terms = append(terms, term{s.at[u][k], -1})
	}
	s.p.least(int64(1-len(order)), terms...)
}

// anyOrder lays the program out; nil where it is too large, or knows too little.
func (k *task) anyOrder() *orders {
	n := int(k.steps)
	s := &orders{k: k, p: program{k: k}, load: make([][]term, n+1)}
	if n*n > 4*most || !s.known() || !s.windows() {
		return nil
	}
	s.units()
	for v := range k.values {
		if x := &k.values[v]; x.state || k.q.Way == Whole {
			s.whole(x)
		} else {
			s.pieces(x)
		}
		if len(s.p.costs) > most {
			return nil
		}
	}
	for _, load := range s.load {
		s.p.least(-k.q.Capacity, load...)
	}
	if !s.p.scale() {
		return nil
	}
	return s
}

// known reports whether the graph has nothing that the program does not know.
func (s *orders) known() bool {
	for _, ops := range s.k.l.Steps {
		if len(ops) > 1 {
			return false
		}
	}
	for o := range s.k.g.Ops {
		if op := &s.k.g.Ops[o]; s.k.q.Overlap && len(op.InPlace)+len(op.Overlap) > 0 {
			return false
		}
	}
	empty := func(t graph.Tensor) bool { return t.Kind.Rewritten() && t.Bytes == 0 }
	return !slices.ContainsFunc(s.k.g.Tensors, empty) && !slices.ContainsFunc(s.k.values, func(x value) bool { return x.making > 1 || x.comes })
}

// windows finds which unit must run before which, and so when each can. It
// reports false where the order given breaks what it finds.
func (s *orders) windows() bool {
	n := int(s.k.steps)
	s.before, s.asked = make([][]bool, n), make([][]int, n)
	for u := range n {
		s.before[u] = make([]bool, n)
	}
	need := func(before, u int) {
		if before >= 0 && before != u {
			s.before[u][before] = true
		}
	}
	for u, ops := range s.k.l.Steps {
		op := &s.k.g.Ops[ops[0]]
		for _, o := range op.After {
			need(int(s.k.step[o]), u)
		}
		for _, t := range op.Inputs {
			for s.k.maker[t] < 0 && s.k.g.Tensors[t].View != nil {
				t = s.k.g.Tensors[t].View.Of
			}
			if o := s.k.maker[t]; o >= 0 && !s.k.g.Tensors[t].Kind.Rewritten() {
				need(int(s.k.step[o]), u)
			}
		}
	}
	for v := range s.k.values { // a value is made first, and a state's operators keep their order
		x, last := &s.k.values[v], -1
		for _, e := range s.uses(x) {
			if !x.given {
				need(int(x.events[0].step), int(e.step))
			} else if x.state {
				need(last, int(e.step))
				last = int(e.step)
			}
		}
	}
	for u := range n {
		for before, is := range s.before[u] {
			if is {
				s.asked[u] = append(s.asked[u], before)
			}
		}
	}
	s.first, s.last = make([]int, n), make([]int, n)
	for u := range n { // the order given has what is needed before
		for before := range n {
			if s.before[u][before] {
				if before > u {
					return false
				}
				for b, is := range s.before[before] {
					s.before[u][b] = s.before[u][b] || is
				}
			}
		}
	}
	for u := range n {
		s.last[u] = n - 1
	}
	for u := range n {
		for before, is := range s.before[u] {
			if is {
				s.first[u]++
				s.last[before]--
			}
		}
	}
	return true
}

// units adds when each unit runs: once, one at each step, after what it needs.
func (s *orders) units() {
	n := int(s.k.steps)
	each := make([][]term, n)
	for u := range n {
		s.at = append(s.at, slices.Repeat([]int{never}, n))
		for k := s.first[u]; k <= s.last[u]; k++ {
			s.at[u][k] = s.p.column(0, true)
			each[k] = append(each[k], term{s.at[u][k], -1})
			s.load[k] = append(s.load[k], term{s.at[u][k], -s.k.scratch[u]})
		}
		s.p.exactly(1, s.upTo(u, n, 1)...)
	}
	for k := range n {
		s.p.exactly(-1, each[k]...)
	}
	for u := range n {
		for before, is := range s.before[u] {
			for k := s.first[u]; is && k <= s.last[u]; k++ {
				if s.last[before] >= k {
					s.p.least(0, append(s.upTo(before, k-1, 1), s.upTo(u, k, -1)...)...)
				}
			}
		}
	}
}

// upTo is that a unit ran at step k or before.
func (s *orders) upTo(u, k int, times int64) (terms []term) {
	for j := s.first[u]; j <= min(k, s.last[u]); j++ {
		terms = append(terms, term{s.at[u][j], times})
	}
	return terms
}

// uses are the events at which an operator takes part, without the making.
func (s *orders) uses(x *value) (list []event) {
	for j, e := range x.events {
		if e.step >= 0 && e.step < s.k.steps && (j > 0 || x.given) {
			list = append(list, e)
		}
	}
	return list
}

// whole is a value that is in one memory for good: one column says which.
func (s *orders) whole(x *value) {
	n, z := int(s.k.steps), s.p.forGood(x)
	from, to := s.life(x)
	here := make([]int, n+1)
	for k := from; k <= to; k++ {
		here[k] = s.here(x, k)
		if x.state {
			s.p.exactly(1, term{here[k], 1}, term{z, 1})
		} else {
			s.p.least(-1, term{here[k], -1}, term{z, -1})
		}
		if k > from {
			s.goesOn(x, here, k, never)
		}
	}
	for _, e := range s.uses(x) {
		s.present(here, int(e.step), z)
	}
	s.ends(x, here, z)
	if !x.given {
		s.present(here, int(x.events[0].step), z)
		s.begins(x, here, from)
	}
}

// present adds that a value is in fast memory when a unit runs, unless the column
// away is 1.
func (s *orders) present(here []int, u, away int) {
	for k := s.first[u]; k <= s.last[u]; k++ {
		s.p.least(0, term{here[k], 1}, term{s.at[u][k], -1}, term{away, 1})
	}
}

// here is a column that says that a value is in fast memory at a step.
func (s *orders) here(x *value, k int) int {
	column := s.p.column(0, true)
	s.load[k] = append(s.load[k], term{column, -x.least})
	return column
}

// life is from which step to which a value can be needed.
func (s *orders) life(x *value) (from, to int) {
	if !x.given {
		from = s.first[x.events[0].step]
		to = s.last[x.events[0].step]
	}
	for _, e := range x.events {
		switch {
		case e.step == s.k.steps:
			to = int(e.step)
		case e.step >= 0:
			to = max(to, s.last[e.step])
		}
	}
	return from, to
}

// goesOn adds that a value is at step k where it was before, unless it is copied
// in or made there.
func (s *orders) goesOn(x *value, here []int, k, back int) {
	made := never
	if !x.given && k < int(s.k.steps) {
		made = s.at[x.events[0].step][k]
	}
	s.p.least(0, term{here[k-1], 1}, term{here[k], -1}, term{back, 1}, term{made, 1})
}

// begins adds that a value is not there before it is made.
func (s *orders) begins(x *value, here []int, from int) {
	s.p.least(0, term{s.at[x.events[0].step][from], 1}, term{here[from], -1})
}

// ends adds that what the caller takes is somewhere.
func (s *orders) ends(x *value, here []int, kept int) {
	if n := int(s.k.steps); x.events[len(x.events)-1].step == s.k.steps && !x.state && !(x.given && kept == never) {
		s.p.least(1, term{here[n], 1}, term{kept, 1})
	}
}

// pieces is a value that may come and go.
func (s *orders) pieces(x *value) {
	n, kept := int(s.k.steps), never
	if !x.given {
		kept = s.p.column(s.k.q.write(x.size), false)
	}
	needs := func(column int) {
		if kept != never {
			s.p.atLeast(kept, column)
		}
	}
	from, to := s.life(x)
	here := make([]int, n+1)
	for k := from; k <= to; k++ {
		here[k] = s.here(x, k)
		if k == from {
			continue
		}
		back := never
		if k < n {
			back = s.p.column(s.k.q.read(x.size), false)
			needs(back)
			if !x.given {
				s.p.least(0, append(s.upTo(int(x.events[0].step), k-1, 1), term{back, -1})...)
			}
		}
		s.goesOn(x, here, k, back)
	}
	direct := s.k.q.Way == Pieces
	if !x.given {
		s.begins(x, here, from)
		wrote := never
		if direct {
			wrote = s.p.column(s.p.reached(x, 0), false)
			needs(wrote)
		}
		s.present(here, int(x.events[0].step), wrote)
	}
	for _, e := range s.uses(x) {
		away := kept
		switch {
		case !e.reached() && x.given:
			continue // it is somewhere
		case e.reached() && direct:
			away = s.p.column(s.k.q.read(e.reads), false)
			needs(away)
		case e.reached():
			away = never
		}
		s.present(here, int(e.step), away)
	}
	s.ends(x, here, kept)
}
