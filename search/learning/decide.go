package learning

import "memplan/model"

// A Question asks whether buffers, clipped to a window, fit below a height.
type Question struct {
	Window model.Interval   // steps
	Height int64            // bytes: the largest peak allowed
	Only   func(i int) bool // which buffers of the instance; nil: all that live in the window
	Seed   int64            // of the order in which pairs are first tried
}

// An Answer is a refutation, a plan, or neither.
type Answer struct {
	Refutation *model.Refutation // they do not fit: why
	Buffers    []int             // what the question was about, as indexes
	Offsets    []int64           // they fit: where each of Buffers goes, ties left aside
	Work       int64             // units done
	Conflicts  int64
	Declined   bool // too large for this search
}

// Decide searches for about so many units of work. It never guesses: an answer
// without refutation and offsets means that nothing is known.
func Decide(in *model.Instance, q Question, work int64) Answer {
	p := newProblem(in, q.Window, q.Height, q.Only)
	if p == nil {
		return Answer{Declined: true}
	}
	s := newSolver(p, q.Seed)
	return s.answer(q, s.solve(work))
}

// answer puts a verdict into the terms of the question.
func (s *solver) answer(q Question, v verdict) Answer {
	a := Answer{Buffers: s.p.buffer, Work: s.work / workUnit, Conflicts: s.conflicts}
	switch v {
	case refuted:
		a.Refutation = s.refutation(q.Window, q.Height)
	case planned:
		a.Offsets = s.offsets()
	}
	return a
}
