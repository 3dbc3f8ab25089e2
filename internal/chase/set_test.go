package chase

import (
	"testing"

	"memplan/internal/smallest"
	"memplan/model"

	"pgregory.net/rapid"
)

// checkAbove: the instance is above the height, and no part of it is.
func checkAbove(t *testing.T, in *model.Instance, height int64) {
	t.Helper()
	if err := in.Validate(); err != nil {
		t.Fatal(err)
	}
	if fits, err := Fits(in, height); fits || err != nil {
		t.Errorf("it fits %d, %v", height, err)
	}
	for k := range in.Buffers {
		fewer := &model.Instance{Buffers: append(append([]model.Buffer{}, in.Buffers[:k]...), in.Buffers[k+1:]...)}
		if fits, err := Fits(fewer, height); !fits || err != nil {
			t.Errorf("without buffer %d it does not fit %d, %v", k, height, err)
		}
	}
}

// TestFits: against brute force, on both sides of the optimum.
func TestFits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 8).Draw(t, "n")
		in := &model.Instance{}
		for range n {
			start := rapid.Int64Range(0, 6).Draw(t, "start")
			end := start + rapid.Int64Range(1, 4).Draw(t, "life")
			in.Buffers = append(in.Buffers, model.Buffer{Life: model.Interval{Start: start, End: end}, Size: rapid.Int64Range(1, 4).Draw(t, "size")})
		}
		g, sizes := smallest.Of(in)
		best, _ := g.Optimum(sizes, 0)
		if best > tallest {
			return
		}
		if fits, err := Fits(in, best); !fits || err != nil {
			t.Fatalf("does not fit its optimum %d: %v", best, err)
		}
		if fits, err := Fits(in, best-1); fits || err != nil {
			t.Fatalf("fits %d, the optimum is %d: %v", best-1, best, err)
		}
	})
}

func TestOutOfRange(t *testing.T) {
	if _, _, _, err := (Meeting{Load: 4, Height: 64}).Run(t.Context()); err == nil {
		t.Error("a height of 64, and no error")
	}
	in := &model.Instance{Buffers: []model.Buffer{{ID: "a", Life: model.Interval{Start: 0, End: 1}, Size: 1, Align: 2}}}
	if _, err := Fits(in, 4); err == nil {
		t.Error("an alignment, and no error")
	}
}
