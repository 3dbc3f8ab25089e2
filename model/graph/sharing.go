package graph

import (
	"cmp"
	"slices"

	"memplan/model"
)

// An atom is tensors that are one buffer whatever is chosen, as the arenas have
// it: a tensor, the views of it that no operator makes, and those views that
// operators make of which every byte is the base's for as long as they live. To
// lay such a view into its base costs nothing, unless something may take the
// place of the base, or of another view of it, at a step at which the view is
// live: in any plan that has it elsewhere those bytes are only given back.
//
// All other sharing that is safe is a choice, and becomes pairs of equal
// addresses: between views of the same bytes, which hold the same content
// whether they are copies or not; between an operator's result and the operand
// whose place it may take; between a concat's operands and its result. What such
// choices rule out of each other is for the planner to see, since two buffers
// that no pair lets overlap never do.
type atom struct {
	life  model.Interval
	size  int64
	align int64
	parts []part
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
	l.allowed = make([][]int, n)
	for t := range n {
		root, _ := l.find(t)
		l.allowed[t] = l.groups[root].spaces
	}
	replaced := l.replaced()
	for t := range n {
		x := &l.g.Tensors[t]
		l.atom[t] = atom{life: l.life(t), size: x.Bytes, align: max(x.Align, 1), parts: []part{{t, model.Interval{End: x.Bytes}}}}
	}
	for _, t := range l.basesFirst() {
		v := l.base[t]
		if v.Of < 0 || !l.touched(t) || l.family[t] != l.family[v.Of] {
			continue
		}
		into := l.home[v.Of]
		a, b := &l.atom[into], &l.atom[t]
		at := l.within[v.Of] + v.Offset
		if l.writer[t] >= 0 && !l.makers.sliced[t] && (!a.holds(b, at) || slices.ContainsFunc(replaced[l.family[t]], b.liveAt)) {
			continue
		}
		l.home[t], l.within[t] = into, at
		a.take(b, at)
	}
}

// holds reports whether every byte of b, at an offset in a, is there while b is
// live, and aligned wherever a may be.
func (a *atom) holds(b *atom, at int64) bool {
	return a.life.Contains(b.life) && at+b.size <= a.size && at%b.align == 0 && a.align%b.align == 0
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
	a.size, a.align = max(a.size, at+b.size), model.LCM(a.align, b.align)
	for _, p := range b.parts {
		a.parts = append(a.parts, part{p.tensor, p.bytes.Shift(at)})
	}
}

// open makes the instances of the atoms, with the choices as pairs. tensors is how
// many buffers of each arena stand for tensors; the others are as they were.
func (l *lowering) open(ids []string, tensors []int) {
	l.choices()
	if l.out.Open = l.out.Arenas; len(l.chosen) == 0 {
		return
	}
	l.out.Open = nil
	for _, in := range l.out.Arenas {
		l.out.Open = append(l.out.Open, &model.Instance{Name: in.Name, Capacity: in.Capacity})
	}
	at := make([]int, len(l.atom)) // the buffer of each atom
	for t := range l.atom {
		if a := &l.atom[t]; l.home[t] == t && l.inArena(t) {
			in := l.out.Open[l.space(t)]
			at[t] = len(in.Buffers)
			in.Buffers = append(in.Buffers, model.Buffer{ID: ids[t], Life: a.life, Size: a.size, Align: a.align, Gaps: l.dead[t]})
		}
	}
	for _, c := range l.chosen {
		in := l.out.Open[l.space(c.over)]
		in.Pairs = append(in.Pairs, model.Pair{Over: at[c.over], Under: at[c.under], Distance: c.distance, Equal: !c.lead})
	}
	k := 0
	for t, p := range l.out.Places {
		if p.Where == InArena { // Values begins with these
			l.out.values[k] = Place{InArena, p.Space, at[l.home[t]], l.within[t]}
			k++
		}
	}
	for ; k < len(l.out.values); k++ {
		l.out.values[k].Buffer += len(l.out.Open[0].Buffers) - tensors[0]
	}
	for s, in := range l.out.Arenas {
		l.out.Open[s].Buffers = append(l.out.Open[s].Buffers, in.Buffers[tensors[s]:]...)
	}
}

// A choice is a pair of atoms, by their roots.
type choice struct {
	over, under int
	distance    int64
	lead        bool // at least the distance between under and over, not exactly that
}

// choices lists the pairs of atoms that may lie at equal addresses: the views,
// then along the schedule what results may replace and what lies in them.
func (l *lowering) choices() {
	l.listed = make(map[choice]bool)
	members := l.relatives()
	for t := range l.atom {
		if l.family[t] == t {
			l.viewChoices(members[t])
		}
	}
	inside := make(map[int][]laid)
	for _, ops := range l.out.Steps {
		for _, o := range ops {
			if l.g.Ops[o].Layout == Concat && l.o.Concat && len(ops) == 1 {
				l.layChoices(o, members, inside)
			}
		}
		for _, o := range ops {
			for _, p := range l.g.Ops[o].InPlace {
				l.replace(o, p[0], p[1])
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
			l.choose(t, other, l.familyAt[t]-l.familyAt[other])
		}
		live = append(live, t)
	}
}

func (l *lowering) inArena(t int) bool {
	root, _ := l.find(t)
	return l.touched(t) && !l.gone[t] && l.groups[root].where == InArena
}

func (l *lowering) space(t int) int {
	root, _ := l.find(t)
	return l.groups[root].spaces[0]
}

// choose lists a pair of which over may lie so far above under, where that makes
// them share bytes while both are live.
func (l *lowering) choose(over, under int, distance int64) {
	if distance < 0 {
		over, under, distance = under, over, -distance
	}
	a, b := &l.atom[over], &l.atom[under]
	c := choice{over, under, distance, false}
	if over == under || distance >= b.size || a.size == 0 || !a.life.Meets(b.life) || l.space(over) != l.space(under) || l.listed[c] {
		return
	}
	l.listed[c] = true
	l.chosen = append(l.chosen, c)
}

// replace lists what an in-place pair of operator o allows: y takes the place of
// x where nobody reads those bytes at that step but o, by that name, or later.
func (l *lowering) replace(o, x, y int) {
	if l.gone[y] {
		return
	}
	if x = l.through(o, x); x < 0 || !l.inArena(x) || !l.inArena(y) || !slices.Equal(l.allowed[x], l.allowed[y]) {
		return
	}
	step, root := l.step[o], l.home[x]
	a, b := &l.atom[root], &l.atom[y]
	if l.home[y] != y || root == y || b.life.Start != step || l.g.Tensors[y].Kind.Rewritten() || l.readTogether(o, x) != "" {
		return
	}
	start := l.within[x]
	if start%b.align != 0 || model.LCM(a.align, b.align) == 0 {
		return
	}
	bytes := model.Interval{Start: start, End: model.SaturatingAdd(start, max(l.g.Tensors[x].Bytes, b.size))}
	for _, p := range a.parts {
		m := p.tensor
		switch {
		case l.given[m] || l.wanted[m] || l.g.Tensors[m].Kind != Activation:
			return
		case !p.bytes.Meets(bytes) && m != x:
		case l.last[m] > step, l.birth[m] >= step, m != x && l.last[m] == step:
			return
		}
	}
	l.choose(y, root, start)
}

// overlap lists what a lead of operator o allows: where x dies there, with all
// that shares its bytes whatever is chosen, and y is born.
func (l *lowering) overlap(o int, lead Lead) {
	x, y := lead.Under, lead.Over
	if !l.inArena(x) || !l.inArena(y) || l.home[x] == l.home[y] || !slices.Equal(l.allowed[x], l.allowed[y]) || len(l.ops[l.unit[o]]) > 1 {
		return
	}
	over, under, step := l.home[y], l.home[x], l.step[o]
	a, b := &l.atom[under], &l.atom[over]
	both := a.life.Intersect(b.life)
	if l.space(over) != l.space(under) || b.life.Start != step || a.life.End != step+1 || both.End-both.Start != 1 || l.permanent(x) || l.permanent(y) || a.size == 0 || b.size == 0 {
		return
	}
	for _, p := range a.parts {
		if p.tensor != x && l.last[p.tensor] == step {
			return // read by another name
		}
	}
	c := choice{over, under, max(0, lead.Bytes-l.within[x]+l.within[y]), true}
	key := choice{over: over, under: under, lead: true} // one lead is enough
	if c.distance < b.size && !l.listed[key] {
		l.listed[key] = true
		l.chosen = append(l.chosen, c)
	}
}

// A laid is where bytes of one family are in another, by way of concats.
type laid struct {
	from  int
	bytes model.Interval // of the first
	in    int            // the other
	shift int64          // from an address in the first to the same in the other
}

// layChoices lists what lies in a concat's result: its operands, and what lies in
// those, with all views of them.
func (l *lowering) layChoices(o int, members map[int][]int, inside map[int][]laid) {
	inputs, result := l.g.Ops[o].Inputs, l.g.Ops[o].Outputs[0]
	if l.gone[result] || l.laidOut(inputs, result) != "" || !l.inArena(result) || l.home[result] != result || l.permanent(result) {
		return
	}
	delta := int64(0)
	for _, t := range inputs {
		size := l.g.Tensors[t].Bytes
		if size > 0 && l.inArena(t) && slices.Equal(l.allowed[t], l.allowed[result]) && l.home[t] == t && l.atom[t].size == size && !l.permanent(t) && l.family[t] != l.family[result] {
			at := l.familyAt[t]
			e := laid{l.family[t], model.Interval{Start: at, End: at + size}, l.family[result], l.familyAt[result] + delta - at}
			l.lies(e, l.step[o], members, inside)
		}
		delta += size
	}
}

// lies lists what follows from bytes of a family lying in another: those that
// are parts of the one, or lie in it, may lie in all that holds the other.
func (l *lowering) lies(e laid, step int64, members map[int][]int, inside map[int][]laid) {
	new := []laid{e}
	for _, h := range inside[e.from] {
		if bytes := h.bytes.Intersect(e.bytes.Shift(-h.shift)); !bytes.Empty() && l.livesOn(members[h.from], step) {
			new = append(new, laid{h.from, bytes, e.in, h.shift + e.shift})
		}
	}
	for _, s := range new {
		inside[s.in] = append(inside[s.in], s)
		for _, m := range members[s.from] {
			at := l.familyAt[m]
			if l.atom[m].life.End <= step || !s.bytes.Contains(model.Interval{Start: at, End: at + l.atom[m].size}) {
				continue
			}
			for _, r := range members[s.in] {
				if distance := at + s.shift - l.familyAt[r]; distance > -l.atom[m].size {
					l.choose(m, r, distance)
				}
			}
		}
	}
}

// livesOn reports whether any atom is live at a step or later.
func (l *lowering) livesOn(atoms []int, step int64) bool {
	return slices.ContainsFunc(atoms, func(t int) bool { return l.atom[t].life.End > step })
}

func (l *lowering) permanent(t int) bool {
	return slices.ContainsFunc(l.atom[l.home[t]].parts, func(p part) bool { return l.throughout(p.tensor) || l.g.Tensors[p.tensor].Kind == Mutable })
}
