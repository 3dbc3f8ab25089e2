package corpus

import "memplan/model"

// aligned is meant to break planners that round sizes instead of offsets, and
// bounds that forget alignment: a guillotine on a grid of 16 bytes, most of
// whose buffers are up to 15 bytes short of it, with offsets to be multiples of
// 16. The buffers live at one step keep their full size, so the optimum = load
// by construction.
func aligned(n, seed int64) (*model.Instance, model.Plan) {
	const grain = 16
	d := newDraw("aligned", n, seed)
	in, plan := assemble(cutUp(n, straight, 2, d), d)
	full := d.below(canvas(n))
	for i := range in.Buffers {
		b := &in.Buffers[i]
		plan.Offsets[i] *= grain
		b.Align, b.Size = grain, b.Size*grain
		if full < b.Life.Start || full >= b.Life.End {
			b.Size -= d.below(grain)
		}
	}
	return in, plan
}

// pinned is meant to break planners that place pinned buffers last, or move
// them: a guillotine with one buffer in eight pinned where the perfect plan has
// it. Optimum = load by construction.
func pinned(n, seed int64) (*model.Instance, model.Plan) {
	d := newDraw("pinned", n, seed)
	in, plan := assemble(cutUp(n, straight, 2, d), d)
	for i := range in.Buffers {
		if d.coin(8) {
			at := plan.Offsets[i]
			in.Buffers[i].Offset = &at
		}
	}
	return in, plan
}

// gapped is meant to break planners that take a buffer with gaps for live
// throughout, and those that let it have two offsets: a guillotine in which
// buffers are dead in the middle of their lives, and others, as large or two in
// its place, live in their bytes meanwhile. Optimum = load by construction.
func gapped(n, seed int64) (*model.Instance, model.Plan) {
	d := newDraw("gapped", n, seed)
	tiles := cutUp(max(1, n*2/3), straight, 2, d)
	gaps := map[tile]model.Interval{}
	for whole := len(tiles); int64(len(tiles)) < n; {
		t := tiles[largish(tiles[:whole], d)]
		w := t.life.End - t.life.Start
		if _, has := gaps[t]; has || w < 3 {
			continue
		}
		a := d.between(1, w-2)
		guest := t.at(a, d.between(a+1, w-1), 0, t.size)
		gaps[t] = guest.life
		if parts := straight(guest, d); parts != nil && int64(len(tiles))+2 <= n {
			tiles = append(tiles, parts...)
		} else {
			tiles = append(tiles, guest)
		}
	}
	in, plan := assemble(tiles, d)
	for i := range in.Buffers {
		b := &in.Buffers[i]
		if gap, has := gaps[tile{b.Life, plan.Offsets[i], b.Size}]; has {
			b.Gaps = []model.Interval{gap}
		}
	}
	return in, plan
}

// mixed is meant to break exact planners, against brute force: few buffers with
// alignments, gaps and pins all at once, some of size 0. Pins are where first
// fit in the order of rows puts the buffer, so they never clash. Nothing is
// known of the optimum by construction.
func mixed(n, seed int64) *model.Instance {
	d := newDraw("mixed", n, seed)
	in := &model.Instance{Buffers: make([]model.Buffer, n)}
	for i := range in.Buffers {
		start := d.below(n)
		b := model.Buffer{ID: rowID(i), Life: model.Interval{Start: start, End: start + d.between(1, n)}, Size: d.below(13)}
		b.Align = int64(1) << d.below(4)
		if w := b.Life.End - b.Life.Start; w > 2 && d.coin(3) {
			a := d.between(1, w-2)
			b.Gaps = []model.Interval{{Start: start + a, End: start + d.between(a+1, w-1)}}
		}
		in.Buffers[i] = b
	}
	for i, at := range firstFit(in) {
		if d.coin(6) {
			in.Buffers[i].Offset = &at
		}
	}
	return in
}

// firstFit places the buffers in the order of rows, each at its lowest offset.
func firstFit(in *model.Instance) []int64 {
	offsets := make([]int64, len(in.Buffers))
	for i := range in.Buffers {
		b := &in.Buffers[i]
		for moved := true; moved; {
			moved = false
			for j := range i {
				o := &in.Buffers[j]
				if b.Conflicts(o) && offsets[i] < offsets[j]+o.Size && offsets[j] < offsets[i]+b.Size {
					offsets[i], _ = model.AlignUp(offsets[j]+o.Size, b.Align)
					moved = true
				}
			}
		}
	}
	return offsets
}
