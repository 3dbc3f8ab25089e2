package main

import (
	"fmt"
	"time"

	"memplan/model"
	"memplan/model/graph"
	"memplan/results"
)

// run plans a source. Where tensors of a graph may go to several memory spaces,
// spaces are chosen anew as long as what is in one is proven not to fit, and there
// is time.
func (e *env) run(src *source, choice results.Choice, grain int64) (results.Outcome, error) {
	if !src.undecided() {
		return results.Run(e.ctx, src.task, choice), nil
	}
	var out results.Outcome
	began := time.Now()
	_, err := src.graph.Graph.LowerToFit(src.how, func(l *graph.Lowered) (tight []graph.Forbidden, err error) {
		src.graph = l
		src.task = &results.Task{Name: src.task.Name, Family: src.task.Family, Spaces: src.task.Spaces, Weights: src.task.Weights, Arenas: l.Arenas, Reserved: l.Reserved}
		if err := src.round(grain); err != nil {
			return nil, err
		}
		out = results.Run(e.ctx, src.task, choice)
		if choice.Limit >= 0 && time.Since(began) > choice.Limit {
			return nil, nil
		}
		for s, in := range src.task.Arenas {
			if res := out.Results[s]; in.Capacity > 0 && res.Proven != nil && res.Proven.Bound > in.Capacity {
				tight = append(tight, l.Forbid(s, res.Proven.Bound))
			}
		}
		return tight, nil
	})
	if src.undecided() && out.Record.Status == model.Infeasible.String() {
		out.Record.Status = model.Unknown.String()
	}
	return out, err
}

// undecided reports whether what does not fit into one memory space might fit
// with another choice of spaces.
func (s *source) undecided() bool { return s.graph != nil && s.graph.Undecided() }

// byWord reports whether it is a solver's word alone that the capacities are
// exceeded whatever goes where.
func (s *source) byWord() bool {
	return s.graph != nil && s.graph.Assigned.Over > 0 && s.graph.Assigned.Word
}

// round rounds the sizes up to multiples of grain bytes; of 0 or 1 it leaves
// them as they are.
func (s *source) round(grain int64) error {
	s.task.Granularity, s.task.Waste = 0, 0
	if grain <= 1 {
		return nil
	}
	s.task.Granularity = grain
	for k, in := range s.task.Arenas {
		rounded, waste, err := in.Rounded(grain)
		if err != nil {
			return fmt.Errorf("%s: %w", in.Name, err)
		}
		for _, bytes := range waste {
			s.task.Waste += bytes
		}
		s.task.Arenas[k] = rounded
	}
	return nil
}
