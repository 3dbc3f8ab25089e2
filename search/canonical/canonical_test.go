package canonical

import (
	"testing"

	"memplan/internal/oracle"
	"memplan/model"
	"memplan/verify"

	"pgregory.net/rapid"
)

// small draws an instance with alignments, pins, gaps and empty buffers, whose
// pins do not clash.
func small(t *rapid.T) *model.Instance {
	in := &model.Instance{Name: "small"}
	n := rapid.IntRange(1, 7).Draw(t, "n")
	steps := rapid.Int64Range(2, 9).Draw(t, "steps")
	special := rapid.Bool().Draw(t, "special")
	for i := range n {
		start := rapid.Int64Range(0, steps-1).Draw(t, "start")
		b := model.Buffer{ID: string(rune('a' + i)), Life: model.Interval{Start: start, End: rapid.Int64Range(start+1, steps).Draw(t, "end")}, Size: rapid.Int64Range(1, 6).Draw(t, "size")}
		if special {
			decorate(t, &b)
		}
		in.Buffers = append(in.Buffers, b)
		if b.Offset != nil && in.Validate() != nil {
			in.Buffers[i].Offset = nil
		}
	}
	return in
}

func decorate(t *rapid.T, b *model.Buffer) {
	b.Align = rapid.SampledFrom([]int64{0, 0, 1, 2, 3, 4}).Draw(t, "align")
	if rapid.IntRange(0, 9).Draw(t, "empty") == 0 {
		b.Size = 0
	}
	if n := b.Life.End - b.Life.Start; n > 2 && rapid.IntRange(0, 3).Draw(t, "gap") == 0 {
		start := b.Life.Start + rapid.Int64Range(0, n-2).Draw(t, "gap start")
		b.Gaps = []model.Interval{{Start: start, End: rapid.Int64Range(start+1, b.Life.End-1).Draw(t, "gap end")}}
	}
	if rapid.IntRange(0, 5).Draw(t, "pin") == 0 {
		pin := rapid.Int64Range(0, 8).Draw(t, "offset") * b.Alignment()
		b.Offset = &pin
	}
}

// check fails unless the plan holds and its peak is at most the capacity.
func check(t interface{ Fatalf(string, ...any) }, in *model.Instance, plan *model.Plan, capacity int64) {
	if got := plan.Peak(in); got > capacity {
		t.Fatalf("peak %d above the capacity %d", got, capacity)
	}
	if err := verify.Plan(in, *plan); err != nil {
		t.Fatalf("%v", err)
	}
}

// A dive finds a plan at the optimum, and none below it, wherever it looks.
func TestDiveAgainstBruteForce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := small(t)
		p, err := Prepare(in)
		if err != nil {
			t.Fatal(err)
		}
		best := oracle.ByOrders(in)
		order := rapid.Permutation(seq(p.Len())).Draw(t, "order")
		look := rapid.SampledFrom([]Look{Never, Divided, Always}).Draw(t, "look")
		d := p.Dive(order, best, look)
		if got := d.Run(1 << 20); got != Found {
			t.Fatalf("at the optimum %d: %v", best, got)
		}
		check(t, in, d.Plan(), best)
		if got := p.Dive(order, best-1, look).Run(1 << 20); got != Exhausted {
			t.Fatalf("below the optimum %d: %v", best, got)
		}
	})
}
