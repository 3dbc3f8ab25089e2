package heuristics

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"memplan/model"

	"pgregory.net/rapid"
)

// The gap search against the words of heuristics.md, in orders of its own.
func TestGapSearchAgainstDefinition(t *testing.T) {
	f := everything
	f.ties = false
	rapid.Check(t, func(t *rapid.T) {
		in := f.draw(t)
		order := rapid.Permutation(model.Identity(len(in.Buffers))).Draw(t, "order")
		rank := make([]int, len(order))
		for r, i := range order {
			rank[i] = r
		}
		by := func(_ *draft, items []item) {
			slices.SortFunc(items, func(a, b item) int { return cmp.Compare(rank[a.body], rank[b.body]) })
		}
		for _, fit := range []Fit{FirstFit, BestFit} {
			r, err := list(context.Background(), in, by, fit)
			if err != nil {
				t.Fatal(err)
			}
			if want := naive(in, order, fit); !slices.Equal(r.Plan.Offsets, want) {
				t.Fatalf("%v: %v, want %v", fit, r.Plan.Offsets, want)
			}
		}
	})
}

// The same on instances of many blocks of time, whose lives cross few or many.
func TestGapSearchOverBlocks(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 1))
		in := uniform(400, 1+r.IntN(120), seed)
		for i := range in.Buffers {
			b := &in.Buffers[i]
			b.Align = []int64{1, 1, 64, 100}[r.IntN(4)]
			if r.IntN(30) == 0 { // lives throughout, or nearly
				b.Life = model.Interval{Start: r.Int64N(50), End: 5000 - r.Int64N(50)}
			}
			if n := b.Life.End - b.Life.Start; n > 2 && r.IntN(3) == 0 {
				b.Gaps = []model.Interval{{Start: b.Life.Start + 1, End: b.Life.End - 1}}
			}
		}
		if blocks := len(newArena(in).blocks); blocks < 3 {
			t.Fatalf("seed %d: %d blocks", seed, blocks)
		}
		order := model.Identity(len(in.Buffers))
		slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(in.Buffers[j].Size, in.Buffers[i].Size) })
		for _, fit := range []Fit{FirstFit, BestFit} {
			got, err := list(context.Background(), in, func(_ *draft, items []item) {
				slices.SortStableFunc(items, func(a, b item) int { return cmp.Compare(b.size, a.size) })
			}, fit)
			if err != nil {
				t.Fatal(err)
			}
			if want := naive(in, order, fit); !slices.Equal(got.Plan.Offsets, want) {
				t.Fatalf("seed %d: %v differs", seed, fit)
			}
		}
	}
}

// Blocks have room for exactly what is live in them, and few entries in all.
func TestBlocks(t *testing.T) {
	for _, live := range []int{1, 10, 300} {
		in := uniform(5000, live, 3)
		a := newArena(in)
		for i := range in.Buffers {
			a.insert(i, model.Interval{Start: int64(i), End: int64(i) + 1})
		}
		for b, at := range a.blocks {
			if room := append(a.blocks, block{first: len(a.placed)})[b+1].first - at.first; room != at.count {
				t.Fatalf("live %d: block %d has room for %d, holds %d", live, b, room, at.count)
			}
		}
		if n := len(a.placed); n > 3*len(in.Buffers)+minBlock*len(a.blocks) {
			t.Errorf("live %d: %d entries", live, n)
		}
	}
}

// The longest-lived pending item of a window, against looking at all.
func TestPendingAgainstDefinition(t *testing.T) {
	f := features{most: 20, horizon: 12, size: 5}
	rapid.Check(t, func(t *rapid.T) {
		items := newDraft(f.draw(t)).items()
		if len(items) == 0 {
			t.Skip("nothing pending")
		}
		p := newPending(items)
		taken := make([]bool, len(items))
		for range 2 * len(items) {
			birth := model.Interval{Start: rapid.Int64Range(-4, 14).Draw(t, "from"), End: rapid.Int64Range(-4, 20).Draw(t, "to")}
			death := model.Interval{Start: rapid.Int64Range(-4, 14).Draw(t, "after"), End: rapid.Int64Range(-4, 20).Draw(t, "until")}
			want := -1
			for i, it := range p.items {
				fits := !taken[i] && birth.Start <= it.life.Start && it.life.Start < birth.End && death.Start < it.life.End && it.life.End <= death.End
				if fits && (want < 0 || duration(it.life) > duration(p.items[want].life)) {
					want = i
				}
			}
			if got := p.longest(birth, death); got != want {
				t.Fatalf("births %v deaths %v: item %d, want %d", birth, death, got, want)
			}
			if want >= 0 {
				p.take(want)
				taken[want] = true
			}
		}
	})
}

// After every change of a skyline its stretches follow one another at
// different heights and its heap is one.
func TestSkylineInvariant(t *testing.T) {
	for seed := range uint64(50) {
		in := uniform(40, 8, seed)
		for i := range in.Buffers {
			in.Buffers[i].Size = 1 + in.Buffers[i].Size%3 // equal heights are frequent
		}
		items := newDraft(in).items()
		wait, sky := newPending(items), newSkyline(items)
		whole := sky.heap[0].steps
		for left := len(items); left > 0; {
			low := sky.heap[0]
			if i := wait.longest(low.steps, low.steps); i >= 0 {
				it := wait.take(i)
				sky.raise(low, it.life, low.height+it.size)
				left--
			} else {
				sky.lift(low)
			}
			s := sky.heap[0]
			for s.prev != nil {
				s = s.prev
			}
			n, at := 0, whole.Start
			for ; s != nil; s = s.next {
				if s.steps.Start != at || s.steps.Empty() || s.next != nil && s.next.height == s.height || sky.heap[s.at] != s {
					t.Fatalf("seed %d: stretch %v at %d", seed, s.steps, s.height)
				}
				if up := (s.at - 1) / 2; sky.heap.Less(s.at, up) {
					t.Fatalf("seed %d: the heap is none", seed)
				}
				n, at = n+1, s.steps.End
			}
			if n != len(sky.heap) || at != whole.End {
				t.Fatalf("seed %d: %d stretches in a heap of %d, up to %d", seed, n, len(sky.heap), at)
			}
		}
	}
}

// Conflicts and contention are counted, not listed, where there are no gaps.
func TestDegreesAgainstNeighbours(t *testing.T) {
	f := features{most: 20, horizon: 12, size: 9}
	rapid.Check(t, func(t *rapid.T) {
		f.gaps = rapid.Bool().Draw(t, "gaps")
		in := f.draw(t)
		d := newDraft(in)
		number, bytes := d.conflicts(), d.contention()
		for i := range in.Buffers {
			var n, sum uint64
			for j := range in.Buffers {
				if i != j && together(&in.Buffers[i], &in.Buffers[j]) {
					n, sum = n+1, sum+uint64(in.Buffers[j].Size)
				}
			}
			if number[i] != (wide{lo: n}) || bytes[i] != (wide{lo: sum}) {
				t.Fatalf("buffer %d: %v conflicts of %v bytes, want %d of %d", i, number[i], bytes[i], n, sum)
			}
		}
	})
}

// The widest section of a life, against looking at every step.
func TestWidestAgainstDefinition(t *testing.T) {
	f := features{most: 12, horizon: 12, size: 9, gaps: true}
	rapid.Check(t, func(t *rapid.T) {
		in := f.draw(t)
		w := newWidths(in)
		from := rapid.Int64Range(-4, 14).Draw(t, "from")
		life := model.Interval{Start: from, End: from + rapid.Int64Range(1, 9).Draw(t, "long")}
		want := -1
		for s := range w.bytes {
			if life.Meets(model.Interval{Start: w.start[s], End: w.ends[s]}) && (want < 0 || w.bytes[s] > w.bytes[want]) {
				want = s
			}
		}
		if got := w.widest(life); got != want {
			t.Fatalf("%v: section %d, want %d", life, got, want)
		}
	})
}

// Which of two shared objects a buffer of 5 bytes prefers.
func TestPreferredObject(t *testing.T) {
	for _, c := range []struct {
		a, b              int64
		tightest, closest bool
	}{
		{5, 6, true, true}, {6, 5, false, false}, {6, 6, false, false}, // both hold it: the smaller
		{3, 4, false, false}, {4, 3, true, true}, // neither does: the larger
		{9, 4, true, false}, {4, 9, false, true}, // one does
	} {
		if got := tightest(5, c.a, c.b); got != c.tightest {
			t.Errorf("tightest prefers %d to %d: %v", c.a, c.b, got)
		}
		if got := closest(5, c.a, c.b); got != c.closest {
			t.Errorf("closest prefers %d to %d: %v", c.a, c.b, got)
		}
	}
}
