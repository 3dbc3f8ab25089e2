package model

import "testing"

func TestHardness(t *testing.T) {
	in := &Instance{Buffers: []Buffer{
		{ID: "a", Life: Interval{0, 4}, Size: 2},
		{ID: "b", Life: Interval{1, 2}, Size: 5},
		{ID: "c", Life: Interval{2, 3}, Size: 2, Gaps: nil},
		{ID: "d", Life: Interval{0, 9}, Size: 0},
		{ID: "e", Life: Interval{6, 9}, Size: 1},
	}}
	want := Hardness{Buffers: 5, Load: 7, Largest: 5, Conflicts: 2, Pairs: 10, Sizes: 4, Sections: 5, MostLive: 2}
	if got := in.Hardness(); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got := (&Instance{}).Hardness(); got != (Hardness{}) {
		t.Errorf("of nothing: %+v", got)
	}
}
