package ilp_test

import (
	"context"
	"math"
	"testing"

	"memplan/ilp"
	"memplan/ilp/highs"
	"memplan/model/graph"
)

// leastLoad finds an order of a small graph's operators with the least load, by
// an integer program, on the solver's word: an independent check of the search
// in package schedule. It covers neither fusion, in-place pairs, concats in
// place, effects, variables nor several spaces.
//
// Columns: ran[o,t], that operator o ran at step t or before; live[v,t] >=
// ran[writer,t] - ran[reader,t-1] for each reader of a value or its views; the
// load, at least the live bytes of every step. There are about operators x
// (operators + values) of them.
func leastLoad(t *testing.T, g *graph.Graph) (order []int, load int64) {
	t.Helper()
	s := &scheduling{g: g, n: len(g.Ops)}
	s.values()
	s.layOut()
	out, err := highs.Solver{}.Solve(context.Background(), &s.program, ilp.Options{})
	if err != nil || out.Values == nil || out.Verdict != ilp.Solved {
		t.Fatalf("%v, %+v", err, out)
	}
	order = s.read(out.Values)
	given := *g
	given.Schedule = order
	l, err := given.Lower(graph.LowerOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if load = l.Order.Load; out.Dual < float64(load)-0.5 {
		t.Fatalf("load %d, the solver's bound is %v", load, out.Dual)
	}
	return order, load
}

// scheduling is the program for one graph.
type scheduling struct {
	g       *graph.Graph
	n       int
	live    []value
	program ilp.Program
	first   int // column of live[0,0]
	load    int // column
}

// A value is a tensor with its views.
type value struct {
	bytes   int64
	writer  int // operator; -1: there from the start
	readers []int
	forever bool
}

// values lists what takes bytes of the arena where every view lies in its base.
func (s *scheduling) values() {
	l, err := s.g.Lower(graph.LowerOptions{})
	if err != nil {
		return // the graph is valid
	}
	l = l.Merged()
	index := make(map[int]int) // by buffer
	for t, p := range l.Places {
		if p.Where != graph.InArena {
			continue
		}
		i, seen := index[p.Buffer]
		if !seen {
			i = len(s.live)
			index[p.Buffer] = i
			s.live = append(s.live, value{bytes: l.Arenas[0].Buffers[p.Buffer].Size, writer: -1})
		}
		v := &s.live[i]
		for _, out := range s.g.Outputs {
			v.forever = v.forever || out == t
		}
		for o, op := range s.g.Ops {
			for _, x := range op.Inputs {
				if x == t {
					v.readers = append(v.readers, o)
				}
			}
			for _, y := range op.Outputs {
				if y != t {
					continue
				}
				if s.g.Tensors[t].View == nil || l.Places[s.g.Tensors[t].View.Of].Buffer != p.Buffer {
					v.writer = o
				} else {
					v.readers = append(v.readers, o)
				}
			}
		}
	}
}

func (s *scheduling) ran(o, t int) int { return o*s.n + t }

func (s *scheduling) isLive(v, t int) int { return s.first + v*s.n + t }

func (s *scheduling) layOut() {
	p := &s.program
	for range s.n * s.n {
		p.Columns = append(p.Columns, ilp.Column{Upper: 1, Integer: true})
	}
	s.first = len(p.Columns)
	for range len(s.live) * s.n {
		p.Columns = append(p.Columns, ilp.Column{Upper: 1})
	}
	s.load = len(p.Columns)
	p.Columns = append(p.Columns, ilp.Column{Cost: 1, Upper: math.Inf(1)})
	row := func(low, high float64, terms ...ilp.Term) { p.Rows = append(p.Rows, ilp.Row{low, high, terms}) }
	none := math.Inf(-1)
	for t := range s.n {
		step := make([]ilp.Term, s.n)
		for o := range s.n {
			step[o] = ilp.Term{s.ran(o, t), 1}
			if t > 0 {
				row(none, 0, ilp.Term{s.ran(o, t-1), 1}, ilp.Term{s.ran(o, t), -1})
			}
		}
		row(float64(t+1), float64(t+1), step...)
		s.liveAt(t, row)
	}
	s.precedences(row)
}

// liveAt adds the rows of one step: what is live, and the load.
func (s *scheduling) liveAt(t int, row func(low, high float64, terms ...ilp.Term)) {
	none := math.Inf(-1)
	bytes := []ilp.Term{{s.load, -1}}
	for v := range s.live {
		x := &s.live[v]
		bytes = append(bytes, ilp.Term{s.isLive(v, t), float64(x.bytes)})
		// live >= born - died, for each of the ways not to have died.
		died := [][]ilp.Term{}
		for _, r := range x.readers {
			if t > 0 {
				died = append(died, []ilp.Term{{s.ran(r, t-1), -1}})
			} else {
				died = append(died, nil)
			}
		}
		if x.forever || len(x.readers) == 0 && x.writer < 0 && t == 0 {
			died = append(died, nil)
		}
		if len(x.readers) == 0 && x.writer >= 0 && t > 0 { // live at its writer's step alone
			died = append(died, []ilp.Term{{s.ran(x.writer, t-1), -1}})
		} else if len(x.readers) == 0 && x.writer >= 0 {
			died = append(died, nil)
		}
		for _, d := range died {
			if x.writer >= 0 {
				row(none, 0, append([]ilp.Term{{s.isLive(v, t), -1}, {s.ran(x.writer, t), 1}}, d...)...)
			} else {
				row(none, -1, append([]ilp.Term{{s.isLive(v, t), -1}}, d...)...)
			}
		}
	}
	for o, op := range s.g.Ops {
		for _, scratch := range op.Scratch {
			bytes = append(bytes, ilp.Term{s.ran(o, t), float64(scratch)})
			if t > 0 {
				bytes = append(bytes, ilp.Term{s.ran(o, t-1), -float64(scratch)})
			}
		}
	}
	row(none, 0, merged(bytes)...)
}

// precedences adds that a reader runs after the writer.
func (s *scheduling) precedences(row func(low, high float64, terms ...ilp.Term)) {
	for o, op := range s.g.Ops {
		for _, x := range op.Inputs {
			w := s.writer(x)
			if w < 0 {
				continue
			}
			for t := range s.n {
				if t == 0 {
					row(0, 0, ilp.Term{s.ran(o, 0), 1})
				} else {
					row(math.Inf(-1), 0, ilp.Term{s.ran(o, t), 1}, ilp.Term{s.ran(w, t-1), -1})
				}
			}
		}
	}
}

// writer is the operator whose result tensor t is; a view that no operator
// makes has its base's.
func (s *scheduling) writer(t int) int {
	for _, in := range s.g.Inputs {
		if in == t {
			return -1
		}
	}
	for o, op := range s.g.Ops {
		for _, y := range op.Outputs {
			if y == t {
				return o
			}
		}
	}
	if v := s.g.Tensors[t].View; v != nil {
		return s.writer(v.Of)
	}
	return -1
}

// merged sums the terms of each column, in order of first appearance.
func merged(terms []ilp.Term) []ilp.Term {
	at := make(map[int]int)
	var list []ilp.Term
	for _, t := range terms {
		if k, seen := at[t.Column]; seen {
			list[k].Coef += t.Coef
			continue
		}
		at[t.Column] = len(list)
		list = append(list, t)
	}
	return list
}

// read takes the order from the columns' values.
func (s *scheduling) read(values []float64) []int {
	order := make([]int, s.n)
	for o := range s.n {
		t := 0
		for t < s.n-1 && values[s.ran(o, t)] < 0.5 {
			t++
		}
		order[t] = o
	}
	return order
}
