package verify

import (
	"math"
	"slices"

	"memplan/model"
)

// A theory is what is known of the plans of a scene: orders and bounds of
// offsets, closed under the rules of PROOFS.md, and the lemmas proven so far.
// What is assumed on top of each other makes levels, and is taken back in turn.
type theory struct {
	*scene
	lo, hi       []int64
	under, above []mask    // by buffer: those known to lie below, above it
	near         []mask    // by buffer: those whose order beside it is of use
	of           [][]int32 // cliques of each buffer
	member       []mask    // of each clique
	byStart      [][]int32 // members of each clique, latest start first when last looked at
	number       []int32   // number[i*n+j]: of the order i below j, for conflicting buffers
	balances     []balance
	shares       [][]share // of each order in the balances

	lemmas  [][]model.Claim
	byOrder [][]int32 // lemmas to look at when an order becomes known
	byLow   [][]int32 // and when the least offset of a buffer rises,
	byHigh  [][]int32 // or its greatest falls

	dead    bool // a contradiction was reached
	trail   []step
	assumed []model.Claim // of which the opposites were assumed
	levels  []int         // where on the trail each of them begins

	orders       [][2]int32 // to propagate
	risen        queue      // buffers with a higher least offset
	fallen       queue      // and with a lower greatest one
	tipped       queue      // balances with less room
	lifted       queue      // buffers with more below, or higher
	sunk         queue      // buffers with more above, or lower
	stale        queue      // cliques with other bounds,
	starts, ends []span     // and what these moved past
	spots        []spot     // scratch
	rest         []int64    // scratch
	inside       mask       // scratch
}

// A step undoes one change: an order (lower below upper), or the bounds of lower.
type step struct {
	lower, upper int32 // upper -1: bounds
	lo, hi       int64
}

func newTheory(s *scene) *theory {
	words := (s.n + 63) / 64
	t := &theory{scene: s, lo: slices.Clone(s.lo), hi: slices.Clone(s.hi), dead: s.dead,
		under: masks(s.n), above: masks(s.n), near: s.conflict, of: make([][]int32, s.n),
		number: make([]int32, s.n*s.n), byLow: make([][]int32, s.n), byHigh: make([][]int32, s.n),
		rest: make([]int64, s.n+1), inside: make(mask, words)}
	t.starts, t.ends = slices.Repeat([]span{nothing}, len(s.cliques)), slices.Repeat([]span{nothing}, len(s.cliques))
	for c, list := range s.cliques {
		t.byStart = append(t.byStart, slices.Clone(list))
		m := make(mask, words)
		for _, i := range list {
			m.put(i)
			t.of[i] = append(t.of[i], int32(c))
		}
		t.member = append(t.member, m)
	}
	orders := int32(0)
	for i := range int32(s.n) {
		s.conflict[i].each(func(j int32) {
			t.number[t.at(i, j)] = orders
			orders++
		})
	}
	t.shares, t.byOrder = make([][]share, orders), make([][]int32, orders)
	if !t.intervals() {
		t.near = slices.Repeat([]mask{slices.Repeat(mask{math.MaxUint64}, words)}, s.n)
	}
	for i := range int32(s.n) {
		t.counts(i)
	}
	for _, q := range []*queue{&t.risen, &t.fallen, &t.lifted, &t.sunk} {
		q.in = make([]bool, s.n)
	}
	t.tipped.in, t.stale.in = make([]bool, len(t.balances)), make([]bool, len(s.cliques))
	t.begin()
	return t
}

// begin draws the conclusions from the scene.
func (t *theory) begin() {
	for i := range int32(t.n) {
		if !t.gone[i] {
			t.risen.put(i)
			t.fallen.put(i)
		}
	}
	for k := range t.balances {
		t.tipped.put(int32(k))
	}
	for c, list := range t.cliques {
		t.stale.put(int32(c))
		for _, i := range list {
			t.starts[c].add(t.lo[i], t.lo[i])
		}
	}
	for _, o := range t.known {
		t.put(o[0], o[1])
	}
	t.close()
}

// at is the place of an order in a table of all.
func (t *theory) at(i, j int32) int { return int(i)*t.n + int(j) }

// intervals reports whether the cliques of each buffer follow one another. Then
// of the conclusions by chain those between conflicting buffers say all: what
// goes round goes round in three, and among any four in a circle, two that face
// each other conflict.
func (t *theory) intervals() bool {
	return !slices.ContainsFunc(t.of, func(of []int32) bool {
		return len(of) > 0 && int(of[len(of)-1]-of[0]) != len(of)-1
	})
}

// follows reports whether the denial of every claim of the lemma leads to a
// contradiction. They are denied from the last to the first: what the lemma has
// in common there with the one before is assumed already.
func (t *theory) follows(lemma []model.Claim) bool {
	same := 0
	for same < min(len(lemma), len(t.assumed)) && t.assumed[same] == lemma[len(lemma)-1-same] {
		same++
	}
	t.retract(same)
	for k := len(lemma) - 1 - same; k >= 0 && !t.dead; k-- {
		t.assumed, t.levels = append(t.assumed, lemma[k]), append(t.levels, len(t.trail))
		t.assume(opposite(lemma[k]))
		t.close()
	}
	return t.dead
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
	if !t.conflict[i].has(j) {
		return
	}
	for _, h := range t.shares[t.number[t.at(i, j)]] {
		b := &t.balances[h.balance]
		if b.room -= h.size; b.room < b.size[0] {
			t.tipped.put(h.balance)
		}
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
	t.risen.put(i)
	for _, c := range t.of[i] {
		t.starts[c].add(t.lo[i]+1, x)
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
	x -= x % t.align[i]
	t.fallen.put(i)
	for _, c := range t.of[i] {
		t.ends[c].add(x+t.size[i], t.hi[i]+t.size[i]-1)
	}
	t.bound(i, t.lo[i], x)
}

func (t *theory) bound(i int32, lo, hi int64) {
	t.dead = lo > hi
	t.trail = append(t.trail, step{i, -1, t.lo[i], t.hi[i]})
	t.lo[i], t.hi[i] = lo, hi
	for _, c := range t.of[i] {
		t.stale.put(c)
	}
}

// retract takes back the assumptions but the first so many, and what followed.
func (t *theory) retract(level int) {
	if level == len(t.levels) {
		return
	}
	mark := t.levels[level]
	for k := len(t.trail) - 1; k >= mark; k-- {
		s := t.trail[k]
		if s.upper < 0 {
			t.lo[s.lower], t.hi[s.lower] = s.lo, s.hi
			continue
		}
		t.above[s.lower].cut(s.upper)
		t.under[s.upper].cut(s.lower)
		if t.conflict[s.lower].has(s.upper) {
			for _, h := range t.shares[t.number[t.at(s.lower, s.upper)]] {
				t.balances[h.balance].room += h.size
			}
		}
	}
	t.trail, t.assumed, t.levels, t.dead = t.trail[:mark], t.assumed[:level], t.levels[:level], false
	t.forget()
}

// forget empties the queues.
func (t *theory) forget() {
	for _, c := range t.stale.list {
		t.starts[c], t.ends[c] = nothing, nothing
	}
	t.orders = t.orders[:0]
	for _, q := range []*queue{&t.risen, &t.fallen, &t.tipped, &t.lifted, &t.sunk, &t.stale} {
		q.clear()
	}
}

// since is the level at which a claim came to be denied; the last where it is
// not, or not yet.
func (t *theory) since(c model.Claim) int {
	if !t.denied(c) {
		return len(t.levels)
	}
	k := len(t.trail) - 1
	for ; k >= 0; k-- {
		s := &t.trail[k]
		if c.Relation == model.Below && int(s.lower) == c.Other && int(s.upper) == c.Buffer {
			break
		}
		if s.upper < 0 && int(s.lower) == c.Buffer && (c.Relation == model.AtLeast && s.hi >= c.Offset || c.Relation == model.AtMost && s.lo <= c.Offset) {
			break
		}
	}
	level, _ := slices.BinarySearch(t.levels, k+1)
	return level
}

// learn adds a lemma that was proven by the contradiction of the last level. It
// takes back so much that no more than what the lemma says follows: that one
// claim holds, from where all others are denied, or nothing yet.
func (t *theory) learn(lemma []model.Claim) {
	k := int32(len(t.lemmas))
	own := slices.Clone(lemma)
	t.lemmas = append(t.lemmas, own)
	since := make([]int, len(own))
	for x, c := range own {
		since[x] = t.since(c)
		for y := x; y > 0 && since[y] > since[y-1]; y-- {
			since[y], since[y-1] = since[y-1], since[y]
			own[y], own[y-1] = own[y-1], own[y]
		}
	}
	first, second := since[0], 0
	if len(own) > 1 {
		second = since[1]
		t.watch(k, own[0])
		t.watch(k, own[1])
	}
	switch {
	case first == 0:
		t.retract(0)
		t.dead = true
	case first == second:
		t.retract(first - 1)
	default:
		t.retract(second)
		t.assume(own[0])
		t.close()
	}
}

// watch has lemma k looked at when the claim is denied.
func (t *theory) watch(k int32, c model.Claim) {
	list := &t.byHigh[c.Buffer]
	switch c.Relation {
	case model.Below:
		list = &t.byOrder[t.number[t.at(int32(c.Other), int32(c.Buffer))]] // its opposite
	case model.AtMost:
		list = &t.byLow[c.Buffer]
	}
	*list = append(*list, k)
}

// review looks at the lemmas that watch claims such as this one, whatever its
// offset, and returns those that go on.
func (t *theory) review(list []int32, such model.Claim) []int32 {
	here := func(c *model.Claim) bool {
		return c.Relation == such.Relation && c.Buffer == such.Buffer && (c.Relation != model.Below || c.Other == such.Other)
	}
	keep := list[:0]
	for n, k := range list {
		if t.dead {
			return append(keep, list[n:]...)
		}
		l := t.lemmas[k]
		if here(&l[0]) && t.denied(l[0]) {
			l[0], l[1] = l[1], l[0]
		}
		if !here(&l[1]) || !t.denied(l[1]) || !t.replace(l) || here(&l[1]) {
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

// refuted reports a contradiction without any assumption.
func (t *theory) refuted() bool { return t.dead && len(t.levels) == 0 }
