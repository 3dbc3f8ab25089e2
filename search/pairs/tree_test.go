package pairs

import (
	"math/rand"
	"testing"

	"memplan/internal/oracle"
	"memplan/model"
	"memplan/verify"
)

// Every refutation by cases of a peak below the optimum replays, and none of
// the optimum is accepted, whatever is changed in it.
func TestTreesReplay(t *testing.T) {
	for seed := range int64(800) {
		r := rand.New(rand.NewSource(seed))
		in := oracle.RandomPairs(r, oracle.All)
		plan, tree, _ := optimum(in)
		if tree == nil {
			continue
		}
		ref := &model.Refutation{Window: model.Always, Height: plan.Peak(in) - 1, Buffers: everything(in), Tree: tree}
		if err := verify.Refutation(in, ref); err != nil {
			t.Fatalf("seed %d: %v: %v", seed, err, ref)
		}
		for range 20 {
			bad := *ref
			bad.Height = plan.Peak(in)
			bad.Tree = append([]int(nil), ref.Tree...)
			for range r.Intn(3) {
				bad.Tree[r.Intn(len(bad.Tree))] = r.Intn(len(in.Buffers)*len(in.Buffers)+1) - 1
			}
			if verify.Refutation(in, &bad) == nil {
				t.Fatalf("seed %d: accepted %v", seed, bad)
			}
		}
	}
}
