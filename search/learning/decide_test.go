package learning

import (
	"fmt"
	"testing"

	"memplan/model"
	"memplan/verify"
)

// The verdict at every height from below the load on, against all offsets; each
// refutation is replayed, each plan verified.
func TestDecideAgainstAllOffsets(t *testing.T) {
	above, proofs := 0, 0
	for seed := range int64(4000) {
		in := featured(seed)
		load := in.Load()
		for height := max(0, load-1); ; height++ {
			want := fits(in, height)
			got := Decide(in, Question{Window: always, Height: height}, 1e7)
			switch {
			case got.Refutation != nil:
				if want {
					t.Fatalf("seed %d: height %d refuted, but there is a plan", seed, height)
				}
				c := &model.Certificate{Proof: model.ProofSearch, Bound: height + 1, Refutation: got.Refutation}
				if err := verify.Certificate(in, c); err != nil {
					t.Fatalf("seed %d: height %d: %v", seed, height, err)
				}
				proofs++
				if height >= load {
					above++
				}
			case got.Offsets != nil:
				if keeps, err := sound(in, got, height); err != nil || keeps && !want || !keeps && !tied(in) {
					t.Fatalf("seed %d: height %d: plan %v, keeps ties %v, wanted %v: %v", seed, height, got.Offsets, keeps, want, err)
				}
			default:
				t.Fatalf("seed %d: height %d: undecided", seed, height)
			}
			if want {
				break
			}
		}
	}
	if above < 100 || proofs < 1000 {
		t.Errorf("%d proofs, %d of them above the load: the test has lost its point", proofs, above)
	}
}

func tied(in *model.Instance) bool {
	for i := range in.Buffers {
		if in.Buffers[i].Tie != nil {
			return true
		}
	}
	return false
}

// sound verifies an answer's plan, with ties left aside, and says whether it
// keeps them all the same.
func sound(in *model.Instance, a Answer, height int64) (keepsTies bool, err error) {
	plan := model.Plan{Offsets: make([]int64, len(in.Buffers))}
	for i := range in.Buffers {
		b := &in.Buffers[i]
		if b.Offset != nil {
			plan.Offsets[i] = *b.Offset // those without bytes are not asked about
		} else if b.Tie != nil && in.Buffers[b.Tie.To].Offset != nil {
			plan.Offsets[i] = *in.Buffers[b.Tie.To].Offset + b.Tie.Delta
		}
	}
	for k, i := range a.Buffers {
		plan.Offsets[i] = a.Offsets[k]
	}
	loose := &model.Instance{Buffers: append([]model.Buffer(nil), in.Buffers...)}
	for i := range loose.Buffers {
		b := &loose.Buffers[i]
		if b.Tie = nil; b.Size > 0 && plan.Offsets[i]+b.Size > height {
			return false, fmt.Errorf("buffer %d ends above %d", i, height)
		}
	}
	return verify.Plan(in, plan) == nil, verify.Plan(loose, plan)
}
