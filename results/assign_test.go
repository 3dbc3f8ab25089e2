package results

import (
	"testing"

	"memplan/ilp/highs"
	"memplan/internal/shared"
	"memplan/model"
	"memplan/model/graph"
)

// Without time for the integer program spaces are chosen greedily, which says
// that something better may be possible; with it they are exact.
func TestAssignWithinItsTime(t *testing.T) {
	at := func(id string, bytes int64) graph.Item {
		return graph.Item{ID: id, Spaces: []int{0, 1}, Bytes: bytes, Life: model.Interval{Start: 0, End: 1}, Size: bytes}
	}
	a := &graph.Assignment{Items: []graph.Item{at("a", 4), at("b", 3), at("c", 3)}, Capacities: []int64{6, 0}} // greedy: a alone fits
	if r, err := Assign(0)(a); err != nil || r.Outside != 6 || r.Exact {
		t.Errorf("%+v, %v", r, err)
	}
	if _, _, err := highs.Find(); err != nil {
		shared.Missing(t, err.Error())
	}
	if r, err := Assign(-1)(a); err != nil || r.Outside != 4 || !r.Exact {
		t.Errorf("%+v, %v", r, err)
	}
}
