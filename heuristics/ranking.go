package heuristics

import "math"

// A ranking is the places of a list in the order of keys: a radix sort, which is
// stable, so that what is sorted by last counts most.
type ranking struct{ list, spare []ranked }

// A ranked is a place in a list and its key.
type ranked struct {
	key uint64
	at  int32
}

// newRanking has n places in their order. It may take over room for as many.
func newRanking(n int, spare []ranked) *ranking {
	if spare == nil {
		spare = make([]ranked, n)
	}
	r := &ranking{make([]ranked, n), spare}
	for i := range r.list {
		r.list[i].at = int32(i)
	}
	return r
}

// by sorts by rising keys, and leaves equal ones as they were. Cost: O(n) for
// each byte that is not the same in all keys.
func (r *ranking) by(key func(at int32) uint64) {
	var varying uint64
	for i := range r.list {
		e := &r.list[i]
		e.key = key(e.at)
		varying |= e.key ^ r.list[0].key
	}
	for shift := 0; varying>>shift != 0; shift += 8 {
		if byte(varying>>shift) != 0 {
			r.scatter(shift)
		}
	}
}

// scatter sorts by the byte at shift.
func (r *ranking) scatter(shift int) {
	var next [256]int32 // where the next of each byte goes
	for i := range r.list {
		next[byte(r.list[i].key>>shift)]++
	}
	sum := int32(0)
	for b, n := range next {
		next[b] = sum
		sum += n
	}
	for _, e := range r.list {
		b := byte(e.key >> shift)
		r.spare[next[b]] = e
		next[b]++
	}
	r.list, r.spare = r.spare, r.list
}

// rising is a key in the order of signed numbers.
func rising(x int64) uint64 { return uint64(x) ^ 1<<63 }

// falling is one in the opposite order.
func falling(x int64) uint64 { return math.MaxUint64 - rising(x) }

// rank sorts items, which are in index order, by keys, the first of which
// counts most; equal ones stay in index order.
func rank(items []item, keys ...func(it *item) uint64) {
	r := newRanking(len(items), nil)
	for k := len(keys) - 1; k >= 0; k-- {
		r.by(func(at int32) uint64 { return keys[k](&items[at]) })
	}
	sorted := make([]item, len(items))
	for i, e := range r.list {
		sorted[i] = items[e.at]
	}
	copy(items, sorted)
}
