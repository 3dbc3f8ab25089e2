package model

import "testing"

// A long chain of pairs is merged as far as its work goes.
func TestMergingEnds(t *testing.T) {
	const n = 20_000
	in := &Instance{Buffers: make([]Buffer, n)}
	for i := range in.Buffers {
		in.Buffers[i] = Buffer{Life: Interval{int64(i), int64(i) + 2}, Size: 4}
		if i > 0 {
			in.Pairs = append(in.Pairs, Pair{Over: i, Under: i - 1, Equal: true})
		}
	}
	m := merge(in, TakeAll)
	if m.merged < 1000 || m.merged == n-1 || m.work > maxWork+2*n {
		t.Errorf("%d merged by %d looks", m.merged, m.work)
	}
}

// What a buffer is tied to does not become one with what is born before that ends.
func TestMergingKeepsTies(t *testing.T) {
	in := &Instance{
		Buffers: []Buffer{{ID: "a", Life: Interval{0, 3}, Size: 1}, {ID: "b", Life: Interval{0, 3}, Size: 3}, {ID: "c", Life: Interval{2, 4}, Size: 3}},
		Pairs:   []Pair{{Over: 0, Under: 2, Equal: true}, {Over: 1, Under: 2, Distance: 1, Equal: true}},
	}
	m := in.Merge(TakeAll)
	if err := m.Instance.Validate(); err != nil || m.Taken != 1 || m.Instance.Buffers[0].Tie == nil {
		t.Errorf("%v: %+v", err, m)
	}
}

// Of two that may lie in a third and share bytes with one another, both born
// before it, one alone is tied to it: the planner would place both.
func TestMergingTiesNoTwoOverOneAnother(t *testing.T) {
	in := &Instance{Buffers: []Buffer{
		{ID: "first", Life: Interval{0, 8}, Size: 2},
		{ID: "second", Life: Interval{6, 8}, Size: 16},
		{ID: "whole", Life: Interval{7, 9}, Size: 20},
	}, Pairs: []Pair{
		{Over: 0, Under: 2, Distance: 1, Equal: true},
		{Over: 1, Under: 2, Distance: 0, Equal: true},
		{Over: 0, Under: 1, Distance: 1, Equal: true},
	}}
	m := in.Merge(TakeAll)
	tied := 0
	for _, b := range m.Instance.Buffers {
		if b.Tie != nil {
			tied++
		}
	}
	if m.Taken != 1 || tied != 1 {
		t.Errorf("%d pairs taken, %d buffers tied: %v", m.Taken, tied, m.Instance.Buffers)
	}
}
