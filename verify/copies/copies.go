// Package copies checks that a graph does what another does, with tensors copied
// from one memory into another in between. It shares nothing with what writes
// such graphs: it goes through both in one order and compares byte by byte what
// every operator is given.
package copies

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"memplan/model/graph"
)

// Check reports where is does not do what was does, all faults joined. Operators
// go by their ids; inputs, weights and states by who reads them first; and at its end
// a run leaves states as before where it begins with them. An
// operator of is that was does not have must be a copy: a concat of one operand.
// Which operators are fused is not looked at. Cost: linear in the operands, times
// the slices of a tensor that is made piece by piece.
func Check(was, is *graph.Graph) error {
	if err := errors.Join(was.Validate(), is.Validate()); err != nil {
		return err
	}
	c := &check{was: newSide(was), is: newSide(is), ops: make(map[string]int), stands: make(map[string]string)}
	for o := range was.Ops {
		c.ops[was.Ops[o].ID] = o
	}
	order := is.Schedule
	if order == nil {
		for o := range is.Ops {
			order = append(order, o)
		}
	}
	var ran []int
	for _, o := range order {
		if before, known := c.ops[is.Ops[o].ID]; known {
			c.same(before, o)
			ran = append(ran, before)
		} else {
			c.copied(o)
		}
	}
	g := *was
	g.Schedule = ran
	if err := g.Validate(); err != nil {
		c.fault("in that order: %w", err)
	}
	c.outputs()
	c.states()
	return errors.Join(c.errs...)
}

type check struct {
	was, is *side
	ops     map[string]int    // of was, by id
	stands  map[string]string // what is there from the start in is, for what is in was
	errs    []error
}

func (c *check) fault(format string, args ...any) {
	c.errs = append(c.errs, fmt.Errorf(format, args...))
}

// A side is a graph that is gone through.
type side struct {
	g     *graph.Graph
	maker []int
	given []bool
	holds map[int][]run // of each tensor that is made so far: what
}

// there begins what is there from the start: an input, a weight or a state.
const there = "from the start, number "

// A run is bytes of what an operator made, or of what is there from the start; of
// "" they are not written yet.
type run struct {
	of    string
	at, n int64
}

func (r run) String() string {
	if r.of == "" {
		return fmt.Sprintf("%d bytes that nobody wrote", r.n)
	}
	return fmt.Sprintf("%s bytes [%d,%d)", r.of, r.at, r.at+r.n)
}

// cut is n bytes of runs, from one on.
func cut(list []run, from, n int64) (out []run) {
	at := int64(0)
	for _, r := range list {
		if low, high := max(at, from), min(at+r.n, from+n); low < high {
			out = append(out, run{r.of, r.at + low - at, high - low})
		}
		at += r.n
	}
	return joined(out)
}

// joined has as few runs as can be.
func joined(list []run) (out []run) {
	for _, r := range list {
		if k := len(out) - 1; r.n > 0 && k >= 0 && out[k].of == r.of && out[k].at+out[k].n == r.at {
			out[k].n += r.n
		} else if r.n > 0 {
			out = append(out, r)
		}
	}
	return out
}

func newSide(g *graph.Graph) *side {
	s := &side{g: g, maker: slices.Repeat([]int{-1}, len(g.Tensors)), given: make([]bool, len(g.Tensors)), holds: make(map[int][]run)}
	for o := range g.Ops {
		for _, t := range g.Ops[o].Outputs {
			s.maker[t] = o
		}
	}
	for t := range g.Tensors {
		if k := g.Tensors[t].Kind; k != graph.Activation && g.Tensors[t].View == nil {
			s.holds[t] = s.own(t, fmt.Sprint(there, t))
		}
	}
	for _, t := range g.Inputs {
		s.given[t], s.holds[t] = true, s.own(t, fmt.Sprint(there, t))
	}
	return s
}

// bare is the base made piece by piece that a tensor is, or is an unmade view of;
// -1 where there is none.
func (s *side) bare(t int) int {
	for s.maker[t] < 0 && !s.given[t] && s.g.Tensors[t].Kind == graph.Activation {
		if s.g.Tensors[t].View == nil {
			return t
		}
		t = s.g.Tensors[t].View.Of
	}
	return -1
}

// own is what nothing else holds.
func (s *side) own(t int, of string) []run { return joined([]run{{of, 0, s.g.Tensors[t].Bytes}}) }

// what is what a tensor holds.
func (s *side) what(t int) []run {
	x := &s.g.Tensors[t]
	if list, made := s.holds[t]; made {
		return list
	}
	if x.View == nil {
		return s.own(t, "")
	}
	return cut(s.what(x.View.Of), x.View.Offset, x.Bytes)
}

// make notes that an operator makes its k-th result, by the operator's name.
func (s *side) make(o, k int, name string) {
	op := &s.g.Ops[o]
	t := op.Outputs[k]
	x := &s.g.Tensors[t]
	new := s.own(t, fmt.Sprintf("result %d of %s,", k, name))
	if x.View == nil {
		s.holds[t] = new
		return
	}
	base := s.bare(x.View.Of)
	if base < 0 || slices.ContainsFunc(op.Inputs, func(in int) bool { return s.bare(in) == base }) {
		s.holds[t] = s.what(t) // a view
		return
	}
	s.holds[t] = new
	at := x.View.Offset
	for of := x.View.Of; of != base; of = s.g.Tensors[of].View.Of {
		at += s.g.Tensors[of].View.Offset
	}
	all := s.what(base)
	s.holds[base] = joined(slices.Concat(cut(all, 0, at), new, cut(all, at+x.Bytes, s.g.Tensors[base].Bytes)))
}

// equal reports whether two tensors hold the same. What is there from the start
// in the graph now stands for what it is first met in place of.
func (c *check) equal(before, now []run) bool {
	return slices.EqualFunc(before, now, func(x, y run) bool {
		if _, met := c.stands[y.of]; !met && strings.HasPrefix(x.of, there) && strings.HasPrefix(y.of, there) {
			c.stands[y.of] = x.of
		}
		if of, stands := c.stands[y.of]; stands {
			y.of = of
		}
		return x == y
	})
}

// same runs an operator on both sides.
func (c *check) same(before, now int) {
	a, b := &c.was.g.Ops[before], &c.is.g.Ops[now]
	if len(a.Inputs) != len(b.Inputs) || len(a.Outputs) != len(b.Outputs) || !slices.Equal(a.Scratch, b.Scratch) {
		c.fault("operator %q: other numbers of operands, or another workspace", a.ID)
		return
	}
	for i := range a.Inputs {
		x, y := c.was.what(a.Inputs[i]), c.is.what(b.Inputs[i])
		if !c.equal(x, y) || c.was.g.Tensors[a.Inputs[i]].Bytes != c.is.g.Tensors[b.Inputs[i]].Bytes {
			c.fault("operator %q reads %q, which holds %v; before, %q: %v", a.ID, c.is.g.Tensors[b.Inputs[i]].ID, y, c.was.g.Tensors[a.Inputs[i]].ID, x)
		}
	}
	c.leave(a, b)
	c.accesses(before, now)
	for k := range a.Outputs {
		if c.was.g.Tensors[a.Outputs[k]].Bytes != c.is.g.Tensors[b.Outputs[k]].Bytes {
			c.fault("operator %q: result %q has other bytes than before", a.ID, c.is.g.Tensors[b.Outputs[k]].ID)
		}
		c.was.make(before, k, a.ID)
		c.is.make(now, k, a.ID)
	}
}

// leave checks that results may take no operand's place that they might not take
// before.
func (c *check) leave(a, b *graph.Op) {
	at := func(op *graph.Op, x, y int) [2]int {
		return [2]int{slices.Index(op.Inputs, x), slices.Index(op.Outputs, y)}
	}
	var pairs [][2]int
	leads := make(map[[2]int]int64)
	for _, p := range a.InPlace {
		pairs = append(pairs, at(a, p[0], p[1]))
	}
	for _, l := range a.Overlap {
		leads[at(a, l.Under, l.Over)] = l.Bytes
	}
	for _, p := range b.InPlace {
		if !slices.Contains(pairs, at(b, p[0], p[1])) {
			c.fault("operator %q: %q in place of %q, which was not so before", a.ID, c.is.g.Tensors[p[1]].ID, c.is.g.Tensors[p[0]].ID)
		}
	}
	for _, l := range b.Overlap {
		if least, known := leads[at(b, l.Under, l.Over)]; !known || l.Bytes < least {
			c.fault("operator %q: %q over %q at a lead of %d, which was not so before", a.ID, c.is.g.Tensors[l.Over].ID, c.is.g.Tensors[l.Under].ID, l.Bytes)
		}
	}
}

// accesses checks that an operator accesses its operands as often as before.
func (c *check) accesses(before, now int) {
	a, b := &c.was.g.Ops[before], &c.is.g.Ops[now]
	is := slices.Concat(b.Inputs, b.Outputs)
	for i, t := range slices.Concat(a.Inputs, a.Outputs) {
		if x, y := c.was.g.Accessed(before, t), c.is.g.Accessed(now, is[i]); x != y {
			c.fault("operator %q accesses %d bytes of %q, before %d", a.ID, y, c.is.g.Tensors[is[i]].ID, x)
		}
	}
}

// copied runs an operator that is there now alone.
func (c *check) copied(o int) {
	op := &c.is.g.Ops[o]
	if op.Layout != graph.Concat || len(op.Inputs) != 1 || len(op.Outputs) != 1 || len(op.Scratch) > 0 {
		c.fault("operator %q is none of the graph before, and no copy", op.ID)
		return
	}
	from, to := op.Inputs[0], op.Outputs[0]
	x := c.is.what(from)
	if c.is.g.Tensors[from].Bytes != c.is.g.Tensors[to].Bytes {
		c.fault("operator %q copies %q, which has other bytes", op.ID, c.is.g.Tensors[from].ID)
	}
	c.is.holds[to] = x
}

// states are kept from run to run: what stands for a state at the start of a run
// holds at its end what the state does, and so does something for each state that
// is written.
func (c *check) states() {
	kept := func(s *side, t int) bool { return s.g.Tensors[t].Kind.Rewritten() && s.g.Tensors[t].View == nil }
	start := func(t int) string { return fmt.Sprint(there, t) }
	at := make(map[string]int) // by what was there from the start
	for t := range c.was.g.Tensors {
		if kept(c.was, t) {
			at[start(t)] = t
		}
	}
	for t := range c.is.g.Tensors {
		if x, stands := at[c.stands[start(t)]]; stands && kept(c.is, t) && !c.equal(c.was.what(x), c.is.what(t)) {
			c.fault("%q is there from run to run and ends as %v; before, %q: %v", c.is.g.Tensors[t].ID, c.is.what(t), c.was.g.Tensors[x].ID, c.was.what(x))
		}
	}
	for t := range c.was.g.Tensors {
		x, found := c.was.what(t), false
		if !kept(c.was, t) || slices.Equal(x, c.was.own(t, start(t))) {
			continue
		}
		for y := range c.is.g.Tensors {
			found = found || kept(c.is, y) && c.equal(x, c.is.what(y))
		}
		if !found {
			c.fault("nothing keeps %q from run to run, which ends as %v", c.was.g.Tensors[t].ID, x)
		}
	}
}

// outputs are the same on both sides.
func (c *check) outputs() {
	covered := func(x []run, list []int, s *side) bool {
		return slices.ContainsFunc(list, func(t int) bool { return c.equal(x, s.what(t)) })
	}
	for _, t := range c.was.g.Outputs {
		if !covered(c.was.what(t), c.is.g.Outputs, c.is) {
			c.fault("the caller does not read %q, which holds %v", c.was.g.Tensors[t].ID, c.was.what(t))
		}
	}
}
