package model

import (
	"math/bits"
	"slices"
)

// A partSearch orders the units between two narrow points. It numbers them, in
// the best order known, and has costs of its own for them.
type partSearch struct {
	*costs
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
	p := &partSearch{words: (n + 63) / 64, order: identity(n), load: target, target: target}
	p.costs = before.restricted(units)
	p.from = &run{costs: p.costs, left: make([]int, len(p.items)), gone: make([]bool, len(p.items)), ran: make([]bool, n), live: before.live, passed: before.passed}
	for i := range p.items {
		p.from.left[i] = len(p.items[i].users)
	}
	p.now = p.from.clone()
	r := p.from.clone()
	for _, u := range p.order {
		p.load = max(p.load, r.at(u))
		r.do(u)
	}
	return p
}

// restricted is the costs of some units, renumbered, after the run. What is
// used by others later is live to the end; what was laid into a concat's
// result before, or is born later, has no bytes.
func (r *run) restricted(units []int) *costs {
	n := len(units)
	place := make(map[int]int, n)
	for k, u := range units {
		place[u] = k
	}
	c := newCosts(n)
	c.movable, c.atStart = r.movable, r.atStart
	number := make(map[int]int) // of each item
	var items []int             // by number
	for k, u := range units {
		c.scratch[k] = r.scratch[u]
		for _, b := range r.dag.before[u] {
			if from, inside := place[b]; inside {
				c.dag.before[k] = append(c.dag.before[k], from)
			}
		}
		for _, i := range r.touched[u] {
			local, seen := number[i]
			if !seen {
				local = len(items)
				number[i] = local
				items = append(items, i)
				c.items = append(c.items, r.itemIn(i, place))
			}
			c.items[local].users = append(c.items[local].users, k)
			c.touched[k] = append(c.touched[k], local)
		}
		for _, p := range r.pairs[u] {
			c.pairs[k] = append(c.pairs[k], pair{number[p.x], number[p.y], p.bytes})
		}
		for _, i := range r.lays[u] {
			c.lays[k] = append(c.lays[k], number[i])
			c.items[number[i]].laid = append(c.items[number[i]].laid, k)
		}
	}
	c.dag.mirror()
	for local, i := range items {
		it := &c.items[local]
		it.forever = it.forever || r.left[i] > len(it.users)
		if it.first >= 0 {
			c.born[it.first] = append(c.born[it.first], local)
		}
	}
	return c
}

// itemIn is item i to units that are placed so, without its users.
func (r *run) itemIn(i int, place map[int]int) item {
	it := item{bytes: r.items[i].bytes, first: -1, forever: r.items[i].forever}
	if w := r.items[i].first; w >= 0 && !r.ran[w] {
		first, inside := place[w]
		if it.first = first; !inside {
			it.first, it.bytes = -1, 0
		}
	}
	if r.gone[i] {
		it.bytes = 0
	}
	return it
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
	for k, list := range p.dag.before {
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
