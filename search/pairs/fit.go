package pairs

import (
	"cmp"
	"slices"

	"memplan/model"
)

// A fitter places bodies first fit, as pairs allow.
type fitter struct {
	in     *model.Instance
	bodies [][]int
	near   [][]int32                 // of each buffer
	pairs  map[[2]int32][]model.Pair // by lower index first
	at     []int64
	placed []bool
	work   int64

	blocked []model.Interval // open intervals that the root cannot be in
	points  []int64          // where a pair has it anyway
}

func newFitter(in *model.Instance) *fitter {
	n := len(in.Buffers)
	f := &fitter{in: in, near: in.Neighbours(), pairs: map[[2]int32][]model.Pair{}, at: make([]int64, n), placed: make([]bool, n)}
	for _, p := range in.Pairs {
		key := [2]int32{int32(min(p.Over, p.Under)), int32(max(p.Over, p.Under))}
		f.pairs[key] = append(f.pairs[key], p)
	}
	f.bodies = in.Bodies()
	return f
}

// fit places the bodies, those that are pinned first, then in the order given.
// It reports false where an offset leaves int64 or pins are in the way.
func (f *fitter) fit(order []int32) (peak int64, ok bool) {
	clear(f.placed)
	for _, pinned := range [...]bool{true, false} {
		for _, k := range order {
			body := f.bodies[k]
			root := &f.in.Buffers[body[0]]
			if pinned != (root.Offset != nil) {
				continue
			}
			at, fits := int64(0), true
			if pinned {
				at = *root.Offset
			} else {
				at, fits = f.lowest(body)
			}
			if !fits {
				return 0, false
			}
			for _, i := range body {
				above := int64(0)
				if t := f.in.Buffers[i].Tie; t != nil {
					above = t.Delta
				}
				start, fits := model.Add(at, above)
				end, fits2 := model.Add(start, f.in.Buffers[i].Size)
				if !fits || !fits2 {
					return 0, false
				}
				f.at[i], f.placed[i] = start, true
				peak = max(peak, end)
			}
		}
	}
	return peak, true
}

// lowest is the lowest offset of a body's root.
func (f *fitter) lowest(body []int) (at int64, ok bool) {
	f.blocked, f.points = f.blocked[:0], f.points[:0]
	for _, i := range body {
		above := int64(0)
		if t := f.in.Buffers[i].Tie; t != nil {
			above = t.Delta
		}
		for _, c := range f.near[i] {
			if f.placed[c] {
				f.block(int32(i), c, above)
			}
		}
	}
	f.work += int64(len(f.blocked) + 1)
	slices.SortFunc(f.blocked, func(a, b model.Interval) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End))
	})
	align := f.in.Buffers[body[0]].Alignment()
	for _, b := range f.blocked {
		if b.Start < at && at < b.End {
			if at, ok = model.AlignUp(b.End, align); !ok {
				return 0, false
			}
		}
	}
	best := at
	for _, p := range f.points {
		if p >= 0 && p < best && p%align == 0 && f.free(p, body) {
			best = p
		}
	}
	return best, true
}

// free reports whether a body of one buffer may be at a point that a pair names:
// every placed buffer that it would overlap must have it there.
func (f *fitter) free(at int64, body []int) bool {
	i := int32(body[0])
	if len(body) > 1 {
		return false
	}
	f.work += int64(len(f.near[i]))
	for _, c := range f.near[i] {
		if f.placed[c] && at < f.at[c]+f.in.Buffers[c].Size && f.at[c] < at+f.in.Buffers[i].Size && !f.allowed(i, c, at) {
			return false
		}
	}
	return true
}

func (f *fitter) allowed(i, c int32, at int64) bool {
	return slices.ContainsFunc(f.pairs[[2]int32{min(i, c), max(i, c)}], func(p model.Pair) bool {
		if int32(p.Over) == i {
			return p.Allows(at, f.at[c])
		}
		return p.Allows(f.at[c], at)
	})
}

// block notes where the root of i, which is so far above it, may not be for c.
func (f *fitter) block(i, c int32, above int64) {
	low, high := f.at[c]-f.in.Buffers[i].Size, f.at[c]+f.in.Buffers[c].Size
	pairs := f.pairs[[2]int32{min(i, c), max(i, c)}]
	for _, p := range pairs {
		switch over := int32(p.Over) == i; {
		case p.Equal:
		case over:
			low = max(low, f.at[c]-p.Distance)
		default:
			high = min(high, f.at[c]+p.Distance)
		}
	}
	for _, p := range pairs {
		at := f.at[c] - p.Distance
		if int32(p.Over) == i {
			at = f.at[c] + p.Distance
		}
		if p.Equal && low < at && at < high {
			f.points = append(f.points, at-above)
		}
	}
	f.blocked = append(f.blocked, model.Interval{Start: low - above, End: high - above})
}
