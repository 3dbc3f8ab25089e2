package graph

import (
	"slices"

	"memplan/model"
)

// concat lets the operands of concat o lie in its result, and what lies in those,
// with all views of them, where that is safe. held says what lies in what before.
func (l *lowering) concat(o int, members map[int][]int, held map[int][]laid) {
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
		why := l.layable(o, t, result, delta)
		switch size := l.g.Tensors[t].Bytes; {
		case why != "" || size == 0:
		case l.home[result] != result:
			why = "the result is part of something else"
		case l.home[t] != t || l.atom[t].size != size:
			why = "it is only part of " + l.id(l.home[t])
		case l.atom[t].guard == permanent || l.atom[result].guard == permanent:
			why = "one of them is live throughout"
		default:
			at := l.familyAt[t]
			e := laid{l.family[t], model.Interval{Start: at, End: at + size}, l.family[result], l.familyAt[result] + delta - at}
			l.lies(e, o, members, held)
		}
		if why != "" {
			l.note(Refused, "%s inside %s by %s: %s", l.id(t), l.id(result), l.opID(o), why)
		}
		delta += l.g.Tensors[t].Bytes
	}
}

// layable says why operand t of concat o cannot lie in its result, whatever the
// order; empty if it can.
func (l *lowering) layable(o, t, result int, delta int64) string {
	g, w := l.groupOf(t), l.groupOf(result)
	switch {
	case l.gone[t] || l.gone[result] || len(l.ops[l.unit[o]]) > 1:
		return "fused"
	case l.family[t] == l.family[result]:
		return "it is part of " + l.id(l.family[t]) + " already"
	case g.where != InArena || w.where != InArena:
		return "one of them is outside the arena"
	case l.guardOf(t) == permanent || l.guardOf(result) == permanent:
		return "one of them is live throughout"
	case len(common(l.allowed[l.bodyOf(t)], l.allowed[l.bodyOf(result)])) == 0:
		return "they are in different pools"
	}
	return fits(l.g.Tensors[t].Bytes, max(l.g.Tensors[t].Align, 1), delta, max(l.g.Tensors[result].Align, 1))
}

// A laid is where bytes of one family are in another, by way of concats.
type laid struct {
	from  int
	bytes model.Interval // of the first
	in    int            // the other
	shift int64          // from an address in the first to the same in the other
}

// lies lists what follows from bytes of a family lying in another: those that
// are parts of the one, or lie in it, may lie in all that holds the other.
func (l *lowering) lies(e laid, o int, members map[int][]int, held map[int][]laid) {
	step := l.step[o]
	new := []laid{e}
	for _, h := range held[e.from] {
		if bytes := h.bytes.Intersect(e.bytes.Shift(-h.shift)); !bytes.Empty() && l.livesOn(members[h.from], step) {
			new = append(new, laid{h.from, bytes, e.in, h.shift + e.shift})
		}
	}
	for _, s := range new {
		held[s.in] = append(held[s.in], s)
		for _, m := range members[s.from] {
			at := l.familyAt[m]
			if l.atom[m].life.End <= step || !s.bytes.Contains(model.Interval{Start: at, End: at + l.atom[m].size}) {
				continue
			}
			for _, r := range members[s.in] {
				if distance := at + s.shift - l.familyAt[r]; distance > -l.atom[m].size {
					l.choose(choice{o, m, r, distance, false})
				}
			}
		}
	}
}

// livesOn reports whether any atom is live at a step or later.
func (l *lowering) livesOn(atoms []int, step int64) bool {
	return slices.ContainsFunc(atoms, func(t int) bool { return l.atom[t].life.End > step })
}
