package schedule

import (
	"container/heap"
	"slices"
)

// A side is a search from one end of a part: from the front each state has run
// one unit more than that it is reached from, from the back one fewer.
type side struct {
	*partSearch
	back   bool
	states []state
	sets   []uint64 // of each state, the units that ran
	index  []int32  // hash table of states, -1 = empty
	queue  stateQueue
}

// A state is a set of units that ran, reached from another by one unit.
type state struct {
	load  int64 // the least with which it is reached
	live  int64
	from  int32
	unit  int32 // -1 at the end where the side began
	steps int32 // units between that end and this state
	done  bool
}

// side begins a search from one end.
func (p *partSearch) side(back bool) *side {
	d := &side{partSearch: p, back: back, index: []int32{-1, -1, -1, -1}}
	set := make([]uint64, p.words)
	if back {
		for u := range p.order {
			set[u/64] |= 1 << (u % 64)
		}
	}
	d.add(set, state{load: p.target, live: p.replay(set).live, from: -1, unit: -1}, true)
	return d
}

// bound is what every order better than the one known needs: all of them pass
// through a state that is left.
func (d *side) bound() int64 {
	if len(d.queue) == 0 {
		return d.load
	}
	return d.queue[0].load
}

// advance adds the states after the best that is left.
func (d *side) advance() {
	at := heap.Pop(&d.queue).(queued)
	s := &d.states[at.state]
	if s.done || s.load < at.load || s.load >= d.load {
		return
	}
	s.done = true
	if d.back {
		d.shorten(at.state)
	} else {
		d.lengthen(at.state)
	}
}

// take makes the order that of a complete state.
func (d *side) take(at int32) {
	d.load = d.states[at].load
	d.order = d.order[:0]
	for ; d.states[at].unit >= 0; at = d.states[at].from {
		d.order = append(d.order, int(d.states[at].unit))
	}
	if !d.back {
		slices.Reverse(d.order)
	}
}

// set is the units that ran in a state.
func (d *side) set(at int32) []uint64 {
	return d.sets[int(at)*d.words : (int(at)+1)*d.words]
}

// shorten adds the states before one. No operand is laid into several results,
// so that what ran last can be taken back.
func (d *side) shorten(at int32) {
	s := d.states[at]
	set := slices.Clone(d.set(at))
	r := d.replay(set)
	for u := range r.ran {
		if !r.ran[u] || slices.ContainsFunc(d.DAG.After[u], func(a int) bool { return r.ran[a] }) {
			continue
		}
		r.undo(u, 0)
		r.live = s.live - r.change(u)
		if load := max(s.load, r.at(u)); load < d.load {
			set[u/64] &^= 1 << (u % 64)
			d.add(set, state{load: load, live: r.live, from: at, unit: int32(u), steps: s.steps + 1}, true)
			set[u/64] |= 1 << (u % 64)
		}
		r.do(u)
	}
}

// lengthen adds the states after one.
func (d *side) lengthen(at int32) {
	s := d.states[at]
	set := slices.Clone(d.set(at))
	r := d.replay(set)
	var ready []int
	for u := range r.ran {
		if !r.ran[u] && d.ready(set, u) {
			ready = append(ready, u)
		}
	}
	if d.movable {
		for _, u := range ready {
			if d.block(at, set, u) {
				return
			}
		}
	}
	for _, u := range ready {
		if load := max(s.load, r.at(u)); load < d.load {
			d.step(at, set, u, load, true)
		}
	}
}

// step adds the state after running u; set is that before, and after.
func (d *side) step(at int32, set []uint64, u int, load int64, queue bool) (next int32) {
	s := d.states[at]
	set[u/64] |= 1 << (u % 64)
	next = d.add(set, state{load: load, live: s.live + d.now.change(u), from: at, unit: int32(u), steps: s.steps + 1}, queue)
	set[u/64] &^= 1 << (u % 64)
	return next
}

// block looks for a chain of units that begins with u, each needing the one
// before, that needs no more than was needed already and leaves no more live
// than before, when it did not earlier in the chain. It can run at once: live
// bytes are a submodular function of the set that ran, so wherever a completion
// runs these units, it has no more live from here on if they ran here.
func (d *side) block(at int32, set []uint64, u int) bool {
	r, load, live := d.now, d.states[at].load, d.now.live
	var chain []int
	var lives []int64
	found := false
	for u >= 0 && !found && r.at(u) <= load {
		chain, lives = append(chain, u), append(lives, r.live)
		r.do(u)
		set[u/64] |= 1 << (u % 64)
		found = r.live <= live
		u = d.follow(r, set, u, load)
	}
	for k := len(chain) - 1; k >= 0; k-- {
		u := chain[k]
		r.undo(u, lives[k])
		set[u/64] &^= 1 << (u % 64)
	}
	for k := 0; k < len(chain) && found; k++ {
		at = d.step(at, set, chain[k], load, k == len(chain)-1)
		r.do(chain[k])
		set[chain[k]/64] |= 1 << (chain[k] % 64)
	}
	return found
}

// follow is the unit that u made ready and that leaves the fewest bytes live,
// -1 when there is none within the load.
func (d *side) follow(r *run, set []uint64, u int, load int64) int {
	best, least := -1, int64(0)
	for _, a := range d.DAG.After[u] {
		if !d.ready(set, a) || r.at(a) > load {
			continue
		}
		if change := r.change(a); best < 0 || change < least {
			best, least = a, change
		}
	}
	return best
}
