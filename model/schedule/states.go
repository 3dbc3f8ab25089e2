package schedule

import (
	"container/heap"
	"slices"
)

// add notes a state, unless it was reached with no larger load before. One that
// is complete gives the order.
func (d *side) add(set []uint64, s state, queue bool) int32 {
	slot := d.slot(set)
	at := d.index[slot]
	switch {
	case at < 0:
		at = int32(len(d.states))
		d.index[slot] = at
		d.states = append(d.states, s)
		d.sets = append(d.sets, set...)
		d.visited++
		d.grow()
	case d.states[at].load <= s.load:
		return at
	default:
		d.states[at] = s
	}
	switch {
	case s.load >= d.load:
	case int(s.steps) == len(d.order):
		d.take(at)
	case queue:
		heap.Push(&d.queue, queued{s.load, s.live, s.steps, at})
	}
	return at
}

// slot is where a set is in the hash table, or belongs.
func (d *side) slot(set []uint64) int {
	h := uint64(0)
	for _, w := range set {
		h = (h ^ w) * 0x9e3779b97f4a7c15
		h ^= h >> 29
	}
	mask := len(d.index) - 1
	for k := int(h) & mask; ; k = (k + 1) & mask {
		if at := d.index[k]; at < 0 || slices.Equal(d.set(at), set) {
			return k
		}
	}
}

// grow keeps the hash table at most half full.
func (d *side) grow() {
	if 2*len(d.states) < len(d.index) {
		return
	}
	d.index = slices.Repeat([]int32{-1}, 2*len(d.index))
	for at := range d.states {
		d.index[d.slot(d.set(int32(at)))] = int32(at)
	}
}

// queued is a state as it was when it was added.
type queued struct {
	load, live   int64
	steps, state int32
}

// stateQueue is a heap: the root needs the least load, then is the most units
// from its end, then the least live, then was added first.
type stateQueue []queued

func (q stateQueue) Len() int { return len(q) }
func (q stateQueue) Less(i, j int) bool {
	a, b := &q[i], &q[j]
	switch {
	case a.load != b.load:
		return a.load < b.load
	case a.steps != b.steps:
		return a.steps > b.steps
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
