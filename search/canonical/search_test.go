package canonical

import (
	"context"
	"encoding/csv"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"memplan/model"
)

// challenge reads one of MiniMalloc's challenging instances.
func challenge(t testing.TB, letter string) *model.Instance {
	path := filepath.Join("..", "..", "..", "shared", "data", "minimalloc", "challenging", letter+".1048576.csv")
	f, err := os.Open(path)
	if err != nil {
		t.Skipf("SHARED DATA ABSENT, nothing tested: %v", err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
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

// A search reaches the load of MiniMalloc's instances within a number of
// placements that leaves room for small changes of the rules.
func TestSearchReachesTheLoad(t *testing.T) {
	for letter, most := range map[string]int64{"A": 120_000, "B": 5_000, "C": 500, "E": 25_000, "F": 9_000, "G": 9_000, "H": 17_000, "K": 2_000} {
		in := challenge(t, letter)
		s, err := New(in, in.Load())
		if err != nil {
			t.Fatal(err)
		}
		plan, _, nodes := s.Run(context.Background(), most)
		if plan == nil {
			t.Errorf("%s: no plan after %d placements", letter, nodes)
			continue
		}
		check(t, in, plan, in.Load())
	}
}

// Runs in slices do what one long run does.
func TestSearchKeepsItsPlace(t *testing.T) {
	in := challenge(t, "A")
	whole, _ := New(in, in.Load())
	want, _, nodes := whole.Run(context.Background(), 1<<20)
	pieces, _ := New(in, in.Load())
	var sum int64
	for {
		got, _, n := pieces.Run(context.Background(), 1)
		sum += n
		if got != nil {
			if !reflect.DeepEqual(got, want) || sum != nodes {
				t.Fatalf("another plan, or %d placements for %d", sum, nodes)
			}
			return
		}
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
		best := optimum(in)
		order, beam := p.Draw(rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0)), Widest)
		plan, _ := p.Beam(context.Background(), order, best, beam)
		tried++
		if plan == nil {
			missed++
		} else {
			check(t, in, plan, best)
		}
		if plan, _ := p.Beam(context.Background(), order, best-1, beam); plan != nil {
			t.Fatalf("a plan below the optimum %d", best)
		}
	})
	if missed*20 > tried {
		t.Errorf("missed %d of %d optima", missed, tried)
	}
}

// A search ends by itself when there is no plan, and on request.
func TestSearchEnds(t *testing.T) {
	in := &model.Instance{Buffers: []model.Buffer{ // load 4, optimum 5
		{ID: "a", Life: model.Interval{Start: 0, End: 1}, Size: 2}, {ID: "b", Life: model.Interval{Start: 0, End: 2}, Size: 2},
		{ID: "c", Life: model.Interval{Start: 1, End: 3}, Size: 1}, {ID: "d", Life: model.Interval{Start: 2, End: 3}, Size: 1},
		{ID: "e", Life: model.Interval{Start: 2, End: 4}, Size: 1}, {ID: "f", Life: model.Interval{Start: 1, End: 4}, Size: 1},
		{ID: "g", Life: model.Interval{Start: 3, End: 5}, Size: 2}, {ID: "h", Life: model.Interval{Start: 4, End: 5}, Size: 2},
	}}
	s, _ := New(in, 4)
	if plan, exhausted, _ := s.Run(context.Background(), 1<<20); plan != nil || !exhausted {
		t.Fatalf("at 4: %v, exhausted %v", plan, exhausted)
	}
	s, _ = New(in, 5)
	plan, _, _ := s.Run(context.Background(), 1<<20)
	if plan == nil {
		t.Fatal("no plan at 5")
	}
	check(t, in, plan, 5)
	ctx, stop := context.WithCancel(context.Background())
	stop()
	s, _ = New(in, 5)
	if plan, exhausted, nodes := s.Run(ctx, 1<<20); plan != nil || exhausted || nodes != 0 {
		t.Fatalf("stopped: %v, %v, %d", plan, exhausted, nodes)
	}
}

// Ties are declined, nothing at all is planned, and sizes near the end of int64
// do not wrap.
func TestSearchAtTheEdges(t *testing.T) {
	life := model.Interval{Start: 0, End: 1}
	tied := &model.Instance{Buffers: []model.Buffer{{ID: "a", Life: life, Size: 4}, {ID: "b", Life: model.Interval{Start: 1, End: 2}, Size: 4, Tie: &model.Tie{To: 0}}}}
	if _, err := New(tied, 8); !errors.Is(err, ErrTies) {
		t.Errorf("ties: %v", err)
	}
	empty, _ := New(&model.Instance{}, 0)
	if plan, _, _ := empty.Run(context.Background(), 10); plan == nil || len(plan.Offsets) != 0 {
		t.Errorf("empty: %v", plan)
	}
	half := int64(model.MaxBytes / 2)
	huge := &model.Instance{Buffers: []model.Buffer{{ID: "a", Life: life, Size: half, Align: 64}, {ID: "b", Life: life, Size: half - 100, Align: 1 << 40}}}
	s, _ := New(huge, model.MaxBytes)
	plan, _, _ := s.Run(context.Background(), 100)
	if plan == nil {
		t.Fatal("huge: no plan")
	}
	check(t, huge, plan, model.MaxBytes)
}
