package verify

import (
	"errors"
	"fmt"
	"math"
	"math/rand"
	"reflect"
	"slices"
	"strings"
	"testing"

	"memplan/model"
)

func at(v int64) *int64 { return &v }

func buffer(id string, start, end, size int64) model.Buffer {
	return model.Buffer{ID: id, Life: model.Interval{Start: start, End: end}, Size: size}
}

// kinds lists the faults of a plan as "kind buffer other".
func kinds(err error) []string {
	var f *Faults
	if !errors.As(err, &f) {
		return nil
	}
	var got []string
	for _, x := range f.List {
		got = append(got, fmt.Sprint(x.Kind, " ", x.Buffer, " ", x.Other))
	}
	return got
}

func TestEachKindOfFault(t *testing.T) {
	in := &model.Instance{Capacity: 256, Buffers: []model.Buffer{
		buffer("a", 0, 4, 64), buffer("b", 2, 6, 64), buffer("c", 4, 8, 32), buffer("z", 0, 8, 0),
		buffer("pinned", 6, 8, 8), buffer("root", 6, 8, 4), buffer("tied", 6, 7, 4)}}
	in.Buffers[1].Align = 64
	in.Buffers[4].Offset = at(200)
	in.Buffers[6].Tie = &model.Tie{To: 5, Delta: 4}
	good := []int64{0, 64, 0, 30, 200, 100, 104}
	if err := Plan(in, model.Plan{Offsets: good}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		buffer int
		offset int64
		want   []string
	}{
		{0, 63, []string{"overlap 0 1"}},
		{0, -1, []string{"range 0 -1"}},
		{0, math.MaxInt64, []string{"range 0 -1"}},
		{0, math.MaxInt64 - 64, []string{"capacity 0 -1"}},
		{0, 192, nil},
		{0, 193, []string{"capacity 0 -1"}},
		{1, 72, []string{"alignment 1 -1"}},
		{1, 0, []string{"overlap 0 1", "overlap 1 2"}},
		{2, 33, []string{"overlap 1 2"}},
		{2, 64, []string{"overlap 1 2"}},
		{3, math.MaxInt64, nil}, // without bytes
		{4, 201, []string{"pin 4 -1"}},
		{5, 101, []string{"tie 6 5", "overlap 5 6"}},
		{6, 96, []string{"tie 6 5"}},
		{6, -9, []string{"tie 6 5", "range 6 -1"}},
	} {
		offsets := slices.Clone(good)
		offsets[c.buffer] = c.offset
		if got := kinds(Plan(in, model.Plan{Offsets: offsets})); !slices.Equal(got, c.want) {
			t.Errorf("%s at %d: %v, want %v", in.Buffers[c.buffer].ID, c.offset, got, c.want)
		}
	}
	if got := kinds(Plan(in, model.Plan{Offsets: good[1:]})); !slices.Equal(got, []string{"count -1 -1"}) {
		t.Errorf("six offsets for seven buffers: %v", got)
	}
}

func TestOverlapNamesBuffersAddressesAndSteps(t *testing.T) {
	in := &model.Instance{Buffers: []model.Buffer{buffer("a", 0, 9, 10), buffer("b", 2, 7, 10)}}
	in.Buffers[0].Gaps = []model.Interval{{Start: 1, End: 4}}
	err := Plan(in, model.Plan{Offsets: []int64{5, 14}})
	if err == nil {
		t.Fatal("accepted")
	}
	for _, part := range []string{`"a" at [5,15)`, `"b" at [14,24)`, "[4,7)"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q does not say %s", err, part)
		}
	}
	in.Buffers[0].Gaps[0].End = 7
	if err := Plan(in, model.Plan{Offsets: []int64{5, 14}}); err != nil {
		t.Errorf("dead during the other's life: %v", err)
	}
}

// slowFaults finds overlapping pairs byte by byte and step by step.
func slowFaults(in *model.Instance, p model.Plan) map[[2]int]bool {
	owner := map[[2]int64][]int{}
	pairs := map[[2]int]bool{}
	for i := range in.Buffers {
		b := &in.Buffers[i]
		for step := b.Life.Start; step < b.Life.End; step++ {
			if slices.ContainsFunc(b.Gaps, func(g model.Interval) bool { return g.Start <= step && step < g.End }) {
				continue
			}
			for x := p.Offsets[i]; x < p.Offsets[i]+b.Size; x++ {
				cell := [2]int64{step, x}
				for _, o := range owner[cell] {
					pairs[[2]int{o, i}] = true
				}
				owner[cell] = append(owner[cell], i)
			}
		}
	}
	return pairs
}

func randomInstance(r *rand.Rand, n int) *model.Instance {
	in := &model.Instance{}
	for i := range n {
		s := r.Int63n(12)
		b := buffer(fmt.Sprint("b", i), s, s+1+r.Int63n(8), r.Int63n(5))
		for x := b.Life.Start; x < b.Life.End-2 && r.Intn(3) == 0; x += 2 {
			b.Gaps = append(b.Gaps, model.Interval{Start: x, End: x + 1})
		}
		in.Buffers = append(in.Buffers, b)
	}
	return in
}

func TestOverlapsAgainstEveryByteAndStep(t *testing.T) {
	bad := 0
	for seed := range int64(3000) {
		r := rand.New(rand.NewSource(seed))
		in := randomInstance(r, r.Intn(10))
		p := model.Plan{Offsets: make([]int64, len(in.Buffers))}
		for i := range p.Offsets {
			p.Offsets[i] = r.Int63n(25)
		}
		got := map[[2]int]bool{}
		var f *Faults
		if errors.As(Plan(in, p), &f) {
			for _, x := range f.List {
				if x.Kind != Overlap || got[[2]int{x.Buffer, x.Other}] {
					t.Fatalf("seed %d: %v", seed, f)
				}
				got[[2]int{x.Buffer, x.Other}] = true
			}
			bad++
		}
		if want := slowFaults(in, p); !reflect.DeepEqual(got, want) {
			t.Fatalf("seed %d: %v, want %v", seed, got, want)
		}
	}
	if bad < 500 || bad > 2500 {
		t.Errorf("%d of 3000 plans were bad: the test has lost its point", bad)
	}
}

// stack places buffers one above the other wherever they conflict, so that
// every buffer above the ground touches another from above.
func stack(in *model.Instance) model.Plan {
	p := model.Plan{Offsets: make([]int64, len(in.Buffers))}
	for i := range in.Buffers {
		for j := range i {
			if in.Buffers[j].Size > 0 && !firstShared(&in.Buffers[i], &in.Buffers[j]).Empty() {
				p.Offsets[i] = max(p.Offsets[i], p.Offsets[j]+in.Buffers[j].Size)
			}
		}
	}
	return p
}

// A tight plan has no room: every buffer that rests on another, moved down by
// one, must be caught, and the pair named.
func TestShiftByOneIsCaught(t *testing.T) {
	moved := 0
	for seed := range int64(500) {
		r := rand.New(rand.NewSource(seed))
		in := randomInstance(r, 12)
		p := stack(in)
		if err := Plan(in, p); err != nil {
			t.Fatal(err)
		}
		for i := range p.Offsets {
			if p.Offsets[i] == 0 || in.Buffers[i].Size == 0 {
				continue
			}
			p.Offsets[i]--
			var f *Faults
			if !errors.As(Plan(in, p), &f) || f.List[0].Kind != Overlap || (f.List[0].Buffer != i && f.List[0].Other != i) {
				t.Fatalf("seed %d: buffer %d moved down by one: %v", seed, i, f)
			}
			p.Offsets[i]++
			moved++
		}
	}
	if moved < 1000 {
		t.Errorf("only %d shifts were tried", moved)
	}
}

func TestFaultsAreLimited(t *testing.T) {
	in := &model.Instance{}
	for range 1000 {
		in.Buffers = append(in.Buffers, buffer("b", 0, 1, 1))
	}
	var f *Faults
	if !errors.As(Plan(in, model.Plan{Offsets: make([]int64, 1000)}), &f) || len(f.List) != Limit || !f.More {
		t.Fatalf("%d faults, more %v", len(f.List), f.More)
	}
}

// BenchmarkPlanMillion checks a correct plan of a million buffers, a hundred
// of them live at a time.
func BenchmarkPlanMillion(b *testing.B) {
	in := &model.Instance{}
	p := model.Plan{}
	for i := range int64(1_000_000) {
		in.Buffers = append(in.Buffers, buffer("b", i, i+100, 1+i%7))
		p.Offsets = append(p.Offsets, i%100*7)
	}
	for b.Loop() {
		if err := Plan(in, p); err != nil {
			b.Fatal(err)
		}
	}
}
