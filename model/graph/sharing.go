package graph

import (
	"cmp"
	"slices"

	"memplan/model"
)

// An atom is tensors that are one buffer whatever is chosen: a tensor, the views
// of it that no operator can copy, and those views that operators make of which
// every byte is the base's for as long as they live, and which may be wherever the
// base may.
//
// To lay such a view v into its base b costs nothing, unless something may take
// the place of b, or of another view of it, at a step at which v is live. For take
// any plan in which they are apart, and move v to its bytes of b. Whatever is live
// with v is live with b. So it is disjoint from b, and now from v, or shares bytes
// with b as a pair lets it; and what is a pair of b alone is one of the atom, since
// nothing but what takes the place of its bytes asks who else reads them. The
// bytes that v had are only given back.
//
// All other sharing that is safe is a choice, and becomes pairs of equal
// addresses: between views of the same bytes, which hold the same content
// whether they are copies or not; between an operator's result and the operand
// whose place it may take; between a concat's operands and its result. What such
// choices rule out of each other is for the planner to see, since two buffers
// that no pair lets overlap never do.
type atom struct {
	life   model.Interval
	size   int64
	align  int64
	guard  guard
	parts  []part
	spaces []int // that it may be in; once they are chosen, that which it is in
	buffer int   // in its arena
}

// families notes what is a view of what, before anything else is shared.
func (l *lowering) families() {
	n := len(l.g.Tensors)
	l.family, l.familyAt = make([]int, n), make([]int64, n)
	for t := range n {
		l.family[t], l.familyAt[t] = l.find(t)
	}
}

// atoms finds them, once lifetimes are known: home and within say which atom, by
// the tensor at its root, a tensor is part of, and at how many bytes.
func (l *lowering) atoms() {
	n := len(l.g.Tensors)
	l.home, l.within, l.atom = model.Identity(n), make([]int64, n), make([]atom, n)
	replaced := l.replaced()
	for _, t := range l.basesFirst() {
		x, v := &l.g.Tensors[t], l.base[t]
		l.atom[t] = atom{life: l.life(t), size: x.Bytes, align: max(x.Align, 1), guard: l.guardOf(t), parts: []part{{t, model.Interval{End: x.Bytes}}}, spaces: l.allowed[l.bodyOf(t)]}
		if v.Of < 0 || l.family[t] != l.family[v.Of] {
			continue
		}
		into := l.home[v.Of]
		a, b := &l.atom[into], &l.atom[t]
		at := l.within[v.Of] + v.Offset
		if l.body[t] == t && (!a.holds(b, at) || slices.ContainsFunc(replaced[l.family[t]], b.liveAt)) {
			continue
		}
		if l.home[t], l.within[t] = into, at; l.touched(t) {
			a.take(b, at)
		}
	}
}

// holds reports whether every byte of b, at an offset in a, is there while b is
// live, aligned and allowed wherever a may be.
func (a *atom) holds(b *atom, at int64) bool {
	elsewhere := func(s int) bool { return !slices.Contains(b.spaces, s) }
	return a.life.Contains(b.life) && at+b.size <= a.size && at%b.align == 0 && a.align%b.align == 0 && !slices.ContainsFunc(a.spaces, elsewhere)
}

func (a *atom) liveAt(step int64) bool { return a.life.Start <= step && step < a.life.End }

// replaced lists, by family, the steps at which something may take its place.
func (l *lowering) replaced() map[int][]int64 {
	steps := make(map[int][]int64)
	for o := range l.g.Ops {
		for _, p := range l.g.Ops[o].InPlace {
			if x := l.through(o, p[0]); x >= 0 {
				steps[l.family[x]] = append(steps[l.family[x]], l.step[o])
			}
		}
		for _, p := range l.g.Ops[o].Overlap {
			steps[l.family[p.Under]] = append(steps[l.family[p.Under]], l.step[o])
		}
	}
	return steps
}

func (a *atom) take(b *atom, at int64) {
	a.life = model.Interval{Start: min(a.life.Start, b.life.Start), End: max(a.life.End, b.life.End)}
	a.size, a.align, a.guard = max(a.size, at+b.size), model.LCM(a.align, b.align), max(a.guard, b.guard)
	for _, p := range b.parts {
		a.parts = append(a.parts, part{p.tensor, p.bytes.Shift(at)})
	}
}

// A choice is a pair of atoms, by their roots, that an operator gives; -1 where
// they are views of the same bytes.
type choice struct {
	op          int
	over, under int
	distance    int64
	lead        bool // at least the distance between under and over, not exactly that
}

// choices lists the pairs of atoms that may share bytes: the views, then along
// the schedule what results may replace and what lies in them.
func (l *lowering) choices() {
	l.listed = make(map[choice]bool)
	members := l.relatives()
	for t := range l.atom {
		if l.family[t] == t {
			l.viewChoices(members[t])
		}
	}
	held := make(map[int][]laid)
	for _, ops := range l.out.Steps {
		for _, o := range ops {
			if l.g.Ops[o].Layout == Concat && l.o.Concat {
				l.concat(o, members, held)
			}
		}
		for _, o := range ops {
			for _, p := range l.g.Ops[o].InPlace {
				l.inPlace(o, p[0], p[1])
			}
			for _, p := range l.g.Ops[o].Overlap {
				l.overlap(o, p)
			}
		}
	}
}

// relatives lists the atoms of each family, by birth.
func (l *lowering) relatives() map[int][]int {
	members := make(map[int][]int)
	for t := range l.atom {
		if l.home[t] == t && l.inArena(t) {
			members[l.family[t]] = append(members[l.family[t]], t)
		}
	}
	for _, list := range members {
		slices.SortStableFunc(list, func(a, b int) int { return cmp.Compare(l.atom[a].life.Start, l.atom[b].life.Start) })
	}
	return members
}

// viewChoices lists the pairs of a family.
func (l *lowering) viewChoices(family []int) {
	var live []int
	for _, t := range family {
		live = slices.DeleteFunc(live, func(o int) bool { return l.atom[o].life.End <= l.atom[t].life.Start })
		for _, other := range live {
			l.choose(choice{-1, t, other, l.familyAt[t] - l.familyAt[other], false})
		}
		live = append(live, t)
	}
}

func (l *lowering) inArena(t int) bool {
	return l.touched(t) && !l.gone[t] && l.groupOf(t).where == InArena
}

// choose lists a pair of which over may lie so far above under, or under that far
// above over by a lead, where that makes them share bytes while both are live.
func (l *lowering) choose(c choice) {
	if c.distance < 0 {
		c.over, c.under, c.distance = c.under, c.over, -c.distance
	}
	upper, lower := &l.atom[c.over], &l.atom[c.under]
	key := c
	key.op = -1
	if c.lead {
		upper, lower = lower, upper
		key.distance = 0 // one lead is enough
	}
	if c.over == c.under || c.distance >= lower.size || upper.size == 0 || !upper.life.Meets(lower.life) || len(common(upper.spaces, lower.spaces)) == 0 || l.listed[key] {
		return
	}
	l.listed[key] = true
	l.chosen = append(l.chosen, c)
}

// overlap lists what a lead of operator o allows: where x dies there, with all
// that shares its bytes whatever is chosen, and y is born.
func (l *lowering) overlap(o int, lead Lead) {
	x, y := lead.Under, lead.Over
	over, under, step := l.home[y], l.home[x], l.step[o]
	if !l.inArena(x) || !l.inArena(y) || over == under || len(l.ops[l.unit[o]]) > 1 {
		return
	}
	a, b := &l.atom[under], &l.atom[over]
	if b.life.Start != step || a.life.End != step+1 || a.guard == permanent || b.guard == permanent {
		return
	}
	for _, p := range a.parts {
		if p.tensor != x && l.last[p.tensor] == step {
			return // read by another name
		}
	}
	l.choose(choice{o, over, under, max(0, lead.Bytes-l.within[x]+l.within[y]), true})
}
