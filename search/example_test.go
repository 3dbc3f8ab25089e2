package search_test

import (
	"context"
	"fmt"

	"memplan/heuristics"
	"memplan/model"
	"memplan/search"
	"memplan/search/anytime"
	"memplan/search/learning"
	"memplan/verify"
)

// above is an instance of load 4 of which no plan has a peak below 5.
func above() *model.Instance {
	in := &model.Instance{Name: "above"}
	for _, r := range [][3]int64{{0, 1, 2}, {0, 2, 2}, {1, 3, 1}, {1, 4, 1}, {2, 4, 1}, {3, 5, 2}, {4, 5, 2}} {
		in.Buffers = append(in.Buffers, model.Buffer{ID: fmt.Sprint("b", len(in.Buffers)), Life: model.Interval{Start: r[0], End: r[1]}, Size: r[2]})
	}
	return in
}

// The exact planner is given a planner to start from, and engines: here one that
// finds plans, and one that proves bounds.
func ExampleRace() {
	in := above()
	race := search.Race{
		Starts: []model.Planner{heuristics.Decreasing{}},
		Engines: func(in *model.Instance) []model.Engine {
			return []model.Engine{anytime.NewEngine(in, 0, nil), &learning.Engine{Instance: in}}
		},
	}
	res, err := race.Plan(context.Background(), in)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(res.Status(in), "peak", res.Plan.Peak(in), "bound", res.Bound, "load", in.Load())
	fmt.Println("the plan holds:", verify.Plan(in, *res.Plan) == nil)
	fmt.Println("the proof replays:", verify.Certificate(in, res.Certificate) == nil)
	// Output:
	// optimal peak 5 bound 5 load 4
	// the plan holds: true
	// the proof replays: true
}

// The anytime planner is limited by counted work, or by its context.
func ExampleAnytime() {
	in := above()
	p := search.Anytime{Starts: []model.Planner{heuristics.NoReuse{}}, Work: 1 << 16}
	res, err := p.Plan(context.Background(), in)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("peak", res.Plan.Peak(in), "bound", res.Bound)
	// Output:
	// peak 5 bound 4
}
