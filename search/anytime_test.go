package search

import (
	"context"
	"reflect"
	"testing"

	"memplan/model"
)

// A fixedStart is a planner with one plan.
type fixedStart struct{ plan model.Plan }

func (s fixedStart) Name() string { return "start" }
func (s fixedStart) Plan(context.Context, *model.Instance) (model.Result, error) {
	return model.Result{Plan: &s.plan}, nil
}

// Without time the start is the result; with it the result is better, and the
// same for any number of threads, but for the times of its trace.
func TestAnytimeImprovesItsStart(t *testing.T) {
	in := &model.Instance{Name: "stairs"}
	start := model.Plan{}
	for k := range int64(40) {
		size := 1 + k*k%17
		in.Buffers = append(in.Buffers, model.Buffer{ID: string(rune('0' + k)), Life: model.Interval{Start: k, End: k + 5}, Size: size})
		start.Offsets = append(start.Offsets, 20*k)
	}
	ctx, stop := context.WithCancel(context.Background())
	stop()
	a := Anytime{Starts: []model.Planner{fixedStart{start}}, Work: 1 << 16}
	res, err := a.Plan(ctx, in)
	if err != nil || !reflect.DeepEqual(*res.Plan, start) {
		t.Fatalf("%v, %v", res.Plan, err)
	}
	var want model.Result
	for a.Threads = 1; a.Threads <= 3; a.Threads++ {
		res, err := a.Plan(context.Background(), in)
		if err != nil || res.Plan.Peak(in) >= start.Peak(in)/2 {
			t.Fatalf("peak %d from %d: %v", res.Plan.Peak(in), start.Peak(in), err)
		}
		for k := range res.Stats.Trace {
			res.Stats.Trace[k].Elapsed = 0
		}
		if a.Threads == 1 {
			want = res
		} else if !reflect.DeepEqual(res, want) {
			t.Fatalf("%d threads differ from one", a.Threads)
		}
	}
}
