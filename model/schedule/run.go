package schedule

import (
	"slices"

	"memplan/model"
)

// A run is a schedule so far: which units ran, and what is live.
type run struct {
	*Problem
	left   []int  // of each item, how many of its users have not run
	gone   []bool // items that a concat made part of its result
	ran    []bool // units that ran
	live   int64  // bytes live between the steps
	passed int    // units that ran
}

func (c *Problem) start() *run {
	r := &run{Problem: c, left: make([]int, len(c.Items)), gone: make([]bool, len(c.Items)), ran: make([]bool, len(c.touched))}
	for i := range c.Items {
		it := &c.Items[i]
		r.left[i] = len(it.Users)
		if len(it.Firsts) == 0 && (r.left[i] > 0 || it.Forever) {
			r.live = model.SaturatingAdd(r.live, it.Bytes)
		}
	}
	return r
}

// fresh reports whether item i is still to be written for the first time.
func (r *run) fresh(i int) bool {
	firsts := r.Items[i].Firsts
	return len(firsts) > 0 && !slices.ContainsFunc(firsts, func(f int) bool { return r.ran[f] })
}

// at is the bytes live while unit u runs next.
func (r *run) at(u int) int64 {
	load := model.SaturatingAdd(r.live, r.Scratch[u])
	for _, i := range r.born[u] {
		if r.fresh(i) {
			load = model.SaturatingAdd(load, r.Items[i].Bytes)
		}
	}
	for _, i := range r.Lays[u] {
		if !r.gone[i] {
			load -= r.Items[i].Bytes
		}
	}
	if r.passed == 0 {
		load = model.SaturatingAdd(load, r.atStart)
	}
	return load - r.saved(u)
}

// saved is what pairs save at u, at most.
func (r *run) saved(u int) int64 { return r.replaced(u) + r.covered(u) }

// covered is what outputs of u that lie over its inputs save, at most: several may
// lie under one output.
func (r *run) covered(u int) (sum int64) {
	for k, p := range r.Leads[u] {
		best := r.left[p.X] <= 1 && !r.Items[p.X].Forever
		for j, q := range r.Leads[u] {
			if j != k && q.X == p.X && (q.Bytes > p.Bytes || q.Bytes == p.Bytes && j < k) {
				best = false
			}
		}
		if best {
			sum += p.Bytes
		}
	}
	return sum
}

// replaced is what in-place pairs save at u, at most: each item is in one pair,
// so it is no more than the sum of the best for each first, nor of the best
// for each second.
func (r *run) replaced(u int) int64 {
	if len(r.Pairs[u]) == 0 {
		return 0
	}
	best := func(of func(Pair) int) int64 {
		sum := int64(0)
		for k, p := range r.Pairs[u] {
			if r.left[p.X] > 1 {
				continue
			}
			top := true
			for j, q := range r.Pairs[u] {
				if j != k && of(q) == of(p) && r.left[q.X] <= 1 && (q.Bytes > p.Bytes || q.Bytes == p.Bytes && j < k) {
					top = false
				}
			}
			if top {
				sum += p.Bytes
			}
		}
		return sum
	}
	return min(best(func(p Pair) int { return p.X }), best(func(p Pair) int { return p.Y }))
}

// change is how the bytes live between the steps change when u runs.
func (r *run) change(u int) int64 {
	var d int64
	for _, i := range r.born[u] {
		if r.fresh(i) && (r.left[i] > 1 || r.Items[i].Forever) {
			d = model.SaturatingAdd(d, r.Items[i].Bytes)
		}
	}
	for _, i := range r.touched[u] {
		it := &r.Items[i]
		if !r.fresh(i) && !r.gone[i] && (r.left[i] == 1 && !it.Forever || slices.Contains(it.Laid, u)) {
			d -= it.Bytes
		}
	}
	return d
}

// do runs u.
func (r *run) do(u int) {
	r.live += r.change(u)
	for _, i := range r.touched[u] {
		r.left[i]--
	}
	for _, i := range r.Lays[u] {
		r.gone[i] = true
	}
	r.ran[u] = true
	r.passed++
}

// undo takes back u, which ran last, with that many bytes live before it and
// no operand laid into several results.
func (r *run) undo(u int, live int64) {
	for _, i := range r.touched[u] {
		r.left[i]++
	}
	for _, i := range r.Lays[u] {
		r.gone[i] = false
	}
	r.ran[u] = false
	r.passed--
	r.live = live
}

// Load is the most bytes live at any step of an order.
func (c *Problem) Load(order []int) int64 {
	r := c.start()
	load := model.SaturatingAdd(r.live, c.atStart)
	for _, u := range order {
		load = max(load, r.at(u))
		r.do(u)
	}
	return load
}
