package graph

import (
	"cmp"
	"slices"

	"memplan/model"
)

// inPlace lets operator o compute output y where its input x is, if that is safe.
func (l *lowering) inPlace(o, x, y int) {
	if l.gone[y] {
		return
	}
	if x = l.through(o, x); x < 0 || l.home[x] == l.home[y] {
		return // views of one another
	}
	if why := l.replace(o, x, y); why != "" {
		l.note(Refused, "%s in place of %s by %s: %s", l.id(y), l.id(x), l.opID(o), why)
	}
}

// through is x, unless fusion removed that. Then, in units of elementwise
// operators alone, which read each element before they write it, it is the
// value that x was computed in place of, one after another; -1 when there is
// none.
func (l *lowering) through(o, x int) int {
	switch {
	case !l.gone[x]:
		return x
	case !l.member(o).elementwise:
		return -1
	}
	return l.origin(x)
}

// origin is the value that one removed by fusion was computed in place of, one after
// another; -1 when there is none. Each step of such a chain is taken once.
func (l *lowering) origin(x int) int {
	const unknown = -2
	if l.origins == nil {
		l.origins = slices.Repeat([]int{unknown}, len(l.gone))
	}
	var chain []int
	for x >= 0 && l.gone[x] && l.origins[x] == unknown {
		chain = append(chain, x)
		x = l.replaces(x)
	}
	if x >= 0 && l.gone[x] {
		x = l.origins[x]
	}
	for _, y := range chain {
		l.origins[y] = x
	}
	return x
}

// replaces is the operand, of an operator before, that y is computed in place of; -1
// when there is none.
func (l *lowering) replaces(y int) int {
	if w := l.writer[y]; w >= 0 {
		for _, pair := range l.g.Ops[w].InPlace {
			if pair[1] == y {
				return pair[0]
			}
		}
	}
	return -1
}

// never says why operator o may not compute y where its operand x is, whatever the
// order and wherever they are; empty if it may in some.
func (l *lowering) never(o, x, y int) string {
	a, b := l.groupOf(x), l.groupOf(y)
	switch {
	case a.where != InArena && a.guard != free:
		return "the operand is " + a.guard.String()
	case a.where != InArena || b.where != InArena:
		return "one of them is outside the arena"
	case l.guardOf(y) == permanent:
		return "the result is kept from run to run"
	case len(common(l.allowed[l.bodyOf(x)], l.allowed[l.bodyOf(y)])) == 0:
		return "they are in different pools"
	}
	return l.readTogether(o, x)
}

// replace says why operator o may not compute y where its operand x is, in this
// order: it may where nobody reads those bytes at that step but o, by that name,
// or later, and they are not the caller's, a weight or a variable. Empty if it may;
// then their atoms are a pair.
func (l *lowering) replace(o, x, y int) string {
	step, root := l.step[o], l.home[x]
	a, b := &l.atom[root], &l.atom[y]
	start := l.within[x]
	if why := cmp.Or(l.never(o, x, y), fits(b.size, b.align, start, a.align)); why != "" {
		return why
	}
	switch {
	case l.home[y] != y:
		return "the result shares the bytes of " + l.id(l.home[y]) + " already"
	case a.guard != free:
		return "the operand is " + a.guard.String()
	case b.life.Start != step:
		return "the result is kept from run to run"
	}
	bytes := model.Interval{Start: start, End: start + max(l.g.Tensors[x].Bytes, b.size)}
	for _, p := range a.parts {
		switch m := p.tensor; {
		case !p.bytes.Meets(bytes) && m != x:
		case l.last[m] > step:
			return l.id(m) + " is read later"
		case l.birth[m] >= step:
			return l.id(m) + " is written by the same operator"
		case l.last[m] == step && m != x:
			return l.id(m) + " has the same bytes and is read by the same operator"
		}
	}
	l.choose(choice{o, y, root, start, false})
	return ""
}

// readTogether says whether another operator of o's unit reads x, unless all of
// them go element by element.
func (l *lowering) readTogether(o, x int) string {
	if m := l.member(o); m.reads[x] > 1 && !m.elementwise {
		return "another operator reads it in the same step"
	}
	return ""
}

// A membership is what the operators of one unit touch.
type membership struct {
	unit        int
	reads       map[int]int // by how many of them each tensor is read
	writes      map[int]bool
	elementwise bool // all of them are
}

// member is the membership of operator o's unit; the last one is kept.
func (l *lowering) member(o int) *membership {
	u := l.unit[o]
	if l.members != nil && l.members.unit == u {
		return l.members
	}
	m := &membership{unit: u, reads: make(map[int]int), writes: make(map[int]bool), elementwise: true}
	last := make(map[int]int) // the operator that reads a tensor, plus 1
	for _, o := range l.ops[u] {
		op := &l.g.Ops[o]
		m.elementwise = m.elementwise && op.Elementwise
		for _, t := range op.Inputs {
			if last[t] != o+1 {
				last[t] = o + 1
				m.reads[t]++
			}
		}
		for _, t := range op.Outputs {
			m.writes[t] = true
		}
	}
	l.members = m
	return m
}
