package graph

import (
	"slices"

	"memplan/model"
)

// assign chooses a space for each atom.
func (l *lowering) assign() error {
	if len(l.g.Spaces) < 2 {
		l.out.Assigned.Exact = true
		return nil
	}
	a := &Assignment{Forbidden: l.o.Forbidden}
	for _, s := range l.g.Spaces {
		a.Capacities = append(a.Capacities, s.Capacity)
	}
	item := make([]int, len(l.atom)) // of each atom
	for t := range l.atom {
		if x := &l.atom[t]; l.home[t] == t && l.inArena(t) {
			item[t] = len(a.Items)
			a.Items = append(a.Items, Item{ID: l.g.Tensors[t].ID, Spaces: x.spaces, Bytes: l.traffic(x), Life: x.life, Gaps: l.dead[t], Size: x.size})
		}
	}
	for _, c := range l.chosen {
		a.Pairs = append(a.Pairs, model.Pair{Over: item[c.over], Under: item[c.under], Distance: c.distance, Equal: !c.lead})
	}
	l.others(a)
	choose := l.o.Assign
	if choose == nil {
		choose = func(a *Assignment) (Assigned, error) { return a.Greedy(), nil }
	}
	l.out.choice = slices.ContainsFunc(a.Items, func(i Item) bool { return len(i.Spaces) > 1 })
	got, err := choose(a)
	if err != nil {
		return err
	}
	l.out.Assigned = got
	for t := range l.atom {
		if l.home[t] == t && l.inArena(t) {
			l.atom[t].spaces = []int{got.Space[item[t]]}
		}
	}
	return nil
}

// traffic is what an atom counts outside the space that it prefers: the sum of
// what its tensors have for it, or its bytes where none has.
func (l *lowering) traffic(a *atom) (bytes int64) {
	for _, p := range a.parts {
		bytes = model.SaturatingAdd(bytes, l.g.Tensors[p.tensor].Traffic)
	}
	if bytes == 0 {
		return a.size
	}
	l.trafficked = true
	return bytes
}

// others adds what has no choice: workspaces, and reserved ranges.
func (l *lowering) others(a *Assignment) {
	for i := range l.g.Ops {
		for _, bytes := range l.g.Ops[i].Scratch {
			a.Items = append(a.Items, Item{ID: l.g.Ops[i].ID, Spaces: []int{0}, Bytes: bytes, Life: at(l.step[i]), Size: bytes})
		}
	}
	for s, space := range l.g.Spaces {
		for _, r := range space.Reserved {
			bytes := r.End - r.Start
			a.Items = append(a.Items, Item{ID: space.ID, Spaces: []int{s}, Bytes: bytes, Life: model.Interval{End: l.steps + 1}, Size: bytes})
		}
	}
}

// LowerToFit lowers a graph whose tensors may go to several spaces, until what
// is in each fits: tight, given a lowered graph, tells what it has proven not
// to fit (see Forbid); then spaces are chosen anew without that. It ends when
// nothing more is forbidden, when the capacities are exceeded whatever goes
// where, or after a number of rounds. The first error ends it too.
func (g *Graph) LowerToFit(o LowerOptions, tight func(*Lowered) ([]Forbidden, error)) (*Lowered, error) {
	const rounds = 100
	o.Forbidden = slices.Clone(o.Forbidden)
	for round := 0; ; round++ {
		l, err := g.Lower(o)
		if err != nil {
			return nil, err
		}
		more, err := tight(l)
		if err != nil || len(more) == 0 || l.Assigned.Over > 0 && l.Assigned.Exact || !l.choice || round == rounds {
			return l, err
		}
		o.Forbidden = append(o.Forbidden, more...)
	}
}

// Forbid is what to tell LowerToFit when no plan of a space's arena has a peak
// below the bound, which is above the capacity.
func (l *Lowered) Forbid(space int, bound int64) Forbidden {
	f := Forbidden{Space: space, Over: bound - l.Arenas[space].Capacity}
	for i, s := range l.Assigned.Space {
		if s == space {
			f.Items = append(f.Items, i)
		}
	}
	return f
}

// Undecided reports whether another choice of spaces may fit where this one
// does not: some tensor may go elsewhere, and the capacities are not proven to
// be exceeded whatever goes where.
func (l *Lowered) Undecided() bool {
	return l.choice && !(l.Assigned.Over > 0 && l.Assigned.Exact)
}
