package schedule

import (
	"math/bits"
	"slices"

	"memplan/model"
)

// A partSearch orders the units between two narrow points. It numbers them, in
// the best order known, and has costs of its own for them.
type partSearch struct {
	*Problem
	from   *run // before any of them
	now    *run // the state being looked at
	target int64
	words  int
	needs  []uint64 // of each unit, those that must have run

	load  int64 // of order, or the target if that is more
	order []int

	visited int // states on both sides
}

// newPart prepares the units' ordering after a run; loads up to the target are
// as good as any.
func newPart(before *run, units []int, target int64) *partSearch {
	n := len(units)
	p := &partSearch{words: (n + 63) / 64, order: model.Identity(n), load: target, target: target}
	p.Problem = before.restricted(units)
	p.from = &run{Problem: p.Problem, left: make([]int, len(p.Items)), gone: make([]bool, len(p.Items)), ran: make([]bool, n), live: before.live, passed: before.passed}
	for i := range p.Items {
		p.from.left[i] = len(p.Items[i].Users)
	}
	p.now = p.from.clone()
	r := p.from.clone()
	for _, u := range p.order {
		p.load = max(p.load, r.at(u))
		r.do(u)
	}
	return p
}

func (r *run) clone() *run {
	c := *r
	c.left, c.gone, c.ran = slices.Clone(r.left), slices.Clone(r.gone), slices.Clone(r.ran)
	return &c
}

// weight is how many states of a small part one of this takes the time of.
func (p *partSearch) weight() int { return max(1, len(p.order)*p.words/512) }

// search improves the order, and returns a bound on the load of every one. It
// goes on from both ends by turns, and ends as soon as either has nothing left
// that is better than the order known: what is hard from the front, since many
// sets of units can be reached, is often easy from the back.
func (p *partSearch) search(limit int) (bound int64) {
	sides := []*side{p.side(false)}
	if p.movable {
		sides = append(sides, p.side(true))
	}
	for {
		for _, d := range sides {
			if d.bound() >= p.load {
				return p.load
			}
			if p.visited > limit {
				for _, d := range sides {
					bound = max(bound, d.bound())
				}
				return bound
			}
			d.advance()
		}
	}
}

func (p *partSearch) prepare() {
	p.needs = make([]uint64, len(p.order)*p.words)
	for k, list := range p.DAG.Before {
		for _, b := range list {
			p.needs[k*p.words+b/64] |= 1 << (b % 64)
		}
	}
}

// replay makes now the run of the units of a set.
func (p *partSearch) replay(set []uint64) *run {
	r := p.now
	copy(r.left, p.from.left)
	copy(r.gone, p.from.gone)
	copy(r.ran, p.from.ran)
	r.live, r.passed = p.from.live, p.from.passed
	for w, left := range set {
		for ; left != 0; left &= left - 1 {
			r.do(64*w + bits.TrailingZeros64(left))
		}
	}
	return r
}

// ready reports whether all that u needs has run.
func (p *partSearch) ready(set []uint64, u int) bool {
	for w, need := range p.needs[u*p.words : (u+1)*p.words] {
		if need&^set[w] != 0 {
			return false
		}
	}
	return true
}
