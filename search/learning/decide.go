package learning

import (
	"context"

	"memplan/model"
)

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
	Learnt     int64             // contradictions that it learnt from
	Declined   bool              // too large for this search
}

// Decide searches for about so many units of work. It never guesses: an answer
// without refutation and offsets means that nothing is known.
func Decide(in *model.Instance, q Question, work int64) Answer {
	s := Ask(in, q)
	if s == nil {
		return Answer{Declined: true}
	}
	return s.Run(context.Background(), work)
}

// A Search works on a question bit by bit.
type Search struct {
	question Question
	solver   *solver
}

// Ask states a question; nil where it is too large.
func Ask(in *model.Instance, q Question) *Search {
	p := newProblem(in, q.Window, q.Height, q.Only)
	if p == nil {
		return nil
	}
	return &Search{q, newSolver(p, q.Seed)}
}

// Run goes on for about so many units of work, until there is an answer or ctx
// ends. What the answer says of work and contradictions is of all calls together.
func (s *Search) Run(ctx context.Context, work int64) Answer {
	stop := s.solver.work + work*tuned.stepsPerUnit
	for {
		v := s.solver.until(min(stop, s.solver.work+tuned.clockUnits*tuned.stepsPerUnit))
		if v != unknown || s.solver.work >= stop || ctx.Err() != nil {
			return s.solver.answer(s.question, v)
		}
	}
}

// answer puts a verdict into the terms of the question.
func (s *solver) answer(q Question, v verdict) Answer {
	a := Answer{Buffers: s.p.buffer, Work: s.work / tuned.stepsPerUnit, Learnt: s.learnt}
	switch v {
	case refuted:
		a.Refutation = s.refutation(q.Window, q.Height)
	case planned:
		a.Offsets = s.offsets()
	}
	return a
}
