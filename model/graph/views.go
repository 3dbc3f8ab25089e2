package graph

import (
	"slices"

	"memplan/model"
)

// splits decides what is a view of what: what the graph says, and where wanted
// the results of splits.
func (l *lowering) splits() {
	l.base = make([]View, len(l.g.Tensors))
	for t := range l.base {
		l.base[t] = View{Of: -1}
		if v := l.g.Tensors[t].View; v != nil {
			l.base[t] = *v
		}
	}
	for i := range l.g.Ops {
		o := &l.g.Ops[i]
		if o.Layout != Split || !l.o.Concat {
			continue
		}
		if why := l.laidOut(o.Outputs, o.Inputs[0]); why != "" {
			l.note(Refused, "split %s in place: %s", l.opID(i), why)
			continue
		}
		at := int64(0)
		for _, t := range o.Outputs {
			if l.base[t].Of < 0 {
				l.base[t] = View{o.Inputs[0], at}
			}
			at += l.g.Tensors[t].Bytes
		}
	}
}

// laidOut says why the parts, one after another, are not the whole; empty if
// they are, whatever the dimensions.
func (l *lowering) laidOut(parts []int, whole int) string {
	sum, ok := int64(0), true
	for k, t := range parts {
		x := &l.g.Tensors[t]
		if sum, ok = model.Add(sum, x.Bytes); !ok {
			return "its parts do not fit in int64"
		}
		if x.dynamic() && k < len(parts)-1 {
			return "where its parts lie depends on the dimensions"
		}
	}
	if sum != l.g.Tensors[whole].Bytes {
		return "its parts are not as many bytes as the whole"
	}
	return ""
}

// dynamic reports whether the tensor's size depends on a dimension.
func (t *Tensor) dynamic() bool {
	return t.Shape != nil && slices.ContainsFunc(t.Shape.Extents, func(e Extent) bool { return e.Dim > 0 })
}

// view lays tensor t into its base, if that is safe.
func (l *lowering) view(t int, v View) {
	maker := l.writer[t]
	if l.makers.sliced[t] {
		maker = -1 // it cannot be a copy: who reads the base reads it
	}
	root, at := l.find(v.Of)
	at += v.Offset // inside the base, whose end fits
	from, into := &l.groups[t], &l.groups[root]
	alone := from.where == AtCaller && (into.where != InArena || into.guard == callers || at != 0 || from.size != into.size)
	if alone && maker < 0 {
		l.note(Refused, "output %s outside the arena: no operator makes it, it is part of %s", l.id(t), l.id(v.Of))
		from.where, alone = into.where, false
	}
	why := fits(from.size, from.align, at, into.align)
	switch {
	case l.gone[t]:
		return // so is its base
	case maker >= 0 && l.o.CopyViews:
		return
	case maker >= 0 && !l.reads(maker, root):
		why = "its operator " + l.opID(maker) + " does not read that"
	case maker >= 0 && into.guard == permanent && l.changed[root]:
		why = "an operator writes that anew"
	case into.where == Fused:
		why = "fusion removed that"
	case alone:
		why = "the caller has memory for it alone"
	}
	body := l.bodyOf(v.Of)
	spaces := common(l.allowed[body], l.allowed[t])
	if maker < 0 && why == "" {
		body, spaces = l.bodyFor(t, v.Of, at)
	}
	if why == "" && len(spaces) == 0 {
		why = "no pool is allowed for both"
	}
	if why == "" {
		if maker < 0 {
			l.allowed[body] = spaces
			for b := t; b != body; b = l.bodyOf(l.base[b].Of) {
				l.body[b] = body
			}
		}
		if from.where == AtCaller {
			into.where = AtCaller
		}
		l.merge(t, root, at)
		return
	}
	if maker < 0 {
		l.fault("tensor %s: a view of %s that no operator can copy: %s", l.id(t), l.id(v.Of), why)
		return
	}
	l.note(Refused, "view %s of %s: %s; it is a copy", l.id(t), l.id(v.Of), why)
}

// bodyOf is the tensor that t is part of whatever is chosen, by way of views that
// no operator can copy; the first of them, which is no such view.
func (l *lowering) bodyOf(t int) int {
	root := t
	for l.body[root] != root {
		root = l.body[root]
	}
	for l.body[t] != root {
		t, l.body[t] = l.body[t], root
	}
	return root
}

// bodyFor is the body that view t of a tensor, at a byte of the family, is part of,
// and the spaces that are left to that: the next one in which its alignment holds
// wherever that lies. A copy of a view on the way would move it off.
func (l *lowering) bodyFor(t, of int, at int64) (body int, spaces []int) {
	body = l.bodyOf(of)
	spaces = common(l.allowed[body], l.allowed[t])
	for {
		root, start := l.find(body)
		if body == root || (at-start)%l.groups[t].align == 0 {
			return body, spaces
		}
		body = l.bodyOf(l.base[body].Of)
		spaces = common(l.allowed[body], spaces)
	}
}

// reads reports whether an operator reads bytes of a group.
func (l *lowering) reads(o, root int) bool {
	for _, t := range l.g.Ops[o].Inputs {
		if r, _ := l.find(t); r == root {
			return true
		}
	}
	return false
}

// common lists the spaces of both, in the first's order.
func common(a, b []int) []int {
	if slices.Equal(a, b) {
		return a
	}
	var both []int
	for _, s := range a {
		if slices.Contains(b, s) {
			both = append(both, s)
		}
	}
	return both
}
