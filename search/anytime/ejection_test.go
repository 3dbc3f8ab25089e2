package anytime

import (
	"context"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"memplan/heuristics"
	"memplan/internal/oracle"
	"memplan/model"
)

// untied is every feature but ties.
var untied = oracle.Features{Align: true, Pins: true, Gaps: true}

// Every plan holds, and is better than those before.
func TestEjectionPlansHold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in, want := draw(t, untied)
		e := newEjection(in, in.Neighbours())
		start, err := heuristics.NoReuse{}.Plan(context.Background(), in)
		if err != nil {
			t.Fatal(err)
		}
		e.best, e.peak = start.Plan.Offsets, start.Plan.Peak(in)
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		peak := e.peak
		for tries := 0; tries < 20 && peak > want; tries++ {
			plan, _ := e.advance(r, want)
			if plan == nil {
				continue
			}
			valid(t, in, plan)
			now := plan.Peak(in)
			if now >= peak {
				t.Fatalf("peak %d after %d", now, peak)
			}
			peak = now
		}
	})
}

// The cheapest offset is one at which, of all that are aligned and within the
// capacity, the buffers overlapped weigh least.
func TestCheapestAgainstDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in, _ := draw(t, untied)
		e := newEjection(in, in.Neighbours())
		e.capacity = rapid.Int64Range(8, 20).Draw(t, "capacity")
		for i := range e.cells {
			c := &e.cells[i]
			c.offset = rapid.Int64Range(-1, e.capacity-c.size).Draw(t, "offset")
			c.weight = rapid.Int64Range(1, 5).Draw(t, "weight")
		}
		i := int32(rapid.IntRange(0, len(e.cells)-1).Draw(t, "buffer"))
		size, align := e.cells[i].size, in.Buffers[i].Alignment()
		weigh := func(at int64) (sum int64) {
			for _, j := range e.near[i] {
				if o := e.cells[j]; o.offset >= 0 && at < o.offset+o.size && o.offset < at+size {
					sum += o.weight
				}
			}
			return sum
		}
		want := int64(model.MaxBytes)
		for at := int64(0); at+size <= e.capacity; at += align {
			want = min(want, weigh(at))
		}
		at, weight := e.cheapest(rand.New(rand.NewPCG(1, 1)), i)
		if weight != want || weigh(at) != want || at%align != 0 || at < 0 || at+size > e.capacity {
			t.Fatalf("offset %d of weight %d, said to be %d; least %d", at, weigh(at), weight, want)
		}
	})
}

// On a crowd it does better than the order of size that it starts from.
func TestEjectionImproves(t *testing.T) {
	in := crowd(400)
	e := newEjection(in, in.Neighbours())
	r := rand.New(rand.NewPCG(1, 1))
	first, err := heuristics.Decreasing{}.Plan(context.Background(), in)
	if err != nil {
		t.Fatal(err)
	}
	e.best, e.peak = first.Plan.Offsets, first.Plan.Peak(in)
	for range 100 {
		if plan, _ := e.advance(r, in.Load()); plan != nil {
			valid(t, in, plan)
		}
	}
	if gap := e.peak - in.Load(); 2*gap > first.Plan.Peak(in)-in.Load() {
		t.Fatalf("load %d: from %d to %d", in.Load(), first.Plan.Peak(in), e.peak)
	}
}
