package graph

import (
	"slices"

	"memplan/model"
)

// openLimit is how many values in one buffer are looked at before an in-place
// pair is refused unexamined.
const openLimit = 64

// inPlace lets operator o compute output y in the buffer of its input x, if
// that is safe.
func (l *lowering) inPlace(o, x, y int) {
	if l.gone[y] {
		return
	}
	if x = l.through(o, x); x < 0 {
		return
	}
	into, at := l.find(x)
	from, inY := l.find(y)
	if into == from {
		return // views of one another, or a pair named twice
	}
	why := l.separate(y, into, from, inY)
	if why == "" {
		why = l.fits(&l.groups[from], &l.groups[into], at)
	}
	if why == "" {
		why = l.overwrites(o, x, into, model.Interval{Start: at, End: at + max(l.g.Tensors[x].Bytes, l.groups[from].size)})
	}
	if why != "" {
		l.note(Refused, "%s in place of %s by %s: %s", l.id(y), l.id(x), l.opID(o), why)
		return
	}
	l.merge(from, into, at)
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

// separate says why an operand, of the group into, and y cannot be one buffer whatever the schedule; empty
// if they can.
func (l *lowering) separate(y, into, from int, inY int64) string {
	a, b := &l.groups[into], &l.groups[from]
	switch {
	case a.guard != free:
		return "the operand is " + a.guard.String()
	case a.where != InArena || b.where != InArena:
		return "one of them is outside the arena"
	case a.into >= 0:
		return "the operand is part of " + l.id(a.into)
	case from != y || inY != 0:
		return "the result shares the bytes of " + l.id(from) + " already"
	case b.into >= 0 || b.parts > 0:
		return "the result holds a concatenation"
	case b.guard == permanent || l.keptAny(b):
		return "the result is kept from run to run"
	case !slices.Equal(a.spaces, b.spaces):
		return "they may be in different pools"
	}
	return ""
}

// overwrites says why bytes of a group, of which x is the operand of o, cannot
// be overwritten by o; empty if they can.
func (l *lowering) overwrites(o, x, root int, bytes model.Interval) string {
	step, g := l.step[o], &l.groups[root]
	g.open = slices.DeleteFunc(g.open, func(p part) bool { return max(l.birth[p.tensor], l.last[p.tensor]) < step })
	if len(g.open) > openLimit {
		return "too many values share the operand's bytes to look at"
	}
	for _, p := range g.open {
		switch m := p.tensor; {
		case !p.bytes.Meets(bytes) && m != x:
		case l.last[m] > step:
			return l.id(m) + " is read later"
		case l.birth[m] >= step:
			return l.id(m) + " is written by the same operator"
		case m != x:
			return l.id(m) + " has the same bytes and is read by the same operator"
		}
	}
	return l.readTogether(o, x)
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
