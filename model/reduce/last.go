package reduce

import (
	"cmp"
	"errors"
	"slices"

	"memplan/model"
)

// maxConflicts is where Last declines: it looks at all of them.
const maxConflicts = 4 << 20

// placeLast takes out buffers that fit below the load wherever the others are.
//
// Let W be the bytes of a buffer's neighbours, and N their number. They leave
// at most N+1 holes in [0, load). A hole of less than size + align - 1 bytes
// may be of no use to it; all such holes together have at most
// (N+1)(size + align - 2) bytes. When W and those are less than the load, some
// hole is large enough. So from every plan of the rest with peak P comes a
// plan with peak max(P, load), and no plan has less than the load. Once one is
// out, others have fewer neighbours: small ones first, as long as any goes.
// Neighbours may be pinned, tied, aligned or have gaps; the buffer itself may
// have gaps and an alignment, but where it is pinned or part of a body of
// several, it stays.
func (r *Reduction) placeLast(p Part) Part {
	in := p.Instance
	if in.Conflicts() > maxConflicts {
		return p
	}
	near, single, load := in.Neighbours(), singles(in), in.Load()
	gone := make([]bool, len(in.Buffers))
	order := model.Identity(len(in.Buffers))
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(in.Buffers[i].Size, in.Buffers[j].Size) })
	var taken []late
	for changed := true; changed; {
		changed = false
		for _, i := range order {
			if b := &in.Buffers[i]; gone[i] || b.Offset != nil || !single[i] || !fitsAnyhow(in, near, gone, i, load) {
				continue
			}
			gone[i], changed = true, true
			taken = append(taken, late{p.Index[i], p.Base})
		}
	}
	slices.Reverse(taken) // the first taken out is the last to be placed
	r.last = append(taken, r.last...)
	return p.only(slices.DeleteFunc(model.Identity(len(in.Buffers)), func(i int) bool { return gone[i] }))
}

func fitsAnyhow(in *model.Instance, near [][]int32, gone []bool, i int, load int64) bool {
	taken, holes := int64(0), int64(1)
	for _, j := range near[i] {
		if gone[j] {
			continue
		}
		var ok bool
		if taken, ok = model.Add(taken, in.Buffers[j].Size); !ok {
			return false
		}
		holes++
	}
	b := &in.Buffers[i]
	reach, ok := model.Add(b.Size, b.Alignment())
	if !ok {
		return false
	}
	useless, ok := model.Mul(holes, max(0, reach-2))
	if !ok {
		return false
	}
	sum, ok := model.Add(taken, useless)
	return ok && sum < load
}

// liftLast places what was taken out, the last taken first, each in the lowest
// hole that its neighbours leave.
func (r *Reduction) liftLast(at []int64) error {
	if len(r.last) == 0 {
		return nil
	}
	waiting := make([]bool, len(at))
	for _, l := range r.last {
		waiting[l.buf] = true
	}
	near := r.in.Neighbours()
	for _, l := range r.last {
		waiting[l.buf] = false
		placed := slices.DeleteFunc(near[l.buf], func(j int32) bool { return waiting[j] })
		slices.SortFunc(placed, func(i, j int32) int { return cmp.Or(cmp.Compare(at[i], at[j]), cmp.Compare(i, j)) })
		b := &r.in.Buffers[l.buf]
		off := l.base
		for _, j := range placed {
			if end, fits := model.Add(off, b.Size); fits && end <= at[j] {
				break
			}
			up, ok := model.AlignUp(max(off, at[j]+r.in.Buffers[j].Size), b.Align)
			if !ok {
				return errors.New("reduce: an offset does not fit in int64")
			}
			off = up
		}
		at[l.buf] = off
	}
	return nil
}

// singles marks the buffers that are a body of their own.
func singles(in *model.Instance) []bool {
	single := make([]bool, len(in.Buffers))
	for _, body := range in.Bodies() {
		single[body[0]] = len(body) == 1
	}
	return single
}
