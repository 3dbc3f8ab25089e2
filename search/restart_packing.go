package search

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"

	"memplan/model"
)

// A packing places bodies one by one, each at the lowest offset that those
// before it leave; it treats ties, where the canonical tree cannot.
type packing struct {
	in     *model.Instance
	bodies [][]int // those that can move
	fixed  [][]int // those whose root is pinned
	base   []int   // order of bodies by bytes times steps, descending
	near   [][]int32
}

func newPacking(in *model.Instance) *packing {
	p := &packing{in: in}
	for _, body := range in.Bodies() {
		if in.Buffers[body[0]].Offset != nil {
			p.fixed = append(p.fixed, body)
		} else {
			p.bodies = append(p.bodies, body)
		}
	}
	if in.Conflicts() <= manyPairs {
		p.near = in.Neighbours()
	}
	area := make([]float64, len(p.bodies))
	p.base = make([]int, len(p.bodies))
	for k, body := range p.bodies {
		p.base[k] = k
		for _, i := range body {
			b := &in.Buffers[i]
			area[k] += float64(b.Size) * (float64(b.Life.End) - float64(b.Life.Start))
		}
	}
	slices.SortFunc(p.base, func(a, b int) int { return cmp.Or(cmp.Compare(area[b], area[a]), cmp.Compare(a, b)) })
	return p
}

// A barred is a range of offsets, ends excluded, that a root cannot have.
type barred struct{ lo, hi int64 }

// pack places the bodies in the order; nil if an offset would not fit in int64
// or the peak reaches the limit. tried counts the neighbours looked at.
func (p *packing) pack(order []int, limit int64) (plan *model.Plan, tried int64) {
	plan = &model.Plan{Offsets: make([]int64, len(p.in.Buffers))}
	done := make([]bool, len(p.in.Buffers))
	settle := func(body []int, root int64) bool {
		for _, i := range body {
			off := root
			if t := p.in.Buffers[i].Tie; t != nil {
				var ok bool
				if off, ok = model.Add(root, t.Delta); !ok {
					return false
				}
			}
			end, ok := model.Add(off, p.in.Buffers[i].Size)
			if !ok || end >= limit {
				return false
			}
			plan.Offsets[i], done[i] = off, true
		}
		return true
	}
	for _, body := range p.fixed {
		if !settle(body, *p.in.Buffers[body[0]].Offset) {
			return nil, tried
		}
	}
	var bars []barred
	for _, k := range order {
		body := p.bodies[k]
		bars = bars[:0]
		for _, i := range body {
			bars, tried = p.bar(bars, i, plan, done, tried)
		}
		root, ok := lowestRoot(bars, p.in.Buffers[body[0]].Alignment())
		if !ok || !settle(body, root) {
			return nil, tried
		}
	}
	return plan, tried
}

// bar adds what the placed neighbours of buffer i forbid its root.
func (p *packing) bar(bars []barred, i int, plan *model.Plan, done []bool, tried int64) ([]barred, int64) {
	b := &p.in.Buffers[i]
	delta := int64(0)
	if b.Tie != nil {
		delta = b.Tie.Delta
	}
	for _, j := range p.near[i] {
		tried++
		if !done[j] {
			continue
		}
		off := plan.Offsets[j]
		if hi := off + p.in.Buffers[j].Size - delta; hi > 0 { // both below the limit: no overflow
			bars = append(bars, barred{off - delta - b.Size, hi})
		}
	}
	return bars, tried
}

// lowestRoot is the least aligned offset that no bar forbids.
func lowestRoot(bars []barred, align int64) (int64, bool) {
	slices.SortFunc(bars, func(a, b barred) int { return cmp.Or(cmp.Compare(a.lo, b.lo), cmp.Compare(a.hi, b.hi)) })
	root := int64(0)
	for _, b := range bars {
		if b.lo >= root {
			break
		}
		if b.hi > root {
			var ok bool
			if root, ok = model.AlignUp(b.hi, align); !ok {
				return 0, false
			}
		}
	}
	return root, true
}

// repack is a task: a local search on the order of the bodies. A body on top is
// moved forward, or two change places; what is no worse is kept.
func (w knowledge) repack(share int64) task {
	return func(ctx context.Context, r *rand.Rand) outcome {
		out := outcome{source: "repack", peak: w.peak, none: -1}
		p := w.bodies
		if p.near == nil {
			out.effort.Work = share // too many conflicts
			return out
		}
		order := slices.Clone(p.base)
		for range r.IntN(1 + len(order)/4) {
			swap(order, r)
		}
		peak := int64(model.MaxBytes)
		for out.effort.Work < share && out.peak > w.least && ctx.Err() == nil {
			next := slices.Clone(order)
			for range 1 + r.IntN(3) {
				swap(next, r)
			}
			plan, tried := p.pack(next, model.MaxBytes)
			out.effort.Work += tried/50 + 1
			out.effort.Nodes += int64(len(next))
			if plan == nil {
				continue
			}
			if got := plan.Peak(w.in); got <= peak {
				order, peak = next, got
				out.take(w.in, plan, nil)
			}
		}
		return out
	}
}

// swap exchanges two of the order.
func swap(order []int, r *rand.Rand) {
	if len(order) < 2 {
		return
	}
	a, b := r.IntN(len(order)), r.IntN(len(order))
	order[a], order[b] = order[b], order[a]
}
