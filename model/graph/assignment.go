package graph

import (
	"cmp"
	"slices"

	"memplan/model"
)

// An Assignment is the question which memory space each item goes to, where
// some may go to several: the live bytes of every space within its capacity at
// every step, and as few bytes as possible outside the spaces preferred. That
// a space's live bytes fit is needed, but not always enough, for a plan to fit.
type Assignment struct {
	Items      []Item
	Pairs      []model.Pair // of Items, by index: what two may share in one space
	Capacities []int64      // of each space, bytes; 0 = none
	Forbidden  []Forbidden  // what is known not to fit although its live bytes do
}

// Forbidden is a set of items that no plan fits into a space's capacity, by so
// many bytes at least. LowerToFit collects them.
type Forbidden struct {
	Space int
	Items []int
	Over  int64
}

// An Item is what is in one space as a whole.
type Item struct {
	ID     string
	Spaces []int // allowed, in order of preference; at least one
	Bytes  int64 // counted where it is outside the first of Spaces: its size, or what its tensors have for Traffic
	Life   model.Interval
	Gaps   []model.Interval // when it is dead in between
	Size   int64            // bytes
}

// Buffer is the item as a buffer of a space.
func (i *Item) Buffer() model.Buffer {
	return model.Buffer{ID: i.ID, Life: i.Life, Gaps: i.Gaps, Size: i.Size}
}

// A Saving is by how many bytes, at most, two items that are live during a time
// take less in one space than they have.
type Saving struct {
	A, B  int
	Life  model.Interval
	Bytes int64
}

// Savings lists what each pair may come to. What is live in a space, less all
// savings of it, is no more than it takes.
func (a *Assignment) Savings() (list []Saving) {
	for _, p := range a.Pairs {
		over, under := &a.Items[p.Over], &a.Items[p.Under]
		s := Saving{p.Over, p.Under, over.Life.Intersect(under.Life), min(over.Size, under.Size-p.Distance)}
		if !p.Equal {
			s.Bytes = min(under.Size, over.Size-p.Distance)
		}
		if !s.Life.Empty() && s.Bytes > 0 {
			list = append(list, s)
		}
	}
	return list
}

// Assigned is an answer.
type Assigned struct {
	Space   []int // of each item
	Outside int64 // bytes of the items outside their preferred spaces
	Over    int64 // the bytes by which live bytes exceed the capacities, over all spaces
	Exact   bool  // no assignment has less Over, and with that Over none has less Outside
	Word    bool  // that it is exact is the word of a solver in floating point
}

// word says whose word it is that an assignment is exact.
func (r *Assigned) word() string {
	if r.Word {
		return " by the solver's word"
	}
	return ""
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
			r.Outside = model.SaturatingAdd(r.Outside, item.Bytes)
		}
	}
	for _, over := range a.Over(space) {
		r.Over = model.SaturatingAdd(r.Over, over)
	}
	r.Exact = !choice || r.Over == 0 && r.Outside == 0
	return r
}

// Over is by how many bytes each space is exceeded by a choice of spaces: by what
// is live less what pairs may save of it, or by what is known not to fit.
func (a *Assignment) Over(space []int) []int64 {
	f := a.filling()
	for i, s := range space {
		f.put(i, s)
	}
	over := make([]int64, len(a.Capacities))
	for s, capacity := range a.Capacities {
		if capacity > 0 {
			over[s] = max(0, f.loads[s].load()-capacity, a.forbidden(space, s))
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
// it may exceed capacities that another choice would not. Cost: O((n + p) log n)
// for s spaces and p pairs, and the square of one item's.
func (a *Assignment) Greedy() Assigned {
	order := model.Identity(len(a.Items))
	slices.SortStableFunc(order, func(i, j int) int {
		x, y := &a.Items[i], &a.Items[j]
		if c := (len(x.Spaces) > 1) != (len(y.Spaces) > 1); c {
			return cmp.Compare(len(x.Spaces), len(y.Spaces))
		}
		return cmp.Compare(y.Bytes, x.Bytes)
	})
	f := a.filling()
	for _, i := range order {
		item := &a.Items[i]
		best, least := item.Spaces[0], int64(model.MaxBytes)
		for _, s := range item.Spaces {
			over := int64(0)
			if a.Capacities[s] > 0 {
				f.space[i] = s
				over = max(f.loads[s].with(f.adds(i))-a.Capacities[s], a.forbidden(f.space, s))
			}
			if over < least {
				best, least = s, over
			}
		}
		f.put(i, best)
	}
	return a.Score(f.space)
}

// A filling is spaces with some of the items in them.
type filling struct {
	a       *Assignment
	space   []int // of each item, -1 = none yet
	savings [][]Saving
	loads   []profile
}

func (a *Assignment) filling() *filling {
	f := &filling{a, slices.Repeat([]int{-1}, len(a.Items)), make([][]Saving, len(a.Items)), a.loads()}
	for _, s := range a.Savings() {
		f.savings[s.A], f.savings[s.B] = append(f.savings[s.A], s), append(f.savings[s.B], s)
	}
	return f
}

func (f *filling) put(i, space int) {
	f.space[i] = space
	for _, u := range f.adds(i) {
		f.loads[space].add(u)
	}
}

// A use says how many bytes are live when.
type use struct {
	life  model.Interval
	bytes int64
}

// adds is what item i adds where it is: its bytes less what it may save with those
// of its pairs that are there before it.
func (f *filling) adds(i int) []use {
	b := f.a.Items[i].Buffer()
	var uses []use
	for part := range b.Live() {
		uses = append(uses, use{part, b.Size})
	}
	for _, s := range f.savings[i] {
		if f.space[s.A] != f.space[s.B] {
			continue
		}
		var cut []use
		for _, u := range uses {
			for _, part := range []use{
				{model.Interval{Start: u.life.Start, End: min(u.life.End, s.Life.Start)}, u.bytes},
				{u.life.Intersect(s.Life), max(0, u.bytes-s.Bytes)},
				{model.Interval{Start: max(u.life.Start, s.Life.End), End: u.life.End}, u.bytes},
			} {
				if !part.life.Empty() {
					cut = append(cut, part)
				}
			}
		}
		uses = cut
	}
	return uses
}

func (a *Assignment) loads() []profile {
	var steps []int64
	for i := range a.Items {
		b := a.Items[i].Buffer()
		for part := range b.Live() {
			steps = append(steps, part.Start, part.End)
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

// A profile holds live bytes by step, in a segment tree over the steps at which
// they can change: most[k] is the most in the subtree of k, without what is
// added to its ancestors; added[k] is added to all of it. Sums saturate.
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

// load is the most that is live at any step.
func (p *profile) load() int64 { return p.most[1] }

// add makes the bytes live during the use's lifetime.
func (p *profile) add(u use) {
	p.visit(u.life, func(k int) {
		p.most[k] = model.SaturatingAdd(p.most[k], u.bytes)
		p.added[k] = model.SaturatingAdd(p.added[k], u.bytes)
		for k /= 2; k > 0; k /= 2 {
			p.most[k] = model.SaturatingAdd(max(p.most[2*k], p.most[2*k+1]), p.added[k])
		}
	})
}

// with is the most that would be live at any step of the uses if they were added.
func (p *profile) with(uses []use) int64 {
	var most int64
	for _, u := range uses {
		p.visit(u.life, func(k int) {
			live := model.SaturatingAdd(p.most[k], u.bytes)
			for k /= 2; k > 0; k /= 2 {
				live = model.SaturatingAdd(live, p.added[k])
			}
			most = max(most, live)
		})
	}
	return most
}

// visit calls f for the fewest subtrees that make up a lifetime.
func (p *profile) visit(life model.Interval, f func(k int)) {
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
