package heuristics_test

import (
	"context"
	"fmt"

	"memplan/heuristics"
	"memplan/model"
	"memplan/verify"
)

// three is an instance of three buffers: a and b are live at step 1, b and c at
// step 2.
var three = &model.Instance{Buffers: []model.Buffer{
	{ID: "a", Life: model.Interval{Start: 0, End: 2}, Size: 6},
	{ID: "b", Life: model.Interval{Start: 1, End: 3}, Size: 4},
	{ID: "c", Life: model.Interval{Start: 2, End: 4}, Size: 5},
}}

// A planner's value is its settings; the zero value is its default.
func ExampleDecreasing() {
	res, err := heuristics.Decreasing{}.Plan(context.Background(), three)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("holds:", verify.Plan(three, *res.Plan) == nil)
	for i, b := range three.Buffers {
		fmt.Println(b.ID, "at", res.Plan.Offsets[i])
	}
	fmt.Println("peak", res.Plan.Peak(three), "load", three.Load())
	// Output:
	// holds: true
	// a at 0
	// b at 6
	// c at 0
	// peak 10 load 10
}

// Planners are compared by the peaks of their plans; those that draw take a seed.
func ExampleAll() {
	for _, p := range heuristics.All()[:5] {
		if s, draws := p.(heuristics.Seeded); draws {
			p = s.WithSeed(7)
		}
		res, err := p.Plan(context.Background(), three)
		if err != nil {
			fmt.Println(p.Name(), err)
			continue
		}
		fmt.Println(res.Plan.Peak(three), p.Name())
	}
	// Output:
	// 15 no-reuse
	// 10 greedy-colouring
	// 10 online-first-fit
	// 10 online-best-fit
	// 10 first-fit-decreasing
}

// reverse places the buffers from the last to the first, each on top of all
// before it.
type reverse struct{}

func (reverse) Name() string { return "reverse" }

func (reverse) Plan(_ context.Context, in *model.Instance) (model.Result, error) {
	plan := &model.Plan{Offsets: make([]int64, len(in.Buffers))}
	var top int64
	for i := len(in.Buffers) - 1; i >= 0; i-- {
		plan.Offsets[i] = top
		top += in.Buffers[i].Size
	}
	return model.Result{Plan: plan}, nil
}

// A planner of one's own has a name and a method Plan. Among those of this
// package it has a Definition too, and a line in All.
func ExamplePlanner() {
	var p model.Planner = reverse{}
	res, err := p.Plan(context.Background(), three)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(p.Name(), res.Plan.Offsets, "holds:", verify.Plan(three, *res.Plan) == nil)
	// Output:
	// reverse [9 5 0] holds: true
}
