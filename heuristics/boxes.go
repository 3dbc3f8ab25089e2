package heuristics

import (
	"cmp"
	"slices"

	"memplan/model"
)

// A seat is where boxing puts an item of one height: a row of a box.
type seat struct{ box, row int }

// A boxer shares out items of one height over boxes of a number of rows, after
// Theorem 2 of Buchsbaum et al. Two items of a row are never live together. The
// boxes' load exceeds the items' at each step by the share 4/inverse and by a
// term that depends on rows and inverse alone.
type boxer struct {
	items   []item
	rows    int // of a box, at least 1
	inverse int // 1/epsilon, at least 1
	seats   []seat
	boxes   int
}

// A hole is a row of a box that is free during steps.
type hole struct {
	steps model.Interval
	seat
}

// A window is a part of the problem: the items that live inside a run of steps,
// and the holes that earlier rounds left there. Every hole either spans the
// window or ends inside it, and there the window is cut.
type window struct {
	items []int
	holes []hole
}

// box gives every item its seat.
func (b *boxer) box() {
	b.seats = make([]seat, len(b.items))
	for todo := []window{{items: model.Identity(len(b.items))}}; len(todo) > 0; {
		w := todo[len(todo)-1]
		todo = append(todo[:len(todo)-1], b.round(w)...)
	}
}

// round boxes the items of w that are live at its cuts, and returns the windows
// between the cuts with the items left over.
func (b *boxer) round(w window) []window {
	if len(w.items) == 0 {
		return nil
	}
	steps := b.hull(w.items)
	w.holes = slices.DeleteFunc(w.holes, func(h hole) bool { return !h.steps.Meets(steps) })
	cuts := b.cuts(w, steps)
	between := make([]window, len(cuts)+1)
	alive := make([][]int, len(cuts))
	for _, i := range w.items {
		life := b.items[i].life
		lo, _ := slices.BinarySearch(cuts, life.Start)
		hi, _ := slices.BinarySearch(cuts, life.End)
		if lo == hi {
			between[lo].items = append(between[lo].items, i)
		} else {
			c := middlemost(lo, hi, len(cuts))
			alive[c] = append(alive[c], i)
		}
	}
	var rest []int // too far out for the strips
	for _, items := range alive {
		rest = append(rest, b.strips(items)...)
	}
	holes := b.fill(rest, w.holes, steps)
	for _, h := range holes {
		lo, _ := slices.BinarySearch(cuts, h.steps.Start+1) // the first window after a cut at or before the start
		for k := lo; k < len(between) && (k == 0 || cuts[k-1] < h.steps.End); k++ {
			if len(between[k].items) > 0 {
				between[k].holes = append(between[k].holes, h)
			}
		}
	}
	return between
}

func (b *boxer) hull(items []int) model.Interval {
	v := b.items[items[0]].life
	for _, i := range items[1:] {
		v = model.Interval{Start: min(v.Start, b.items[i].life.Start), End: max(v.End, b.items[i].life.End)}
	}
	return v
}

// cuts are the steps inside the window at which holes begin or end, or, where
// there are none, the birth of the median item.
func (b *boxer) cuts(w window, steps model.Interval) []int64 {
	var cuts []int64
	for _, h := range w.holes {
		for _, c := range [2]int64{h.steps.Start, h.steps.End} {
			if steps.Start < c && c < steps.End {
				cuts = append(cuts, c)
			}
		}
	}
	if len(cuts) == 0 {
		births := make([]int64, len(w.items))
		for n, i := range w.items {
			births[n] = b.items[i].life.Start
		}
		slices.Sort(births)
		return []int64{births[len(births)/2]}
	}
	slices.Sort(cuts)
	return slices.Compact(cuts)
}

// middlemost is the index in [lo, hi) that a binary search over [0, n) probes
// first.
func middlemost(lo, hi, n int) int {
	for l, r := 0, n; ; {
		switch m := int(uint(l+r) >> 1); {
		case m < lo:
			l = m + 1
		case m >= hi:
			r = m
		default:
			return m
		}
	}
}

// strips boxes items that are all live at one step, after Lemma 1: of the
// items not yet taken, in turn those born first and those dying last, so many
// that they make 1/epsilon boxes, each of items that end, or begin, at about
// the same time. The outermost are returned unboxed.
func (b *boxer) strips(items []int) (rest []int) {
	outer, strip := b.rows*b.inverse*b.inverse, b.rows*b.inverse
	if len(items) <= 2*outer {
		return items
	}
	birth := func(i, j int) int {
		return cmp.Or(cmp.Compare(b.items[i].life.Start, b.items[j].life.Start), cmp.Compare(i, j))
	}
	death := func(i, j int) int {
		return cmp.Or(cmp.Compare(b.items[j].life.End, b.items[i].life.End), cmp.Compare(i, j))
	}
	byBirth, byDeath := slices.SortedFunc(slices.Values(items), birth), slices.SortedFunc(slices.Values(items), death)
	taken := make(map[int]bool, len(items)) // looked up, never ranged over
	take := func(from *[]int, n int) (some []int) {
		for ; len(*from) > 0 && len(some) < n; *from = (*from)[1:] {
			if i := (*from)[0]; !taken[i] {
				taken[i] = true
				some = append(some, i)
			}
		}
		return some
	}
	rest = append(take(&byBirth, outer), take(&byDeath, outer)...)
	for len(taken) < len(items) {
		early := take(&byBirth, strip)
		slices.SortFunc(early, death)
		b.pile(early)
		late := take(&byDeath, strip)
		slices.SortFunc(late, birth)
		b.pile(late)
	}
	return rest
}

// pile makes boxes of the items, in order.
func (b *boxer) pile(items []int) {
	for n, i := range items {
		if n > 0 && n%b.rows == 0 {
			b.boxes++
		}
		b.seats[i] = seat{b.boxes, n % b.rows}
	}
	if len(items) > 0 {
		b.boxes++
	}
}

// fill colours the items with the fewest rows and puts the rows into holes
// that span the steps, then into new boxes. It returns the holes that are left
// and those that are new.
func (b *boxer) fill(items []int, holes []hole, steps model.Interval) []hole {
	list := make([]item, len(items))
	for n, i := range items {
		list[n] = item{body: i, life: b.items[i].life}
	}
	slices.SortFunc(list, func(a, c item) int {
		return cmp.Or(cmp.Compare(a.life.Start, c.life.Start), cmp.Compare(a.body, c.body))
	})
	var left []hole
	var free []seat // rows that span the steps, in reverse
	for _, h := range holes {
		if h.steps.Contains(steps) {
			free = append(free, h.seat)
		} else {
			left = append(left, h)
		}
	}
	slices.Reverse(free)
	for _, row := range colour(list) {
		if len(free) == 0 {
			for r := b.rows - 1; r >= 0; r-- {
				free = append(free, seat{b.boxes, r})
			}
			b.boxes++
		}
		s := pop(&free)
		end := steps.Start
		for _, i := range row {
			b.seats[i] = s
			if life := b.items[i].life; end < life.Start {
				left = append(left, hole{model.Interval{Start: end, End: life.Start}, s})
			}
			end = b.items[i].life.End
		}
		if end < steps.End {
			left = append(left, hole{model.Interval{Start: end, End: steps.End}, s})
		}
	}
	for _, s := range slices.Backward(free) {
		left = append(left, hole{steps, s})
	}
	return left
}
