package tiling

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"memplan/corpus"
	"memplan/internal/oracle"
	"memplan/model"
	"memplan/verify"
)

func generate(t *testing.T, name string) *model.Instance {
	t.Helper()
	in, err := corpus.Generate(name)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// prepare is Prepare for an instance that has no free byte.
func prepare(t *testing.T, in *model.Instance) *Problem {
	t.Helper()
	p := Prepare(in)
	if p == nil {
		t.Fatalf("%s is declined", in.Name)
	}
	return p
}

// Where nothing is left out, a sweep finds a plan at the load if there is one:
// of random chains brute force finds one, and of the corpus the optimum is known.
func TestSweepsAreExact(t *testing.T) {
	found, hopeless := 0, 0
	check := func(in *model.Instance, best int64) {
		p := Prepare(in)
		if p == nil {
			return
		}
		for _, backwards := range []bool{false, true} {
			s := p.Sweep(Options{Width: 1 << 12, Backwards: backwards})
			if !s.Run(context.Background(), 1<<40) {
				t.Fatal("not over")
			}
			plan, fits := s.Plan(), best == in.Load()
			if (plan != nil) != fits || s.Hopeless() == fits {
				t.Fatalf("%s, backwards %v: plan %v, hopeless %v, but optimum %d, load %d", in.Name, backwards, plan != nil, s.Hopeless(), best, in.Load())
			}
			if plan == nil {
				hopeless++
				continue
			}
			found++
			if err := verify.Plan(in, *plan); err != nil || plan.Peak(in) != in.Load() {
				t.Fatalf("%s: peak %d, load %d: %v", in.Name, plan.Peak(in), in.Load(), err)
			}
		}
	}
	for seed := range 500 {
		in := generate(t, fmt.Sprintf("chain-%d-%d-%d", 8+seed%5, 6+seed%7, seed))
		plan, ok := oracle.Optimum(in)
		if !ok {
			t.Fatal("no optimum")
		}
		check(in, plan.Peak(in))
	}
	for _, suite := range corpus.Suites() {
		for _, e := range corpus.Suite(suite) {
			if e.Best > 0 && e.Best == e.Bound && e.Buffers <= 26 {
				check(e.Instance(), e.Best)
			}
		}
	}
	if found < 500 || hopeless < 20 {
		t.Errorf("%d found, %d hopeless: this says little", found, hopeless)
	}
}

// Narrow sweeps, which may leave out anything, do not call anything hopeless
// that has a plan.
func TestNarrowSweepsClaimNothing(t *testing.T) {
	lost := 0
	for seed := range uint64(300) {
		in := generate(t, fmt.Sprint("always-full-60-", seed))
		for _, backwards := range []bool{false, true} {
			s := prepare(t, in).Sweep(Options{Width: 1, Backwards: backwards, Noise: 20, Rand: rand.New(rand.NewPCG(seed, 0))})
			s.Run(context.Background(), 1<<40)
			if s.Hopeless() {
				t.Errorf("seed %d is said to have no plan", seed)
			}
			if s.Plan() == nil {
				lost++
			}
		}
	}
	if lost < 30 {
		t.Errorf("only %d sweeps found no plan: this says little", lost)
	}
}

// Sweeps find what no other search comes near to, in so much work, and the same
// bit by bit as at once.
func TestSweepsFind(t *testing.T) {
	for _, c := range []struct {
		name string
		o    Options
		work int64
	}{
		{"pinwheel-101-1", Options{Width: 1}, 1_000},
		{"guillotine-400-2", Options{Width: 1, Backwards: true}, 10_000},
		{"always-full-300-1", Options{Width: 16}, 100_000},
		{"pinwheel-1001-2", Options{Width: 16}, 300_000},
		{"guillotine-1000-1", Options{Width: 4, Backwards: true}, 100_000},
	} {
		in := generate(t, c.name)
		p := prepare(t, in)
		s, bits := p.Sweep(c.o), p.Sweep(c.o)
		if over := s.Run(context.Background(), c.work); !over || s.Plan() == nil {
			t.Errorf("%s: no plan after %d units", c.name, s.Work())
			continue
		}
		t.Log(c.name, s.Work())
		plan := *s.Plan()
		if err := verify.Plan(in, plan); err != nil || plan.Peak(in) != in.Load() {
			t.Errorf("%s: peak %d, load %d: %v", c.name, plan.Peak(in), in.Load(), err)
		}
		for !bits.Run(context.Background(), 10) {
		}
		if again := *bits.Plan(); fmt.Sprint(again) != fmt.Sprint(plan) {
			t.Errorf("%s: another plan bit by bit", c.name)
		}
	}
}

// What sweeps cannot treat is declined.
func TestPrepareDeclines(t *testing.T) {
	zero := int64(0)
	full := func(change func(in *model.Instance)) *model.Instance {
		in := &model.Instance{Name: "full", Buffers: []model.Buffer{
			{ID: "a", Life: model.Interval{Start: 0, End: 2}, Size: 4},
			{ID: "b", Life: model.Interval{Start: 0, End: 1}, Size: 8},
			{ID: "c", Life: model.Interval{Start: 1, End: 2}, Size: 8},
			{ID: "empty", Life: model.Interval{Start: 0, End: 9}},
		}}
		change(in)
		return in
	}
	if Prepare(full(func(*model.Instance) {})) == nil {
		t.Error("a full instance is declined")
	}
	if Prepare(full(func(in *model.Instance) { in.Buffers[0].Align = 4 })) == nil {
		t.Error("an alignment that all sizes keep is declined")
	}
	for name, change := range map[string]func(in *model.Instance){
		"a free byte": func(in *model.Instance) { in.Buffers[2].Size = 7 },
		"a pin":       func(in *model.Instance) { in.Buffers[0].Offset = &zero },
		"a gap":       func(in *model.Instance) { in.Buffers[0].Gaps = []model.Interval{{Start: 1, End: 2}} },
		"a tie":       func(in *model.Instance) { in.Buffers[1].Tie = &model.Tie{To: 0} },
		"alignment":   func(in *model.Instance) { in.Buffers[0].Align = 8 },
		"no bytes":    func(in *model.Instance) { in.Buffers = in.Buffers[3:] },
		"two islands": func(in *model.Instance) { in.Buffers[2].Life = model.Interval{Start: 3, End: 4} },
		"thousands": func(in *model.Instance) {
			for range maxLeaves {
				in.Buffers = append(in.Buffers, model.Buffer{Life: model.Interval{Start: 0, End: 2}, Size: 4})
			}
		},
	} {
		if Prepare(full(change)) != nil {
			t.Errorf("%s is not declined", name)
		}
	}
}
