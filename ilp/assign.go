package ilp

import (
	"context"
	"math"
	"slices"

	"memplan/model"
	"memplan/model/graph"
)

// An Assigner chooses memory spaces by an integer program. Exact, where the
// solver ends and its bound says so: first the bytes by which live bytes exceed
// the capacities are made as few as possible, and with that the bytes outside
// the preferred spaces. What it returns is scored anew in integers; that nothing
// is better is the solver's word.
//
// Columns: a binary for each item and space allowed to it, and for each space
// with a capacity how far it is exceeded, and for each saving whether it is made
// there. Rows: an item is in one space; a saving is made where both its items are;
// at each maximal live set of a space the bytes in it, less what is saved, are
// within the capacity and how far it is exceeded; what is known not to fit exceeds
// it when it is all there.
type Assigner struct {
	Solver Solver
	Nodes  int64 // node limit of each of the two runs; 0 = none
}

// Assign is for graph.LowerOptions.Assign, given a context.
func (s Assigner) Assign(ctx context.Context, a *graph.Assignment) (graph.Assigned, error) {
	best := a.Greedy()
	if best.Exact {
		return best, nil
	}
	l := layOut(a)
	exact := true
	for _, goal := range []struct {
		cost  func(*assignment)
		value func(graph.Assigned) int64
		step  int64 // values differ by at least so much
	}{
		{(*assignment).minimiseOver, func(r graph.Assigned) int64 { return r.Over }, 1},
		{(*assignment).minimiseOutside, func(r graph.Assigned) int64 { return r.Outside }, l.unit},
	} {
		if goal.value(best) == 0 && exact {
			continue // nothing is less
		}
		l.over = best.Over
		goal.cost(l)
		out, err := s.Solver.Solve(ctx, &l.program, Options{Nodes: s.Nodes, Start: l.start(best)})
		if err != nil {
			return best, err
		}
		if out.Values != nil {
			if r := a.Score(l.read(out.Values)); less(r, best) {
				best = r
			}
		}
		exact = exact && proves(out.Dual*float64(l.unit), goal.value(best), goal.step)
	}
	best.Exact, best.Word = exact, exact
	return best, nil
}

// proves reports whether a bound, in floating point, leaves no room for a value
// that is a step less.
func proves(bound float64, value, step int64) bool {
	return value < 1<<50 && bound-float64(value-step) > float64(step)/2
}

func less(a, b graph.Assigned) bool {
	return a.Over < b.Over || a.Over == b.Over && a.Outside < b.Outside
}

// An assignment is the program for one graph.Assignment, in units of unit
// bytes.
type assignment struct {
	a       *graph.Assignment
	program Program
	unit    int64
	column  [][]int // of each item, for each of its spaces
	exceeds []int   // column of each space, -1 without capacity
	saves   []saves
	over    int64 // that the second goal may not exceed
}

// A saves is the column of a saving in a space.
type saves struct {
	column, space int
	of            graph.Saving
}

func layOut(a *graph.Assignment) *assignment {
	l := &assignment{a: a, unit: unitOf(a)}
	for _, item := range a.Items {
		var columns []int
		var one []Term
		for range item.Spaces {
			columns = append(columns, len(l.program.Columns))
			one = append(one, Term{len(l.program.Columns), 1})
			l.program.Columns = append(l.program.Columns, Column{Upper: 1, Integer: true})
		}
		l.column = append(l.column, columns)
		l.program.Rows = append(l.program.Rows, Row{1, 1, one})
	}
	for s, capacity := range a.Capacities {
		l.exceeds = append(l.exceeds, -1)
		if capacity > 0 {
			l.exceeds[s] = len(l.program.Columns)
			l.program.Columns = append(l.program.Columns, Column{Upper: math.Inf(1)})
			l.limit(s, capacity)
		}
	}
	for _, f := range a.Forbidden {
		l.forbid(f)
	}
	return l
}

// forbid adds that a set which is all in a space exceeds it.
func (l *assignment) forbid(f graph.Forbidden) {
	over := float64(f.Over) / float64(l.unit)
	r := Row{Lower: math.Inf(-1), Upper: over * float64(len(f.Items)-1), Terms: []Term{{l.exceeds[f.Space], -1}}}
	for _, i := range f.Items {
		if column := l.there(i, f.Space); column >= 0 {
			r.Terms = append(r.Terms, Term{column, over})
		}
	}
	l.program.Rows = append(l.program.Rows, r)
}

// limit adds the rows of one space.
func (l *assignment) limit(space int, capacity int64) {
	var in model.Instance
	var items []int // of each buffer
	for i, item := range l.a.Items {
		if l.there(i, space) >= 0 {
			in.Buffers = append(in.Buffers, item.Buffer())
			items = append(items, i)
		}
	}
	first := len(l.saves)
	for _, s := range l.a.Savings() {
		l.save(s, space)
	}
	for c := range in.Cliques() {
		r := Row{Lower: math.Inf(-1), Upper: float64(capacity) / float64(l.unit), Terms: []Term{{l.exceeds[space], -1}}}
		live := make(map[int]bool)
		for _, b := range c.Members {
			live[items[b]] = true
			r.Terms = append(r.Terms, Term{l.there(items[b], space), float64(in.Buffers[b].Size) / float64(l.unit)})
		}
		for _, s := range l.saves[first:] {
			if live[s.of.A] && live[s.of.B] {
				r.Terms = append(r.Terms, Term{s.column, -float64(s.of.Bytes) / float64(l.unit)})
			}
		}
		l.program.Rows = append(l.program.Rows, r)
	}
}

// there is the column of an item in a space, -1 where it may not be there.
func (l *assignment) there(item, space int) int {
	if k := slices.Index(l.a.Items[item].Spaces, space); k >= 0 {
		return l.column[item][k]
	}
	return -1
}

// save adds the column of a saving in a space where both may be.
func (l *assignment) save(s graph.Saving, space int) {
	a, b := l.there(s.A, space), l.there(s.B, space)
	if a < 0 || b < 0 {
		return
	}
	column := len(l.program.Columns)
	l.program.Columns = append(l.program.Columns, Column{Upper: 1})
	for _, item := range []int{a, b} {
		l.program.Rows = append(l.program.Rows, Row{math.Inf(-1), 0, []Term{{column, 1}, {item, -1}}})
	}
	l.saves = append(l.saves, saves{column, space, s})
}

// minimiseOver is the first goal.
func (l *assignment) minimiseOver() {
	for _, c := range l.exceeds {
		if c >= 0 {
			l.program.Columns[c].Cost = 1
		}
	}
}

// minimiseOutside is the second, with no more exceeded than is known to do.
func (l *assignment) minimiseOutside() {
	limit := Row{Lower: math.Inf(-1), Upper: float64(l.over) / float64(l.unit)}
	for _, c := range l.exceeds {
		if c >= 0 {
			l.program.Columns[c].Cost = 0
			limit.Terms = append(limit.Terms, Term{c, 1})
		}
	}
	l.program.Rows = append(l.program.Rows, limit)
	for i, item := range l.a.Items {
		for _, c := range l.column[i][1:] {
			l.program.Columns[c].Cost = float64(item.Bytes) / float64(l.unit)
		}
	}
}

// start is a known answer as values of the columns.
func (l *assignment) start(known graph.Assigned) []float64 {
	values := make([]float64, len(l.program.Columns))
	for i, s := range known.Space {
		values[l.there(i, s)] = 1
	}
	for _, s := range l.saves {
		if known.Space[s.of.A] == s.space && known.Space[s.of.B] == s.space {
			values[s.column] = 1
		}
	}
	for s, over := range l.a.Over(known.Space) {
		if c := l.exceeds[s]; c >= 0 {
			values[c] = float64(over) / float64(l.unit)
		}
	}
	return values
}

// read takes the spaces from the columns' values: of each item's the largest.
func (l *assignment) read(values []float64) []int {
	space := make([]int, len(l.a.Items))
	for i, item := range l.a.Items {
		best := 0
		for k, c := range l.column[i] {
			if values[c] > values[l.column[i][best]] {
				best = k
			}
		}
		space[i] = item.Spaces[best]
	}
	return space
}

// unitOf is the greatest common divisor of all bytes, at least 1.
func unitOf(a *graph.Assignment) int64 {
	unit := int64(0)
	for _, item := range a.Items {
		unit = model.GCD(unit, model.GCD(item.Bytes, item.Size))
	}
	for _, s := range a.Savings() {
		unit = model.GCD(unit, s.Bytes)
	}
	return max(unit, 1)
}
