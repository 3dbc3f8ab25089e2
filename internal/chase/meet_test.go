package chase

import (
	"context"
	"reflect"
	"testing"

	"memplan/internal/shared"
)

// Ratios found from nothing but load and height.
func TestMeetingFinds(t *testing.T) {
	list := []Meeting{
		{Load: 4, Height: 4, Live: 3},
		{Load: 7, Height: 8, Live: 3, Keep: 100},
		{Load: 10, Height: 12, Live: 3, Keep: 100, Seed: 1},
		{Load: 13, Height: 16, Live: 4, Least: 2, Keep: 40, Seed: 1},
	}
	if shared.Many(1) > 1 { // some seconds each
		list = append(list, Meeting{Load: 16, Height: 20, Live: 4, Least: 2, Keep: 40, Seed: 1}, Meeting{Load: 19, Height: 24, Live: 4, Least: 3, Keep: 40, Seed: 1})
	}
	for _, m := range list {
		in, _, none, err := m.Run(t.Context())
		if err != nil || in == nil || none {
			t.Errorf("%+v: nothing found, %v", m, err)
			continue
		}
		if in.Load() != m.Load {
			t.Errorf("%+v: load %d", m, in.Load())
		}
		checkAbove(t, in, m.Height)
		if m.Load > 10 {
			continue
		}
		if again, _, _, _ := m.Run(t.Context()); !reflect.DeepEqual(in, again) {
			t.Errorf("%+v: another instance the second time", m)
		}
	}
}

// What is impossible, with how many sets that takes to see; and an end that comes
// first says nothing.
func TestMeetingExhausts(t *testing.T) {
	type claim struct {
		load, height int64
		live, sets   int
	}
	list := []claim{{3, 3, 3, 20}, {4, 5, 4, 40}, {5, 6, 5, 449}, {7, 9, 4, 2111}, {6, 7, 4, 3501}, {9, 11, 3, 1669}, {12, 15, 3, 5332},
		{13, 16, 3, 50377}, {15, 19, 3, 15689}, {17, 22, 3, 19407}}
	if shared.Many(1) > 1 { // ten seconds in all
		list = append(list, claim{16, 20, 3, 156715}, claim{19, 24, 3, 336104}, claim{20, 26, 3, 44595}, claim{23, 29, 3, 1014460})
	}
	for _, c := range list {
		m := Meeting{Load: c.load, Height: c.height, Live: c.live}
		in, sets, none, err := m.Run(t.Context())
		if in != nil || !none || err != nil || sets != c.sets {
			t.Errorf("%+v: %v after %d sets, %v, %v", m, none, sets, in, err)
		}
	}
	ended, stop := context.WithCancel(t.Context())
	stop()
	if in, _, none, _ := (Meeting{Load: 7, Height: 9, Live: 4}).Run(ended); in != nil || none {
		t.Error("an end that came first is taken for an answer")
	}
}
