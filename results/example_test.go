package results_test

import (
	"context"
	"fmt"
	"os"

	"memplan/heuristics"
	"memplan/model"
	"memplan/results"
)

// Planners are compared on instances: each run is a record, and records make a
// table. A planner of one's own is a Choice like those of Find.
func ExampleCompare() {
	exact, err := results.Find("exact", results.Settings{Limit: -1, Threads: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	read := func() (*results.Task, error) {
		in := &model.Instance{Name: "above"}
		for k, r := range [][3]int64{{0, 1, 2}, {0, 2, 2}, {1, 3, 1}, {1, 4, 1}, {2, 4, 1}, {3, 5, 2}, {4, 5, 2}} {
			in.Buffers = append(in.Buffers, model.Buffer{ID: fmt.Sprint("b", k), Life: model.Interval{Start: r[0], End: r[1]}, Size: r[2]})
		}
		return &results.Task{Name: in.Name, Arenas: []*model.Instance{in}}, nil
	}
	var records []results.Record
	bench := results.Bench{
		Cases:   []results.Case{{Name: "above", Read: read}},
		Choices: []results.Choice{{Planner: heuristics.NoReuse{}, Limit: -1}, exact},
		Jobs:    1,
		Emit:    func(r results.Record, _ bool) error { records = append(records, r); return nil },
	}
	if err := bench.Run(context.Background()); err != nil {
		fmt.Println(err)
		return
	}
	if err := results.Compare(records).Write(os.Stdout, results.Options{Format: results.Markdown, By: results.ByPlanner}); err != nil {
		fmt.Println(err)
	}
	// Output:
	// **By planner**
	//
	// | planner | mean | worst | on | optimal | best | plans | failed |
	// | :-- | --: | --: | --: | --: | --: | --: | --: |
	// | no-reuse | 2.200 | 2.200 | above | 0 | 0 | 1 | 0 |
	// | exact | 1.000 | 1.000 | above | 1 | 1 | 1 | 0 |
	//
	// mean (geometric) and worst peak/bound over the 1 instances on which all have a plan, 0 left out; optimal, best: instances of 1
}
