package pairs

import (
	"math/rand"
	"testing"

	"memplan/internal/oracle"
	"memplan/model"
	"memplan/verify"
)

// optimum is found by asking for ever lower peaks.
func optimum(in *model.Instance) (plan model.Plan, tree []int, work int64) {
	s := newScene(in, model.Always, everything(in))
	s.height = oracle.Highest
	for {
		q := newSearch(s)
		v := q.run(1 << 40)
		work += q.work
		if v == refuted {
			return plan, q.numbers(), work
		}
		plan = model.Plan{Offsets: q.plan}
		s.height = plan.Peak(in) - 1
		if s.height < 0 {
			return plan, nil, work
		}
	}
}

func everything(in *model.Instance) []int {
	all := make([]int, len(in.Buffers))
	for i := range all {
		all[i] = i
	}
	return all
}

func TestOptimum(t *testing.T) {
	var longest int
	var total int64
	for seed := range int64(1500) {
		r := rand.New(rand.NewSource(seed))
		in := oracle.RandomPairs(r, oracle.All)
		best, _ := oracle.WithPairs(in)
		plan, tree, work := optimum(in)
		total += work
		if err := verify.Plan(in, plan); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if plan.Peak(in) != best.Peak(in) {
			t.Fatalf("seed %d: %d, want %d: %+v", seed, plan.Peak(in), best.Peak(in), in)
		}
		longest = max(longest, len(tree))
	}
	t.Log(longest, total)
}
