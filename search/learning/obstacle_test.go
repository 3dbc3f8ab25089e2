package learning

import (
	"slices"
	"testing"

	"memplan/corpus"
	"memplan/model"
	"memplan/verify"
)

// Of a set that cannot fit, none can be left out; the proof holds. Whether the
// rest fits is asked of every offset where that is quick.
func TestObstacle(t *testing.T) {
	tried := 0
	for _, name := range []string{"seven-above", "eight-above", "nine-sevenths", "long-chain-30-50-5", "long-chain-40-50-2", "long-chain-40-50-18"} {
		in, err := corpus.Generate(name)
		if err != nil {
			t.Fatal(err)
		}
		known, _ := drive(t, in, &Engine{Instance: in}, 1<<16, 100)
		for capacity := in.Load() - 1; capacity < known.Bound; capacity++ {
			r, minimal := Obstacle(in, known.Certificate, capacity, 1e8)
			if r == nil || !minimal || r.Height != capacity {
				t.Fatalf("%s: capacity %d: %v, minimal %v", name, capacity, r, minimal)
			}
			if err := verify.Refutation(in, r); err != nil {
				t.Errorf("%s: capacity %d: %v", name, capacity, err)
			}
			for _, gone := range r.Buffers {
				rest := clipped(in, r, gone)
				if len(rest.Buffers) < 12 && capacity < 20 && !fits(rest, capacity) {
					t.Errorf("%s: capacity %d: buffer %d can be left out", name, capacity, gone)
				}
				tried++
			}
		}
		if r, _ := Obstacle(in, known.Certificate, known.Bound, 1e8); r != nil {
			t.Errorf("%s: an obstacle at the optimum", name)
		}
	}
	if tried < 100 {
		t.Errorf("%d buffers tried: the test has lost its point", tried)
	}
}

// clipped is the instance of a refutation's buffers but one, in its window.
func clipped(in *model.Instance, r *model.Refutation, gone int) *model.Instance {
	out := &model.Instance{Name: in.Name}
	for i, b := range in.Buffers {
		b.Life = b.Life.Intersect(r.Window)
		if i != gone && slices.Contains(r.Buffers, i) && !b.Life.Empty() {
			out.Buffers = append(out.Buffers, b)
		}
	}
	return out
}
