package model

import (
	"cmp"
	"slices"
)

// An Assignment is the question which memory space each item goes to, where
// some may go to several: the live bytes of every space within its capacity at
// every step, and as few bytes as possible outside the spaces preferred. That
// a space's live bytes fit is needed, but not always enough, for a plan to fit.
type Assignment struct {
	Items      []Item
	Capacities []int64     // of each space, bytes; 0 = none
	Forbidden  []Forbidden // what is known not to fit although its live bytes do
}

// Forbidden is a set of items that no plan fits into a space's capacity, by so
// many bytes at least. LowerToFit collects them.
type Forbidden struct {
	Space int
	Items []int
	Over  int64
}

// An Item is a body: what must be in one space.
type Item struct {
	ID     string
	Spaces []int // allowed, in order of preference; at least one
	Bytes  int64 // of the body, counted where it is outside the first of Spaces
	Uses   []Use
}

// A Use says how many bytes of an item are live when.
type Use struct {
	Life  Interval
	Bytes int64
}

// Assigned is an answer.
type Assigned struct {
	Space   []int // of each item
	Outside int64 // bytes of the items outside their preferred spaces
	Over    int64 // the bytes by which live bytes exceed the capacities, over all spaces
	Exact   bool  // no assignment has less Over, and with that Over none has less Outside
}

// Score works out what the choice of spaces is worth. Exact is set where it is
// plain that nothing is better: all is within the capacities and in the
// preferred spaces, or nothing had a choice.
func (a *Assignment) Score(space []int) Assigned {
	r := Assigned{Space: space}
	choice := false
	for i, item := range a.Items {
		choice = choice || len(item.Spaces) > 1
		if space[i] != item.Spaces[0] {
			r.Outside = saturated(r.Outside, item.Bytes)
		}
	}
	for _, over := range a.Over(space) {
		r.Over = saturated(r.Over, over)
	}
	r.Exact = !choice || r.Over == 0 && r.Outside == 0
	return r
}

// Over is by how many bytes each space is exceeded by a choice of spaces.
func (a *Assignment) Over(space []int) []int64 {
	in := make([]Instance, len(a.Capacities))
	for i, item := range a.Items {
		b := &in[space[i]].Buffers
		for _, u := range item.Uses {
			*b = append(*b, Buffer{Life: u.Life, Size: u.Bytes})
		}
	}
	over := make([]int64, len(a.Capacities))
	for s, capacity := range a.Capacities {
		if capacity > 0 {
			over[s] = max(in[s].Load()-capacity, a.forbidden(space, s))
		}
	}
	return over
}

// forbidden is by how much what is known not to fit into a space exceeds its
// capacity, 0 when it is not all there.
func (a *Assignment) forbidden(space []int, s int) int64 {
	over := int64(0)
	for _, f := range a.Forbidden {
		apart := func(i int) bool { return space[i] != s }
		if f.Space == s && !slices.ContainsFunc(f.Items, apart) {
			over = max(over, f.Over)
		}
	}
	return over
}

// Greedy puts one item after another, those without a choice first, then by
// bytes descending, then by index, into the first of its spaces where it still
// fits; where it fits in none, into that which it exceeds least. Approximate:
// it may exceed capacities that another choice would not. Cost: O(n s log n)
// for s spaces.
func (a *Assignment) Greedy() Assigned {
	order := identity(len(a.Items))
	slices.SortStableFunc(order, func(i, j int) int {
		x, y := &a.Items[i], &a.Items[j]
		if c := (len(x.Spaces) > 1) != (len(y.Spaces) > 1); c {
			return cmp.Compare(len(x.Spaces), len(y.Spaces))
		}
		return cmp.Compare(y.Bytes, x.Bytes)
	})
	loads := a.loads()
	space := make([]int, len(a.Items))
	for i := range space {
		space[i] = -1
	}
	for _, i := range order {
		item := &a.Items[i]
		best, least := item.Spaces[0], int64(MaxBytes)
		for _, s := range item.Spaces {
			over := int64(0)
			if a.Capacities[s] > 0 {
				space[i] = s
				over = max(loads[s].with(item)-a.Capacities[s], a.forbidden(space, s))
			}
			if over < least {
				best, least = s, over
			}
		}
		space[i] = best
		for _, u := range item.Uses {
			loads[best].add(u)
		}
	}
	return a.Score(space)
}

func (a *Assignment) loads() []profile {
	var steps []int64
	for i := range a.Items {
		for _, u := range a.Items[i].Uses {
			steps = append(steps, u.Life.Start, u.Life.End)
		}
	}
	slices.Sort(steps)
	steps = slices.Compact(steps)
	loads := make([]profile, len(a.Capacities))
	for s := range loads {
		loads[s] = newProfile(steps)
	}
	return loads
}

// A profile holds live bytes by step, as a tree over the steps at which they
// can change: most[k] is the most in the subtree of k, without what is added
// to its ancestors; added[k] is added to all of it. Sums saturate.
type profile struct {
	steps       []int64
	most, added []int64
	leaves      int
}

func newProfile(steps []int64) profile {
	leaves := 1
	for leaves < len(steps) {
		leaves *= 2
	}
	return profile{steps, make([]int64, 2*leaves), make([]int64, 2*leaves), leaves}
}

// add makes the bytes live during the use's lifetime.
func (p *profile) add(u Use) {
	p.visit(u.Life, func(k int) {
		p.most[k] = saturated(p.most[k], u.Bytes)
		p.added[k] = saturated(p.added[k], u.Bytes)
		for k /= 2; k > 0; k /= 2 {
			p.most[k] = saturated(max(p.most[2*k], p.most[2*k+1]), p.added[k])
		}
	})
}

// with is the most that would be live at any step of the item if it were added.
func (p *profile) with(item *Item) int64 {
	var most int64
	for _, u := range item.Uses {
		p.visit(u.Life, func(k int) {
			live := saturated(p.most[k], u.Bytes)
			for k /= 2; k > 0; k /= 2 {
				live = saturated(live, p.added[k])
			}
			most = max(most, live)
		})
	}
	return most
}

// visit calls f for the fewest subtrees that make up a lifetime.
func (p *profile) visit(life Interval, f func(k int)) {
	low, _ := slices.BinarySearch(p.steps, life.Start)
	high, _ := slices.BinarySearch(p.steps, life.End)
	for low, high = low+p.leaves, high+p.leaves; low < high; low, high = low/2, high/2 {
		if low%2 == 1 {
			f(low)
			low++
		}
		if high%2 == 1 {
			high--
			f(high)
		}
	}
}

func saturated(a, b int64) int64 {
	if s, ok := Add(a, b); ok {
		return s
	}
	return MaxBytes
}

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

// others adds what has no choice: workspaces, and reserved ranges.
func (l *lowering) others(a *Assignment) {
	for i := range l.g.Ops {
		for _, bytes := range l.g.Ops[i].Scratch {
			life := Interval{l.step[i], l.step[i] + 1}
			a.Items = append(a.Items, Item{ID: l.g.Ops[i].ID, Spaces: []int{0}, Bytes: bytes, Uses: []Use{{life, bytes}}})
		}
	}
	for s, space := range l.g.Spaces {
		for _, r := range space.Reserved {
			bytes := r.End - r.Start
			a.Items = append(a.Items, Item{ID: space.ID, Spaces: []int{s}, Bytes: bytes, Uses: []Use{{Interval{0, l.steps + 1}, bytes}}})
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
