package learning

import (
	"cmp"
	"slices"
)

// A clause is a lemma at work: one of its atoms holds. The first two are
// watched: the clause is looked at when one of them becomes false.
type clause struct {
	atoms  []atom
	levels int32 // decision levels it joined when it was learnt
	lemma  int32 // its number in the proof
	merit  float64
}

// clauses is the store of lemmas.
type clauses struct {
	store  []clause
	free   []int32          // places in store that were given up
	watch  [][]watcher      // per literal: to look at when it becomes known
	wait   [][]boundWatcher // per bound: to look at when it rises
	kept   int
	max    int // kept, beyond which some are forgotten
	weight float64
}

type watcher struct {
	clause int32
	other  atom // another atom of the clause: while it holds, nothing is to be done
}

type boundWatcher struct {
	at     int64 // only when the bound has risen so far
	clause int32
}

func (c *clauses) init(n, pairs int) {
	c.watch, c.wait = make([][]watcher, 2*pairs), make([][]boundWatcher, 2*n)
	c.max, c.weight = tuned.lemmas, 1
}

// not is the negation of an atom.
func (s *solver) not(a atom) atom {
	if a.literal() {
		return atom{a.what ^ 1, 0}
	}
	v := a.bound()
	return atom{-1 - (v ^ 1), s.p.height - s.p.size[v>>1] - a.val + 1}
}

// is says of an atom 1 when it is known to hold, -1 when it is known not to.
func (s *solver) is(a atom) int8 {
	if a.literal() {
		return s.value[a.what]
	}
	switch v := a.bound(); {
	case s.bound[v] >= a.val:
		return 1
	case s.bound[v^1] > s.p.height-s.p.size[v>>1]-a.val:
		return -1
	}
	return 0
}

// assert makes an atom known; false at a contradiction.
func (s *solver) assert(a atom, why reason) bool {
	if a.literal() {
		return s.set(a.what, why)
	}
	return s.raise(a.bound(), a.val, why)
}

// add stores a clause and returns its place.
func (s *solver) add(c clause) int32 {
	k := int32(len(s.store))
	if last := len(s.free) - 1; last >= 0 {
		k, s.free = s.free[last], s.free[:last]
		s.store[k] = c
	} else {
		s.store = append(s.store, c)
	}
	s.kept++
	if len(c.atoms) > 1 {
		s.watchFor(k, c.atoms[0], c.atoms[1])
		s.watchFor(k, c.atoms[1], c.atoms[0])
	}
	return k
}

// watchFor has a clause looked at when a becomes false.
func (s *solver) watchFor(k int32, a, other atom) {
	n := s.not(a)
	if n.literal() {
		s.watch[n.what] = append(s.watch[n.what], watcher{k, other})
	} else {
		s.wait[n.bound()] = append(s.wait[n.bound()], boundWatcher{n.val, k})
	}
}

// lemmasOf looks at the clauses that wait for a literal.
func (s *solver) lemmasOf(lit int32) bool {
	list := s.watch[lit]
	keep := list[:0]
	for n, w := range list {
		if s.is(w.other) == 1 {
			keep = append(keep, w)
			continue
		}
		stays, ok := s.visit(w.clause, lit^1)
		if stays {
			keep = append(keep, watcher{w.clause, s.store[w.clause].atoms[0]})
		}
		if !ok {
			s.watch[lit] = append(keep, list[n+1:]...)
			return false
		}
	}
	s.watch[lit] = keep
	return true
}

// lemmasOfBound looks at the clauses that wait for a bound to rise so far.
func (s *solver) lemmasOfBound(v int32) bool {
	list := s.wait[v]
	keep := list[:0]
	for n, w := range list {
		if w.at > s.bound[v] {
			keep = append(keep, w)
			continue
		}
		stays, ok := s.visit(w.clause, atLeast(v^1, 0).what)
		if stays {
			keep = append(keep, w)
		}
		if !ok {
			s.wait[v] = append(keep, list[n+1:]...)
			return false
		}
	}
	s.wait[v] = keep
	return true
}

// visit looks at a clause of which a watched atom, over what, became false:
// whether it stays in that list, and whether there is no contradiction.
func (s *solver) visit(k, what int32) (stays, ok bool) {
	s.work++
	a := s.store[k].atoms
	if a[0].what == what {
		a[0], a[1] = a[1], a[0]
	}
	first := s.is(a[0])
	if first == 1 {
		return true, true
	}
	for x := 2; x < len(a); x++ {
		if s.is(a[x]) >= 0 {
			a[1], a[x] = a[x], a[1]
			s.watchFor(k, a[1], a[0])
			return false, true
		}
	}
	why := reason{kind: byLemma, x: k}
	if first == -1 {
		s.bad = contradiction{none, why}
		return true, false
	}
	return true, s.assert(a[0], why)
}

// useful credits a clause that took part in a contradiction.
func (c *clauses) useful(k int32) {
	c.store[k].merit += c.weight
	if c.store[k].merit > 1e100 {
		for x := range c.store {
			c.store[x].merit *= 1e-100
		}
		c.weight *= 1e-100
	}
}

// forget gives up half of the clauses that join three levels or more, once
// there are too many. Nothing but what holds from the start is on the trail.
func (s *solver) forget() {
	if s.kept <= s.max {
		return
	}
	s.max += s.max / 10
	reasons := make([]bool, len(s.store))
	for k := range s.trail {
		if why := &s.trail[k].why; why.kind == byLemma {
			reasons[why.x] = true
		}
	}
	var old []int32
	for k := range s.store {
		if c := &s.store[k]; c.levels > 2 && len(c.atoms) > 2 && !reasons[k] {
			old = append(old, int32(k))
		}
	}
	slices.SortFunc(old, func(a, b int32) int {
		x, y := &s.store[a], &s.store[b]
		return cmp.Or(cmp.Compare(y.levels, x.levels), cmp.Compare(x.merit, y.merit), cmp.Compare(a, b))
	})
	for _, k := range old[:len(old)/2] {
		s.store[k] = clause{}
		s.free = append(s.free, k)
		s.kept--
	}
	for l := range s.watch {
		s.watch[l] = slices.DeleteFunc(s.watch[l], func(w watcher) bool { return s.store[w.clause].atoms == nil })
	}
	for v := range s.wait {
		s.wait[v] = slices.DeleteFunc(s.wait[v], func(w boundWatcher) bool { return s.store[w.clause].atoms == nil })
	}
}
