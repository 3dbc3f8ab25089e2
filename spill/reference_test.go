package spill_test

import (
	"container/heap"
	"math"
	"slices"

	"memplan/model/graph"
	"memplan/spill"
)

// A reference finds the least cost of a small graph by a search over what the
// memories hold after each operator: which bytes of the fast one hold which
// tensor, and what there is a copy of. It knows plain tensors and reshapes of
// what nothing reads any more, one operator a step, and offsets of one byte. A state
// is at the end of a run in whatever memory, and at whatever offset, it was in at
// the start.
type reference struct {
	q      *spill.Question
	of     []int // the tensor that each is a reshape of, or itself
	last   []int // of each of those: the last operator that reads it, the number of operators for outputs, -1 for none
	inputs []int
	states []int
}

// A memory is what the search has after an operator.
type memory struct {
	done  int   // operators
	at    []int // offset of each tensor in fast memory, gone where it is in none
	saved []bool
	given []bool // it is where the caller put it
	cost  int64
}

const gone = -1

func newReference(q *spill.Question) *reference {
	r := &reference{q: q, of: make([]int, len(q.Graph.Tensors)), inputs: q.Graph.Inputs}
	for t, x := range q.Graph.Tensors {
		r.of[t] = t
		if x.View != nil {
			r.of[t] = r.of[x.View.Of]
		}
	}
	r.last = slices.Repeat([]int{-1}, len(r.of))
	for o, op := range q.Graph.Ops {
		for _, t := range op.Inputs {
			r.last[r.of[t]] = o
		}
	}
	for _, t := range q.Graph.Outputs {
		r.last[r.of[t]] = len(q.Graph.Ops)
	}
	return r
}

func (m *memory) key() string {
	k := []byte{byte(m.done)}
	for t, at := range m.at {
		flags := byte(0)
		if m.saved[t] {
			flags |= 1
		}
		if m.given[t] {
			flags |= 2
		}
		k = append(k, byte(at), flags)
	}
	return string(k)
}

func (m *memory) clone() *memory {
	return &memory{m.done, slices.Clone(m.at), slices.Clone(m.saved), slices.Clone(m.given), m.cost}
}

type queue []*memory

func (q queue) Len() int           { return len(q) }
func (q queue) Less(i, j int) bool { return q[i].cost < q[j].cost }
func (q queue) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }
func (q *queue) Push(x any)        { *q = append(*q, x.(*memory)) }
func (q *queue) Pop() any {
	x := (*q)[len(*q)-1]
	*q = (*q)[:len(*q)-1]
	return x
}

// least is the least cost; false where nothing fits.
func (r *reference) least() (int64, bool) {
	n := len(r.of)
	begin := &memory{at: slices.Repeat([]int{gone}, n), saved: make([]bool, n), given: make([]bool, n)}
	r.states = nil
	for t, x := range r.q.Graph.Tensors {
		if x.Kind == graph.Variable {
			r.states = append(r.states, t)
		}
	}
	least, fits := int64(0), false
	r.start(begin, 0, func(m *memory) {
		limit := int64(math.MaxInt64)
		if fits {
			limit = least
		}
		if cost, can := r.from(m, limit); can {
			least, fits = cost, true
		}
	})
	return least, fits
}

// start puts the states anywhere, into slow memory alone, or both.
func (r *reference) start(m *memory, k int, each func(*memory)) {
	if k == len(r.states) {
		each(m)
		return
	}
	t := r.states[k]
	if r.dead(t, 0) {
		r.start(m, k+1, each)
		return
	}
	away := m.clone()
	away.saved[t] = true
	r.start(away, k+1, each)
	for _, off := range r.places(m, t, nil) {
		for _, saved := range []bool{false, true} {
			next := m.clone()
			next.at[t], next.saved[t] = off, saved
			r.start(next, k+1, each)
		}
	}
}

// dead reports whether the first operator from one on that touches a state, in this
// run or the next, writes all of it and reads nothing.
func (r *reference) dead(t, from int) bool {
	ops := r.q.Graph.Ops
	for k := range ops {
		op := &ops[(from+k)%len(ops)]
		if slices.Contains(op.Inputs, t) {
			return false
		}
		if slices.Contains(op.Outputs, t) {
			return r.q.Way != spill.Whole
		}
	}
	return false
}

// settle is what it costs to leave the states where the next run begins with them;
// false where that cannot be.
func (r *reference) settle(m, begin *memory) (cost int64, can bool) {
	for _, t := range r.states {
		if begin.at[t] != gone && begin.at[t] != m.at[t] {
			return 0, false
		}
		if begin.saved[t] && !m.saved[t] {
			if r.q.Way == spill.Whole || m.at[t] == gone {
				return 0, false
			}
			cost += r.q.Graph.Tensors[t].Bytes * r.q.Write
		}
	}
	return cost, true
}

// from is the least cost of runs that begin with the states as they are, where that
// is below a limit.
func (r *reference) from(begin *memory, limit int64) (int64, bool) {
	open := &queue{}
	best := make(map[string]int64)
	push := func(m *memory) {
		k := m.key()
		if cost, seen := best[k]; !seen || m.cost < cost {
			best[k] = m.cost
			heap.Push(open, m)
		}
	}
	r.arrive(begin, 0, push)
	for open.Len() > 0 {
		m := heap.Pop(open).(*memory)
		if m.cost >= limit {
			return 0, false
		}
		if best[m.key()] < m.cost {
			continue
		}
		if m.done > len(r.q.Graph.Ops) {
			return m.cost, true
		}
		if m.done == len(r.q.Graph.Ops) {
			if cost, can := r.settle(m, begin); can {
				end := m.clone()
				end.done, end.cost = m.done+1, m.cost+cost
				push(end)
			}
			continue
		}
		for _, d := range r.drops(m) {
			r.load(d, 0, nil, push)
		}
	}
	return 0, false
}

// arrive puts the inputs anywhere, or into slow memory alone.
func (r *reference) arrive(m *memory, k int, push func(*memory)) {
	if k == len(r.inputs) {
		push(m)
		return
	}
	t := r.inputs[k]
	away := m.clone()
	away.saved[t] = true
	r.arrive(away, k+1, push)
	for _, off := range r.places(m, t, nil) {
		next := m.clone()
		next.at[t], next.saved[t], next.given[t] = off, true, true
		r.arrive(next, k+1, push)
	}
}

// places lists where a tensor can be put; may reports overlaps that are allowed.
func (r *reference) places(m *memory, t int, may func(off, other int) bool) (list []int) {
	size := int(r.q.Graph.Tensors[t].Bytes)
	for off := 0; off+size <= int(r.q.Capacity); off++ {
		free := true
		for other, at := range m.at {
			if at != gone && off < at+int(r.q.Graph.Tensors[other].Bytes) && at < off+size && (may == nil || !may(off, other)) {
				free = false
			}
		}
		if free {
			list = append(list, off)
		}
	}
	return list
}

// drops lists what may be left in fast memory before an operator.
func (r *reference) drops(m *memory) []*memory {
	list := []*memory{m}
	if r.q.Way == spill.Whole {
		return list
	}
	for t := range m.at {
		if m.at[t] == gone {
			continue
		}
		for _, have := range slices.Clone(list) {
			list = append(list, r.drop(have.clone(), t))
		}
	}
	return list
}

// drop takes a tensor out of fast memory, with a copy where it is needed.
func (r *reference) drop(m *memory, t int) *memory {
	if !m.saved[t] {
		m.saved[t] = true
		m.cost += r.q.Graph.Tensors[t].Bytes * r.q.Write
	}
	m.at[t], m.given[t] = gone, false
	return m
}

// load brings in the k-th operand of the next operator and those after it.
func (r *reference) load(m *memory, k int, read []int, push func(*memory)) {
	op := &r.q.Graph.Ops[m.done]
	if k == len(op.Inputs) {
		r.write(m, 0, nil, push)
		return
	}
	t := r.of[op.Inputs[k]]
	if m.at[t] != gone || slices.Contains(read, t) {
		r.load(m, k+1, append(slices.Clone(read), t), push)
		return
	}
	read = append(slices.Clone(read), t)
	reshape := slices.ContainsFunc(op.Outputs, func(y int) bool { return y != t && r.of[y] == t })
	if reshape || r.q.Way != spill.Staged {
		next := m.clone()
		if !reshape {
			next.cost += r.accessed(op, op.Inputs[k]) * r.q.Read
		}
		r.load(next, k+1, read, push)
	}
	if r.q.Way == spill.Whole {
		return
	}
	for _, off := range r.places(m, t, nil) {
		next := m.clone()
		next.at[t] = off
		next.cost += r.q.Graph.Tensors[t].Bytes * r.q.Read
		r.load(next, k+1, read, push)
	}
}

// accessed is the bytes of an operand that an operator reads or writes.
func (r *reference) accessed(op *graph.Op, t int) int64 {
	bytes := r.q.Graph.Tensors[t].Bytes
	for _, a := range op.Accesses {
		if a.Operand == t {
			return (bytes*a.Times + a.Of - 1) / a.Of
		}
	}
	return bytes
}

// write makes the k-th result and those after it; over are operands that
// results lie on.
func (r *reference) write(m *memory, k int, over []int, push func(*memory)) {
	op := &r.q.Graph.Ops[m.done]
	if k == len(op.Outputs) {
		r.finish(m, over, push)
		return
	}
	y := op.Outputs[k]
	if base := r.of[y]; base != y { // a reshape, of what dies: where it is, or elsewhere
		places := r.places(m, base, nil)
		if m.at[base] != gone {
			places = append(places, m.at[base])
		} else {
			places = []int{gone}
		}
		for _, off := range places {
			next := m.clone()
			next.at[base], next.given[base] = off, false
			r.write(next, k+1, over, push)
		}
		return
	}
	state := r.q.Graph.Tensors[y].Kind == graph.Variable
	if r.q.Way != spill.Staged && !(state && m.at[y] != gone) {
		next := m.clone()
		next.saved[y] = true
		next.cost += r.accessed(op, y) * r.q.Write
		r.write(next, k+1, over, push)
	}
	if state && (m.at[y] != gone || slices.Contains(op.Inputs, y) || r.q.Way == spill.Whole) { // where it is
		if m.at[y] != gone {
			next := m.clone()
			next.saved[y] = false
			r.write(next, k+1, over, push)
		}
		return
	}
	may := func(off, x int) bool {
		if !r.q.Overlap || slices.Contains(op.Outputs, x) || r.q.Way == spill.Whole && (r.last[x] > m.done || slices.Contains(r.states, x)) {
			return false
		}
		for _, p := range op.InPlace {
			if r.of[p[0]] == x && p[1] == y && off == m.at[x] && !m.given[x] {
				return true
			}
		}
		for _, l := range op.Overlap {
			if r.of[l.Under] == x && l.Over == y && int64(m.at[x]-off) >= l.Bytes {
				return true
			}
		}
		return false
	}
	for _, off := range r.places(m, y, may) {
		next := m.clone()
		next.at[y], next.saved[y] = off, false
		on := slices.Clone(over)
		for x, at := range m.at {
			size := int(r.q.Graph.Tensors[y].Bytes)
			if at != gone && off < at+int(r.q.Graph.Tensors[x].Bytes) && at < off+size {
				on = append(on, x)
			}
		}
		r.write(next, k+1, on, push)
	}
}

// finish has room for the workspace, and leaves what is looked at again.
func (r *reference) finish(m *memory, over []int, push func(*memory)) {
	for _, bytes := range r.q.Graph.Ops[m.done].Scratch {
		if !r.room(m, int(bytes)) {
			return
		}
	}
	next := m.clone()
	for _, x := range over {
		if r.last[x] > m.done || slices.Contains(r.states, x) {
			r.drop(next, x)
		}
	}
	next.done++
	for t := range next.at {
		if r.q.Graph.Tensors[t].Kind == graph.Variable {
			if r.dead(t, next.done) {
				next.at[t], next.saved[t] = gone, false
			}
			continue
		}
		if r.last[t] < next.done {
			next.at[t], next.saved[t], next.given[t] = gone, false, false
		}
	}
	push(next)
}

func (r *reference) room(m *memory, bytes int) bool {
	for off := 0; off+bytes <= int(r.q.Capacity); off++ {
		free := true
		for t, at := range m.at {
			free = free && (at == gone || off >= at+int(r.q.Graph.Tensors[t].Bytes) || at >= off+bytes)
		}
		if free {
			return true
		}
	}
	return false
}
