package oracle

import (
	"math/rand"
	"testing"

	"memplan/internal/shared"
	"memplan/model"
	"memplan/verify"
)

// Worked out by hand or published: an optimum above the footprint of every
// step, one above every chain of outputs over inputs, and what equal pairs do.
func TestWithPairs(t *testing.T) {
	type row struct{ start, end, size int64 }
	for name, c := range map[string]struct {
		rows  []row
		pairs []model.Pair
		want  int64
	}{
		"one over another":     {[]row{{0, 2, 2}, {1, 3, 2}}, []model.Pair{{Over: 1, Under: 0, Distance: 1}}, 3},
		"above the footprint":  {[]row{{0, 2, 2}, {1, 3, 1}, {2, 3, 2}}, []model.Pair{{Over: 1, Under: 0}, {Over: 2, Under: 1, Distance: 1}}, 3},
		"above the chain":      {[]row{{0, 1, 2}, {0, 3, 1}, {1, 3, 1}, {2, 3, 3}}, []model.Pair{{Over: 3, Under: 1, Distance: 1}, {Over: 3, Under: 2, Distance: 2}}, 4},
		"mirrored":             {[]row{{0, 3, 2}, {1, 3, 3}, {2, 3, 6}}, []model.Pair{{Over: 2, Under: 1, Distance: 1}, {Over: 2, Under: 0, Distance: 2}}, 6},
		"equal":                {[]row{{0, 2, 3}, {1, 3, 1}, {2, 4, 3}}, []model.Pair{{Over: 1, Under: 0, Equal: true}}, 4},
		"equal, at a distance": {[]row{{0, 2, 3}, {1, 3, 3}}, []model.Pair{{Over: 1, Under: 0, Distance: 2, Equal: true}}, 5},
		"equal or a lead":      {[]row{{0, 2, 4}, {1, 3, 2}, {2, 4, 3}, {3, 5, 3}, {4, 5, 4}}, []model.Pair{{Over: 1, Under: 0, Distance: 1}, {Over: 2, Under: 1}, {Over: 3, Under: 2, Equal: true}, {Over: 4, Under: 3, Distance: 1}}, 5},
	} {
		in := &model.Instance{Pairs: c.pairs}
		for k, r := range c.rows {
			in.Buffers = append(in.Buffers, model.Buffer{ID: string(rune('a' + k)), Life: model.Interval{Start: r.start, End: r.end}, Size: r.size})
		}
		if err := in.Validate(); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		plan, ok := WithPairs(in)
		if peak := plan.Peak(in); !ok || peak != c.want {
			t.Errorf("%s: optimum %d, want %d", name, peak, c.want)
		}
		if err := verify.Plan(in, plan); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Without pairs the two oracles say the same; with them the load is a bound,
// and the verifier accepts the plan.
func TestRandomPairs(t *testing.T) {
	var leads, equals, gain, above int
	instances := shared.Many(150)
	for seed := range int64(instances) {
		r := rand.New(rand.NewSource(seed))
		in := RandomPairs(r, All)
		plan, ok := WithPairs(in)
		if !ok {
			t.Fatalf("seed %d: no optimum up to %d", seed, Highest)
		}
		if err := verify.Plan(in, plan); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		peak := plan.Peak(in)
		if peak < in.Load() {
			t.Fatalf("seed %d: optimum %d below the load %d", seed, peak, in.Load())
		}
		apart, _ := Optimum(in.Apart())
		if one, _ := WithPairs(in.Apart()); one.Peak(in) != apart.Peak(in) {
			t.Fatalf("seed %d: %d and %d without pairs", seed, one.Peak(in), apart.Peak(in))
		}
		gain += btoi(peak < apart.Peak(in))
		above += btoi(peak > in.Load())
		for _, p := range in.Pairs {
			leads += btoi(!p.Equal)
			equals += btoi(p.Equal)
		}
	}
	t.Log(leads, equals, gain, above)
	if min(leads, equals, gain, above) < instances/10 {
		t.Error("some kind is too rare")
	}
}
