package canonical

import (
	"context"
	"encoding/csv"
	"errors"
	"math/rand/v2"
	"reflect"
	"strconv"
	"testing"

	"memplan/internal/oracle"
	"memplan/internal/shared"
	"memplan/model"

	"pgregory.net/rapid"
)

// challenge reads one of MiniMalloc's challenging instances.
func challenge(t testing.TB, letter string) *model.Instance {
	t.Helper()
	rows, err := csv.NewReader(shared.Open(t, "minimalloc/challenging/"+letter+".1048576.csv")).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	in := &model.Instance{Name: letter}
	for _, row := range rows[1:] {
		var v [3]int64
		for k := range v {
			if v[k], err = strconv.ParseInt(row[k+1], 10, 64); err != nil {
				t.Fatal(err)
			}
		}
		in.Buffers = append(in.Buffers, model.Buffer{ID: row[0], Life: model.Interval{Start: v[0], End: v[1]}, Size: v[2]})
	}
	return in
}

// sideBySide gives dives in all orders turns of up to slice placements, until
// one comes to an end or so many placements were tried.
func sideBySide(p *Problem, capacity, slice, most int64) (plan *model.Plan, outcome Outcome, tried int64) {
	var dives []*Dive
	for _, by := range Rankings {
		dives = append(dives, p.Dive(p.Order(by.Order), capacity, by.Look))
	}
	for tried < most {
		for _, d := range dives {
			before := d.nodes
			outcome = d.Run(slice)
			if tried += d.nodes - before; outcome == Found {
				return d.Plan(), outcome, tried
			}
			if outcome == Exhausted {
				return nil, outcome, tried
			}
		}
	}
	return nil, Open, tried
}

// prepare is Prepare where it does not fail.
func prepare(t *testing.T, in *model.Instance) *Problem {
	t.Helper()
	p, err := Prepare(in)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Dives side by side reach the load of MiniMalloc's instances within a number
// of placements that leaves room for small changes of the rules.
func TestDivesReachTheLoad(t *testing.T) {
	for letter, most := range map[string]int64{"A": 1_000, "B": 12_000, "C": 500, "E": 5_000, "F": 9_000, "G": 1_000, "H": 9_000, "I": 9_000, "K": 2_000} {
		in := challenge(t, letter)
		plan, _, nodes := sideBySide(prepare(t, in), in.Load(), 2000, most)
		if plan == nil {
			t.Errorf("%s: no plan after %d placements", letter, nodes)
			continue
		}
		check(t, in, plan, in.Load())
	}
}

// Runs in slices do what one long run does.
func TestDiveKeepsItsPlace(t *testing.T) {
	in := challenge(t, "C")
	p := prepare(t, in)
	whole, pieces := p.Dive(p.Order("WAT"), in.Load(), Never), p.Dive(p.Order("WAT"), in.Load(), Never)
	if got := whole.Run(1 << 20); got != Found {
		t.Fatalf("%v after %d placements", got, whole.nodes)
	}
	for pieces.Run(1) == Open {
	}
	if !reflect.DeepEqual(pieces.Plan(), whole.Plan()) || pieces.nodes != whole.nodes {
		t.Fatalf("another plan, or %d placements for %d", pieces.nodes, whole.nodes)
	}
}

// Whatever its parameters, what a beam finds is a plan of at most the capacity;
// a wide one with an endgame misses few optima of small instances.
func TestBeamAgainstBruteForce(t *testing.T) {
	tried, missed := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		in := small(t)
		p, err := Prepare(in)
		if err != nil {
			t.Fatal(err)
		}
		best := oracle.ByOrders(in)
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		var trials []Trial
		for range 1 + rapid.IntRange(0, tuned.elite).Draw(t, "earlier") {
			trials = Best(trials, []Trial{{p.Draw(r, Widest, true, nil), r.Float64()}})
		}
		beam := p.Draw(r, Widest, rapid.Bool().Draw(t, "at the least"), trials)
		plan, _, _ := p.Beam(context.Background(), best, beam)
		tried++
		if plan == nil {
			missed++
		} else {
			check(t, in, plan, best)
		}
		if plan, _, _ := p.Beam(context.Background(), best-1, beam); plan != nil {
			t.Fatalf("a plan below the optimum %d", best)
		}
	})
	if missed*20 > tried {
		t.Errorf("missed %d of %d optima", missed, tried)
	}
}

// A dive ends by itself when there is no plan.
func TestDiveEnds(t *testing.T) {
	in := &model.Instance{Buffers: []model.Buffer{ // load 4, optimum 5
		{ID: "a", Life: model.Interval{Start: 0, End: 1}, Size: 2}, {ID: "b", Life: model.Interval{Start: 0, End: 2}, Size: 2},
		{ID: "c", Life: model.Interval{Start: 1, End: 3}, Size: 1}, {ID: "d", Life: model.Interval{Start: 2, End: 3}, Size: 1},
		{ID: "e", Life: model.Interval{Start: 2, End: 4}, Size: 1}, {ID: "f", Life: model.Interval{Start: 1, End: 4}, Size: 1},
		{ID: "g", Life: model.Interval{Start: 3, End: 5}, Size: 2}, {ID: "h", Life: model.Interval{Start: 4, End: 5}, Size: 2},
	}}
	p := prepare(t, in)
	if plan, outcome, _ := sideBySide(p, 4, 1<<10, 1<<20); plan != nil || outcome != Exhausted {
		t.Fatalf("at 4: %v, %v", plan, outcome)
	}
	plan, _, _ := sideBySide(p, 5, 1<<10, 1<<20)
	if plan == nil {
		t.Fatal("no plan at 5")
	}
	check(t, in, plan, 5)
}

// Ties are declined, nothing at all is planned, and sizes near the end of int64
// do not wrap.
func TestDivesAtTheEdges(t *testing.T) {
	life := model.Interval{Start: 0, End: 1}
	tied := &model.Instance{Buffers: []model.Buffer{{ID: "a", Life: life, Size: 4}, {ID: "b", Life: model.Interval{Start: 1, End: 2}, Size: 4, Tie: &model.Tie{To: 0}}}}
	if _, err := Prepare(tied); !errors.Is(err, ErrTies) {
		t.Errorf("ties: %v", err)
	}
	if plan, _, _ := sideBySide(prepare(t, &model.Instance{}), 0, 10, 10); plan == nil || len(plan.Offsets) != 0 {
		t.Errorf("empty: %v", plan)
	}
	half := int64(model.MaxBytes / 2)
	huge := &model.Instance{Buffers: []model.Buffer{{ID: "a", Life: life, Size: half, Align: 64}, {ID: "b", Life: life, Size: half - 100, Align: 1 << 40}}}
	plan, _, _ := sideBySide(prepare(t, huge), model.MaxBytes, 100, 100)
	if plan == nil {
		t.Fatal("huge: no plan")
	}
	check(t, huge, plan, model.MaxBytes)
}
