package verify

import (
	"math/rand/v2"
	"testing"

	"memplan/internal/oracle"
	"memplan/internal/shared"
	"memplan/model"
	"memplan/model/csv"
)

// aligned draws an instance whose sizes are no multiples of the alignment, some
// with alignments of several kinds.
func aligned(r *rand.Rand) *model.Instance {
	in := &model.Instance{Name: "aligned"}
	unit := 2 + r.Int64N(7)
	for i := range 2 + r.IntN(5) {
		start := r.Int64N(5)
		b := model.Buffer{ID: string(rune('a' + i)), Life: model.Interval{Start: start, End: start + 1 + r.Int64N(4)}, Size: r.Int64N(3 * unit), Align: unit}
		if r.IntN(4) == 0 {
			b.Align = unit * (1 + r.Int64N(2))
		}
		if b.Life.End-start > 2 && r.IntN(3) == 0 {
			b.Gaps = []model.Interval{{Start: start + 1, End: start + 2}}
		}
		in.Buffers = append(in.Buffers, b)
	}
	return in
}

// The bound of rounded sizes is never above the optimum, its certificate replays
// for it, and for no byte more.
func TestRoundedLoad(t *testing.T) { neverAbove(t, aligned, (*model.Instance).RoundedLoad) }

// So is the bound of sets in conflict, with lives full of gaps.
func TestCrowdLoad(t *testing.T) { neverAbove(t, scattered, (*model.Instance).CrowdLoad) }

// scattered draws an instance of buffers that are live at any of five steps.
func scattered(r *rand.Rand) *model.Instance {
	in := aligned(r)
	if r.IntN(2) == 0 { // a plain scene, as the checkers have it
		for i := range in.Buffers {
			in.Buffers[i].Align = 1
		}
	}
	for i := range in.Buffers {
		var live []model.Interval
		for len(live) == 0 {
			for step := range int64(5) {
				if r.IntN(5) < 2 {
					live = model.Extend(live, step)
				}
			}
		}
		in.Buffers[i].SetLive(live)
	}
	return in
}

// neverAbove draws 5000 instances and looks at what is said of them.
func neverAbove(t *testing.T, draw func(*rand.Rand) *model.Instance, bound func(*model.Instance) *model.Certificate) {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	above, tight := 0, 0
	for range 5000 {
		in := draw(r)
		c := bound(in)
		if c == nil {
			continue
		}
		above++
		best := oracle.Peak(in)
		if c.Bound > best || c.Bound <= in.Load() {
			t.Fatalf("bound %d, optimum %d, load %d: %+v", c.Bound, best, in.Load(), in.Buffers)
		}
		if c.Bound == best {
			tight++
		}
		if err := Certificate(in, c); err != nil {
			t.Fatalf("%v: %+v, %+v", err, in.Buffers, c.Refutation)
		}
		more := *c.Refutation
		more.Height = best
		if Refutation(in, &more) == nil {
			t.Fatalf("the optimum %d is refuted: %+v", best, in.Buffers)
		}
	}
	if above < 1000 || tight < above/2 {
		t.Errorf("above the load on %d of 5000, the optimum on %d: too few to tell", above, tight)
	}
}

// On real instances with sizes that are no multiples of 64 the bound is the
// optimum.
func TestRoundedLoadOfReal(t *testing.T) {
	for name, want := range map[string]int64{"xla-linalg": 863364, "xla-transformer_scan_train": 63882308} {
		d, err := csv.Read(shared.Open(t, "real/instances/"+name+".csv"), name)
		if err != nil {
			t.Fatal(err)
		}
		c := d.Instance.RoundedLoad()
		if c == nil || c.Bound != want {
			t.Errorf("%s: %+v, want %d", name, c, want)
		} else if err := Certificate(d.Instance, c); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
