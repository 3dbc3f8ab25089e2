package graph

import (
	"slices"

	"memplan/model"
)

// assign chooses a space for each group that is in an arena.
func (l *lowering) assign() error {
	if len(l.g.Spaces) < 2 {
		l.out.Assigned.Exact = true
		return nil
	}
	a := &Assignment{Forbidden: l.o.Forbidden}
	for _, s := range l.g.Spaces {
		a.Capacities = append(a.Capacities, s.Capacity)
	}
	item := make(map[int]int) // by the root of a body
	use := func(root int, g *group) {
		i, seen := item[root]
		if !seen {
			i = len(a.Items)
			item[root] = i
			r := &l.groups[root]
			a.Items = append(a.Items, Item{ID: l.g.Tensors[root].ID, Spaces: r.spaces, Bytes: r.size})
		}
		a.Items[i].Uses = append(a.Items[i].Uses, Use{g.life, g.size})
	}
	for t := range l.groups {
		g := &l.groups[t]
		if l.parent[t] != t || g.where != InArena {
			continue
		}
		root := t
		if g.into >= 0 {
			root = g.into
		}
		use(root, g)
	}
	l.traffic(a, item)
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
	for t := range l.groups {
		root := t
		if into := l.groups[t].into; into >= 0 {
			root = into
		}
		if i, ok := item[root]; ok {
			l.groups[t].spaces = []int{got.Space[i]}
		}
	}
	return nil
}

// traffic counts bodies by what their tensors have for it, where any has.
func (l *lowering) traffic(a *Assignment, item map[int]int) {
	counted := make(map[int]bool)
	for t := range l.g.Tensors {
		bytes := l.g.Tensors[t].Traffic
		root, _ := l.find(t)
		if into := l.groups[root].into; into >= 0 {
			root = into
		}
		i, there := item[root]
		if bytes == 0 || !there {
			continue
		}
		if !counted[i] {
			counted[i], a.Items[i].Bytes = true, 0
		}
		a.Items[i].Bytes = model.SaturatingAdd(a.Items[i].Bytes, bytes)
	}
	l.trafficked = len(counted) > 0
}

// others adds what has no choice: workspaces, and reserved ranges.
func (l *lowering) others(a *Assignment) {
	for i := range l.g.Ops {
		for _, bytes := range l.g.Ops[i].Scratch {
			life := at(l.step[i])
			a.Items = append(a.Items, Item{ID: l.g.Ops[i].ID, Spaces: []int{0}, Bytes: bytes, Uses: []Use{{life, bytes}}})
		}
	}
	for s, space := range l.g.Spaces {
		for _, r := range space.Reserved {
			bytes := r.End - r.Start
			a.Items = append(a.Items, Item{ID: space.ID, Spaces: []int{s}, Bytes: bytes, Uses: []Use{{model.Interval{End: l.steps + 1}, bytes}}})
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
