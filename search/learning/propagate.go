package learning

import (
	"math"
	"math/bits"
)

// queues is what the rules have yet to look at, beside the trail.
type queues struct {
	sums   []int32 // bounds whose known predecessors changed
	inSums []bool
	stale  []int32 // cliques of which heads or tails moved
	inStal []bool
	moved  [2][]extent // per clique: the heads, and the tails, moved past

	list  []int32 // scratch
	total []int64
	rows  []row
	among set // of rows, those of S
	above []int64
}

// An extent of values, both ends included.
type extent struct{ lo, hi int64 }

var (
	nothing    = extent{math.MaxInt64, math.MinInt64}
	everything = extent{math.MinInt64, math.MaxInt64}
)

func (w extent) has(x int64) bool { return w.lo <= x && x <= w.hi }

func (q *queues) init(n, cliques int) {
	q.inSums, q.inStal = make([]bool, 2*n), make([]bool, cliques)
	q.total, q.above = make([]int64, cliques), make([]int64, n+1)
	for side := range q.moved {
		q.moved[side] = make([]extent, cliques)
		for c := range q.moved[side] {
			q.moved[side][c] = nothing
		}
	}
}

// moves notes that bound v moved past the values from lo to hi.
func (q *queues) moves(v int32, cliques []int32, lo, hi int64) {
	moved := q.moved[v&1]
	for _, c := range cliques {
		w := &moved[c]
		w.lo, w.hi = min(w.lo, lo), max(w.hi, hi)
		if !q.inStal[c] {
			q.inStal[c] = true
			q.stale = append(q.stale, c)
		}
	}
}

func (q *queues) addSum(v int32) {
	if !q.inSums[v] {
		q.inSums[v] = true
		q.sums = append(q.sums, v)
	}
}

// drop empties the queues.
func (q *queues) drop() {
	for _, v := range q.sums {
		q.inSums[v] = false
	}
	for _, c := range q.stale {
		q.inStal[c] = false
		q.moved[0][c], q.moved[1][c] = nothing, nothing
	}
	q.sums, q.stale = q.sums[:0], q.stale[:0]
}

// propagate applies the rules until nothing changes; false at a contradiction.
func (s *solver) propagate() bool {
	for {
		switch {
		case s.head < len(s.trail):
			e := s.trail[s.head].atom
			s.head++
			s.work++
			if e.literal() && !s.ordered(e.what) || !e.literal() && !s.bounded(e.bound()) {
				return false
			}
		case len(s.sums) > 0:
			if !s.sum(s.nextSum()) {
				return false
			}
		case len(s.stale) > 0:
			c := s.stale[len(s.stale)-1]
			s.stale = s.stale[:len(s.stale)-1]
			s.inStal[c] = false
			if !s.edges(c) {
				return false
			}
		default:
			return true
		}
	}
}

// ordered draws the conclusions from a literal: lemmas, chain and order.
func (s *solver) ordered(lit int32) bool {
	if !s.weigh(lit) || !s.lemmasOf(lit) {
		return false
	}
	i, j := s.p.sides(lit) // i below j
	if !s.p.chordal && s.reaches(j, i) != nil {
		s.bad = contradiction{none, reason{kind: byCycle, x: lit}}
		return false
	}
	for w := range s.words {
		for m := s.pre[1][j][w] & s.near[i][w] &^ s.pre[1][i][w]; m != 0; m &= m - 1 {
			if k := int32(w<<6 + bits.TrailingZeros64(m)); !s.set(s.p.below(i, k), reason{kind: byChain, x: j}) {
				return false
			}
		}
		for m := s.pre[0][i][w] & s.near[j][w] &^ s.pre[0][j][w]; m != 0; m &= m - 1 {
			if k := int32(w<<6 + bits.TrailingZeros64(m)); !s.set(s.p.below(k, j), reason{kind: byChain, x: i}) {
				return false
			}
		}
	}
	s.addSum(2 * j)
	s.addSum(2*i + 1)
	return s.raise(2*j, s.bound[2*i]+s.p.size[i], reason{kind: byOrder, x: i}) &&
		s.raise(2*i+1, s.bound[2*j+1]+s.p.size[j], reason{kind: byOrder, x: j})
}

// reaches returns a chain of known orders from i up to j, both included; nil
// when there is none. Where lifetimes have gaps, orders may go round although
// no three of them do.
func (s *solver) reaches(i, j int32) []int32 {
	from := map[int32]int32{i: i}
	open := []int32{i}
	for len(open) > 0 {
		k := open[0]
		open = open[1:]
		if k == j {
			path := []int32{j}
			for ; k != i; k = from[k] {
				path = append(path, from[k])
			}
			return path // from j down to i
		}
		for w, m := range s.pre[1][k] {
			for ; m != 0; m &= m - 1 {
				up := int32(w<<6 + bits.TrailingZeros64(m))
				if _, known := from[up]; !known {
					from[up] = k
					open = append(open, up)
				}
			}
		}
	}
	return nil
}

// bounded draws the conclusions from a bound: lemmas, order and room.
func (s *solver) bounded(v int32) bool {
	if !s.lemmasOfBound(v) {
		return false
	}
	i, side := v>>1, v&1
	x := s.bound[v] + s.p.size[i]
	for w, m := range s.pre[1-side][i] {
		for ; m != 0; m &= m - 1 {
			k := int32(w<<6 + bits.TrailingZeros64(m))
			s.addSum(2*k + side)
			if !s.raise(2*k+side, x, reason{kind: byOrder, x: i}) {
				return false
			}
		}
	}
	return s.room(v)
}

// room orders a buffer against those that have no room beyond it.
func (s *solver) room(v int32) bool {
	i, side := v>>1, v&1
	left := s.p.height - s.bound[v] - s.p.size[i]
	for w := range s.words {
		for m := s.near[i][w] &^ s.pre[side][i][w]; m != 0; m &= m - 1 {
			j := int32(w<<6 + bits.TrailingZeros64(m))
			if s.p.size[j]+s.bound[2*j+1-side] > left && !s.set(s.p.below(j, i)^side, reason{kind: byRoom}) {
				return false
			}
		}
	}
	return true
}

// nextSum takes the lowest bound off the queue: what it lifts is higher, and is
// looked at once.
func (s *solver) nextSum() int32 {
	low, last := 0, len(s.sums)-1
	for k, v := range s.sums {
		if s.bound[v] < s.bound[s.sums[low]] {
			low = k
		}
	}
	v := s.sums[low]
	s.sums[low], s.sums = s.sums[last], s.sums[:last]
	s.inSums[v] = false
	return v
}

// sum is the rule sum for one bound: of the known predecessors of j in each of
// its cliques, those with a head of at least a fill it from a on.
func (s *solver) sum(v int32) bool {
	j, side := v>>1, v&1
	list := s.predecessors(v)
	if len(list) < 2 {
		return true
	}
	own := s.p.in[j]
	from, to := own[0], own[len(own)-1]
	total := s.total[from : to+1]
	clear(total)
	best, clique, start := s.bound[v], int32(-1), int64(0)
	for _, k := range list {
		h, z := s.bound[2*k+side], s.p.size[k]
		for _, c := range s.shared(k, from, to) {
			total[c-from] += z
			if h+total[c-from] > best && (s.p.chordal || contains(own, c)) {
				best, clique, start = h+total[c-from], c, h
			}
		}
	}
	s.work += int64(len(list) * (1 + len(total)/16))
	return clique < 0 || s.raise(v, best, reason{kind: bySum, x: clique, a: start})
}

// predecessors lists those known to come before a buffer, by head, highest first.
func (s *solver) predecessors(v int32) []int32 {
	side, list := v&1, s.list[:0]
	for w, m := range s.pre[side][v>>1] {
		for ; m != 0; m &= m - 1 {
			k := int32(w<<6 + bits.TrailingZeros64(m))
			list = append(list, k)
			b := len(list) - 1
			for h := s.bound[2*k+side]; b > 0 && s.bound[2*list[b-1]+side] < h; b-- {
				list[b] = list[b-1]
			}
			list[b] = k
		}
	}
	s.list = list
	return list
}

// shared are the cliques of k from one to another.
func (s *solver) shared(k, from, to int32) []int32 {
	list := s.p.in[k]
	if s.p.chordal { // consecutive numbers
		first := list[0]
		return list[max(0, from-first):min(int32(len(list)), to-first+1)]
	}
	for list[0] < from {
		list = list[1:]
	}
	for list[len(list)-1] > to {
		list = list[:len(list)-1]
	}
	return list
}

func contains(list []int32, c int32) bool {
	for _, x := range list {
		if x == c {
			return true
		}
	}
	return false
}
