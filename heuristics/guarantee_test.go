package heuristics

import (
	"context"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"memplan/internal/oracle"
	"memplan/model"
	"memplan/verify"

	"pgregory.net/rapid"
)

// small instances without alignment, whose optimum is found by trying all.
var small = features{most: 7, horizon: 8, size: 9}

// No planner is below the optimum; those with a guarantee keep it.
func TestAgainstOptimum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := small.draw(t)
		best := oracle.ByOrders(in)
		for _, p := range quick() {
			if got := peak(in, plan(t, p, in)); got < best {
				t.Fatalf("%s: peak %d, optimum %d", p.Name(), got, best)
			}
		}
		if got := peak(in, plan(t, Gergov{}, in)); got > 3*in.Load() {
			t.Fatalf("gergov: peak %d, load %d", got, in.Load())
		}
		if got := peak(in, plan(t, Boxing{}, in)); 2*got > 5*best {
			t.Fatalf("boxing: peak %d, optimum %d", got, best)
		}
	})
}

// The optimum in the tests and the search for large buffers share no code.
func TestPackAgainstOptimum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := small.draw(t)
		items := scaled(newDraft(in).items())
		r, err := NoReuse{}.Plan(context.Background(), hulls(items))
		if err != nil {
			t.Fatal(err)
		}
		offsets, exact := pack(items, r.Plan.Offsets, 1<<24)
		found := model.Plan{Offsets: offsets}
		check(t, "pack", hulls(items), &found)
		if !exact || found.Peak(hulls(items)) != oracle.ByOrders(in) {
			t.Fatalf("peak %d (exact: %v), optimum %d", found.Peak(hulls(items)), exact, oracle.ByOrders(in))
		}
		if _, exact := pack(items, r.Plan.Offsets, 0); exact && r.Plan.Peak(hulls(items)) > in.Load() {
			t.Fatal("a search without work claims to be exact")
		}
	})
}

// Gergov's layers: three at most, none above the load, no overlap within one,
// and two earlier neighbours at most.
func TestGergovLayers(t *testing.T) {
	f := features{most: 60, horizon: 30, size: 20}
	deepest := 0
	rapid.Check(t, func(t *rapid.T) {
		in := f.draw(t)
		placed := layers(twoAllocation(newDraft(in).items()))
		for i, a := range placed {
			deepest = max(deepest, a.layer+1)
			if a.layer > 2 || a.offset < 0 || a.offset+a.size > in.Load() {
				t.Fatalf("%v at %d in layer %d, load %d", a.item, a.offset, a.layer, in.Load())
			}
			earlier := 0
			for _, b := range placed[:i] {
				if a.life.Meets(b.life) && a.offset < b.offset+b.size && b.offset < a.offset+a.size {
					earlier++
					if a.layer == b.layer {
						t.Fatalf("%v and %v overlap in layer %d", a, b, a.layer)
					}
				}
			}
			if earlier > 2 {
				t.Fatalf("%v overlaps %d earlier ones", a, earlier)
			}
		}
	})
	if deepest < 2 {
		t.Error("no instance needed a second layer")
	}
}

// The peak of colouring is the load where all sizes are equal.
func TestEqualSizesAreOptimal(t *testing.T) {
	f := features{most: 40, horizon: 20, size: 1}
	rapid.Check(t, func(t *rapid.T) {
		in := f.draw(t)
		size := rapid.Int64Range(1, 1000).Draw(t, "size")
		for i := range in.Buffers {
			in.Buffers[i].Size *= size
		}
		for _, p := range []model.Planner{GreedyColouring{}, SizeClassColouring{}, SizeClassColouring{Granularity: 1}, SizeClassColouring{Granularity: 64}} {
			if got := peak(in, plan(t, p, in)); got != in.Load() {
				t.Fatalf("%s: peak %d, load %d", p.Name(), got, in.Load())
			}
		}
	})
}

// The price of rounding: slots of 8 for 5, 5, 6 and 8 bytes, of 4 for 3.
func TestRoundingWaste(t *testing.T) {
	in := &model.Instance{}
	for i, size := range []int64{5, 5, 6, 3, 8, 0} {
		in.Buffers = append(in.Buffers, model.Buffer{ID: string(rune('a' + i)), Life: model.Interval{Start: 0, End: 1}, Size: size})
	}
	for _, c := range []struct{ granularity, waste int64 }{{0, 3 + 3 + 2 + 1 + 0}, {1, 0}, {5, 0 + 0 + 4 + 2 + 2}} {
		if got, ok := (SizeClassColouring{Granularity: c.granularity}).Waste(in); !ok || got != c.waste {
			t.Errorf("granularity %d: %d bytes (%v), want %d", c.granularity, got, ok, c.waste)
		}
	}
	in.Buffers[0].Size, in.Buffers[1].Size = math.MaxInt64/2+2, math.MaxInt64/2+2
	if got, ok := (SizeClassColouring{}).Waste(in); ok {
		t.Errorf("waste of two slots of 2^63 is %d", got)
	}
}

// Boxes: rows within bounds, no two items of a row live together, and at each
// step no more boxes than Theorem 2 allows, with the constant 6.
func TestBoxer(t *testing.T) {
	f := features{most: 120, horizon: 40, size: 1}
	rapid.Check(t, func(t *rapid.T) {
		items := scaled(newDraft(f.draw(t)).items())
		b := boxer{items: items, rows: rapid.IntRange(1, 6).Draw(t, "rows"), inverse: rapid.IntRange(1, 3).Draw(t, "inverse")}
		b.box()
		life := map[int]model.Interval{}
		for i, s := range b.seats {
			if s.box < 0 || s.box >= b.boxes || s.row < 0 || s.row >= b.rows {
				t.Fatalf("item %d in row %d of box %d of %d", i, s.row, s.box, b.boxes)
			}
			for j := range i {
				if b.seats[j] == s && items[i].life.Meets(items[j].life) {
					t.Fatalf("%v and %v share row %v", items[i], items[j], s)
				}
			}
			v, seen := life[s.box]
			if !seen {
				v = items[i].life
			}
			life[s.box] = model.Interval{Start: min(v.Start, items[i].life.Start), End: max(v.End, items[i].life.End)}
		}
		term := 6 * b.rows * bits.Len(uint(b.rows)) * b.inverse * b.inverse * bits.Len(uint(b.inverse))
		for step := int64(-4); step < 60; step++ {
			at := model.Interval{Start: step, End: step + 1}
			load, boxes := 0, 0
			for _, it := range items {
				load += one(it.life.Meets(at))
			}
			for _, v := range life {
				boxes += one(v.Meets(at))
			}
			if boxes*b.rows > load+4*load/b.inverse+term {
				t.Fatalf("step %d: %d boxes of %d rows for %d items", step, boxes, b.rows, load)
			}
		}
	})
}

// Lemma 1: of items that are all live at one step, at most 2 rows / epsilon^2
// are left over. Before that step the boxes exceed the items in them by no more
// than one strip of early births that is half there, one box of each strip of
// late deaths, and boxes that are not full; after it, the other way round.
func TestStrips(t *testing.T) {
	for seed := range uint64(6) {
		r := rand.New(rand.NewPCG(seed, 2))
		b := boxer{rows: 4 + r.IntN(3), inverse: 5 + r.IntN(10)}
		n := 2*b.rows*b.inverse*b.inverse + 5000
		for i := range n {
			b.items = append(b.items, item{body: i, life: model.Interval{Start: -r.Int64N(200), End: 1 + r.Int64N(200)}})
		}
		b.seats = make([]seat, n)
		rest := b.strips(model.Identity(n))
		if len(rest) > 2*b.rows*b.inverse*b.inverse {
			t.Fatalf("seed %d: %d of %d items left over, rows %d, inverse %d", seed, len(rest), n, b.rows, b.inverse)
		}
		left := make([]bool, n)
		for _, i := range rest {
			left[i] = true
		}
		life := make([]model.Interval, b.boxes)
		for i, s := range b.seats {
			if !left[i] {
				v := b.items[i].life
				life[s.box] = model.Interval{Start: min(v.Start, life[s.box].Start), End: max(v.End, life[s.box].End)}
			}
		}
		for step := int64(-200); step < 200; step++ {
			at := model.Interval{Start: step, End: step + 1}
			inside, boxes := 0, 0
			for i, it := range b.items {
				inside += one(it.life.Meets(at) && !left[i])
			}
			for _, v := range life {
				boxes += one(v.Meets(at))
			}
			strips := (n - len(rest)) / (2 * b.rows * b.inverse)
			if most := b.rows*b.inverse + b.rows*(strips+3); boxes*b.rows-inside > most {
				t.Fatalf("seed %d, step %d: %d boxes of %d rows for %d items, inverse %d", seed, step, boxes, b.rows, inside, b.inverse)
			}
		}
	}
}

// As sizes shrink against the load, boxing nears the load: the guarantee that
// it is known for. Lemma 1 has work to do here.
func TestBoxingOfManySmallBuffers(t *testing.T) {
	in := uniform(20000, 4000, 5)
	for i := range in.Buffers {
		in.Buffers[i].Size = 1 + in.Buffers[i].Size%8
	}
	p := Boxing{Inverse: 2}
	d := newDraft(in)
	at := make([]int64, len(d.bodies))
	items := scaled(d.items())
	boxAll(items, p.Inverse, at, 0)
	if raw := peak(in, at); raw > 2*in.Load() {
		t.Errorf("boxes alone: peak %d, load %d", raw, in.Load())
	} else {
		t.Logf("boxes alone: peak/load %.3f", float64(raw)/float64(in.Load()))
	}
	if err := verify.Plan(in, model.Plan{Offsets: at}); err != nil {
		t.Error(err)
	}
}

// The best of a set is the best of the set.
func TestChooseBest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := everything.draw(t)
		best := int64(math.MaxInt64)
		for _, p := range onePass() {
			best = min(best, peak(in, plan(t, p, in)))
		}
		if got := peak(in, plan(t, ChooseBest{}, in)); got != best {
			t.Fatalf("peak %d, best %d", got, best)
		}
	})
}

// A hill climb is no worse than the order it starts from, and the more steps
// the better.
func TestClimbs(t *testing.T) {
	in := load(t, "minimalloc/challenging/F.1048576.csv")
	of := func(p model.Planner) int64 { return peakOf(t, p, in) }
	first, few, many := of(VelaHillClimb{Iterations: 1}), of(VelaHillClimb{Iterations: 50}), of(VelaHillClimb{Iterations: 500})
	if few > first || many >= few {
		t.Errorf("vela: %d after 1 step, %d after 50, %d after 500", first, few, many)
	}
	if first, many := of(TVMHillClimb{Attempts: 1}), of(TVMHillClimb{}); many >= first {
		t.Errorf("tvm: %d at first, %d after 500 attempts", first, many)
	}
	for _, p := range []struct{ few, many model.Planner }{
		{Multistart{Rounds: 1}, Multistart{}},
		{IteratedLocalSearch{Iterations: 1}, IteratedLocalSearch{}},
		{Tabu{Iterations: 1}, Tabu{Iterations: 60}},
	} {
		if few, many := of(p.few), of(p.many); few != of(Decreasing{}) || many >= few {
			t.Errorf("%s: %d at first, %d at last", p.few.Name(), few, many)
		}
	}
	for _, pair := range [][2]model.Planner{
		{VelaHillClimb{Seed: 1}, VelaHillClimb{Seed: 2}},
		{TVMHillClimb{Seed: 1}, TVMHillClimb{Seed: 2}},
		{Multistart{Seed: 1}, Multistart{Seed: 2}},
		{IteratedLocalSearch{Seed: 1}, IteratedLocalSearch{Seed: 2}},
	} {
		r, _ := pair[0].Plan(context.Background(), in)
		s, _ := pair[1].Plan(context.Background(), in)
		if slices.Equal(r.Plan.Offsets, s.Plan.Offsets) {
			t.Errorf("%s: the seed does not matter", pair[0].Name())
		}
	}
}
