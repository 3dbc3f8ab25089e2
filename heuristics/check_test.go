package heuristics

import (
	"slices"

	"memplan/model"
)

// check is the definition of a valid plan, pair by pair.
func check(t interface {
	Helper()
	Fatalf(string, ...any)
}, name string, in *model.Instance, p *model.Plan) {
	t.Helper()
	if p == nil || len(p.Offsets) != len(in.Buffers) {
		t.Fatalf("%s: no plan of %d offsets: %v", name, len(in.Buffers), p)
	}
	for i := range in.Buffers {
		b, off := &in.Buffers[i], p.Offsets[i]
		if _, fits := model.Add(off, b.Size); off < 0 || !fits {
			t.Fatalf("%s: buffer %d of %d bytes at %d", name, i, b.Size, off)
		}
		if off%max(b.Align, 1) != 0 {
			t.Fatalf("%s: buffer %d at %d, not a multiple of %d", name, i, off, b.Align)
		}
		if b.Offset != nil && *b.Offset != off {
			t.Fatalf("%s: buffer %d at %d, pinned to %d", name, i, off, *b.Offset)
		}
		if b.Tie != nil && off != p.Offsets[b.Tie.To]+b.Tie.Delta {
			t.Fatalf("%s: buffer %d at %d, tied to %d + %d", name, i, off, p.Offsets[b.Tie.To], b.Tie.Delta)
		}
		for j := range i {
			c, at := &in.Buffers[j], p.Offsets[j]
			if off < at+c.Size && at < off+b.Size && together(b, c) {
				t.Fatalf("%s: buffers %d and %d overlap: [%d,%d) and [%d,%d)", name, j, i, at, at+c.Size, off, off+b.Size)
			}
		}
	}
}

// together says whether a and b, both with bytes, are live at a common step.
func together(a, b *model.Buffer) bool {
	if a.Size == 0 || b.Size == 0 {
		return false
	}
	for v := range a.Live() {
		for w := range b.Live() {
			if v.Start < w.End && w.Start < v.End {
				return true
			}
		}
	}
	return false
}

// naive places buffers without ties in the given order by the words of
// heuristics.md, pins first, looking at every pair.
func naive(in *model.Instance, order []int, fit Fit) []int64 {
	offsets := make([]int64, len(in.Buffers))
	var placed []int
	for i := range in.Buffers {
		if off := in.Buffers[i].Offset; off != nil {
			offsets[i], placed = *off, append(placed, i)
		}
	}
	for _, i := range order {
		b := &in.Buffers[i]
		if b.Offset != nil {
			continue
		}
		var near []int
		for _, j := range placed {
			if together(b, &in.Buffers[j]) {
				near = append(near, j)
			}
		}
		slices.SortFunc(near, func(x, y int) int { return int(offsets[x] - offsets[y]) })
		var top int64
		room := int64(-1) // of the gap chosen
		for _, j := range near {
			if gap := offsets[j] - top; gap >= b.Size && (room < 0 || fit == BestFit && gap < room) {
				offsets[i], room = top, gap
			}
			top = max(top, up(offsets[j]+in.Buffers[j].Size, b.Align))
		}
		if room < 0 {
			offsets[i] = top
		}
		placed = append(placed, i)
	}
	return offsets
}

func up(x, align int64) int64 {
	if align < 2 {
		return x
	}
	return (x + align - 1) / align * align
}
