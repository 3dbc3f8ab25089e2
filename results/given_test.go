package results

import (
	"context"
	"testing"

	"memplan/model"
)

// A plan made elsewhere is scored like any other, or withheld.
func TestGiven(t *testing.T) {
	for _, c := range []struct {
		offsets []int64
		ok      bool
	}{{[]int64{0, 3}, true}, {[]int64{0, 2}, false}, {[]int64{0}, false}} {
		g := &Given{Label: "mine"}
		task := pair()
		g.Add(task.Arenas[0], model.Result{Plan: &model.Plan{Offsets: c.offsets}}, 7)
		out := Run(context.Background(), task, Choice{Planner: g, Limit: -1})
		if (out.Err == nil) != c.ok || (out.Record.Peak != nil) != c.ok || out.Record.Planner != "mine" || out.Record.Nanoseconds != 7 {
			t.Errorf("%v: %v, %+v", c.offsets, out.Err, out.Record)
		}
	}
	if out := Run(context.Background(), pair(), Choice{Planner: &Given{Label: "mine"}, Limit: -1}); out.Record.Peak != nil || out.Err != nil {
		t.Errorf("without a plan: %+v", out.Record)
	}
}
