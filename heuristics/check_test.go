package heuristics

import (
	"testing"

	"memplan/model"
)

// check is the definition of a valid plan, pair by pair.
func check(t testing.TB, name string, in *model.Instance, p *model.Plan) {
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

// TestMeans logs the mean of peak/load over A..K of every planner.
func TestMeans(t *testing.T) {
	all := challenging(t)
	for _, p := range All() {
		sum := 0.0
		for _, in := range all {
			sum += float64(peakOf(t, p, in)) / float64(in.Load())
		}
		t.Logf("%-28s %.4f", p.Name(), sum/float64(len(all)))
	}
}
