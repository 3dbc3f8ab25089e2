package ilp

import (
	"context"
	"math"

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
// with a capacity how far it is exceeded. Rows: an item is in one space; at
// each maximal live set of a space the bytes in it are within the capacity and
// that; what is known not to fit exceeds it when it is all there.
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
	over    int64   // that the second goal may not exceed
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
		for k, s := range l.a.Items[i].Spaces {
			if s == f.Space {
				r.Terms = append(r.Terms, Term{l.column[i][k], over})
			}
		}
	}
	l.program.Rows = append(l.program.Rows, r)
}

// limit adds the rows of one space.
func (l *assignment) limit(space int, capacity int64) {
	var in model.Instance
	var term []Term // of each buffer
	for i, item := range l.a.Items {
		for k, s := range item.Spaces {
			for _, u := range item.Uses {
				if s == space {
					in.Buffers = append(in.Buffers, model.Buffer{Life: u.Life, Size: u.Bytes})
					term = append(term, Term{l.column[i][k], float64(u.Bytes) / float64(l.unit)})
				}
			}
		}
	}
	for c := range in.Cliques() {
		l.program.Rows = append(l.program.Rows, l.row(c.Members, term, space, capacity))
	}
}

// row limits the bytes of a live set. Uses of one item share a column.
func (l *assignment) row(live []int32, term []Term, space int, capacity int64) Row {
	r := Row{Lower: math.Inf(-1), Upper: float64(capacity) / float64(l.unit), Terms: []Term{{l.exceeds[space], -1}}}
	for _, b := range live {
		if last := &r.Terms[len(r.Terms)-1]; last.Column == term[b].Column {
			last.Coef += term[b].Coef
		} else {
			r.Terms = append(r.Terms, term[b])
		}
	}
	return r
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
	for i, item := range l.a.Items {
		for k, s := range item.Spaces {
			if s == known.Space[i] {
				values[l.column[i][k]] = 1
			}
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
		unit = model.GCD(unit, item.Bytes)
		for _, u := range item.Uses {
			unit = model.GCD(unit, u.Bytes)
		}
	}
	return max(unit, 1)
}
