package model

import (
	"cmp"
	"container/heap"
	"encoding/binary"
	"math/bits"
	"slices"
)

// DefaultStates is how many sets of units the search for an optimal schedule
// visits, unless told otherwise. A state of a part with n units takes about
// n/8 + 100 bytes.
const DefaultStates = 1 << 20

// optimal finds an order with the least load. Exact, unless the limit of
// states ends it; then Bound is still proven, and the order is the best found.
//
// The graph is cut at its narrow points: where everything before must run
// before everything after, the two are ordered apart. Within a part, a state is
// the set of units that ran (a downset of the dag); what is live depends on
// nothing else. States are taken by the least load needed to reach them, so
// the first complete one is best (Dijkstra's algorithm for the least maximum).
// A unit that needs no more than was needed already, and leaves no more live
// than before, can run at once: moving it to the front of any completion only
// takes bytes away. The starts give the first upper bound, and bound the first
// lower one; they often meet at once.
//
// The downsets as the state space are those of Ahn et al., "Ordering Chaos:
// Memory-Aware Scheduling of Irregularly Wired Neural Networks", 2020.
func (c *costs) optimal(starts [][]int, states int) ([]int, Scheduled) {
	if states == 0 {
		states = DefaultStates
	}
	best := slices.MinFunc(starts, func(a, b []int) int { return cmp.Compare(c.load(a), c.load(b)) })
	found := Scheduled{Kind: OptimalOrder, Load: c.load(best), Bound: c.bound()}
	if found.Load <= found.Bound {
		return best, found
	}
	order := slices.Clone(best)
	cuts := c.cuts(best)
	target := found.Bound // what cannot be avoided anyway
	all := c.start()
	for k := 1; k < len(cuts); k++ {
		units := best[cuts[k-1]:cuts[k]]
		p := newPart(all, units, target)
		if p.load > target {
			if bound := p.search(states - found.States); bound > target {
				found.Bound = max(found.Bound, bound)
			}
			found.States += len(p.states)
			target = max(target, p.load)
			for j, local := range p.order {
				order[cuts[k-1]+j] = units[local]
			}
		}
		for _, u := range units {
			all.do(u)
		}
	}
	found.Load = c.load(order)
	return order, found
}

// cuts lists the narrow points of an order, as positions, with its two ends:
// the places next to a unit that all before lead to and all after come from.
// Of the units so far only it has no successor among them; of the rest only it
// has no predecessor. Cost: linear.
func (c *costs) cuts(order []int) []int {
	n := len(order)
	place := make([]int, n)
	for k, u := range order {
		place[u] = k
	}
	ends := make([]int, n+1)   // by position: how the number of ends of the prefix changes
	begins := make([]int, n+1) // how the number of beginnings of the rest changes
	for k, u := range order {
		first, last := n, -1
		for _, a := range c.dag.after[u] {
			first = min(first, place[a])
		}
		for _, b := range c.dag.before[u] {
			last = max(last, place[b])
		}
		ends[k]++
		ends[first]--
		begins[last+1]++
		begins[k+1]--
	}
	cuts := []int{0}
	prefix, rest := 0, 0
	for k := range n {
		prefix += ends[k]
		rest += begins[k]
		if prefix == 1 && rest == 1 {
			cuts = append(cuts, k, k+1)
		}
	}
	return slices.Compact(append(cuts, n))
}

// A partSearch orders the units between two narrow points. It numbers them, in
// the best order known, and has costs of its own for them.
type partSearch struct {
	*costs
	from  *run // before any of them
	words int
	needs []uint64 // of each unit, those that must have run

	load  int64 // of order, or the target if that is more
	order []int

	states []state
	sets   []uint64 // of each state, the units that ran
	index  map[string]int32
	queue  partQueue
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
	p := &partSearch{words: (n + 63) / 64, order: identity(n), load: target, index: make(map[string]int32)}
	p.costs = before.restricted(units)
	p.from = &run{costs: p.costs, left: make([]int, len(p.items)), gone: make([]bool, len(p.items)), ran: make([]bool, n), live: before.live, passed: before.passed}
	for i := range p.items {
		p.from.left[i] = len(p.items[i].users)
	}
	p.needs = make([]uint64, n*p.words)
	for k, list := range p.dag.before {
		for _, b := range list {
			p.needs[k*p.words+b/64] |= 1 << (b % 64)
		}
	}
	r := p.from.clone()
	for _, u := range p.order {
		p.load = max(p.load, r.at(u))
		r.do(u)
	}
	p.add(make([]uint64, p.words), state{load: target, live: p.from.live, from: -1, unit: -1})
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
	local := func(list []int) (inside []int) {
		for _, u := range list {
			if k, ok := place[u]; ok {
				inside = append(inside, k)
			}
		}
		slices.Sort(inside)
		return inside
	}
	c := &costs{dag: &dag{before: make([][]int, n), after: make([][]int, n)}, touched: make([][]int, n), born: make([][]int, n),
		scratch: make([]int64, n), pairs: make([][]pair, n), lays: make([][]int, n), atStart: r.atStart, movable: r.movable}
	number := make(map[int]int)
	for k, u := range units {
		for _, i := range r.touched[u] {
			if _, seen := number[i]; seen {
				continue
			}
			number[i] = len(c.items)
			it := r.items[i]
			users := local(it.users)
			first, inside := place[it.first]
			switch {
			case it.first < 0, r.ran[it.first]:
				first = -1
			case !inside:
				it.bytes = 0
				first = -1
			}
			if r.gone[i] {
				it.bytes = 0
			}
			c.items = append(c.items, item{it.bytes, first, users, it.forever || r.left[i] > len(users), local(it.laid)})
		}
		c.dag.before[k] = local(r.dag.before[u])
		c.scratch[k] = r.scratch[u]
	}
	c.dag.mirror()
	for k, u := range units {
		for _, p := range r.pairs[u] {
			c.pairs[k] = append(c.pairs[k], pair{number[p.x], number[p.y], p.bytes})
		}
		for _, i := range r.lays[u] {
			c.lays[k] = append(c.lays[k], number[i])
		}
	}
	for i := range c.items {
		it := &c.items[i]
		for _, k := range it.users {
			c.touched[k] = append(c.touched[k], i)
		}
		if it.first >= 0 {
			c.born[it.first] = append(c.born[it.first], i)
		}
	}
	return c
}

func (r *run) clone() *run {
	c := *r
	c.left, c.gone, c.ran = slices.Clone(r.left), slices.Clone(r.gone), slices.Clone(r.ran)
	return &c
}

// search improves the order, and returns a bound on the load of every one.
func (p *partSearch) search(limit int) (bound int64) {
	for len(p.queue.list) > 0 {
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
	r := p.replay(at)
	s := p.states[at]
	set := slices.Clone(p.set(at))
	var next []state
	for u := range p.order {
		if set[u/64]>>(u%64)&1 == 1 || !p.ready(set, u) {
			continue
		}
		load, change := max(s.load, r.at(u)), r.change(u)
		after := state{load: load, live: s.live + change, from: at, unit: int32(u), ran: s.ran + 1}
		if load == s.load && change <= 0 && p.movable {
			next = []state{after}
			break
		}
		if load < p.load {
			next = append(next, after)
		}
	}
	for _, after := range next {
		word, bit := after.unit/64, uint64(1)<<(after.unit%64)
		set[word] |= bit
		p.add(set, after)
		set[word] &^= bit
	}
}

// replay is the run of a state's units.
func (p *partSearch) replay(at int32) *run {
	r := p.from.clone()
	for w, left := range p.set(at) {
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

// add notes a state, unless it was reached with no larger load before.
func (p *partSearch) add(set []uint64, s state) {
	key := make([]byte, 0, 8*p.words)
	for _, w := range set {
		key = binary.LittleEndian.AppendUint64(key, w)
	}
	at, known := p.index[string(key)]
	if known {
		if p.states[at].load <= s.load {
			return
		}
		p.states[at] = s
	} else {
		at = int32(len(p.states))
		p.index[string(key)] = at
		p.states = append(p.states, s)
		p.sets = append(p.sets, set...)
	}
	p.queue.search = p
	heap.Push(&p.queue, queued{s.load, at})
}

// queued is a state as it was when it was added.
type queued struct {
	load  int64
	state int32
}

// partQueue is a heap: the root needs the least load, then has the most units
// run, then the least live, then was added first.
type partQueue struct {
	search *partSearch
	list   []queued
}

func (q *partQueue) Len() int { return len(q.list) }
func (q *partQueue) Less(i, j int) bool {
	a, b := q.list[i], q.list[j]
	x, y := &q.search.states[a.state], &q.search.states[b.state]
	return cmp.Or(cmp.Compare(a.load, b.load), cmp.Compare(y.ran, x.ran), cmp.Compare(x.live, y.live), cmp.Compare(a.state, b.state)) < 0
}
func (q *partQueue) Swap(i, j int) { q.list[i], q.list[j] = q.list[j], q.list[i] }
func (q *partQueue) Push(x any)    { q.list = append(q.list, x.(queued)) }
func (q *partQueue) Pop() any {
	x := q.list[len(q.list)-1]
	q.list = q.list[:len(q.list)-1]
	return x
}
