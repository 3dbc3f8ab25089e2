package main

import (
	"bytes"
	"fmt"
	"slices"

	"memplan/ilp"
	"memplan/model"
	"memplan/model/csv"
	"memplan/model/json"
	"memplan/results"
)

// replan is a choice of planner with what keeps the old plan.
func (o *planFlags) replan(e *env, src *source, choice results.Choice) (results.Choice, error) {
	places, err := e.readPlaces(o.from)
	if err != nil {
		return choice, err
	}
	if src.graph == nil && len(src.task.Arenas) > 1 {
		return choice, fail(exitUsage, "--from is for one arena; FILE has %d", len(src.task.Arenas))
	}
	paired := slices.ContainsFunc(src.task.Arenas, func(in *model.Instance) bool { return len(in.Pairs) > 0 })
	if o.fewest && paired {
		return choice, fail(exitUsage, "--fewest-moved: %w", ilp.ErrPairs)
	}
	o.replanning = &results.Replanning{Old: places, Fewest: o.fewest}
	return o.replanning.Choice(choice, o.solver.settings(nil)), nil
}

// readPlaces reads where a plan of whatever FILE has its buffers.
func (e *env) readPlaces(file string) ([]model.Place, error) {
	data, kind, err := e.planText(file)
	if err != nil {
		return nil, err
	}
	if kind == kindJSON {
		return json.ReadPlaces(bytes.NewReader(data), file)
	}
	return csv.ReadPlaces(bytes.NewReader(data), file)
}

// moved says in a line how much of an old plan is kept.
func moved(m *json.Moved) string {
	text := fmt.Sprintf("%d of %d buffers, %d bytes; %d are new", m.Moved, m.Moved+m.Kept, m.Bytes, m.New)
	switch {
	case m.Least == nil:
		return text
	case *m.Least == m.Bytes:
		return text + "; by HiGHS's word a plan of this peak moves no fewer bytes"
	}
	return fmt.Sprintf("%s; by HiGHS's word a plan of this peak moves at least %d bytes", text, *m.Least)
}
