package ilp_test

import (
	"context"
	"math/rand"
	"reflect"
	"runtime"
	"testing"
	"time"

	"memplan/corpus"
	"memplan/ilp"
	"memplan/ilp/highs"
	"memplan/internal/oracle"
	"memplan/model"
	"memplan/search"
	"memplan/verify"
)

func generate(t testing.TB, name string) *model.Instance {
	t.Helper()
	in, err := corpus.Generate(name)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// inSlices runs a new engine in slices of that work until it is done, and lists
// what it found.
func inSlices(t *testing.T, in *model.Instance, work int64) (found []model.Finding, known model.Result) {
	t.Helper()
	e := &ilp.Engine{Instance: in, Solver: highs.Solver{}}
	defer e.Close()
	for {
		f, err := e.Run(context.Background(), known, work)
		if err != nil {
			t.Fatal(err)
		}
		if f.Plan != nil {
			known.Plan = f.Plan
		}
		if f.Certificate != nil {
			known.Bound, known.Certificate = f.Bound, f.Certificate
		}
		if found = append(found, f); f.Done {
			return found, known
		}
	}
}

// The same slices, the same findings; smaller slices, the same optimum.
func TestEngineInSlices(t *testing.T) {
	for _, name := range []string{"eight-above", "chain-20-20-3", "long-chain-30-50-1"} {
		in := generate(t, name)
		first, known := inSlices(t, in, 2_000)
		again, _ := inSlices(t, in, 2_000)
		if !reflect.DeepEqual(first, again) {
			t.Errorf("%s: a second engine differs", name)
		}
		if len(first) < 3 && name == "long-chain-30-50-1" {
			t.Errorf("%s: only %d slices", name, len(first))
		}
		_, atOnce := inSlices(t, in, 1<<50)
		for _, res := range []model.Result{known, atOnce} {
			if err := verify.Plan(in, *res.Plan); err != nil || res.Plan.Peak(in) != res.Bound || res.Bound != known.Bound {
				t.Errorf("%s: peak %d, bound %d, want both %d: %v", name, res.Plan.Peak(in), res.Bound, known.Bound, err)
			}
		}
	}
}

// What others find is used: at the optimum there is nothing left to ask about
// but the bound, and a bound at the peak ends it.
func TestEngineTakesWhatIsKnown(t *testing.T) {
	for seed := range int64(300) {
		in := oracle.Random(rand.New(rand.NewSource(seed)), oracle.All)
		plan, _ := oracle.Optimum(in)
		best := plan.Peak(in)
		e := &ilp.Engine{Instance: in, Solver: highs.Solver{}}
		f, err := e.Run(context.Background(), model.Result{Plan: &plan}, 1<<50)
		if err != nil || f.Plan != nil || !f.Done || f.Certificate == nil || f.Certificate.Bound != best {
			t.Fatalf("seed %d: optimum %d: %+v, %v", seed, best, f, err)
		}
		none := ilp.Engine{Instance: in, Solver: liar(func(*ilp.Program, ilp.Options) (ilp.Outcome, error) {
			t.Error("asked though best and bound meet")
			return ilp.Outcome{}, nil
		})}
		if _, err := none.Run(context.Background(), model.Result{Plan: &plan, Bound: best}, 1<<50); err != nil {
			t.Fatal(err)
		}
	}
}

// A plan that does not hold is not taken from anybody.
func TestEngineChecksWhatIsKnown(t *testing.T) {
	in := generate(t, "eight-above")
	wrong := model.Plan{Offsets: make([]int64, len(in.Buffers))}
	e := &ilp.Engine{Instance: in, Solver: highs.Solver{}}
	if f, err := e.Run(context.Background(), model.Result{Plan: &wrong}, 1<<50); err != nil || f.Bound != 5 || f.Plan == nil {
		t.Errorf("%+v, %v", f, err)
	}
}

func TestEngineInARace(t *testing.T) {
	in := generate(t, "long-chain-30-50-1")
	race := search.Race{Engines: func(in *model.Instance) []model.Engine {
		return []model.Engine{&ilp.Engine{Instance: in, Solver: highs.Solver{}}, &ilp.Engine{Instance: in, Solver: highs.Solver{}}}
	}}
	res, err := race.Plan(context.Background(), in)
	if err != nil || res.Status(in) != model.Optimal {
		t.Errorf("%+v, %v", res, err)
	}
}

// An engine that is called off, closed or forgotten leaves nothing behind.
func TestEngineStops(t *testing.T) {
	in := generate(t, "long-chain-60-200-1")
	before := runtime.NumGoroutine()
	begin := func() *ilp.Engine {
		e := &ilp.Engine{Instance: in, Solver: highs.Solver{}}
		if f, err := e.Run(context.Background(), model.Result{}, 1000); err != nil || f.Done {
			t.Fatalf("%+v, %v", f, err)
		}
		return e
	}
	closed := begin()
	closed.Close()
	if f, err := closed.Run(context.Background(), model.Result{}, 1000); err != nil || !f.Done {
		t.Errorf("closed: %+v, %v", f, err)
	}
	called := begin()
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(20*time.Millisecond, cancel)
	if f, err := called.Run(ctx, model.Result{}, 1<<50); err != nil || !f.Done {
		t.Errorf("called off: %+v, %v", f, err)
	}
	if f, err := called.Run(context.Background(), model.Result{}, 1000); err != nil || !f.Done {
		t.Errorf("after that: %+v, %v", f, err)
	}
	begin()          // forgotten
	for range 3000 { // a minute: the machine may be busy
		if runtime.GC(); runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Errorf("%d goroutines left, %d before", runtime.NumGoroutine(), before)
}

func TestNoSolver(t *testing.T) {
	if _, err := (ilp.Planner{}).Plan(context.Background(), &model.Instance{}); err == nil {
		t.Error("no error without a solver")
	}
}
