package anytime

import (
	"cmp"
	"context"
	"math/bits"
	"math/rand/v2"
	"slices"

	"memplan/model"
	"memplan/search/canonical"
)

// An ejection is a task: a local search on partial plans within a capacity. Buffers
// without an offset are put, in random order, where they overlap others of the
// least weight; those are ejected, and weigh more from then on. When none is
// left the plan is complete; every buffer is let down, by rising offset, and the
// capacity is lowered below the peak.
//
// Approximate: it finds plans, and proves nothing. It does not treat ties. What
// it does well is large instances, where orders and trees decide too much at
// once. Cost of a step: O(conflicts of a buffer).
//
// Source: ejection chains (Glover, Ejection chains, reference structures and
// alternating path methods for traveling salesman problems, Discrete Applied
// Mathematics 65 (1996), doi 10.1016/0166-218X(94)00037-E) with weights that learn, as
// in guided ejection search (Nagata and Bräysy, A powerful route minimization
// heuristic for the vehicle routing problem with time windows, Operations Research
// Letters 37 (2009), doi 10.1016/j.orl.2009.04.006).
type ejection struct {
	in    *model.Instance
	near  [][]int32 // neighbours of each buffer
	cells []cell
	lost  []int32 // buffers without an offset
	best  []int64 // offsets of the plan that it goes on from
	peak  int64   // of best

	capacity int64
	step     int64 // from the peak down to the next capacity
	left     int64 // neighbours to look at before this one is given up
	allowed  int64 // and how many there are at first

	edges, spare []edge
}

// A cell is the state of a buffer.
type cell struct {
	offset int64 // negative: without
	size   int64
	weight int64 // of being ejected
	first  int64 // the weight at first
}

// An edge is an offset of a buffer from which on it would overlap others of so
// much more weight.
type edge struct{ at, weight int64 }

const (
	heaviest  = 1 << 30 // weight of the heaviest buffer at first
	immovable = 1 << 50 // weight of a pinned one: more than all others together
)

// newEjection is a search of an instance without ties. A buffer weighs its size
// times the square of the number of its conflicts.
func newEjection(in *model.Instance, near [][]int32) *ejection {
	e := &ejection{in: in, near: near, cells: make([]cell, len(near)), peak: model.MaxBytes}
	share := func(i int) float64 {
		n := float64(len(near[i]))
		return float64(in.Buffers[i].Size) * n * n
	}
	most := 1.0
	for i := range e.cells {
		most = max(most, share(i))
		e.allowed += tuned.passes * int64(len(near[i])+1)
	}
	for i := range e.cells {
		first := 1 + int64(share(i)/most*heaviest)
		if in.Buffers[i].Offset != nil {
			first = immovable
		}
		e.cells[i] = cell{size: in.Buffers[i].Size, first: first}
	}
	return e
}

// run goes on with the search, from the best plan of all. Without a plan there is
// nothing to improve.
func (e *ejection) run(ctx context.Context, w known, share int64, r *rand.Rand) outcome {
	out := w.outcome(ejecting)
	if w.best != nil && w.peak < e.peak {
		e.best, e.peak = w.best.Offsets, w.peak
	}
	for e.best != nil && out.effort.Work < share && out.peak > w.least && ctx.Err() == nil {
		plan, looked := e.advance(r, w.least)
		out.add(canonical.Effort{Nodes: looked / 64, Work: looked / tuned.lookedPerUnit})
		out.take(w.in, plan)
	}
	return out
}

// advance goes on for a while. It returns a plan if there is a better one, and
// the neighbours looked at.
func (e *ejection) advance(r *rand.Rand, least int64) (plan *model.Plan, looked int64) {
	if e.capacity >= e.peak || e.left <= 0 {
		e.begin(least)
	}
	complete, looked := e.place(r, min(e.left, tuned.clockLooks))
	e.left -= looked
	switch {
	case complete:
		if plan = e.letDown(); e.in.Check(*plan) != nil {
			e.left = 0 // so many pinned buffers in one place that their weights overflow
			return nil, looked
		}
		e.best, e.peak = plan.Offsets, plan.Peak(e.in)
		e.step *= 2
		return plan, looked + 2*int64(len(e.cells))
	case e.left <= 0 && e.step > 1:
		e.step /= 2
	case e.left <= 0:
		e.allowed *= 2
	}
	return nil, looked
}

// begin asks for a lower peak than the best, but no lower than least.
func (e *ejection) begin(least int64) {
	most := max((e.peak-least)/tuned.firstStep, 1)
	if e.step == 0 || e.step > most {
		e.step = most
	}
	e.capacity, e.left = e.peak-e.step, e.allowed
	e.lost = e.lost[:0]
	for i := range e.cells {
		c := &e.cells[i]
		c.offset, c.weight = e.best[i], c.first
		if c.size > 0 && c.offset > e.capacity-c.size {
			c.offset = -1
			e.lost = append(e.lost, int32(i))
		}
	}
}

// letDown is the complete plan, every buffer as low as those below it leave it.
// Cost: O(n log n + conflicts).
func (e *ejection) letDown() *model.Plan {
	plan := &model.Plan{Offsets: make([]int64, len(e.cells))}
	order := model.Identity(len(e.cells))
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(e.cells[a].offset, e.cells[b].offset), cmp.Compare(a, b))
	})
	for _, i := range order {
		c, floor := &e.cells[i], int64(0)
		for _, j := range e.near[i] {
			if o := &e.cells[j]; o.offset < c.offset {
				floor = max(floor, plan.Offsets[j]+o.size)
			}
		}
		if plan.Offsets[i] = c.offset; c.first != immovable {
			plan.Offsets[i], _ = model.AlignUp(floor, e.in.Buffers[i].Alignment()) // fits: c.offset is no lower
		}
	}
	return plan
}

// place looks at about so many neighbours. It reports whether the plan is
// complete, and at how many it looked. Where a pinned buffer is in the way of
// another at every offset, the capacity is given up.
func (e *ejection) place(r *rand.Rand, limit int64) (complete bool, looked int64) {
	for len(e.lost) > 0 && looked < limit {
		k, last := r.IntN(len(e.lost)), len(e.lost)-1
		i := e.lost[k]
		e.lost[k] = e.lost[last]
		e.lost = e.lost[:last]
		looked += int64(len(e.near[i])) + 1
		offset, weight := e.cheapest(r, i)
		if weight >= immovable {
			e.left = 0
			return false, looked
		}
		e.put(i, offset)
	}
	return len(e.lost) == 0, looked
}

// put gives buffer i an offset, and ejects what it overlaps there.
func (e *ejection) put(i int32, offset int64) {
	c := &e.cells[i]
	c.offset = offset
	for _, j := range e.near[i] {
		if o := &e.cells[j]; o.offset < offset+c.size && o.offset+o.size > offset && o.offset >= 0 {
			o.offset = -1
			o.weight += o.first/tuned.heavier + 1
			e.lost = append(e.lost, j)
		}
	}
}

// cheapest is the offset of buffer i, on or below others or at an end of the
// arena, at which what it overlaps weighs least, at random one of equals.
func (e *ejection) cheapest(r *rand.Rand, i int32) (at, least int64) {
	size, align := e.cells[i].size, e.in.Buffers[i].Alignment()
	top := e.capacity - size
	top -= top % align
	weight := e.edging(i, align, top)
	e.sort(bits.Len64(uint64(top)))
	least = weight
	equals := uint64(1)
	for k := 0; k < len(e.edges); {
		here, before := e.edges[k].at, weight
		for ; k < len(e.edges) && e.edges[k].at == here; k++ {
			weight += e.edges[k].weight
		}
		offset, w := here, weight
		if before < weight {
			offset, w = here-align, before
		}
		if w > least {
			continue
		}
		if w < least {
			at, least, equals = offset, w, 1
		} else if equals++; r.Uint64N(equals) == 0 {
			at = offset
		}
	}
	return at, least
}

// edging lists the edges of buffer i in (0, top], and returns the weight at 0.
func (e *ejection) edging(i int32, align, top int64) (weight int64) {
	e.edges = e.edges[:0]
	size := e.cells[i].size
	for _, j := range e.near[i] {
		o := &e.cells[j]
		if o.offset < 0 {
			continue
		}
		from, to := o.offset-size+1, o.offset+o.size // they overlap in [from, to)
		if from <= 0 {
			weight += o.weight
		} else if from <= top {
			e.edge(from, align, o.weight)
		}
		if to <= top {
			e.edge(to, align, -o.weight)
		}
	}
	return weight
}

// edge adds an edge at x, up to the alignment; below the top, a multiple of it.
func (e *ejection) edge(x, align, weight int64) {
	at, _ := model.AlignUp(x, align)
	e.edges = append(e.edges, edge{at, weight})
}

// sort puts the edges, which have so many bits, in order: by their highest bits,
// then each of those lots.
func (e *ejection) sort(length int) {
	const digit = 7
	shift := max(length-digit, 0)
	var ends [1 << digit]int32
	for k := range e.edges {
		ends[e.edges[k].at>>shift]++
	}
	sum := int32(0)
	for d, n := range ends {
		ends[d] = sum
		sum += n
	}
	if cap(e.spare) < len(e.edges) {
		e.spare = make([]edge, 0, 2*len(e.edges))
	}
	e.spare = e.spare[:len(e.edges)]
	for _, x := range e.edges {
		d := x.at >> shift
		e.spare[ends[d]] = x
		ends[d]++
	}
	e.edges, e.spare = e.spare, e.edges
	from := int32(0)
	for _, to := range ends {
		if lot := e.edges[from:to]; len(lot) > 12 {
			slices.SortFunc(lot, func(a, b edge) int { return cmp.Compare(a.at, b.at) })
		} else {
			insertionSort(lot)
		}
		from = to
	}
}

func insertionSort(list []edge) {
	for k := 1; k < len(list); k++ {
		x, j := list[k], k
		for ; j > 0 && list[j-1].at > x.at; j-- {
			list[j] = list[j-1]
		}
		list[j] = x
	}
}
