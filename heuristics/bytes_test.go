package heuristics_test

import (
	"context"
	"testing"

	"memplan/heuristics"
	"memplan/model"
)

// What has no bytes takes no room, wherever it is pinned or tied: a search must
// not shun a place for it.
func TestNoBytesNoRoom(t *testing.T) {
	far := int64(100)
	in := &model.Instance{Buffers: []model.Buffer{
		{ID: "one", Life: model.Interval{Start: 2, End: 3}, Size: 1},
		{ID: "none", Life: model.Interval{Start: 0, End: 1}, Tie: &model.Tie{To: 0, Delta: 3}},
		{ID: "two", Life: model.Interval{Start: 2, End: 8}, Size: 2, Align: 2},
		{ID: "pinned", Life: model.Interval{Start: 2, End: 3}, Offset: &far},
	}}
	if err := in.Validate(); err != nil {
		t.Fatal(err)
	}
	res, err := heuristics.IteratedLocalSearch{}.Plan(context.Background(), in)
	if err != nil || res.Plan.Peak(in) != 3 {
		t.Errorf("%+v, %v; want a peak of 3", res.Plan, err)
	}
}
