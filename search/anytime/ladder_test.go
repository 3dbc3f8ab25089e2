package anytime

import (
	"context"
	"testing"

	"memplan/model"
)

// TestLadder: on a staircase whose optimum is its load a ladder's plan holds
// and is lower than what it started from, and its effort is counted.
func TestLadder(t *testing.T) {
	in := &model.Instance{Name: "stairs"}
	for k := range int64(40) {
		size := 1 + k*k%17
		in.Buffers = append(in.Buffers, model.Buffer{ID: string(rune('0' + k)), Life: model.Interval{Start: k, End: k + 5}, Size: size})
	}
	f := NewFinder(in, 1, nil)
	f.learn(stacked(in))
	top := f.peak
	for k, turn := range ladders() {
		out := turn.task.run(context.Background(), f.known, turn.share, nil)
		if out.plan == nil || out.peak >= top/2 || out.plan.Peak(in) != out.peak {
			t.Errorf("ladder %d: peak %d from %d", k, out.peak, top)
		}
		if out.effort.Work == 0 {
			t.Errorf("ladder %d: no work counted", k)
		}
	}
}
