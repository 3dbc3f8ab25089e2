package reduce_test

import (
	"math/rand"
	"testing"

	"memplan/internal/oracle"
	"memplan/model"
	"memplan/model/reduce"
	"memplan/verify"
)

const everyStep = reduce.Scale | reduce.Compress | reduce.Cut | reduce.Universal | reduce.Last

// times is the instance with every byte replaced by k bytes; alignments too,
// where so is chosen.
func times(in *model.Instance, k int64, aligns bool) *model.Instance {
	out := &model.Instance{Name: in.Name, Buffers: append([]model.Buffer(nil), in.Buffers...)}
	for i := range out.Buffers {
		b := &out.Buffers[i]
		b.Size *= k
		if aligns {
			b.Align *= k
		}
		if b.Offset != nil {
			pin := *b.Offset * k
			b.Offset = &pin
		}
		if b.Tie != nil {
			b.Tie = &model.Tie{To: b.Tie.To, Delta: b.Tie.Delta * k}
		}
	}
	return out
}

func optimum(t *testing.T, in *model.Instance) (int64, model.Plan) {
	t.Helper()
	plan, ok := oracle.Optimum(in)
	if !ok {
		t.Fatalf("no plan up to %d: %+v", oracle.Highest, in)
	}
	return plan.Peak(in), plan
}

// Every set of steps keeps the optimum, lifts plans of the parts to a plan
// with their peak, and projects plans of the whole to parts no higher.
func TestReduceKeepsTheOptimum(t *testing.T) {
	gone := map[reduce.Step]int{}
	for seed := range int64(6000) {
		r := rand.New(rand.NewSource(seed))
		features := oracle.Features{Align: r.Intn(2) == 0, Pins: r.Intn(3) == 0, Gaps: r.Intn(2) == 0, Ties: r.Intn(3) == 0}
		in := oracle.Random(r, features)
		best, plan := optimum(t, in)
		off := reduce.Step(r.Intn(int(everyStep) + 1))
		if r.Intn(2) == 0 {
			off = 0
		}
		red := reduce.Reduce(in, off)
		plans, heights, left := make([]model.Plan, len(red.Parts)), make([]int64, len(red.Parts)), 0
		for k := range red.Parts {
			p := &red.Parts[k]
			left += len(p.Index)
			if err := p.Instance.Validate(); err != nil {
				t.Fatalf("seed %d without %b: part %d: %v", seed, off, k, err)
			}
			heights[k], plans[k] = optimum(t, p.Instance)
			got, ok := p.Project(plan)
			if !ok || p.Instance.Check(got) != nil || got.Peak(p.Instance) > p.Height(best) {
				t.Fatalf("seed %d without %b: part %d: projected %v (%v), want at most %d", seed, off, k, got, ok, p.Height(best))
			}
		}
		if len(in.Buffers) > 0 && left < len(in.Buffers) {
			gone[off]++
		}
		if got := red.Bound(heights); got != best {
			t.Fatalf("seed %d without %b: optimum %d of the parts, %d of the whole", seed, off, got, best)
		}
		lifted, err := red.Lift(plans)
		if err != nil {
			t.Fatalf("seed %d without %b: %v", seed, off, err)
		}
		if err := verify.Plan(in, lifted); err != nil || lifted.Peak(in) != best {
			t.Fatalf("seed %d without %b: lifted to %d, want %d: %v", seed, off, lifted.Peak(in), best, err)
		}
	}
	if gone[0] < 1000 || gone[everyStep&^reduce.Universal] < 5 || gone[everyStep&^reduce.Last] < 5 {
		t.Errorf("too little is taken out: %v", gone)
	}
}

// Sizes in larger units give the same parts: only Unit grows.
func TestScaleInvariance(t *testing.T) {
	for seed := range int64(500) {
		r := rand.New(rand.NewSource(seed))
		in := oracle.Random(r, oracle.Features{Gaps: true, Pins: seed%2 == 0, Ties: seed%3 == 0})
		small := reduce.Reduce(in, 0)
		for _, k := range []int64{3, 1000, 1_000_000_007} {
			large := reduce.Reduce(times(in, k, false), 0)
			if len(large.Parts) != len(small.Parts) || large.Floor != k*small.Floor {
				t.Fatalf("seed %d, times %d: %d parts and floor %d, want %d and %d", seed, k,
					len(large.Parts), large.Floor, len(small.Parts), k*small.Floor)
			}
			for p := range large.Parts {
				a, b := &large.Parts[p], &small.Parts[p]
				if a.Unit != k*b.Unit || a.Base != k*b.Base {
					t.Fatalf("seed %d, times %d: unit %d base %d, small unit %d base %d", seed, k, a.Unit, a.Base, b.Unit, b.Base)
				}
				for i := range a.Instance.Buffers {
					if a.Instance.Buffers[i].Size != b.Instance.Buffers[i].Size {
						t.Fatalf("seed %d, times %d: sizes differ", seed, k)
					}
				}
			}
		}
	}
}

// Scaling with alignments that divide the unit, are multiples of it, or neither.
func TestScaleWithAlignment(t *testing.T) {
	for seed := range int64(1500) {
		r := rand.New(rand.NewSource(seed))
		in := oracle.Random(r, oracle.Features{Align: true, Pins: seed%4 == 0, Gaps: true})
		k := 2 + r.Int63n(2)
		if in.Load()*k > 40 {
			continue
		}
		large := times(in, k, r.Intn(2) == 0)
		if large.Validate() != nil {
			continue // a pin that is no longer aligned
		}
		best, _ := optimum(t, large)
		red := reduce.Reduce(large, reduce.Step(r.Intn(int(everyStep)+1))&^reduce.Scale)
		heights := make([]int64, len(red.Parts))
		for p := range red.Parts {
			heights[p], _ = optimum(t, red.Parts[p].Instance)
		}
		if got := red.Bound(heights); got != best {
			t.Fatalf("seed %d: optimum %d of the parts, %d of the whole", seed, got, best)
		}
	}
}

// Laminar families reduce to nothing, however deep, and so does what stands
// alone in time.
func TestLaminarIsNothing(t *testing.T) {
	in := &model.Instance{}
	for k := range int64(300) {
		in.Buffers = append(in.Buffers,
			model.Buffer{ID: "out" + string(rune(k)), Life: model.Interval{Start: k, End: 1000 - k}, Size: 1<<40 + k},
			model.Buffer{ID: "left" + string(rune(k)), Life: model.Interval{Start: k, End: k + 1}, Size: 3 + k})
	}
	red := reduce.Reduce(in, reduce.Last)
	if len(red.Parts) != 0 || red.Floor != in.Load() {
		t.Fatalf("%d parts, floor %d, load %d", len(red.Parts), red.Floor, in.Load())
	}
	plan, err := red.Lift(nil)
	if err != nil || verify.Plan(in, plan) != nil || plan.Peak(in) != in.Load() {
		t.Errorf("lifted to %d, want the load %d: %v", plan.Peak(in), in.Load(), err)
	}
}

// Windows bound the whole, whatever is cut off.
func TestWindowIsABound(t *testing.T) {
	smaller := 0
	for seed := range int64(3000) {
		r := rand.New(rand.NewSource(seed))
		in := oracle.Random(r, oracle.All)
		best, _ := optimum(t, in)
		off := everyStep
		if seed%2 == 0 {
			off = 0
		}
		red := reduce.Reduce(in, off)
		for k := range red.Parts {
			from := r.Int63n(6)
			w := red.Parts[k].Window(model.Interval{Start: from, End: from + 1 + r.Int63n(5)})
			if err := w.Instance.Validate(); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			peak, _ := optimum(t, w.Instance)
			if w.Bytes(peak) > best {
				t.Fatalf("seed %d: the window needs %d, the whole %d", seed, w.Bytes(peak), best)
			}
			if len(w.Index) < len(red.Parts[k].Index) {
				smaller++
			}
		}
	}
	if smaller < 500 {
		t.Errorf("only %d windows smaller than their part", smaller)
	}
}

// Steps tell which original steps a clique stands for.
func TestStepsOfTheOriginal(t *testing.T) {
	for seed := range int64(1000) {
		in := oracle.Random(rand.New(rand.NewSource(seed)), oracle.Features{Gaps: true, Align: true})
		for _, p := range reduce.Reduce(in, 0).Parts {
			for t0, set := range reduce.Cliques(p.Instance) {
				for _, k := range set {
					live := false
					for v := range in.Buffers[p.Index[k]].Live() {
						live = live || v.Contains(p.Steps[t0])
					}
					if !live {
						t.Fatalf("seed %d: buffer %d is not live at %v", seed, p.Index[k], p.Steps[t0])
					}
				}
			}
		}
	}
}

// What Force finds holds in every plan of that height that has the given
// orders: checked on all plans of tiny instances.
func TestForceHoldsInEveryPlan(t *testing.T) {
	var plans, dead, orders, lifted int
	for seed := range int64(2000) {
		r := rand.New(rand.NewSource(seed))
		in := oracle.Random(r, oracle.Features{Align: seed%2 == 0, Pins: seed%3 == 0, Gaps: seed%5 == 0, Ties: seed%7 == 0})
		best, _ := optimum(t, in)
		height := best - 1 + r.Int63n(3)
		if height < 0 {
			continue
		}
		var given []reduce.Order
		if near := in.Neighbours(); len(near) > 0 && len(near[0]) > 0 && r.Intn(2) == 0 {
			given = append(given, reduce.Order{Lower: 0, Upper: near[0][0]})
		}
		room, ok := reduce.Force(in, height, given)
		if !ok {
			dead++
		}
		for i := range in.Buffers {
			if ok && room.Low[i] > 0 && in.Buffers[i].Offset == nil {
				lifted++
			}
			for j := range in.Buffers {
				if ok && room.Below(i, j) {
					orders++
				}
			}
		}
		for plan := range oracle.Plans(in, height, 100) {
			if len(given) > 0 && plan[given[0].Lower] > plan[given[0].Upper] {
				continue
			}
			plans++
			if !ok {
				t.Fatalf("seed %d: height %d is refused, but %v fits: %+v", seed, height, plan, in)
			}
			for i := range plan {
				if plan[i] < room.Low[i] || plan[i] > room.High[i] {
					t.Fatalf("seed %d: height %d: buffer %d in [%d,%d], but %v fits", seed, height, i, room.Low[i], room.High[i], plan)
				}
				for j := range plan {
					if room.Below(i, j) && plan[i] >= plan[j] {
						t.Fatalf("seed %d: height %d: %d below %d, but %v fits", seed, height, i, j, plan)
					}
				}
			}
		}
	}
	t.Log(plans, dead, orders, lifted)
	if min(plans, dead, orders, lifted) < 200 {
		t.Error("too few of a kind to tell")
	}
}

// At the greatest numbers nothing wraps and nothing panics.
func TestHuge(t *testing.T) {
	const top = model.MaxBytes
	life := func(a, b int64) model.Interval { return model.Interval{Start: a, End: b} }
	pin := int64(top - 8)
	for name, in := range map[string]*model.Instance{
		"one":    {Buffers: []model.Buffer{{ID: "a", Life: life(0, 2), Size: top, Align: 64}}},
		"two":    {Buffers: []model.Buffer{{ID: "a", Life: life(0, 2), Size: top - 9}, {ID: "b", Life: life(0, 2), Size: 1}}},
		"cross":  {Buffers: []model.Buffer{{ID: "a", Life: life(0, 2), Size: top / 2}, {ID: "b", Life: life(1, 3), Size: top / 2}, {ID: "c", Life: life(2, 4), Size: top / 2}}},
		"align":  {Buffers: []model.Buffer{{ID: "a", Life: life(0, 2), Size: top - 9, Align: 64}, {ID: "b", Life: life(0, 2), Size: 1, Align: 64}}},
		"pinned": {Buffers: []model.Buffer{{ID: "a", Life: life(0, 2), Size: 8, Offset: &pin}, {ID: "b", Life: life(0, 2), Size: top - 9}}},
		"ends":   {Buffers: []model.Buffer{{ID: "a", Life: life(-top-1, top), Size: 1}, {ID: "b", Life: life(top-1, top), Size: 2}}},
	} {
		if err := in.Validate(); err != nil {
			t.Fatal(name, err)
		}
		for off := range everyStep + 1 {
			red := reduce.Reduce(in, off)
			if red.Floor < in.Load() {
				t.Errorf("%s without %b: floor %d below the load %d", name, off, red.Floor, in.Load())
			}
			for _, p := range red.Parts {
				reduce.Force(p.Instance, top, nil)
				reduce.Force(p.Instance, p.Instance.Load(), nil)
			}
		}
	}
}

// At each step of a part, the bytes below it are live, with those of the part.
func TestBaseIsLive(t *testing.T) {
	based := 0
	for seed := range int64(20_000) {
		in := oracle.Random(rand.New(rand.NewSource(seed)), oracle.Features{Gaps: seed%2 == 0, Align: seed%3 == 0, Pins: seed%5 == 0})
		for _, p := range reduce.Reduce(in, 0).Parts {
			if p.Base > 0 {
				based++
			}
			for k, steps := range p.Steps {
				own := liveBytes(p.Instance, int64(k))
				if all := liveBytes(in, steps.Start); p.Base+p.Unit*own > all {
					t.Fatalf("seed %d: %d bytes live at %v, a part of %d times %d above %d", seed, all, steps, own, p.Unit, p.Base)
				}
			}
		}
	}
	if based < 100 {
		t.Errorf("%d parts above others: the test has lost its point", based)
	}
}

func liveBytes(in *model.Instance, step int64) (bytes int64) {
	for i := range in.Buffers {
		for v := range in.Buffers[i].Live() {
			if v.Start <= step && step < v.End {
				bytes += in.Buffers[i].Size
			}
		}
	}
	return bytes
}
