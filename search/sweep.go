package search

import (
	"context"
	"math"
	"math/rand/v2"

	"memplan/search/learning"
	"memplan/search/tiling"
)

// tilings are the sweeps for a plan without a free byte that are in hand.
type tilings struct {
	problem *tiling.Problem // nil: not for this instance
	load    int64
	now     [2]*tiling.Sweep // along time, and against it; nil: none as yet
	begun   [2]int64
	work    int64 // of all sweeps
}

// sweeps reports whether there may still be a plan without a free byte.
func (f *finder) sweeps() bool { return f.tilings.problem != nil && f.least == f.tilings.load }

// firstSweeps are so quick that they come before all else.
const firstSweeps = 2

// first reports whether the first sweeps are not over yet.
func (s *tilings) first() bool {
	for k, n := range s.begun {
		if n < firstSweeps || n == firstSweeps && s.now[k] != nil {
			return true
		}
	}
	return false
}

// sweep is a task: the sweep in hand goes on, or the next begins. The first are
// ever wider; later ones have luck for a guide.
func (f *finder) sweep(k int, share int64) task {
	if f.tilings.now[k] == nil {
		f.tilings.now[k] = f.nextSweep(k)
	}
	s, w := f.tilings.now[k], f.knowledge
	return func(ctx context.Context, _ *rand.Rand) outcome {
		out := outcome{source: sweeping, peak: w.peak, none: -1}
		before := s.Work()
		if s.Run(ctx, share) {
			f.tilings.now[k] = nil
			out.take(w.in, s.Plan())
		}
		if s.Hopeless() {
			out.none = w.least
		}
		out.effort.Work = s.Work() - before
		return out
	}
}

const (
	wideSweeps = 4  // sweeps without noise, each four times as wide as the last
	sweepWidth = 16 // of those with, times Luby's sequence
	sweepNoise = 1  // bit
)

func (f *finder) nextSweep(k int) *tiling.Sweep {
	n := f.tilings.begun[k]
	f.tilings.begun[k]++
	o := tiling.Options{Width: 1 << (2 * n), Backwards: k > 0}
	if n >= wideSweeps {
		o.Width, o.Noise = sweepWidth*int(learning.Luby(n-wideSweeps+1)), sweepNoise
		o.Rand = rand.New(rand.NewPCG(uint64(f.seed), math.MaxUint64/2+2*uint64(n)+uint64(k)))
	}
	return f.tilings.problem.Sweep(o)
}
