package corpus

import (
	"strconv"

	"memplan/model"
)

// A tile is a buffer that its generator has placed.
type tile struct {
	life         model.Interval
	offset, size int64
}

// assemble turns tiles into an instance and the plan they came from. The rows
// are shuffled and named afterwards: neither order nor name leaks the answer.
func assemble(tiles []tile, d draw) (*model.Instance, model.Plan) {
	in := &model.Instance{Buffers: make([]model.Buffer, len(tiles))}
	plan := model.Plan{Offsets: make([]int64, len(tiles))}
	for to, from := range d.permutation(len(tiles)) {
		t := tiles[from]
		in.Buffers[to] = model.Buffer{ID: rowID(to), Life: t.life, Size: t.size}
		plan.Offsets[to] = t.offset
	}
	return in, plan
}

func rowID(row int) string { return "b" + strconv.Itoa(row) }

// canvas is the side of the square that n tiles fill: 1000, and more where
// that would leave fewer than a hundred cells a tile.
func canvas(n int64) int64 {
	side := int64(1000)
	for side*side/100 < n {
		side *= 2
	}
	return side
}

// A cut divides a tile into several that fill it; it returns nil when the tile
// is too small for it.
type cut func(t tile, d draw) []tile

// cutUp fills a square with n tiles: as long as there is room for it, one tile,
// rather a large one, is divided by split, of whose pieces there are pieces;
// the last few by straight cuts. Every step of the square is full, so the load
// is its side and the tiling is an optimal plan.
func cutUp(n int64, split cut, pieces int64, d draw) []tile {
	side := canvas(n)
	tiles := []tile{{model.Interval{Start: 0, End: side}, 0, side}}
	for int64(len(tiles)) < n {
		by := split
		if int64(len(tiles))-1+pieces > n {
			by = straight
		}
		k := largish(tiles, d)
		if parts := by(tiles[k], d); parts != nil {
			tiles[k] = parts[0]
			tiles = append(tiles, parts[1:]...)
		}
	}
	return tiles
}

// largish is the largest in area of four random tiles.
func largish(tiles []tile, d draw) int {
	best, area := 0, int64(-1)
	for range 4 {
		k := int(d.below(int64(len(tiles))))
		if a := (tiles[k].life.End - tiles[k].life.Start) * tiles[k].size; a > area {
			best, area = k, a
		}
	}
	return best
}

// at is the part of t over steps [a, b) and bytes [lo, hi), all relative to t.
func (t tile) at(a, b, lo, hi int64) tile {
	return tile{model.Interval{Start: t.life.Start + a, End: t.life.Start + b}, t.offset + lo, hi - lo}
}

// turned is t seen in a mirror: flip turns time round, flop addresses, inside
// the frame of the given tile.
func (t tile) turned(frame tile, flip, flop bool) tile {
	if flip {
		ends := frame.life.Start + frame.life.End
		t.life = model.Interval{Start: ends - t.life.End, End: ends - t.life.Start}
	}
	if flop {
		t.offset = 2*frame.offset + frame.size - t.offset - t.size
	}
	return t
}

// straight is one cut from edge to edge, in time or in address.
func straight(t tile, d draw) []tile {
	w, h := t.life.End-t.life.Start, t.size
	switch inTime := d.coin(2); {
	case inTime && w > 1:
		x := d.between(1, w-1)
		return []tile{t.at(0, x, 0, h), t.at(x, w, 0, h)}
	case !inTime && h > 1:
		y := d.between(1, h-1)
		return []tile{t.at(0, w, 0, y), t.at(0, w, y, h)}
	}
	return nil
}

// wheel leaves a tile in the middle with four around it, none of whose inner
// edges reaches from side to side.
func wheel(t tile, d draw) []tile {
	w, h := t.life.End-t.life.Start, t.size
	if w < 3 || h < 3 {
		return nil
	}
	x1 := d.between(1, w-2)
	x2 := d.between(x1+1, w-1)
	y1 := d.between(1, h-2)
	y2 := d.between(y1+1, h-1)
	parts := []tile{
		t.at(x1, x2, y1, y2),
		t.at(0, x2, 0, y1), t.at(x2, w, 0, y2), t.at(x1, w, y2, h), t.at(0, x1, y1, h),
	}
	flip := d.coin(2)
	for k := range parts {
		parts[k] = parts[k].turned(t, flip, false)
	}
	return parts
}

// ledge is a thin tile along the whole of t's life, and beside it two rows
// that change tenants at different steps, so that the first of one row crosses
// the second of the other.
func ledge(t tile, d draw) []tile {
	w, h := t.life.End-t.life.Start, t.size
	if w < 3 || h < 3 {
		return nil
	}
	thin := d.between(1, max(1, h/8))
	y := d.between(thin+1, h-1)
	x1 := d.between(1, w-2)
	x2 := d.between(x1+1, w-1)
	parts := []tile{
		t.at(0, w, 0, thin),
		t.at(0, x1, thin, y), t.at(x1, w, thin, y), t.at(0, x2, y, h), t.at(x2, w, y, h),
	}
	flip, flop := d.coin(2), d.coin(2)
	for k := range parts {
		parts[k] = parts[k].turned(t, flip, flop)
	}
	return parts
}

// pinwheel is meant to break every rule that places one buffer at a time: in
// a pinwheel no buffer can be slid or swapped without breaking all five, and
// pinwheels lie in pinwheels down to the smallest. It is the hard family for
// every planner when its rows are shuffled. Optimum = load by construction, for
// any number of buffers.
func pinwheel(n, seed int64) (*model.Instance, model.Plan) {
	d := newDraw("pinwheel", n, seed)
	return assemble(cutUp(n, wheel, 5, d), d)
}

// guillotine is meant to break size-ordered fits at any size: a square cut from
// edge to edge again and again, so that a perfect plan exists that leaves no
// byte free at any step, and every early mistake costs. Easier than pinwheels,
// since each part can be solved alone. Optimum = load by construction.
func guillotine(n, seed int64) (*model.Instance, model.Plan) {
	d := newDraw("guillotine", n, seed)
	return assemble(cutUp(n, straight, 2, d), d)
}

// nested is meant to break best-fit and first-fit decreasing: the thin buffer
// of each ledge outlives everything beside it, and is placed last by size, when
// the tightest gap for it is wrong; the rows beside it cross, so that nesting
// alone (see laminar) does not give the plan away. Optimum = load by
// construction.
func nested(n, seed int64) (*model.Instance, model.Plan) {
	d := newDraw("nested", n, seed)
	return assemble(cutUp(n, ledge, 5, d), d)
}
