package graph

import (
	"slices"

	"memplan/model"
)

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
	w.align = model.LCM(w.align, g.align)
	w.guard = max(w.guard, g.guard)
	w.life.End = max(w.life.End, g.life.End)
	g.life.End = step
	for _, p := range g.open {
		if l.last[p.tensor] > step {
			w.open = append(w.open, part{p.tensor, p.bytes.Shift(delta)})
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
