package pairs

import (
	"context"
	"math/rand"
	"testing"

	"memplan/internal/oracle"
	"memplan/model"
	"memplan/verify"
)

// race runs engines by turns until bound and peak meet.
func race(t *testing.T, in *model.Instance, engines ...model.Engine) model.Result {
	t.Helper()
	inc := model.NewIncumbent(in, nil)
	step, load := in.LoadStep()
	inc.Raise(&model.Certificate{Proof: model.ProofLoad, Bound: load, Step: step}, "load", 0)
	for range 40 {
		for _, e := range engines {
			f, err := e.Run(context.Background(), inc.Result(), 1<<14)
			if err != nil {
				t.Fatal(err)
			}
			if f.Plan != nil {
				if err := verify.Plan(in, *f.Plan); err != nil {
					t.Fatalf("%s: %v", e.Name(), err)
				}
				inc.Offer(*f.Plan, e.Name(), 0)
			}
			if f.Certificate != nil {
				if err := verify.Certificate(in, f.Certificate); err != nil {
					t.Fatalf("%s: %v", e.Name(), err)
				}
				inc.Raise(f.Certificate, e.Name(), 0)
			}
			if inc.Peak() <= inc.Bound() {
				return inc.Result()
			}
		}
	}
	return inc.Result()
}

func TestEngine(t *testing.T) {
	for seed := range int64(400) {
		in := oracle.RandomPairs(rand.New(rand.NewSource(seed)), oracle.All)
		best, _ := oracle.WithPairs(in)
		res := race(t, in, &Engine{Instance: in}, &Finder{Instance: in})
		if res.Plan.Peak(in) != best.Peak(in) || res.Bound != best.Peak(in) {
			t.Fatalf("seed %d: [%d,%d], want %d", seed, res.Bound, res.Plan.Peak(in), best.Peak(in))
		}
	}
}
