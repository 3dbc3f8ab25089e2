package anytime

import (
	"context"
	"math/rand/v2"
	"testing"

	"memplan/corpus"
)

// Where sweeps do not come far on a large instance the mixture has loose ones;
// they lower the peak step by step, and the same way every time.
func TestLooseSweepsImprove(t *testing.T) {
	in, err := corpus.Generate("always-full-700-1")
	if err != nil {
		t.Fatal(err)
	}
	start, err := insertions(nil, 1, 1).Plan(context.Background(), in)
	if err != nil {
		t.Fatal(err)
	}
	improve := func() (peaks []int64) {
		f := NewFinder(in, 1, nil)
		f.Know(start)
		dealt := 0
		for _, turn := range f.mixture(1) {
			if l, ok := turn.task.(*loose); ok {
				dealt++
				w := f.known
				for range 2 {
					out := l.run(context.Background(), w, 150_000, rand.New(rand.NewPCG(1, 1)))
					if out.plan == nil {
						continue
					}
					valid(t, in, out.plan)
					w.learn(out.plan)
					peaks = append(peaks, w.peak)
				}
			}
		}
		if dealt != 2 {
			t.Fatalf("%d loose sweeps were dealt out", dealt)
		}
		f.sweeps[0].far = true
		for _, turn := range f.mixture(1) {
			if _, ok := turn.task.(*loose); ok {
				t.Fatal("a loose sweep was dealt out where another came far")
			}
		}
		return peaks
	}
	peaks := improve()
	t.Log(peaks)
	if len(peaks) < 2 || peaks[len(peaks)-1] > in.Load()*6/5 {
		t.Errorf("peaks %v", peaks)
	}
	for k, peak := range improve() {
		if peak != peaks[k] {
			t.Fatalf("other peaks: %v", peaks)
		}
	}
}
