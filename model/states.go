package model

import (
	"container/heap"
	"slices"
)

// add notes a state, unless it was reached with no larger load before.
func (p *partSearch) add(set []uint64, s state, queue bool) int32 {
	slot := p.slot(set)
	at := p.index[slot]
	switch {
	case at < 0:
		at = int32(len(p.states))
		p.index[slot] = at
		p.states = append(p.states, s)
		p.sets = append(p.sets, set...)
		p.grow()
	case p.states[at].load <= s.load:
		return at
	default:
		p.states[at] = s
	}
	if queue && s.load < p.load {
		heap.Push(&p.queue, queued{s.load, s.live, s.ran, at})
	}
	return at
}

// slot is where a set is in the hash table, or belongs.
func (p *partSearch) slot(set []uint64) int {
	h := uint64(0)
	for _, w := range set {
		h = (h ^ w) * 0x9e3779b97f4a7c15
		h ^= h >> 29
	}
	mask := len(p.index) - 1
	for k := int(h) & mask; ; k = (k + 1) & mask {
		if at := p.index[k]; at < 0 || slices.Equal(p.set(at), set) {
			return k
		}
	}
}

// grow keeps the hash table at most half full.
func (p *partSearch) grow() {
	if 2*len(p.states) < len(p.index) {
		return
	}
	p.index = slices.Repeat([]int32{-1}, 2*len(p.index))
	for at := range p.states {
		p.index[p.slot(p.set(int32(at)))] = int32(at)
	}
}

// queued is a state as it was when it was added.
type queued struct {
	load, live int64
	ran, state int32
}

// stateQueue is a heap: the root needs the least load, then has the most units
// run, then the least live, then was added first.
type stateQueue []queued

func (q stateQueue) Len() int { return len(q) }
func (q stateQueue) Less(i, j int) bool {
	a, b := &q[i], &q[j]
	switch {
	case a.load != b.load:
		return a.load < b.load
	case a.ran != b.ran:
		return a.ran > b.ran
	case a.live != b.live:
		return a.live < b.live
	}
	return a.state < b.state
}
func (q stateQueue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *stateQueue) Push(x any)   { *q = append(*q, x.(queued)) }
func (q *stateQueue) Pop() any {
	x := (*q)[len(*q)-1]
	*q = (*q)[:len(*q)-1]
	return x
}
