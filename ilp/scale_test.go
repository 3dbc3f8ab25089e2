package ilp_test

import (
	"context"
	"fmt"
	"math/rand"
	"slices"
	"testing"

	"memplan/corpus"
	"memplan/heuristics"
	"memplan/ilp"
	"memplan/ilp/highs"
	"memplan/internal/oracle"
	"memplan/internal/shared"
	"memplan/model"
)

// times is the instance with k bytes for every byte.
func times(in *model.Instance, k int64) *model.Instance {
	out := &model.Instance{Name: in.Name, Buffers: slices.Clone(in.Buffers)}
	for i := range out.Buffers {
		b := &out.Buffers[i]
		b.Size, b.Align = b.Size*k, b.Alignment()*k
		if b.Offset != nil {
			pin := *b.Offset * k
			b.Offset = &pin
		}
		if b.Tie != nil {
			b.Tie = &model.Tie{To: b.Tie.To, Delta: b.Tie.Delta * k}
		}
	}
	return out
}

// The same plan, scaled, whatever the unit, from every formulation.
func TestScaleInvariance(t *testing.T) {
	var instances []*model.Instance
	for seed := range int64(40) {
		instances = append(instances, oracle.Random(rand.New(rand.NewSource(seed)), oracle.All))
	}
	for _, name := range []string{"seven-above", "seven-twins", "eight-above", "six-fits", "chain-20-20-3", "long-chain-20-50-1"} {
		in, err := corpus.Generate(name)
		if err != nil {
			t.Fatal(err)
		}
		instances = append(instances, in)
	}
	for n, in := range instances {
		p := ilp.Planner{Solver: highs.Solver{}, Start: heuristics.ChooseBest{}, Formulation: ilp.Formulation(n % 3)}
		res, peak := mustPlan(t, p, in)
		if res.Bound != peak {
			t.Fatalf("instance %d, %v: peak %d, bound %d", n, p.Formulation, peak, res.Bound)
		}
		for _, k := range []int64{1000, 1_000_000, 1_000_000_000} {
			large := times(in, k)
			got, _ := mustPlan(t, p, large)
			if got.Bound != k*res.Bound || got.Certificate.Proof != res.Certificate.Proof {
				t.Errorf("instance %d times %d, %v: bound %d (%s), want %d (%s)", n, k, p.Formulation,
					got.Bound, got.Certificate.Proof, k*res.Bound, res.Certificate.Proof)
			}
			for i, off := range got.Plan.Offsets {
				if off != k*res.Plan.Offsets[i] {
					t.Fatalf("instance %d times %d, %v: buffer %d at %d, want %d", n, k, p.Formulation, i, off, k*res.Plan.Offsets[i])
				}
			}
		}
	}
}

// Large numbers without a common divisor: where they are too large for the
// solver to be believed, the bound is less than the optimum, never more, and
// the plan is good all the same.
func TestLargeNumbersAreNeverWrong(t *testing.T) {
	gadgets := []string{"seven-above", "seven-twins", "eight-above"}
	for _, unit := range []int64{100, 10_000, 1_000_000, 1_000_000_000, 1_000_000_000_000_000} {
		proven, optimal, all := 0, 0, 0
		for seed := range int64(shared.Many(6)) {
			in, err := corpus.Generate(gadgets[seed%3])
			if err != nil {
				t.Fatal(err)
			}
			r := rand.New(rand.NewSource(seed))
			for i := range in.Buffers {
				in.Buffers[i].Size = in.Buffers[i].Size*unit + r.Int63n(unit/30)
			}
			best := oracle.ByOrders(in)
			for f := ilp.Csum; f <= ilp.Raw; f++ {
				p := ilp.Planner{Solver: highs.Solver{}, Start: heuristics.ChooseBest{}, Formulation: f}
				res, err := p.Plan(context.Background(), in)
				if err != nil {
					t.Fatalf("unit %d seed %d %v: %v", unit, seed, f, err)
				}
				peak := res.Plan.Peak(in)
				if peak < best || res.Bound > best {
					t.Fatalf("unit %d seed %d %v: peak %d, bound %d, optimum %d", unit, seed, f, peak, res.Bound, best)
				}
				if f == ilp.Csum {
					all++
					proven += btoi(res.Bound == peak)
					optimal += btoi(peak == best)
					if gap := fmt.Sprintf("%.4f", float64(best-res.Bound)/float64(best)); gap != "0.0000" {
						t.Errorf("unit %d seed %d: bound %d is %s short of %d", unit, seed, res.Bound, gap, best)
					}
				}
			}
		}
		t.Logf("unit %d: of %d, optimal %d, proven %d", unit, all, optimal, proven)
		if unit <= 10_000 && proven < all || optimal < all*9/10 {
			t.Errorf("unit %d: of %d, optimal %d, proven %d", unit, all, optimal, proven)
		}
	}
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}
