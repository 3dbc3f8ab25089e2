package verify

import (
	"fmt"

	"memplan/model"
)

// A theory is what is known of the plans of a scene: orders and bounds of
// offsets, and the lemmas proven so far. It looks for nothing: it takes the
// steps that it is told, and draws from each what the rule gives.
type theory struct {
	*scene
	lo, hi  []int64
	above   []mask // by buffer: those known to lie above it,
	under   []mask // and below it
	cliques []mask
	lemmas  [][]model.Claim // those before the next are proven

	lemma    []model.Claim // to be proven next
	supposed bool          // its opposite is assumed,
	mark     int           // since here on the trail
	trail    []move
	work     int64 // that the steps admitted take
	dead     bool  // a contradiction was reached
}

// A move undoes one change: an order (i below j), or the bounds of i.
type move struct {
	i, j   int32 // j -1: bounds
	lo, hi int64
}

func newTheory(s *scene) *theory {
	t := &theory{scene: s, lo: append([]int64(nil), s.lo...), hi: append([]int64(nil), s.hi...), above: masks(s.n), under: masks(s.n), dead: s.dead}
	for _, o := range s.known {
		t.put(o[0], o[1])
	}
	return t
}

// prove takes the steps for lemma k, or after the last for the contradiction,
// and reports whether they come to one without anything supposed.
func (t *theory) prove(k int, steps []model.Step) (refuted bool, err error) {
	if t.lemma = nil; k < len(t.lemmas) {
		t.lemma = t.lemmas[k]
	}
	t.mark, t.supposed = len(t.trail), false
	for x := 0; x < len(steps) && !t.dead; x++ {
		rules[steps[x].Rule].apply(t, steps[x].Args)
	}
	switch {
	case t.dead && (!t.supposed || k == len(t.lemmas)):
		return true, nil
	case k == len(t.lemmas):
		return false, fmt.Errorf("the %d lemmas do not add up to a contradiction", k)
	case !t.dead:
		return false, fmt.Errorf("lemma %d does not follow", k+1)
	}
	t.retract()
	return false, nil
}

// suppose assumes the opposite of each claim of the lemma.
func (t *theory) suppose([]int64) {
	if t.supposed {
		return
	}
	t.mark, t.supposed = len(t.trail), true
	for _, c := range t.lemma {
		t.assume(opposite(c))
	}
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
	if i == j || t.above[j].has(i) {
		t.dead = true
	} else if !t.above[i].has(j) {
		t.above[i].put(j)
		t.under[j].put(i)
		t.trail = append(t.trail, move{i: i, j: j})
	}
}

// raise notes that the offset of i is at least x.
func (t *theory) raise(i int32, x int64) {
	switch {
	case x > t.hi[i]:
		t.dead = true
	case x > t.lo[i]:
		if r := x % t.align[i]; r != 0 {
			x += t.align[i] - r
		}
		t.bound(i, x, t.hi[i])
	}
}

// lower notes that the offset of i is at most x.
func (t *theory) lower(i int32, x int64) {
	switch {
	case x < 0:
		t.dead = true
	case x < t.hi[i]:
		t.bound(i, t.lo[i], x-x%t.align[i])
	}
}

func (t *theory) bound(i int32, lo, hi int64) {
	t.trail = append(t.trail, move{i, -1, t.lo[i], t.hi[i]})
	t.lo[i], t.hi[i] = lo, hi
	t.dead = t.dead || lo > hi
}

// retract takes back what was supposed, and what followed.
func (t *theory) retract() {
	for k := len(t.trail) - 1; k >= t.mark; k-- {
		if m := t.trail[k]; m.j >= 0 {
			t.above[m.i].cut(m.j)
			t.under[m.j].cut(m.i)
		} else {
			t.lo[m.i], t.hi[m.i] = m.lo, m.hi
		}
	}
	t.trail, t.supposed, t.dead = t.trail[:t.mark], false, false
}
