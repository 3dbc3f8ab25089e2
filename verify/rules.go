package verify

import (
	"fmt"
	"math/bits"

	"memplan/model"
)

// rules are those of PROOFS.md, by name. Each has its arguments: b is a buffer
// of the scene, c a clique, l a lemma proven before, x a number of bytes. A rule
// that does not apply gives nothing.
var rules = map[string]rule{
	"suppose":  {"", (*theory).suppose},
	"lemma":    {"l", (*theory).last},
	"order":    {"bb", (*theory).order},
	"chain":    {"bbb", (*theory).chain},
	"room":     {"bb", (*theory).room},
	"sum_up":   {"cbx", (*theory).sumUp},
	"sum_down": {"cbx", (*theory).sumDown},
	"edge":     {"cxxb", (*theory).edge},
	"balance":  {"ccbb", (*theory).balance},
}

type rule struct {
	args  string
	apply func(*theory, []int64)
}

const (
	maxBytes   = 2 * maxHeight // the greatest number that a step may name
	maxCliques = 1 << 16
	maxWork    = int64(1) << 32 // claims and members of cliques that the steps name
)

// assemble takes the lemmas and the cliques: sets of buffers of which each
// conflicts with each.
func (t *theory) assemble(lemmas [][]model.Claim, cliques [][]int) error {
	if t.lemmas = lemmas; len(cliques) > maxCliques {
		return fmt.Errorf("%d cliques are more than %d", len(cliques), maxCliques)
	}
	for c, set := range cliques {
		if err := t.clique(set); err != nil {
			return fmt.Errorf("clique %d: %w", c, err)
		}
	}
	return nil
}

// admit checks that steps for lemma k speak of what there is.
func (t *theory) admit(k int, steps []model.Step) error {
	for _, s := range steps {
		cost, err := t.cost(s, k)
		if err != nil {
			return fmt.Errorf("hints for lemma %d: %w", k+1, err)
		}
		if t.work += cost; t.work > maxWork {
			return fmt.Errorf("hints for lemma %d: the proof takes more work than %d", k+1, maxWork)
		}
	}
	return nil
}

func (t *theory) clique(set []int) error {
	members := make(mask, (t.n+63)/64)
	for _, i := range set {
		if i < 0 || i >= t.n || t.gone[i] || !members.within(t.conflict[i]) || members.has(int32(i)) {
			return fmt.Errorf("buffer %d is not one in conflict with those before it", i)
		}
		members.put(int32(i))
	}
	t.cliques = append(t.cliques, members)
	return nil
}

// cost checks the arguments of a step for lemma k, and says how many claims
// and buffers it looks at.
func (t *theory) cost(s model.Step, k int) (cost int64, err error) {
	r, known := rules[s.Rule]
	if !known || len(s.Args) != len(r.args) {
		return 0, fmt.Errorf("there is no rule %s of %d", s.Rule, s.Args)
	}
	end := map[rune]int64{'b': int64(t.n), 'c': int64(len(t.cliques)), 'l': int64(k), 'x': maxBytes + 1}
	for n, kind := range r.args {
		x := s.Args[n]
		if x < 0 || x >= end[kind] || kind == 'b' && t.gone[x] {
			return 0, fmt.Errorf("rule %s cannot be of %d", s.Rule, s.Args)
		}
		switch kind {
		case 'c':
			cost += t.cliques[x].count()
		case 'l':
			cost += int64(len(t.lemmas[x]))
		}
	}
	if s.Rule == "suppose" && k < len(t.lemmas) {
		cost = int64(len(t.lemmas[k]))
	}
	return cost + 1, nil
}

// last: all claims of a lemma but one are denied, so that one holds.
func (t *theory) last(a []int64) {
	var open *model.Claim
	lemma := t.lemmas[a[0]]
	for k := range lemma {
		if t.denied(lemma[k]) {
			continue
		}
		if open != nil {
			return
		}
		open = &lemma[k]
	}
	if open == nil {
		t.dead = true
	} else {
		t.assume(*open)
	}
}

// order: what is above i starts where i ends, or later.
func (t *theory) order(a []int64) {
	if i, j := int32(a[0]), int32(a[1]); t.above[i].has(j) {
		t.raise(j, t.lo[i]+t.size[i])
		t.lower(i, t.hi[j]-t.size[i])
	}
}

// chain: i below j below k.
func (t *theory) chain(a []int64) {
	if i, j, k := int32(a[0]), int32(a[1]), int32(a[2]); t.above[i].has(j) && t.above[j].has(k) {
		t.put(i, k)
	}
}

// room: i cannot be below j.
func (t *theory) room(a []int64) {
	if i, j := int32(a[0]), int32(a[1]); t.conflict[i].has(j) && t.lo[i]+t.size[i] > t.hi[j] {
		t.put(j, i)
	}
}

// sumUp: those of a clique that are below j and start at x or later fill x to x
// plus their sum.
func (t *theory) sumUp(a []int64) {
	c, j, x := t.cliques[a[0]], int32(a[1]), a[2]
	if sum := t.sum(c, t.under[j], func(k int32) bool { return t.lo[k] >= x }); sum > 0 {
		t.raise(j, x+sum)
	}
}

// sumDown: those that are above j and end at x or earlier fill x less their sum
// to x.
func (t *theory) sumDown(a []int64) {
	c, j, x := t.cliques[a[0]], int32(a[1]), a[2]
	if sum := t.sum(c, t.above[j], func(k int32) bool { return t.hi[k]+t.size[k] <= x }); sum > 0 {
		t.lower(j, x-sum-t.size[j])
	}
}

// edge: those of a clique that start at x or later and end at y or earlier must
// fit in between. j, of the same clique, is above all of them where it has no
// room beside them and starts at x or later, and below all where it ends at y or
// earlier.
func (t *theory) edge(a []int64) {
	c, x, y, j := t.cliques[a[0]], a[1], a[2], int32(a[3])
	inside := func(k int32) bool { return t.lo[k] >= x && t.hi[k]+t.size[k] <= y }
	sum := t.sum(c, c, inside)
	if sum > 0 && x+sum > y {
		t.dead = true
		return
	}
	if !c.has(j) || inside(j) || x+plus(sum, t.size[j]) <= y {
		return
	}
	up, down := t.lo[j] >= x, t.hi[j]+t.size[j] <= y
	c.each(func(k int32) {
		switch {
		case !inside(k):
		case up:
			t.put(k, j)
		case down:
			t.put(j, k)
		}
	})
}

// balance: j is in cliques c and d. Those of c alone that are below it, those of
// d alone that are above it, those of both, and j itself have room from 0 to the
// height. So if they had not with k, of c alone, that is not below j; and k, of d
// alone, not above.
func (t *theory) balance(a []int64) {
	c, d, j, k := t.cliques[a[0]], t.cliques[a[1]], int32(a[2]), int32(a[3])
	if !c.has(j) || !d.has(j) {
		return
	}
	all := func(int32) bool { return true }
	sum := t.sum(c, d, all)
	sum = plus(sum, t.sum(c, t.under[j], func(i int32) bool { return !d.has(i) }))
	sum = plus(sum, t.sum(d, t.above[j], func(i int32) bool { return !c.has(i) }))
	switch {
	case sum > t.height:
		t.dead = true
	case c.has(k) == d.has(k) || plus(sum, t.size[k]) <= t.height:
	case c.has(k) && !t.under[j].has(k):
		t.put(j, k)
	case d.has(k) && !t.above[j].has(k):
		t.put(k, j)
	}
}

// sum is that of the sizes of those in both sets that count.
func (t *theory) sum(a, b mask, counts func(i int32) bool) (sum int64) {
	for w := range a {
		for m := a[w] & b[w]; m != 0; m &= m - 1 {
			if i := int32(w<<6 + bits.TrailingZeros64(m)); counts(i) {
				sum = plus(sum, t.size[i])
			}
		}
	}
	return sum
}

// plus is a sum of sizes, each at most 2^61, kept below 2^62.
func plus(a, b int64) int64 { return min(a+b, 2*maxBytes-1) }
