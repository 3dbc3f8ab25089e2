package anytime

import (
	"context"
	"math"
	"math/rand/v2"

	"memplan/search/learning"
	"memplan/search/tiling"
)

// A sweep is a task: the search for a plan without a free byte, along time or
// against it, that is in hand goes on, or the next begins. The first are ever
// wider; later ones are led by chance too.
type sweep struct {
	problem *tiling.Problem
	against bool // time
	seed    int64
	search  *tiling.Sweep // nil: none in hand
	begun   int64
	far     bool // one came a good part of the way
}

// newSweeps are the sweeps along time and against it.
func newSweeps(p *tiling.Problem, seed int64) [2]*sweep {
	return [2]*sweep{{problem: p, seed: seed}, {problem: p, seed: seed, against: true}}
}

// early reports whether the first sweeps, which come before all else, are not
// over yet.
func (s *sweep) early() bool {
	return s.begun < tuned.firstSweeps || s.begun == tuned.firstSweeps && s.search != nil
}

func (s *sweep) run(ctx context.Context, w known, share int64, _ *rand.Rand) outcome {
	if s.search == nil {
		s.search = s.next()
	}
	now, out := s.search, w.outcome(sweeping)
	before := now.Work()
	if now.Run(ctx, share) {
		s.search = nil
		out.take(w.in, now.Plan())
		events, of := now.Far()
		s.far = s.far || tuned.farSweep*events >= of
	}
	if now.Hopeless() {
		out.none = w.least
	}
	out.effort.Work = now.Work() - before
	return out
}

// next begins a sweep.
func (s *sweep) next() *tiling.Sweep {
	n := s.begun
	s.begun++
	o := tiling.Options{Width: 1 << (2 * n), Backwards: s.against}
	if n >= tuned.plainSweeps {
		o.Width, o.Noise = tuned.sweepWidth*int(learning.Luby(n-tuned.plainSweeps+1)), tuned.sweepNoise
		stream := math.MaxUint64/2 + 2*uint64(n)
		if s.against {
			stream++
		}
		o.Rand = rand.New(rand.NewPCG(uint64(s.seed), stream))
	}
	return s.problem.Sweep(o)
}
