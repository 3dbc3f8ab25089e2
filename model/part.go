package model

import (
	"container/heap"
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

	states []state
	sets   []uint64 // of each state, the units that ran
	index  []int32  // hash table of states, -1 = empty
	queue  stateQueue
}

// A state is reached by running a unit after another state.
type state struct {
	load int64 // the least with which it is reached
	live int64
	from int32
	unit int32 // -1 at the start
	ran  int32
	done bool
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

// search improves the order, and returns a bound on the load of every one.
func (p *partSearch) search(limit int) (bound int64) {
	p.add(make([]uint64, p.words), state{load: p.target, live: p.from.live, from: -1, unit: -1}, true)
	for len(p.queue) > 0 {
		at := heap.Pop(&p.queue).(queued)
		s := &p.states[at.state]
		if s.done || s.load < at.load {
			continue
		}
		if s.load >= p.load {
			return p.load // nothing better than the order known is left
		}
		if int(s.ran) == len(p.order) {
			p.take(at.state)
			return p.load
		}
		if len(p.states) > limit {
			return s.load
		}
		s.done = true
		p.expand(at.state)
	}
	return p.load
}

func (p *partSearch) prepare() {
	p.needs = make([]uint64, len(p.order)*p.words)
	for k, list := range p.dag.before {
		for _, b := range list {
			p.needs[k*p.words+b/64] |= 1 << (b % 64)
		}
	}
	p.index = []int32{-1, -1, -1, -1}
}

// take makes the order that of a complete state.
func (p *partSearch) take(at int32) {
	p.load = p.states[at].load
	p.order = p.order[:0]
	for ; p.states[at].unit >= 0; at = p.states[at].from {
		p.order = append(p.order, int(p.states[at].unit))
	}
	slices.Reverse(p.order)
}

// set is the units that ran in a state.
func (p *partSearch) set(at int32) []uint64 {
	return p.sets[int(at)*p.words : (int(at)+1)*p.words]
}

// expand adds the states after one.
func (p *partSearch) expand(at int32) {
	s := p.states[at]
	set := slices.Clone(p.set(at))
	r := p.replay(set)
	var ready []int
	for u := range p.order {
		if !r.ran[u] && p.ready(set, u) {
			ready = append(ready, u)
		}
	}
	if p.movable {
		for _, u := range ready {
			if p.block(at, set, u) {
				return
			}
		}
	}
	for _, u := range ready {
		if load := max(s.load, r.at(u)); load < p.load {
			p.step(at, set, u, load, true)
		}
	}
}

// step adds the state after running u; set is that before, and after.
func (p *partSearch) step(at int32, set []uint64, u int, load int64, queue bool) (next int32) {
	set[u/64] |= 1 << (u % 64)
	s := p.states[at]
	after := state{load: load, live: s.live + p.now.change(u), from: at, unit: int32(u), ran: s.ran + 1}
	next = p.add(set, after, queue)
	set[u/64] &^= 1 << (u % 64)
	return next
}

// block looks for a chain of units that begins with u, each needing the one
// before, that needs no more than was needed already and leaves no more live
// than before, when it did not earlier in the chain. It can run at once: live
// bytes are a submodular function of the set that ran, so wherever a completion
// runs these units, it has no more live from here on if they ran here.
func (p *partSearch) block(at int32, set []uint64, u int) bool {
	r, load, live := p.now, p.states[at].load, p.now.live
	var chain []int
	var lives []int64
	found := false
	for u >= 0 && !found && r.at(u) <= load {
		chain, lives = append(chain, u), append(lives, r.live)
		r.do(u)
		set[u/64] |= 1 << (u % 64)
		found = r.live <= live
		u = p.follow(r, set, u, load)
	}
	for k := len(chain) - 1; k >= 0; k-- {
		u := chain[k]
		r.undo(u, lives[k])
		set[u/64] &^= 1 << (u % 64)
	}
	for k := 0; k < len(chain) && found; k++ {
		at = p.step(at, set, chain[k], load, k == len(chain)-1)
		r.do(chain[k])
		set[chain[k]/64] |= 1 << (chain[k] % 64)
	}
	return found
}

// follow is the unit that u made ready and that leaves the fewest bytes live,
// -1 when there is none within the load.
func (p *partSearch) follow(r *run, set []uint64, u int, load int64) int {
	best, least := -1, int64(0)
	for _, a := range p.dag.after[u] {
		if !p.ready(set, a) || r.at(a) > load {
			continue
		}
		if change := r.change(a); best < 0 || change < least {
			best, least = a, change
		}
	}
	return best
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
