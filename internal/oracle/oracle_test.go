package oracle

import (
	"math/rand"
	"testing"

	"memplan/model"
	"memplan/verify"
)

// The known optimum of a published instance, and what features do to small
// ones, worked out by hand.
func TestOptimum(t *testing.T) {
	eight := &model.Instance{}
	for _, v := range [][3]int64{{0, 1, 2}, {0, 2, 2}, {1, 3, 1}, {2, 3, 1}, {2, 4, 1}, {1, 4, 1}, {3, 5, 2}, {4, 5, 2}} {
		eight.Buffers = append(eight.Buffers, model.Buffer{Life: model.Interval{Start: v[0], End: v[1]}, Size: v[2]})
	}
	life := model.Interval{Start: 0, End: 3}
	pin := int64(5)
	for name, c := range map[string]struct {
		in   *model.Instance
		want int64
	}{
		"empty":       {&model.Instance{}, 0},
		"above load":  {eight, 5},
		"alignment":   {&model.Instance{Buffers: []model.Buffer{{Life: life, Size: 1, Align: 4}, {Life: life, Size: 1, Align: 4}}}, 5},
		"pin":         {&model.Instance{Buffers: []model.Buffer{{Life: life, Size: 6}, {Life: life, Size: 1, Offset: &pin}}}, 12},
		"gap":         {&model.Instance{Buffers: []model.Buffer{{Life: life, Size: 6, Gaps: []model.Interval{{Start: 1, End: 2}}}, {Life: model.Interval{Start: 1, End: 2}, Size: 6}}}, 6},
		"tie":         {&model.Instance{Buffers: []model.Buffer{{Life: life, Size: 2}, {Life: life, Size: 2, Tie: &model.Tie{To: 0, Delta: 3}}, {Life: life, Size: 1}}}, 5},
		"pinned free": {&model.Instance{Buffers: []model.Buffer{{Life: life, Offset: &pin}}}, 0},
	} {
		if plan, ok := Optimum(c.in); plan.Peak(c.in) != c.want || !ok {
			t.Errorf("%s: optimum %d, want %d", name, plan.Peak(c.in), c.want)
		}
	}
}

func TestRandomHasEverything(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	var aligned, pinned, gaps, tied, empty, above int
	for range 1000 {
		in := Random(r, All)
		plan, ok := Optimum(in)
		if !ok {
			t.Fatalf("no optimum up to %d: %+v", Highest, in)
		}
		if err := verify.Plan(in, plan); err != nil {
			t.Fatal(err)
		}
		if plan.Peak(in) > in.Load() {
			above++
		}
		for _, b := range in.Buffers {
			aligned += btoi(b.Align > 1)
			pinned += btoi(b.Offset != nil)
			gaps += btoi(len(b.Gaps) > 0)
			tied += btoi(b.Tie != nil)
			empty += btoi(b.Size == 0)
		}
	}
	t.Log(aligned, pinned, gaps, tied, empty, above)
	if min(aligned, pinned, gaps, tied, empty, above) < 50 {
		t.Error("some feature is too rare")
	}
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// The two oracles have nothing in common but the instance.
func TestOraclesAgree(t *testing.T) {
	for seed := range int64(1000) {
		in := Random(rand.New(rand.NewSource(seed)), Features{Align: true, Pins: seed%2 == 0, Gaps: true})
		plan, _ := Optimum(in)
		if a, b := plan.Peak(in), ByOrders(in); a != b {
			t.Fatalf("seed %d: %d by offsets, %d by orders", seed, a, b)
		}
	}
}
