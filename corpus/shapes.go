package corpus

import "memplan/model"

// laminar breaks nothing, and is there to show it: any two lifetimes are nested
// or disjoint, and a planner that places the longer-lived first is optimal,
// since each buffer then lies right on top of those around it. Optimum = load.
func laminar(n, seed int64) (*model.Instance, model.Plan) {
	d := newDraw("laminar", n, seed)
	rooms := []tile{{life: model.Interval{Start: 0, End: 4 * n}}} // free above their offset
	var tiles []tile
	for int64(len(tiles)) < n {
		k := d.below(int64(len(rooms)))
		room := rooms[k]
		rooms = append(rooms[:k], rooms[k+1:]...)
		w := room.life.End - room.life.Start
		a := d.below(w)
		b := d.between(a+1, w)
		t := room.at(a, b, 0, d.between(1, 100))
		tiles = append(tiles, t)
		for _, free := range []tile{room.at(0, a, 0, 0), room.at(b, w, 0, 0), t.at(0, b-a, t.size, t.size)} {
			if !free.life.Empty() {
				rooms = append(rooms, free)
			}
		}
	}
	return assemble(tiles, d)
}

// staircase is meant to break planners that work in order of time: width
// buffers are live at once, the oldest dies as the next is born, and each is a
// little larger than the one before, so that no hole is ever large enough.
// Optimum = load by construction: every width-th buffer shares a place as large
// as the last of them, and the last width are live together.
func staircase(n, width, seed int64) (*model.Instance, model.Plan) {
	d := newDraw("staircase", n, width, seed)
	tiles := make([]tile, n)
	size := 2 * n
	for i := range tiles {
		tiles[i] = tile{life: model.Interval{Start: int64(i), End: int64(i) + width}, size: size}
		size += d.between(1, 3)
	}
	at := int64(0)
	for first := max(0, n-width); first < n; first++ {
		for i := first; i >= 0; i -= width {
			tiles[i].offset = at
		}
		at += tiles[first].size
	}
	return assemble(tiles, d)
}

// comb is meant to break fits by size: its teeth, large and live for one step,
// are placed first and at the bottom, which leaves the backs, small and
// long-lived, a ragged edge. In the perfect plan the backs that are born one by
// one pile up from below, those that die one by one hang from above, and the
// teeth fill what is between. Optimum = load by construction.
func comb(n, seed int64) (*model.Instance, model.Plan) {
	d := newDraw("comb", n, seed)
	load, teeth := canvas(n*n), (n+1)/2
	low, high := (n-teeth)/2, (n-teeth+1)/2
	bottom, top := make([]int64, teeth), make([]int64, teeth) // bytes that the backs take
	var tiles []tile
	at := int64(0)
	births := d.subset(int(low), int(teeth))
	for k, size := range d.composition(load/3, int(low)) {
		t := tile{life: model.Interval{Start: int64(births[k]), End: teeth}, offset: at, size: size}
		tiles = append(tiles, t)
		at += size
		for step := t.life.Start; step < t.life.End; step++ {
			bottom[step] += size
		}
	}
	at = load
	deaths := d.subset(int(high), int(teeth)) // steps before the end
	for k, size := range d.composition(load/3, int(high)) {
		at -= size
		t := tile{life: model.Interval{Start: 0, End: teeth - int64(deaths[k])}, offset: at, size: size}
		tiles = append(tiles, t)
		for step := range t.life.End {
			top[step] += size
		}
	}
	for step := range teeth {
		life := model.Interval{Start: step, End: step + 1}
		tiles = append(tiles, tile{life, bottom[step], load - bottom[step] - top[step]})
	}
	return assemble(tiles, d)
}

// pyramid is meant to break fits by lifetime and by area: the middle is a pile
// of ever shorter lives, and the flanks beside it are cut at other heights than
// the pile, so that whoever places the pile first has the flanks against it.
// Optimum = load by construction.
func pyramid(n, seed int64) (*model.Instance, model.Plan) {
	d := newDraw("pyramid", n, seed)
	heights := d.composition(canvas(n*n), int((n+2)/3))
	levels := int64(len(heights))
	frame := tile{life: model.Interval{Start: 0, End: 2 * levels}}
	var tiles []tile
	at := int64(0)
	for j, h := range heights {
		tiles = append(tiles, tile{model.Interval{Start: int64(j), End: frame.life.End - int64(j)}, at, h})
		at += h
	}
	tiles = append(tiles, flank(heights, d)...)
	for _, t := range flank(heights, d) {
		tiles = append(tiles, t.turned(frame, true, false))
	}
	for int64(len(tiles)) < n {
		k := largish(tiles, d)
		if parts := straight(tiles[k], d); parts != nil {
			tiles[k] = parts[0]
			tiles = append(tiles, parts[1])
		}
	}
	return assemble(tiles, d)
}

// flank fills the steps before each level of a pyramid of the given heights.
// Two levels side by side are taken together at random: one buffer of both
// heights as long as the lower lives, and one for the step that is left.
func flank(heights []int64, d draw) []tile {
	var tiles []tile
	at := heights[0]
	for j := 1; j < len(heights); j++ {
		h, life := heights[j], model.Interval{Start: 0, End: int64(j)}
		if j+1 < len(heights) && d.coin(2) {
			next := heights[j+1]
			tiles = append(tiles, tile{life, at, h + next},
				tile{model.Interval{Start: life.End, End: life.End + 1}, at + h, next})
			at += h + next
			j++
			continue
		}
		tiles = append(tiles, tile{life, at, h})
		at += h
	}
	return tiles
}
