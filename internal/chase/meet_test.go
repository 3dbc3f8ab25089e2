package chase

import (
	"context"
	"reflect"
	"testing"
)

// Ratios found from nothing but load and height.
func TestMeetingFinds(t *testing.T) {
	for _, m := range []Meeting{
		{Load: 4, Height: 4, Live: 3},
		{Load: 7, Height: 8, Live: 3, Keep: 100},
		{Load: 10, Height: 12, Live: 3, Keep: 400, Power: 2},
	} {
		in, _, none, err := m.Run(t.Context())
		if err != nil || in == nil || none {
			t.Fatalf("%+v: nothing found, %v", m, err)
		}
		if in.Load() != m.Load {
			t.Errorf("%+v: load %d", m, in.Load())
		}
		checkAbove(t, in, m.Height)
		if again, _, _, _ := m.Run(t.Context()); !reflect.DeepEqual(in, again) {
			t.Errorf("%+v: another instance the second time", m)
		}
	}
}

// What is impossible, with how many sets that takes to see; and an end that comes
// first says nothing.
func TestMeetingExhausts(t *testing.T) {
	for _, c := range []struct {
		load, height int64
		live, sets   int
	}{{3, 3, 3, 23}, {4, 5, 4, 44}, {5, 6, 5, 453}, {7, 9, 4, 2211}, {6, 7, 4, 4127}, {9, 11, 3, 1686}, {12, 15, 3, 5381}} {
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
