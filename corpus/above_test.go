package corpus

import (
	"testing"

	"memplan/internal/chase"
)

// TestAbove: load and optimum of the instances that are far above their load,
// by following all plans.
func TestAbove(t *testing.T) {
	for _, want := range []struct {
		name       string
		load, best int64
	}{{"seven-above", 4, 5}, {"seven-twins", 4, 5}, {"eight-above", 4, 5}, {"nine-sevenths", 7, 9}, {"thirteen-tenths", 10, 13}, {"seventeen-thirteenths", 13, 17}, {"twenty-one-sixteenths", 16, 21},
		{"twenty-five-nineteenths", 19, 25}, {"twenty-nine-twenty-seconds", 22, 29}} {
		e, ok := find(want.name)
		if !ok {
			t.Errorf("%s is not in the manifest", want.name)
			continue
		}
		in := e.Instance()
		if in.Load() != want.load || e.Best != want.best || e.Bound != want.best {
			t.Errorf("%s: load %d, optimum [%d, %d] in the manifest", want.name, in.Load(), e.Bound, e.Best)
		}
		for height, fitting := range map[int64]bool{want.best: true, want.best - 1: false} {
			if fits, err := chase.Fits(in, height); fits != fitting || err != nil {
				t.Errorf("%s: fits %d: %v, %v", want.name, height, fits, err)
			}
		}
	}
}
