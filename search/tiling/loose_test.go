package tiling

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"memplan/verify"
)

// loose is a loose sweep that draws from a stream.
func loose(p *Problem, capacity int64, width int, backwards bool, stream uint64) *Loose {
	return p.Loose(LooseOptions{Capacity: capacity, Width: width, Backwards: backwards, Rand: rand.New(rand.NewPCG(1, stream))})
}

// Loose sweeps find what no other search does within a capacity above the load,
// and the same bit by bit as at once.
func TestLooseSweepsFind(t *testing.T) {
	in := generate(t, "always-full-1000-1")
	p := prepare(t, in)
	for _, backwards := range []bool{false, true} {
		l, bits := loose(p, 1110, 10, backwards, 1), loose(p, 1110, 10, backwards, 1)
		if !l.Run(context.Background(), 500_000) {
			t.Errorf("backwards %t: no plan after %d units", backwards, l.Work())
			continue
		}
		t.Log(backwards, l.Work())
		if err := verify.Plan(in, *l.Plan()); err != nil || l.Plan().Peak(in) > l.Capacity {
			t.Errorf("peak %d, %v", l.Plan().Peak(in), err)
		}
		for !bits.Run(context.Background(), 10) {
		}
		if fmt.Sprint(*bits.Plan()) != fmt.Sprint(*l.Plan()) {
			t.Error("another plan bit by bit")
		}
	}
}

// Whatever a loose sweep finds is a plan within its capacity, and where it goes
// back it takes nothing along.
func TestLooseSweepsHold(t *testing.T) {
	found, back := 0, 0
	for seed := range uint64(150) {
		in := generate(t, fmt.Sprint("always-full-80-", seed))
		p := prepare(t, in)
		for _, backwards := range []bool{false, true} {
			l := loose(p, in.Load()+in.Load()/20, 2, backwards, seed)
			over := l.Run(context.Background(), 2_000)
			for _, n := range l.fails {
				back += n
			}
			if over != (l.Plan() != nil) {
				t.Fatalf("seed %d: over %t, plan %v", seed, over, l.Plan())
			}
			if !over {
				continue
			}
			found++
			if err := verify.Plan(in, *l.Plan()); err != nil || l.Plan().Peak(in) > l.Capacity {
				t.Fatalf("seed %d: peak %d, %v", seed, l.Plan().Peak(in), err)
			}
		}
	}
	if t.Log(found, back); found < 100 || back < 1000 {
		t.Errorf("%d plans, went back %d times: this says little", found, back)
	}
}
