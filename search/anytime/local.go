package anytime

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"

	"memplan/model"
)

// A packing places bodies one by one, each at the lowest offset that those
// before it leave. Unlike the canonical tree it treats ties.
type packing struct {
	in     *model.Instance
	bodies [][]int // those that can move
	fixed  [][]int // those whose root is pinned
	base   []int   // order of bodies by their largest size, descending
	near   [][]int32
}

// newPacking lists the bodies, and their neighbours where there are not too many
// conflicts.
func newPacking(in *model.Instance, conflicts int64) *packing {
	p := &packing{in: in}
	for _, body := range in.Bodies() {
		if in.Buffers[body[0]].Offset != nil {
			p.fixed = append(p.fixed, body)
		} else {
			p.bodies = append(p.bodies, body)
		}
	}
	if conflicts <= tuned.manyPairs {
		p.near = in.Neighbours()
	}
	largest := make([]int64, len(p.bodies))
	p.base = make([]int, len(p.bodies))
	for k, body := range p.bodies {
		p.base[k] = k
		for _, i := range body {
			largest[k] = max(largest[k], in.Buffers[i].Size)
		}
	}
	slices.SortFunc(p.base, func(a, b int) int { return cmp.Or(cmp.Compare(largest[b], largest[a]), cmp.Compare(a, b)) })
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

// A local is a task: a local search on the order of a packing's bodies goes on.
type local struct {
	*packing
	order []int       // in hand
	kept  []int       // that it is a change of
	best  []int       // of the lowest peak
	plan  *model.Plan // of kept; nil: none yet
	peak  int64       // its peak; MaxBytes
	low   int64       // the lowest peak
	since int         // steps since then

	follows bool // goes on from better plans of others
}

// stuck is the number of steps without a lower peak after which a local search
// starts again from its best order, changed in kick places.
const stuck, kick = 200, 8

// local begins a local search, in order of size.
func (p *packing) local(follows bool) *local {
	return &local{packing: p, order: slices.Clone(p.base), kept: slices.Clone(p.base), best: slices.Clone(p.base),
		peak: model.MaxBytes, low: model.MaxBytes, follows: follows}
}

// run goes on with the local search. A body, in half of the cases one that
// reaches the peak, is placed before some that were placed before it; an order
// is kept unless its peak is higher.
func (l *local) run(ctx context.Context, w known, share int64, r *rand.Rand) outcome {
	out := w.outcome(repacking)
	if l.near == nil {
		out.effort.Work = share // too many conflicts
		return out
	}
	if l.follows && w.best != nil && w.peak < l.low {
		l.adopt(w.best, w.peak)
	}
	for out.effort.Work < share && out.peak > w.least && ctx.Err() == nil {
		out.effort.Work += l.step(r)/50 + 1
		out.effort.Nodes += int64(len(l.order))
		if l.plan != nil {
			out.take(w.in, l.plan)
		}
	}
	return out
}

// adopt goes on from a better plan: without ties, to place the bodies by their
// offsets makes no peak higher.
func (l *local) adopt(plan *model.Plan, peak int64) {
	slices.SortStableFunc(l.kept, func(a, b int) int { return cmp.Compare(plan.Offsets[l.bodies[a][0]], plan.Offsets[l.bodies[b][0]]) })
	copy(l.best, l.kept)
	l.plan, l.peak, l.low, l.since = plan, peak, peak, 0
}

// step tries a change. It returns the neighbours looked at.
func (l *local) step(r *rand.Rand) int64 {
	limit := l.peak
	copy(l.order, l.kept)
	if l.since++; l.since > stuck {
		l.since, limit = 0, model.MaxBytes
		copy(l.order, l.best)
		for range kick {
			l.advance(r)
		}
	} else if l.plan != nil {
		l.advance(r)
	}
	if limit < model.MaxBytes {
		limit++
	}
	plan, tried := l.pack(l.order, limit)
	if plan == nil {
		return tried
	}
	l.order, l.kept = l.kept, l.order
	l.plan, l.peak = plan, plan.Peak(l.in)
	if l.peak < l.low {
		l.low, l.since = l.peak, 0
		copy(l.best, l.kept)
	}
	return tried
}

// advance moves a body forward.
func (l *local) advance(r *rand.Rand) {
	if len(l.order) < 2 {
		return
	}
	from := 1 + r.IntN(len(l.order)-1)
	if r.IntN(2) == 0 && l.plan != nil {
		from = max(slices.IndexFunc(l.order, l.tops), 1)
	}
	body, to := l.order[from], r.IntN(from)
	copy(l.order[to+1:from+1], l.order[to:from])
	l.order[to] = body
}

// tops reports whether a body reaches the peak.
func (l *local) tops(k int) bool {
	return slices.ContainsFunc(l.bodies[k], func(i int) bool { return l.plan.Offsets[i]+l.in.Buffers[i].Size >= l.peak })
}
