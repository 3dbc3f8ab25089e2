package verify

import "math"

// A queue holds numbers, each once.
type queue struct {
	list []int32
	in   []bool
}

func (q *queue) put(k int32) {
	if !q.in[k] {
		q.in[k] = true
		q.list = append(q.list, k)
	}
}

// pop takes out the number that came last.
func (q *queue) pop() int32 {
	last := len(q.list) - 1
	k := q.list[last]
	q.list, q.in[k] = q.list[:last], false
	return k
}

// popFirst takes out one of the least value; with sign -1, of the greatest.
func (q *queue) popFirst(value []int64, sign int64) int32 {
	first, last := 0, len(q.list)-1
	for k, i := range q.list {
		if sign*value[i] < sign*value[q.list[first]] {
			first = k
		}
	}
	q.list[first], q.list[last] = q.list[last], q.list[first]
	return q.pop()
}

func (q *queue) clear() {
	for len(q.list) > 0 {
		q.pop()
	}
}

// A span is the values from first to last; none when last is less.
type span struct{ first, last int64 }

var nothing = span{math.MaxInt64, math.MinInt64}

func (w span) has(x int64) bool { return w.first <= x && x <= w.last }

func (w *span) add(first, last int64) { w.first, w.last = min(w.first, first), max(w.last, last) }
