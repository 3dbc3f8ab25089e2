package model

import (
	"math"
	"strings"
	"testing"
)

func pinned(off int64) *int64 { return &off }

// Each fault of an instance has its message, names its buffer, and hides no
// other: the instance holds all of them at once.
func TestValidateReportsEveryFault(t *testing.T) {
	in := &Instance{Capacity: -1, Buffers: []Buffer{
		{ID: "root", Life: Interval{0, 4}, Size: 8, Align: 4},
		{ID: "root", Life: Interval{0, 4}, Size: 8},
		{ID: "reversed", Life: Interval{4, 3}},
		{ID: "empty", Life: Interval{4, 4}},
		{ID: "negative", Life: Interval{0, 1}, Size: -1},
		{ID: "align", Life: Interval{0, 1}, Align: -2},
		{ID: "below", Life: Interval{0, 1}, Offset: pinned(-1)},
		{ID: "odd", Life: Interval{0, 1}, Align: 4, Offset: pinned(6)},
		{ID: "beyond", Life: Interval{0, 1}, Size: 2, Offset: pinned(math.MaxInt64 - 1)},
		{ID: "outside", Life: Interval{0, 4}, Gaps: []Interval{{3, 5}}},
		{ID: "crossed", Life: Interval{0, 9}, Gaps: []Interval{{3, 5}, {4, 6}}},
		{ID: "hollow", Life: Interval{0, 9}, Gaps: []Interval{{2, 2}}},
		{ID: "dead", Life: Interval{0, 4}, Gaps: []Interval{{0, 4}}},
		{ID: "nowhere", Life: Interval{0, 4}, Tie: &Tie{To: 99}},
		{ID: "chain", Life: Interval{0, 4}, Tie: &Tie{To: 13}},
		{ID: "backwards", Life: Interval{0, 4}, Tie: &Tie{To: 0, Delta: -4}},
		{ID: "crooked", Life: Interval{0, 4}, Align: 4, Tie: &Tie{To: 0, Delta: 6}},
		{ID: "twice", Life: Interval{0, 4}, Offset: pinned(0), Tie: &Tie{To: 0}},
	}}
	wants := []string{
		`capacity -1 is negative`,
		`buffer "root": duplicate id; buffer number 1 has it too`,
		`buffer "reversed": lifetime [4,3) is reversed`,
		`buffer "empty": lifetime [4,4) is empty`,
		`buffer "negative": size -1 is negative`,
		`buffer "align": alignment -2 is below 1`,
		`buffer "below": pinned offset -1 is negative`,
		`buffer "odd": pinned offset 6 is not a multiple of the alignment 4`,
		`buffer "beyond": pinned offset 9223372036854775806 plus size 2 does not fit in int64`,
		`buffer "outside": gap [3,5) lies outside the lifetime [0,4)`,
		`buffer "crossed": gap [4,6) is out of order or overlaps the gap before`,
		`buffer "hollow": gap [2,2) is empty or reversed`,
		`buffer "dead": its gaps cover the whole lifetime [0,4)`,
		`buffer "nowhere": tied to buffer number 100, which is not an untied other buffer`,
		`buffer "chain": tied to buffer number 14, which is not an untied other buffer`,
		`buffer "backwards": tied at the negative distance -4`,
		`buffer "crooked": alignment 4 does not divide the tie's distance 6 and the alignment 4 of "root"`,
		`buffer "twice": both tied and pinned; pin "root" instead`,
	}
	err := in.Validate()
	if err == nil {
		t.Fatal("no fault found")
	}
	got := strings.Split(err.Error(), "\n")
	if len(got) != len(wants) {
		t.Errorf("%d faults, want %d", len(got), len(wants))
	}
	for _, want := range wants {
		if !strings.Contains(err.Error(), want+"\n") && !strings.HasSuffix(err.Error(), want) {
			t.Errorf("missing: %s", want)
		}
	}
	if t.Failed() {
		t.Log(err)
	}
}

// What only shows once every buffer is sound by itself.
func TestValidateTogether(t *testing.T) {
	whole := Interval{0, 2}
	for _, c := range []struct {
		name    string
		buffers []Buffer
		want    string // "" = valid
	}{
		{"empty", nil, ""},
		{"pins that touch in bytes", []Buffer{
			{ID: "a", Life: whole, Size: 4, Offset: pinned(0)}, {ID: "b", Life: whole, Size: 4, Offset: pinned(4)}}, ""},
		{"pins that touch in time", []Buffer{
			{ID: "a", Life: Interval{0, 1}, Size: 4, Offset: pinned(0)}, {ID: "b", Life: Interval{1, 2}, Size: 4, Offset: pinned(0)}}, ""},
		{"pins that clash", []Buffer{
			{ID: "a", Life: whole, Size: 4, Offset: pinned(0)}, {ID: "b", Life: whole, Size: 4, Offset: pinned(3)}},
			`buffer "b": pinned onto "a" while both are live`},
		{"a pin in another's gap", []Buffer{
			{ID: "a", Life: Interval{0, 3}, Size: 4, Offset: pinned(0), Gaps: []Interval{{1, 2}}},
			{ID: "b", Life: Interval{1, 2}, Size: 4, Offset: pinned(0)}}, ""},
		{"an empty pin clashes with nothing", []Buffer{
			{ID: "a", Life: whole, Size: 4, Offset: pinned(0)}, {ID: "b", Life: whole, Offset: pinned(2)}}, ""},
		{"a tied buffer on a pin", []Buffer{
			{ID: "a", Life: Interval{0, 1}, Size: 4, Offset: pinned(0)}, {ID: "b", Life: whole, Size: 4, Tie: &Tie{To: 0, Delta: 4}},
			{ID: "c", Life: whole, Size: 1, Offset: pinned(7)}},
			`buffer "c": pinned onto "b" while both are live`},
		{"a tie that follows its root in time", []Buffer{
			{ID: "a", Life: Interval{1, 2}, Size: 8}, {ID: "b", Life: Interval{0, 1}, Size: 4, Tie: &Tie{To: 0, Delta: 4}}}, ""},
		{"a body that overlaps itself", []Buffer{
			{ID: "a", Life: Interval{0, 2}, Size: 8}, {ID: "b", Life: Interval{0, 1}, Size: 4, Tie: &Tie{To: 0, Delta: 4}}},
			`buffer "b": tied so that it overlaps "a" while both are live`},
		{"an id again, at once", []Buffer{{ID: "b9", Life: whole}, {ID: "b10", Life: whole}, {ID: "b10", Life: whole}},
			`buffer "b10": duplicate id; buffer number 2 has it too`},
		{"an id again, later", []Buffer{{ID: "b9", Life: whole}, {ID: "b10", Life: whole}, {ID: "b9", Life: whole}},
			`buffer "b9": duplicate id; buffer number 1 has it too`},
		{"a load of 2^63", []Buffer{
			{ID: "a", Life: whole, Size: 1 << 62}, {ID: "b", Life: whole, Size: 1 << 62}},
			`the live bytes at one step do not fit in int64`},
		{"a load of 2^63-1, a sum beyond", []Buffer{
			{ID: "a", Life: Interval{0, 1}, Size: math.MaxInt64}, {ID: "b", Life: Interval{1, 2}, Size: math.MaxInt64}}, ""},
		{"the whole range of time", []Buffer{
			{ID: "a", Life: Interval{math.MinInt64, math.MaxInt64}, Size: 1}}, ""},
	} {
		err := (&Instance{Buffers: c.buffers}).Validate()
		if got := errorText(err); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestCheckedArithmetic(t *testing.T) {
	const most = math.MaxInt64
	for _, c := range []struct {
		a, b int64
		add  bool
		mul  bool
	}{{0, 0, true, true}, {most, 0, true, true}, {most, 1, false, true}, {1 << 62, 2, true, false}, {1 << 31, 1 << 31, true, true}, {1 << 32, 1 << 32, true, false}, {most, most, false, false}} {
		if _, ok := Add(c.a, c.b); ok != c.add {
			t.Errorf("Add(%d, %d): %v", c.a, c.b, ok)
		}
		if _, ok := Mul(c.a, c.b); ok != c.mul {
			t.Errorf("Mul(%d, %d): %v", c.a, c.b, ok)
		}
	}
	for _, c := range []struct{ x, align, want int64 }{{0, 64, 0}, {1, 64, 64}, {64, 64, 64}, {65, 0, 65}, {7, 1, 7}, {9, 6, 12}} {
		if got, ok := AlignUp(c.x, c.align); !ok || got != c.want {
			t.Errorf("AlignUp(%d, %d) = %d, %v", c.x, c.align, got, ok)
		}
	}
	if _, ok := AlignUp(most, 64); ok {
		t.Error("AlignUp past int64 passes")
	}
}
