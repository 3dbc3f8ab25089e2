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
	Bytes  int64 // counted where it is outside the first of Spaces: the body's, or what its tensors have for Traffic
	Uses   []Use
}

// A Use says how many bytes of an item are live when.
type Use struct {
	Life  model.Interval
	Bytes int64
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

// Over is by how many bytes each space is exceeded by a choice of spaces.
func (a *Assignment) Over(space []int) []int64 {
	in := make([]model.Instance, len(a.Capacities))
	for i, item := range a.Items {
		b := &in[space[i]].Buffers
		for _, u := range item.Uses {
			*b = append(*b, model.Buffer{Life: u.Life, Size: u.Bytes})
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
	order := model.Identity(len(a.Items))
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
		best, least := item.Spaces[0], int64(model.MaxBytes)
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

// add makes the bytes live during the use's lifetime.
func (p *profile) add(u Use) {
	p.visit(u.Life, func(k int) {
		p.most[k] = model.SaturatingAdd(p.most[k], u.Bytes)
		p.added[k] = model.SaturatingAdd(p.added[k], u.Bytes)
		for k /= 2; k > 0; k /= 2 {
			p.most[k] = model.SaturatingAdd(max(p.most[2*k], p.most[2*k+1]), p.added[k])
		}
	})
}

// with is the most that would be live at any step of the item if it were added.
func (p *profile) with(item *Item) int64 {
	var most int64
	for _, u := range item.Uses {
		p.visit(u.Life, func(k int) {
			live := model.SaturatingAdd(p.most[k], u.Bytes)
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
