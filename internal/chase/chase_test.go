package chase

import (
	"math"
	"reflect"
	"testing"

	"memplan/internal/smallest"
	"memplan/model"

	"pgregory.net/rapid"
)

func TestChaseFindsTheSmallest(t *testing.T) {
	in, err := Chase{Load: 4, Height: 4}.Run(t.Context())
	if err != nil || in == nil {
		t.Fatal("nothing found", err)
	}
	if sum, _ := in.Sum(); len(in.Buffers) != 7 || sum != 11 || in.Load() != 4 {
		t.Errorf("%d buffers of %d bytes, load %d", len(in.Buffers), sum, in.Load())
	}
	checkAbove(t, in, 4)
}

// TestAboveFiveFourths: load 7 and optimum above 8.
func TestAboveFiveFourths(t *testing.T) {
	in, err := Chase{Load: 7, Height: 8, Width: 400}.Run(t.Context())
	if err != nil || in == nil {
		t.Fatal("nothing found", err)
	}
	if in.Load() != 7 {
		t.Errorf("load %d", in.Load())
	}
	checkAbove(t, in, 8)
	t.Logf("%d buffers: %v", len(in.Buffers), in.Buffers)
}

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

func TestRepeats(t *testing.T) {
	c := Chase{Load: 5, Height: 5, Noise: 500, Seed: 3}
	a, _ := c.Run(t.Context())
	b, _ := c.Run(t.Context())
	if a == nil || !reflect.DeepEqual(a, b) {
		t.Errorf("%v, then %v", a, b)
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
	if _, err := (Chase{Load: 4, Height: 32}).Run(t.Context()); err == nil {
		t.Error("a height of 32, and no error")
	}
	in := &model.Instance{Buffers: []model.Buffer{{ID: "a", Life: model.Interval{Start: 0, End: 1}, Size: 1, Align: 2}}}
	if _, err := Fits(in, 4); err == nil {
		t.Error("an alignment, and no error")
	}
}

func TestLog(t *testing.T) {
	for _, x := range []uint64{1, 2, 3, 5, 7, 1000, 1 << 40, math.MaxUint64} {
		want := math.Log2(float64(x)) * 1024
		if got := float64(log(x)); got > want+1e-6 || got < want-1-1e-6 {
			t.Errorf("log %d = %v/1024, want %v", x, got, want)
		}
	}
}
