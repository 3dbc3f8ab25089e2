package heuristics

import (
	"slices"
	"testing"

	"memplan/model"

	"pgregory.net/rapid"
)

// A million buffers must fit: of a hundred live at once a buffer has about two entries in all blocks of time.
func TestEntriesOfABuffer(t *testing.T) {
	const n = 20_000
	if got := len(newArena(uniform(n, 100, 1)).placed); got > 5*n/2 {
		t.Errorf("%d entries for %d buffers", got, n)
	}
}

// First fit gives a body the lowest offset at which it overlaps nothing.
func TestFirstFitIsTheLowest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := newDraft(everything.draw(t))
		for _, it := range d.items() {
			b := d.bodies[it.body]
			free := func(off int64) bool {
				return off%d.in.Buffers[b[0]].Alignment() == 0 && !slices.ContainsFunc(b, func(i int) bool {
					at := off + distance(&d.in.Buffers[i])
					return d.arena.overlaps(i, model.Interval{Start: at, End: at + d.in.Buffers[i].Size})
				})
			}
			want := rapid.Int64Range(0, 9).Draw(t, "from")
			got, err := d.arena.find(d.in, b, FirstFit, want)
			for !free(want) {
				want++
			}
			if err != nil || got != want {
				t.Fatalf("body %v at %d, %v; the lowest is %d", b, got, err, want)
			}
			d.put(b, got)
		}
	})
}
