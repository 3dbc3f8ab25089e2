package spill_test

import (
	"iter"
	"math"
	"math/bits"
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
	any    bool // the operators run in any order, after those that make what they read; there are no states
	of     []int
	bytes  []int64
	makers []set // of each operator: those that make what it reads
	needed []set // by the operators that have run: tensors that are read later, or taken, and states
	states []int
	kept   set // those
}

// A set has a bit for each tensor, or each operator.
type set uint16

func (s set) has(k int) bool { return s>>k&1 > 0 }

// A memory is what the search has after some operators.
type memory struct {
	contents
	cost int64
}

type contents struct {
	done  set // operators
	saved set // tensors that there is a copy of
	given set // that are where the caller put them
	at    [16]int8
}

const gone = -1

// put has a tensor at an offset of fast memory, gone where it is in none.
func (m memory) put(t, off int) memory {
	m.at[t] = int8(off)
	return m
}

func newReference(q *spill.Question) *reference {
	g := q.Graph
	r := &reference{q: q, of: make([]int, len(g.Tensors)), makers: make([]set, len(g.Ops)), needed: make([]set, 1<<len(g.Ops))}
	for t, x := range g.Tensors {
		r.of[t], r.bytes = t, append(r.bytes, x.Bytes)
		if x.View != nil {
			r.of[t] = r.of[x.View.Of]
		}
		if x.Kind == graph.Variable {
			r.states, r.kept = append(r.states, t), r.kept|1<<t
		}
	}
	for o, op := range g.Ops {
		for k := range g.Ops {
			if slices.ContainsFunc(g.Ops[k].Outputs, func(t int) bool { return slices.Contains(op.Inputs, t) }) {
				r.makers[o] |= 1 << k
			}
		}
	}
	for done := range r.needed {
		r.needed[done] = r.kept
		for _, t := range g.Outputs {
			r.needed[done] |= 1 << r.of[t]
		}
		for o, op := range g.Ops {
			for _, t := range op.Inputs {
				if !set(done).has(o) {
					r.needed[done] |= 1 << r.of[t]
				}
			}
		}
	}
	return r
}

// least is the least cost; false where nothing fits.
func (r *reference) least() (int64, bool) {
	begin := memory{}
	for t := range begin.at {
		begin.at[t] = gone
	}
	least := int64(math.MaxInt64)
	r.start(begin, 0, func(m memory) { least = min(least, r.from(m, least)) })
	return least, least < math.MaxInt64
}

// start puts the states anywhere, into slow memory alone, or both.
func (r *reference) start(m memory, k int, each func(memory)) {
	if k == len(r.states) {
		each(m)
		return
	}
	t := r.states[k]
	if r.dead(t, 0) {
		r.start(m, k+1, each)
		return
	}
	away := m
	away.saved |= 1 << t
	r.start(away, k+1, each)
	for off := range r.places(m, t) {
		r.start(m.put(t, off), k+1, each)
		r.start(away.put(t, off), k+1, each)
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
func (r *reference) settle(m, begin memory) (cost int64, can bool) {
	for _, t := range r.states {
		if begin.at[t] != gone && begin.at[t] != m.at[t] {
			return 0, false
		}
		if begin.saved.has(t) && !m.saved.has(t) {
			if r.q.Way == spill.Whole || m.at[t] == gone {
				return 0, false
			}
			cost += r.bytes[t] * r.q.Write
		}
	}
	return cost, true
}

// from is the least cost of runs that begin with the states as they are, where that
// is below a limit; else the limit.
func (r *reference) from(begin memory, limit int64) int64 {
	var open [][]contents // by cost
	best := make(map[contents]int64)
	push := func(m memory) {
		if cost, seen := best[m.contents]; seen && cost <= m.cost {
			return
		}
		best[m.contents] = m.cost
		for int64(len(open)) <= m.cost {
			open = append(open, nil)
		}
		open[m.cost] = append(open[m.cost], m.contents)
	}
	r.arrive(begin, 0, push)
	all := set(1)<<len(r.q.Graph.Ops) - 1
	for cost := int64(0); cost < min(limit, int64(len(open))); cost++ {
		for k := 0; k < len(open[cost]); k++ {
			m := memory{open[cost][k], cost}
			if best[m.contents] < cost {
				continue
			}
			if m.done == all {
				if more, can := r.settle(m, begin); can {
					limit = min(limit, cost+more)
				}
				continue
			}
			r.drops(m, 0, func(d memory) {
				for o := range r.q.Graph.Ops {
					if r.next(d, o) {
						r.load(d, o, 0, 0, push)
					}
				}
			})
		}
	}
	return limit
}

// next reports whether an operator may be the next one.
func (r *reference) next(m memory, o int) bool {
	if r.any {
		return !m.done.has(o) && r.makers[o]&^m.done == 0
	}
	return o == bits.OnesCount16(uint16(m.done))
}

// arrive puts the inputs anywhere, or into slow memory alone.
func (r *reference) arrive(m memory, k int, push func(memory)) {
	if k == len(r.q.Graph.Inputs) {
		push(m)
		return
	}
	t := r.q.Graph.Inputs[k]
	m.saved |= 1 << t
	r.arrive(m, k+1, push)
	places := r.places(m, t)
	m.given |= 1 << t
	for off := range places {
		r.arrive(m.put(t, off), k+1, push)
	}
}

// stretch are so many bytes from an offset on, a bit each.
func stretch(off int, bytes int64) uint64 { return (1<<bytes - 1) << off }

// used are the bytes of fast memory that hold anything.
func (r *reference) used(m memory) (bytes uint64) {
	for t := range r.of {
		if m.at[t] != gone {
			bytes |= stretch(int(m.at[t]), r.bytes[t])
		}
	}
	return bytes
}

// free are where so many bytes can be put.
func (r *reference) free(m memory, bytes int64) iter.Seq[int] {
	return func(yield func(off int) bool) {
		used := r.used(m)
		for off := range int(r.q.Capacity - bytes + 1) {
			if used&stretch(off, bytes) == 0 && !yield(off) {
				return
			}
		}
	}
}

// places are where a tensor can be put.
func (r *reference) places(m memory, t int) iter.Seq[int] { return r.free(m, r.bytes[t]) }

// over are where operator o can make y over others, with these; where nothing is, too.
func (r *reference) over(m memory, y, o int) iter.Seq2[int, set] {
	return func(yield func(off int, over set) bool) {
		for off := range r.places(m, y) {
			if !yield(off, 0) {
				return
			}
		}
		op := &r.q.Graph.Ops[o]
		if !r.q.Overlap || len(op.InPlace)+len(op.Overlap) == 0 {
			return
		}
		for off := range int(r.q.Capacity - r.bytes[y] + 1) {
			over, may := set(0), true
			for x := range r.of {
				if m.at[x] != gone && stretch(off, r.bytes[y])&stretch(int(m.at[x]), r.bytes[x]) != 0 {
					over, may = over|1<<x, may && r.may(m, y, off, o, x)
				}
			}
			if may && over != 0 && !yield(off, over) {
				return
			}
		}
	}
}

// may reports whether operator o may make y at an offset over x.
func (r *reference) may(m memory, y, off, o, x int) bool {
	op := &r.q.Graph.Ops[o]
	if slices.Contains(op.Outputs, x) || r.q.Way == spill.Whole && r.needed[m.done|1<<o].has(x) {
		return false
	}
	for _, p := range op.InPlace {
		if r.of[p[0]] == x && p[1] == y && off == int(m.at[x]) && !m.given.has(x) {
			return true
		}
	}
	for _, l := range op.Overlap {
		if r.of[l.Under] == x && l.Over == y && int64(int(m.at[x])-off) >= l.Bytes {
			return true
		}
	}
	return false
}

// drops leaves any of what is in fast memory, from a tensor on, before an operator.
func (r *reference) drops(m memory, t int, each func(memory)) {
	if t == len(r.of) || r.q.Way == spill.Whole {
		each(m)
		return
	}
	r.drops(m, t+1, each)
	if m.at[t] != gone {
		r.drops(r.drop(m, t), t+1, each)
	}
}

// drop takes a tensor out of fast memory, with a copy where it is needed.
func (r *reference) drop(m memory, t int) memory {
	if !m.saved.has(t) {
		m.saved |= 1 << t
		m.cost += r.bytes[t] * r.q.Write
	}
	m.given &^= 1 << t
	return m.put(t, gone)
}

// load brings in the k-th operand of an operator and those after it.
func (r *reference) load(m memory, o, k int, read set, push func(memory)) {
	op := &r.q.Graph.Ops[o]
	if k == len(op.Inputs) {
		r.write(m, o, 0, 0, push)
		return
	}
	t := r.of[op.Inputs[k]]
	if m.at[t] != gone || read.has(t) {
		r.load(m, o, k+1, read|1<<t, push)
		return
	}
	read |= 1 << t
	reshape := slices.ContainsFunc(op.Outputs, func(y int) bool { return y != t && r.of[y] == t })
	if reshape || r.q.Way != spill.Staged {
		next := m
		if !reshape {
			next.cost += r.accessed(op, op.Inputs[k]) * r.q.Read
		}
		r.load(next, o, k+1, read, push)
	}
	if r.q.Way == spill.Whole {
		return
	}
	for off := range r.places(m, t) {
		next := m.put(t, off)
		next.cost += r.bytes[t] * r.q.Read
		r.load(next, o, k+1, read, push)
	}
}

// accessed is the bytes of an operand that an operator reads or writes.
func (r *reference) accessed(op *graph.Op, t int) int64 {
	for _, a := range op.Accesses {
		if a.Operand == t {
			return (r.bytes[t]*a.Times + a.Of - 1) / a.Of
		}
	}
	return r.bytes[t]
}

// write makes the k-th result and those after it; over are operands that
// results lie on.
func (r *reference) write(m memory, o, k int, over set, push func(memory)) {
	op := &r.q.Graph.Ops[o]
	if k == len(op.Outputs) {
		r.finish(m, o, over, push)
		return
	}
	y := op.Outputs[k]
	if base := r.of[y]; base != y { // a reshape, of what dies: where it is, or elsewhere
		elsewhere := r.places(m, base)
		m.given &^= 1 << base
		r.write(m, o, k+1, over, push)
		if m.at[base] != gone {
			for off := range elsewhere {
				r.write(m.put(base, off), o, k+1, over, push)
			}
		}
		return
	}
	state := r.kept.has(y)
	if r.q.Way != spill.Staged && !(state && m.at[y] != gone) {
		next := m
		next.saved |= 1 << y
		next.cost += r.accessed(op, y) * r.q.Write
		r.write(next, o, k+1, over, push)
	}
	if state && (m.at[y] != gone || slices.Contains(op.Inputs, y) || r.q.Way == spill.Whole) { // where it is
		if m.at[y] != gone {
			m.saved &^= 1 << y
			r.write(m, o, k+1, over, push)
		}
		return
	}
	for off, more := range r.over(m, y, o) {
		next := m.put(y, off)
		next.saved &^= 1 << y
		r.write(next, o, k+1, over|more, push)
	}
}

// finish has room for the workspace, and leaves what is looked at again.
func (r *reference) finish(m memory, o int, over set, push func(memory)) {
	for _, bytes := range r.q.Graph.Ops[o].Scratch {
		room := false
		for range r.free(m, bytes) {
			room = true
			break
		}
		if !room {
			return
		}
	}
	m.done |= 1 << o
	needed := r.needed[m.done]
	for x := range r.of {
		if (over & needed).has(x) {
			m = r.drop(m, x)
		}
	}
	for _, t := range r.states {
		if r.dead(t, o+1) {
			needed &^= 1 << t
		}
	}
	for t := range r.of {
		if !needed.has(t) {
			m.at[t] = gone
		}
	}
	m.saved, m.given = m.saved&needed, m.given&needed
	push(m)
}
