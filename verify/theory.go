package verify

import (
	"slices"

	"memplan/model"
)

// A theory is what is known of the plans of a scene: orders and bounds of
// offsets, closed under the rules of PROOFS.md, and the lemmas proven so far.
type theory struct {
	*scene
	lo, hi       []int64
	under, above []mask    // by buffer: those known to lie below, above it
	of           [][]int32 // cliques of each buffer
	byStart      [][]int32 // members of each clique, latest start first when last looked at
	byEnd        [][]int32 // and earliest end first
	balances     []balance
	shares       map[[2]int32][]share // of each order in the balances
	spots        []spot               // scratch
	inside       mask                 // scratch

	lemmas  [][]model.Claim
	byOrder map[[2]int32][]int32 // lemmas to look at when an order becomes known
	byBound [][]int32            // and when a bound of a buffer moves

	dead  bool // a contradiction was reached
	trail []step

	orders [][2]int32 // to propagate
	moved  []int32
	isMov  []bool
	tipped []int32 // balances with less room
	isTip  []bool
	stale  []int32 // cliques to look at
	isSta  []bool
}

// A step undoes one change: an order (lower below upper), or the bounds of lower.
type step struct {
	lower, upper int32 // upper -1: bounds
	lo, hi       int64
}

func newTheory(s *scene) *theory {
	t := &theory{scene: s, lo: slices.Clone(s.lo), hi: slices.Clone(s.hi), dead: s.dead,
		under: masks(s.n), above: masks(s.n), of: make([][]int32, s.n),
		byOrder: map[[2]int32][]int32{}, byBound: make([][]int32, s.n),
		isMov: make([]bool, s.n), isSta: make([]bool, len(s.cliques))}
	for c, list := range s.cliques {
		t.byStart, t.byEnd = append(t.byStart, slices.Clone(list)), append(t.byEnd, slices.Clone(list))
		for _, i := range list {
			t.of[i] = append(t.of[i], int32(c))
		}
	}
	t.inside = make(mask, (s.n+63)/64)
	t.shares = map[[2]int32][]share{}
	for i := range int32(s.n) {
		t.counts(i)
		if !s.gone[i] {
			t.touch(i)
		}
	}
	for _, o := range s.known {
		t.put(o[0], o[1])
	}
	t.close()
	return t
}

// follows reports whether the denial of every claim of the lemma leads to a
// contradiction. The theory is left as it was.
func (t *theory) follows(lemma []model.Claim) bool {
	mark := len(t.trail)
	for _, c := range lemma {
		t.assume(opposite(c))
	}
	t.close()
	ok := t.dead
	t.undo(mark)
	return ok
}

// opposite is the claim that holds exactly when c does not. An order has an
// opposite only between buffers in conflict.
func opposite(c model.Claim) model.Claim {
	switch c.Relation {
	case model.Below:
		c.Buffer, c.Other = c.Other, c.Buffer
	case model.AtLeast:
		c.Relation, c.Offset = model.AtMost, c.Offset-1
	default:
		c.Relation, c.Offset = model.AtLeast, c.Offset+1
	}
	return c
}

// assume adds a claim.
func (t *theory) assume(c model.Claim) {
	switch c.Relation {
	case model.Below:
		t.put(int32(c.Buffer), int32(c.Other))
	case model.AtLeast:
		t.raise(int32(c.Buffer), c.Offset)
	default:
		t.lower(int32(c.Buffer), c.Offset)
	}
}

// denied reports whether the opposite of a claim is known.
func (t *theory) denied(c model.Claim) bool {
	switch c.Relation {
	case model.Below:
		return t.above[c.Other].has(int32(c.Buffer))
	case model.AtLeast:
		return t.hi[c.Buffer] < c.Offset
	default:
		return t.lo[c.Buffer] > c.Offset
	}
}

// put notes that i lies below j.
func (t *theory) put(i, j int32) {
	if t.dead || t.above[i].has(j) {
		return
	}
	if i == j || t.above[j].has(i) {
		t.dead = true
		return
	}
	t.above[i].put(j)
	t.under[j].put(i)
	t.trail = append(t.trail, step{lower: i, upper: j})
	t.orders = append(t.orders, [2]int32{i, j})
	for _, h := range t.shares[[2]int32{i, j}] {
		b := &t.balances[h.balance]
		b.room -= h.size
		t.dead = t.dead || b.room < 0
		t.tip(h.balance)
	}
}

// raise notes that the offset of i is at least x.
func (t *theory) raise(i int32, x int64) {
	if t.dead || x <= t.lo[i] {
		return
	}
	if r := x % t.align[i]; r != 0 {
		x += t.align[i] - r
	}
	t.bound(i, x, t.hi[i])
}

// lower notes that the offset of i is at most x.
func (t *theory) lower(i int32, x int64) {
	if t.dead || x >= t.hi[i] {
		return
	}
	if x < 0 {
		t.dead = true
		return
	}
	t.bound(i, t.lo[i], x-x%t.align[i])
}

func (t *theory) bound(i int32, lo, hi int64) {
	if lo > hi {
		t.dead = true
		return
	}
	t.trail = append(t.trail, step{i, -1, t.lo[i], t.hi[i]})
	t.lo[i], t.hi[i] = lo, hi
	t.touch(i)
}

// touch has the rules look at buffer i and its cliques again.
func (t *theory) touch(i int32) {
	if !t.isMov[i] {
		t.isMov[i] = true
		t.moved = append(t.moved, i)
	}
	t.spoil(i)
}

func (t *theory) spoil(i int32) {
	for _, c := range t.of[i] {
		if !t.isSta[c] {
			t.isSta[c] = true
			t.stale = append(t.stale, c)
		}
	}
}

// tip has balance k looked at.
func (t *theory) tip(k int32) {
	if !t.isTip[k] {
		t.isTip[k] = true
		t.tipped = append(t.tipped, k)
	}
}

// undo takes back what came after a mark.
func (t *theory) undo(mark int) {
	for k := len(t.trail) - 1; k >= mark; k-- {
		s := t.trail[k]
		if s.upper >= 0 {
			t.above[s.lower].cut(s.upper)
			t.under[s.upper].cut(s.lower)
			for _, h := range t.shares[[2]int32{s.lower, s.upper}] {
				t.balances[h.balance].room += h.size
			}
		} else {
			t.lo[s.lower], t.hi[s.lower] = s.lo, s.hi
		}
	}
	t.trail, t.dead = t.trail[:mark], false
	t.rest()
}

// rest empties the queues.
func (t *theory) rest() {
	for _, i := range t.moved {
		t.isMov[i] = false
	}
	for _, c := range t.stale {
		t.isSta[c] = false
	}
	for _, k := range t.tipped {
		t.isTip[k] = false
	}
	t.orders, t.moved, t.stale, t.tipped = t.orders[:0], t.moved[:0], t.stale[:0], t.tipped[:0]
}

// learn adds a proven lemma: two of its claims that are not denied are watched;
// with one left it is known, with none there is the contradiction.
func (t *theory) learn(lemma []model.Claim) {
	k := int32(len(t.lemmas))
	t.lemmas = append(t.lemmas, slices.Clone(lemma))
	own := t.lemmas[k]
	open := 0
	for x := range own {
		if !t.denied(own[x]) {
			own[x], own[open] = own[open], own[x]
			if open++; open == 2 {
				break
			}
		}
	}
	switch {
	case open == 0:
		t.dead = true
	case open == 1:
		t.assume(own[0])
		t.close()
	default:
		t.watch(k, own[0])
		t.watch(k, own[1])
	}
}

// watch has lemma k looked at when the claim is denied.
func (t *theory) watch(k int32, c model.Claim) {
	if c.Relation == model.Below {
		o := [2]int32{int32(c.Other), int32(c.Buffer)} // its opposite
		t.byOrder[o] = append(t.byOrder[o], k)
		return
	}
	t.byBound[c.Buffer] = append(t.byBound[c.Buffer], k)
}

// review looks at the lemmas of a list of watchers, and returns those that go
// on watching there. here tells the claims that are watched there.
func (t *theory) review(list []int32, here func(model.Claim) bool) []int32 {
	keep := list[:0]
	for n, k := range list {
		if t.dead {
			return append(keep, list[n:]...)
		}
		l := t.lemmas[k]
		if here(l[0]) && t.denied(l[0]) {
			l[0], l[1] = l[1], l[0]
		}
		if !here(l[1]) || !t.denied(l[1]) || !t.replace(l) || here(l[1]) {
			keep = append(keep, k)
		} else {
			t.watch(k, l[1])
		}
	}
	return keep
}

// replace finds another claim to watch for l[1], which is denied; without one
// l[0] is all that is left.
func (t *theory) replace(l []model.Claim) bool {
	for x := 2; x < len(l); x++ {
		if !t.denied(l[x]) {
			l[1], l[x] = l[x], l[1]
			return true
		}
	}
	if t.denied(l[0]) {
		t.dead = true
	} else {
		t.assume(l[0])
	}
	return false
}
