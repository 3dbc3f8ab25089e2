package learning

import "math/rand/v2"

// activity orders the open pairs by how often they took part in contradictions
// of late, in a heap; at the start, by the product of their sizes.
type activity struct {
	score []float64
	step  float64
	heap  []int32 // pairs; the children of k are 2k+1 and 2k+2
	place []int32 // per pair: in heap; -1 when it is not
	saved []int8  // per pair: 1 or 2 for the literal it had last, less one
}

func (a *activity) init(p *problem, seed int64) {
	pairs := len(p.ends)
	a.score, a.place, a.saved, a.step = make([]float64, pairs), make([]int32, pairs), make([]int8, pairs), 1
	largest := 0.0
	for k := range pairs {
		a.score[k] = p.weight(k)
		largest = max(largest, a.score[k])
	}
	noise := rand.New(rand.NewPCG(uint64(seed), 0))
	for k := range pairs {
		if a.score[k] /= largest; seed != 0 {
			a.score[k] *= noise.Float64()
		}
		a.place[k] = -1
		i, j := p.ends[k][0], p.ends[k][1]
		a.saved[k] = 1 // the one that lives longer lies below
		if len(p.in[j]) > len(p.in[i]) {
			a.saved[k] = 2
		}
	}
	for k := range int32(pairs) {
		a.insert(k)
	}
}

// branch picks the most active open pair, in the order that it had last; -1
// when no pair is open.
func (s *solver) branch() int32 {
	for len(s.heap) > 0 {
		if p := s.pop(); s.value[2*p] == 0 {
			return 2*p + int32(s.saved[p]) - 1
		}
	}
	return -1
}

// reopen puts the pair of a literal that is taken back on the heap.
func (a *activity) reopen(lit int32) {
	p := lit >> 1
	a.saved[p] = int8(1 + lit&1)
	if a.place[p] < 0 {
		a.insert(p)
	}
}

// bump makes a pair more active.
func (a *activity) bump(p int32) {
	a.score[p] += a.step
	if a.score[p] > 1e100 {
		for k := range a.score {
			a.score[k] *= 1e-100
		}
		a.step *= 1e-100
	}
	if a.place[p] >= 0 {
		a.up(a.place[p])
	}
}

// decay makes all that was learnt so far count for less.
func (a *activity) decay() { a.step /= tuned.pairDecay }

func (a *activity) before(p, q int32) bool {
	return a.score[p] > a.score[q] || a.score[p] == a.score[q] && p < q
}

func (a *activity) insert(p int32) {
	a.place[p] = int32(len(a.heap))
	a.heap = append(a.heap, p)
	a.up(a.place[p])
}

func (a *activity) up(k int32) {
	p := a.heap[k]
	for ; k > 0 && a.before(p, a.heap[(k-1)/2]); k = (k - 1) / 2 {
		a.put(k, a.heap[(k-1)/2])
	}
	a.put(k, p)
}

func (a *activity) put(k, p int32) { a.heap[k], a.place[p] = p, k }

// pop takes the most active pair off the heap.
func (a *activity) pop() int32 {
	top, last := a.heap[0], int32(len(a.heap)-1)
	p := a.heap[last]
	a.heap, a.place[top] = a.heap[:last], -1
	if last == 0 {
		return top
	}
	k := int32(0)
	for c := 2*k + 1; c < last; c = 2*k + 1 {
		if c+1 < last && a.before(a.heap[c+1], a.heap[c]) {
			c++
		}
		if !a.before(a.heap[c], p) {
			break
		}
		a.put(k, a.heap[c])
		k = c
	}
	a.put(k, p)
	return top
}
