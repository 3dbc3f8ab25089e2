package anytime

import (
	"context"
	"errors"
	"fmt"
	"math/rand"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"memplan/heuristics"
	"memplan/internal/oracle"
	"memplan/model"
	"memplan/verify"
)

// draw makes a tiny instance with these features, and finds its optimum.
func draw(t *rapid.T, f oracle.Features) (in *model.Instance, optimum int64) {
	for seed := rapid.Int64().Draw(t, "instance"); ; seed++ {
		in = oracle.Random(rand.New(rand.NewSource(seed)), f)
		if best, ok := oracle.Optimum(in); ok && len(in.Buffers) > 0 {
			return in, best.Peak(in)
		}
	}
}

// valid fails unless the plan holds.
func valid(t interface{ Fatalf(string, ...any) }, in *model.Instance, plan *model.Plan) {
	if err := verify.Plan(in, *plan); err != nil {
		t.Fatalf("%v", err)
	}
}

// insertions is the local search that the planners give it.
func insertions(from *model.Plan, seed uint64, steps int) model.Planner {
	return heuristics.IteratedLocalSearch{From: from, Seed: seed, Iterations: steps}
}

// search has a new finder work for so long, and returns what each round found.
func search(in *model.Instance, seed, work int64, threads int) (f *Finder, found [][]Found) {
	for f = NewFinder(in, seed, insertions); !f.Done() && f.Work() < work; {
		round, err := f.Round(context.Background(), threads, work-f.Work())
		if err != nil {
			panic(err)
		}
		found = append(found, round)
	}
	return f, found
}

// Plans are valid whatever the features, and optimal on small instances.
func TestFinderAgainstBruteForce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in, want := draw(t, oracle.All)
		f, _ := search(in, rapid.Int64().Draw(t, "seed"), 1<<14, 1)
		if f.best == nil {
			t.Fatalf("no plan")
		}
		valid(t, in, f.best)
		if got := f.best.Peak(in); got != want {
			t.Fatalf("peak %d, optimum %d", got, want)
		}
	})
}

// crowd is an instance whose load is not reached at once: a long chain of
// buffers that fill the arena, two of which change at each step.
func crowd(n int) *model.Instance {
	in := &model.Instance{Name: "crowd"}
	var alive []int
	state := uint64(1)
	draw := func(n int) int {
		state = state*6364136223846793005 + 1442695040888963407
		return int(state >> 33 % uint64(n))
	}
	for i := range n {
		size := int64(1 + draw(50))
		if len(alive) >= 12 {
			k := draw(len(alive))
			in.Buffers[alive[k]].Life.End = int64(i)
			alive = slices.Delete(alive, k, k+1)
		}
		alive = append(alive, i)
		in.Buffers = append(in.Buffers, model.Buffer{ID: fmt.Sprintf("b%03d", i), Life: model.Interval{Start: int64(i), End: int64(n)}, Size: size})
	}
	return in
}

// brim is an instance that has a plan without a free byte: two halves of the
// arena that change hands at steps of their own.
func brim(n int) *model.Instance {
	in := &model.Instance{Name: "brim"}
	for i := range n {
		for half, every := range []int64{2, 3} {
			life := model.Interval{Start: int64(i) * every, End: int64(i+1) * every}
			if end := 2 * int64(n); life.End > end || half == 1 && i == (2*n-1)/3 {
				life.End = end
			}
			if life.Start < life.End && life.Start < 2*int64(n) {
				in.Buffers = append(in.Buffers, model.Buffer{ID: fmt.Sprintf("h%d-%03d", half, i), Life: life, Size: 64})
			}
		}
	}
	return in
}

// tied is a crowd in which every third buffer lies above the one before it.
func tied(n int) *model.Instance {
	in := crowd(n)
	for i := 2; i < n; i += 3 {
		in.Buffers[i].Tie = &model.Tie{To: i - 1, Delta: in.Buffers[i-1].Size}
	}
	return in
}

// The number of threads changes neither plans nor work.
func TestFinderSameForAllThreads(t *testing.T) {
	for seed, in := range []*model.Instance{crowd(120), crowd(tuned.large), tied(60)} {
		one, want := search(in, int64(seed), 1<<18, 1)
		valid(t, in, one.best)
		for _, threads := range []int{2, 3} {
			f, found := search(in, int64(seed), 1<<18, threads)
			if !reflect.DeepEqual(found, want) || f.Work() != one.Work() || f.Nodes() != one.Nodes() {
				t.Fatalf("%s, seed %d: %d threads differ from one: peaks %d and %d", in.Name, seed, threads, f.peak, one.peak)
			}
		}
	}
}

// No two tasks of a round go on with the same search.
func TestTurnsOfARoundDiffer(t *testing.T) {
	kinds := make(map[string]bool)
	for _, in := range []*model.Instance{crowd(60), crowd(tuned.large), tied(30), brim(30)} {
		for _, from := range []source{beaming, asking, ejecting} {
			f := NewFinder(in, 1, insertions)
			f.learn(stacked(in))
			for range 40 {
				f.from = from
				f.work += tuned.firstShare
				inHand := make(map[task]bool)
				for _, turn := range f.deal(0) {
					kinds[fmt.Sprintf("%T", turn.task)] = true
					switch turn.task.(type) {
					case beams, ladder:
						continue
					}
					if inHand[turn.task] {
						t.Fatalf("%s: a round has a %T twice", in.Name, turn.task)
					}
					inHand[turn.task] = true
				}
			}
		}
	}
	if len(kinds) != 7 {
		t.Errorf("only %v were dealt out", kinds)
	}
}

// stacked is the plan of all buffers on top of each other.
func stacked(in *model.Instance) *model.Plan {
	plan := &model.Plan{Offsets: make([]int64, len(in.Buffers))}
	for i := 1; i < len(in.Buffers); i++ {
		plan.Offsets[i] = plan.Offsets[i-1] + in.Buffers[i-1].Size
	}
	return plan
}

// spoilt is a local search with a bug.
type spoilt struct{}

func (spoilt) Name() string { return "spoilt" }
func (spoilt) Plan(_ context.Context, in *model.Instance) (model.Result, error) {
	return model.Result{Plan: &model.Plan{Offsets: []int64{in.Buffers[len(in.Buffers)].Size}}}, nil
}

// A task that panics, wherever it runs, is an error of the round, with the place.
func TestFinderReportsPanics(t *testing.T) {
	for threads := 1; threads <= 3; threads++ {
		f := NewFinder(tied(12), 0, func(*model.Plan, uint64, int) model.Planner { return spoilt{} })
		_, err := f.Round(context.Background(), threads, 0)
		var bug *model.Panic
		if !errors.As(err, &bug) || !strings.Contains(err.Error(), "spoilt") || len(bug.Stack) == 0 {
			t.Fatalf("%d threads: %v", threads, err)
		}
	}
}

// A new engine finds the same in the same calls, and ends at the load.
func TestEngineRepeats(t *testing.T) {
	in := crowd(120)
	var want []model.Finding
	for again := range 2 {
		e := NewEngine(in, 7, insertions)
		var known model.Result
		for k := range 4 {
			got, err := e.Run(context.Background(), known, 1<<17)
			if err != nil {
				t.Fatal(err)
			}
			if got.Plan != nil {
				valid(t, in, got.Plan)
				known.Plan = got.Plan
			}
			if again == 0 {
				want = append(want, got)
			} else if !reflect.DeepEqual(got, want[k]) {
				t.Fatalf("slice %d: %+v, then %+v", k, want[k], got)
			}
		}
	}
	in = crowd(3)
	e := NewEngine(in, 0, insertions)
	if got, _ := e.Run(context.Background(), model.Result{}, 1<<17); !got.Done || got.Plan == nil || got.Plan.Peak(in) != in.Load() {
		t.Fatalf("%+v", got)
	}
}
