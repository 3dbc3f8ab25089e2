package graph_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"memplan/ilp/highs"
	"memplan/internal/shared"
	"memplan/model"
	"memplan/model/graph"
	"memplan/results"
	"memplan/spill"
	"memplan/verify/copies"

	"pgregory.net/rapid"
)

// Graphs with stores and loads compute what the graphs do that they were made
// of, in two memories, at the addresses of their plans.
func TestFittedGraphsComputeTheSame(t *testing.T) {
	many := shared.Many(400)
	var seen struct{ graphs, stores, loads, elsewhere, reached, stale, late, states int }
	checks(t, fmt.Sprint(many), func(t *rapid.T) {
		g := randomGraph(t)
		g.Spaces = nil
		for i := range g.Tensors {
			g.Tensors[i].Spaces = nil
		}
		o := randomOptions(t)
		o.Concat = false
		if o.Inputs == graph.Kept {
			o.Inputs = graph.Planned
		}
		if o.Outputs == graph.Kept {
			o.Outputs = graph.Planned
		}
		l, err := g.Lower(o)
		if err != nil {
			t.Fatal(err)
		}
		load := int(l.Merged().Arenas[0].Load())
		q := &spill.Question{Graph: g, Lowering: o, Capacity: int64(rapid.IntRange(max(1, load/3), max(1, load)).Draw(t, "capacity")),
			Way: spill.Way(rapid.IntRange(0, 2).Draw(t, "way")), Overlap: rapid.Bool().Draw(t, "overlap")}
		a, err := results.Fit(context.Background(), q, results.Settings{Threads: 1, Limit: -1})
		if err != nil {
			t.Fatalf("%v\n%s", err, dump(l))
		}
		if a.None != nil || a.States {
			return
		}
		f := a.Fitted
		plans := planWithin(t, f.Lowered)
		if err := executeValues(f.Lowered, plans); err != nil {
			t.Fatalf("%v\n%s\n%s", err, dump(f.Lowered), dump(l))
		}
		if err := sameResults(l, f); err != nil {
			t.Fatalf("%v\n%s\n%s", err, dump(f.Lowered), dump(l))
		}
		if err := copies.Check(g, f.Graph); err != nil {
			t.Fatalf("%v\n%s\n%s", err, dump(f.Lowered), dump(l))
		}
		seen.graphs++
		seen.stores += len(f.Stores)
		seen.loads += len(f.Loads)
		if slices.ContainsFunc(f.Graph.Tensors, func(x graph.Tensor) bool { return x.Kind == graph.Mutable }) {
			seen.states++
		}
		if f.Cost() > 0 && len(f.Loads) == 0 {
			seen.reached++
		}
		for _, load := range f.Loads {
			broken(f, load, plans, &seen.elsewhere, &seen.stale, &seen.late)
		}
	})
	t.Logf("%+v", seen)
	if _, _, err := highs.Find(); err == nil && (seen.graphs < many/2 || seen.loads < many/50 || many > 1000 && min(seen.stale, seen.late, seen.elsewhere) == 0) {
		t.Errorf("too little was seen: %+v", seen)
	}
}

// planWithin plans the arenas, within their capacities.
func planWithin(t *rapid.T, l *graph.Lowered) (plans []model.Plan) {
	c, err := results.Find("search", results.Settings{Threads: 1, Limit: -1})
	if err != nil {
		t.Fatal(err)
	}
	for _, in := range l.Arenas {
		res, err := results.Solve(context.Background(), c.Planner, in)
		if err != nil || in.Capacity > 0 && res.Plan.Peak(in) > in.Capacity {
			t.Fatalf("%v: %+v", err, res)
		}
		plans = append(plans, *res.Plan)
	}
	return plans
}

// broken counts what a machine objects to: an operator that reads what was
// there before a load, and a store that comes when its operand is gone; and
// loads that put a tensor elsewhere.
func broken(f *spill.Fitted, load int, plans []model.Plan, elsewhere, stale, late *int) {
	l := *f.Lowered
	g := *l.Graph
	to, slow := g.Ops[load].Outputs[0], g.Ops[load].Inputs[0]
	store := slices.IndexFunc(g.Ops, func(o graph.Op) bool { return slices.Contains(o.Outputs, slow) })
	if !slices.Contains(f.Stores, store) {
		return
	}
	first := g.Ops[store].Inputs[0]
	at := make(map[string]int64)
	for i, b := range l.Values.Buffers {
		at[b.ID] = l.ValuePlan(plans).Offsets[i]
	}
	if at[g.Tensors[first].ID] != at[g.Tensors[to].ID] {
		*elsewhere++
	}
	g.Ops = slices.Clone(g.Ops)
	for k := range g.Ops {
		g.Ops[k].Inputs = slices.Clone(g.Ops[k].Inputs)
		for i, t := range g.Ops[k].Inputs {
			if t == to {
				g.Ops[k].Inputs[i] = first
			}
		}
	}
	l.Graph = &g
	if executeValues(&l, plans) != nil {
		*stale++
	}
	l.Graph = f.Lowered.Graph
	l.Steps = slices.DeleteFunc(slices.Clone(l.Steps), func(ops []int) bool { return ops[0] == store })
	before := slices.IndexFunc(l.Steps, func(ops []int) bool { return ops[0] == load })
	l.Steps = slices.Insert(l.Steps, before, []int{store})
	if executeValues(&l, plans) != nil {
		*late++
	}
}

// sameResults reports where an operator of a fitted graph, or the caller, gets
// something else than in the graph that it was made of.
func sameResults(l *graph.Lowered, f *spill.Fitted) error {
	before := *l.Graph
	before.Schedule = slices.Concat(l.Steps...)
	was, is := meaningOf(&before), meaningOf(f.Graph)
	stands := func(tokens []token) []token { // as of the graph before
		list := slices.Clone(tokens)
		for k := range list {
			list[k].value = original(l.Graph, f.Graph.Tensors[list[k].value].ID)
		}
		return list
	}
	for o, op := range l.Graph.Ops {
		now := slices.IndexFunc(f.Graph.Ops, func(x graph.Op) bool { return x.ID == op.ID })
		for i, t := range op.Inputs {
			if a, b := was.seen(t, o), stands(is.seen(f.Graph.Ops[now].Inputs[i], now)); !slices.Equal(a, b) {
				return fmt.Errorf("op %q reads %v, and %v in the fitted graph", op.ID, a, b)
			}
		}
	}
	if n := len(f.Graph.Ops) - len(f.Stores) - len(f.Loads); n != len(l.Graph.Ops) {
		return fmt.Errorf("%d operators of %d", n, len(l.Graph.Ops))
	}
	for t := range f.Graph.Tensors { // what a run begins with it leaves for the next
		begins := func(op graph.Op) bool {
			o := slices.IndexFunc(f.Graph.Ops, func(x graph.Op) bool { return x.ID == op.ID })
			return slices.Contains(op.Inputs, t) && slices.Equal(is.seen(t, o), is.own(t, 0))
		}
		if !written(f.Graph, t) || !slices.ContainsFunc(f.Graph.Ops, begins) {
			continue
		}
		x := original(l.Graph, f.Graph.Tensors[t].ID)
		if a, b := was.seen(x, was.end()), stands(is.seen(t, is.end())); !slices.Equal(a, b) {
			return fmt.Errorf("%q ends as %v, and %v in the fitted graph", l.Graph.Tensors[x].ID, a, b)
		}
	}
	outputs := func(m *meaning, g *graph.Graph, as func([]token) []token) map[string]bool {
		set := make(map[string]bool)
		for _, t := range g.Outputs {
			set[fmt.Sprint(as(m.seen(t, m.end())))] = true
		}
		return set
	}
	a, b := outputs(was, l.Graph, func(list []token) []token { return list }), outputs(is, f.Graph, stands)
	if !maps.Equal(a, b) {
		return fmt.Errorf("the caller reads %v, and %v of the fitted graph", a, b)
	}
	return nil
}

// original is the tensor that a piece stands for: ids are those of random
// graphs, without dots.
func original(g *graph.Graph, id string) int {
	name, _, _ := strings.Cut(id, ".")
	return slices.IndexFunc(g.Tensors, func(x graph.Tensor) bool { return x.ID == name })
}
