package model

import "slices"

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
	why := l.separate(x, y, into, from, inY)
	if why == "" {
		why = l.fits(&l.groups[from], &l.groups[into], at)
	}
	if why == "" {
		why = l.overwrites(o, x, into, Interval{at, at + max(l.g.Tensors[x].Bytes, l.groups[from].size)})
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
	for l.gone[x] {
		w := l.writer[x]
		if w < 0 || !l.member(o).elementwise {
			return -1
		}
		k := slices.IndexFunc(l.g.Ops[w].InPlace, func(pair [2]int) bool { return pair[1] == x })
		if k < 0 {
			return -1
		}
		x = l.g.Ops[w].InPlace[k][0] // of an operator before, so this ends
	}
	return x
}

// separate says why x and y cannot be one buffer whatever the schedule; empty
// if they can.
func (l *lowering) separate(x, y, into, from int, inY int64) string {
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
	case !l.agree(x, y, 0):
		return "the plan puts them apart"
	}
	return ""
}

// overwrites says why bytes of a group, of which x is the operand of o, cannot
// be overwritten by o; empty if they can.
func (l *lowering) overwrites(o, x, root int, bytes Interval) string {
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

// concat lays the operands of concat o into its result, where that is safe.
func (l *lowering) concat(o int) {
	inputs, result := l.g.Ops[o].Inputs, l.g.Ops[o].Outputs[0]
	if l.gone[result] {
		return
	}
	if why := l.laidOut(inputs, result); why != "" {
		l.note(Refused, "concat %s in place: %s", l.opID(o), why)
		return
	}
	delta := int64(0)
	for _, t := range inputs {
		if why := l.lay(o, t, result, delta); why != "" {
			l.note(Refused, "%s inside %s by %s: %s", l.id(t), l.id(result), l.opID(o), why)
		}
		delta += l.g.Tensors[t].Bytes
	}
}

// lay ties the group of operand t to the result of concat o, or says why not.
// Until the concat runs the operand's bytes are the operand's, afterwards they
// are the result's, which lives as long as anybody reads either.
func (l *lowering) lay(o, t, result int, delta int64) string {
	if why := l.layable(t, result, delta); why != "" || l.g.Tensors[t].Bytes == 0 {
		return why
	}
	root, _ := l.find(t)
	g, w, step := &l.groups[root], &l.groups[result], l.step[o]
	if len(l.ops[l.unit[o]]) > 1 {
		return "fused"
	}
	if g.life.Start == step { // an input of the first operator: there is no before
		for _, p := range g.open {
			l.laid[p.tensor] = true
		}
		l.merge(root, result, delta)
		return ""
	}
	g.into, g.delta = result, delta
	w.parts++
	w.align = lcm(w.align, g.align)
	w.guard = max(w.guard, g.guard)
	w.life.End = max(w.life.End, g.life.End)
	g.life.End = step
	for _, p := range g.open {
		if l.last[p.tensor] > step {
			w.open = append(w.open, part{p.tensor, Interval{p.bytes.Start + delta, p.bytes.End + delta}})
		}
	}
	return ""
}

// layable says why operand t cannot lie in a concat's result, whatever the
// schedule; empty if it can.
func (l *lowering) layable(t, result int, delta int64) string {
	root, at := l.find(t)
	whole, inWhole := l.find(result)
	g, w := &l.groups[root], &l.groups[whole]
	switch {
	case l.gone[t] || l.gone[result]:
		return "fused"
	case whole != result || inWhole != 0 || w.into >= 0:
		return "the result is part of something else"
	case root == whole || g.into >= 0 || l.laid[t]:
		return "it is part of " + l.id(max(g.into, root)) + " already"
	case at != 0 || g.size != l.g.Tensors[t].Bytes:
		return "it is only part of " + l.id(root)
	case g.where != InArena || w.where != InArena:
		return "one of them is outside the arena"
	case g.guard == permanent || w.guard == permanent || l.keptAny(g) || l.keptAny(w):
		return "one of them is live throughout"
	case !slices.Equal(g.spaces, w.spaces):
		return "they may be in different pools"
	case !l.agree(t, result, -delta):
		return "the plan puts them apart"
	}
	return l.fits(g, w, delta)
}

// keptAny reports whether the caller may look at any of a group's open values
// at any time.
func (l *lowering) keptAny(g *group) bool {
	return slices.ContainsFunc(g.open, func(p part) bool { return l.kept(p.tensor) })
}

// flatten makes every group that is part of another part of one that is not.
func (l *lowering) flatten() {
	var chain []int
	for t := range l.groups {
		chain = chain[:0]
		for l.groups[t].into >= 0 {
			chain = append(chain, t)
			t = l.groups[t].into
		}
		delta := int64(0)
		for k := len(chain) - 1; k >= 0; k-- {
			g := &l.groups[chain[k]]
			delta += g.delta
			g.into, g.delta = t, delta
		}
	}
}
