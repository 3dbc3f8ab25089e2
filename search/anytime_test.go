package search

import (
	"context"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"memplan/model"
	"memplan/verify"
)

// odd draws an instance with alignments, pins, gaps, ties and empty buffers.
func odd(t *rapid.T) *model.Instance {
	in := &model.Instance{Name: "odd"}
	for i := range rapid.IntRange(1, 6).Draw(t, "n") {
		start := rapid.Int64Range(0, 6).Draw(t, "start")
		b := model.Buffer{ID: string(rune('a' + i)), Life: model.Interval{Start: start, End: rapid.Int64Range(start+1, 8).Draw(t, "end")},
			Size: rapid.Int64Range(0, 6).Draw(t, "size"), Align: rapid.SampledFrom([]int64{0, 0, 1, 2, 4}).Draw(t, "align")}
		in.Buffers = append(in.Buffers, b)
		last := &in.Buffers[i]
		switch rapid.IntRange(0, 5).Draw(t, "kind") {
		case 0:
			pin := rapid.Int64Range(0, 5).Draw(t, "pin") * b.Alignment()
			last.Offset = &pin
		case 1:
			if b.Life.End-b.Life.Start > 2 {
				last.Gaps = []model.Interval{{Start: start + 1, End: start + 2}}
			}
		case 2:
			if i > 0 {
				last.Tie = &model.Tie{To: 0, Delta: rapid.Int64Range(0, 3).Draw(t, "delta") * b.Alignment()}
			}
		}
		if in.Validate() != nil {
			*last = b
		}
	}
	return in
}

// least is the lowest peak of all orders of the bodies, each at its lowest offset.
func least(in *model.Instance) int64 {
	best := int64(model.MaxBytes)
	var fixed, free [][]int
	for _, body := range in.Bodies() {
		if in.Buffers[body[0]].Offset != nil {
			fixed = append(fixed, body)
		} else {
			free = append(free, body)
		}
	}
	var try func(offsets map[int]int64, left [][]int)
	put := func(offsets map[int]int64, body []int, root int64) map[int]int64 {
		next := make(map[int]int64, len(offsets)+len(body))
		for i, o := range offsets {
			next[i] = o
		}
		for _, i := range body {
			next[i] = root
			if t := in.Buffers[i].Tie; t != nil {
				next[i] += t.Delta
			}
			for j, o := range offsets {
				a, b := &in.Buffers[i], &in.Buffers[j]
				if a.Conflicts(b) && next[i] < o+b.Size && o < next[i]+a.Size {
					return nil
				}
			}
		}
		return next
	}
	try = func(offsets map[int]int64, left [][]int) {
		if len(left) == 0 {
			peak := int64(0)
			for i, o := range offsets {
				peak = max(peak, o+in.Buffers[i].Size)
			}
			best = min(best, peak)
		}
		for k, body := range left {
			root := int64(0)
			next := put(offsets, body, root)
			for ; next == nil; next = put(offsets, body, root) {
				root += in.Buffers[body[0]].Alignment()
			}
			try(next, slices.Delete(slices.Clone(left), k, k+1))
		}
	}
	offsets := map[int]int64{}
	for _, body := range fixed {
		offsets = put(offsets, body, *in.Buffers[body[0]].Offset)
	}
	try(offsets, free)
	return best
}

// valid fails unless the plan holds.
func valid(t interface{ Fatalf(string, ...any) }, in *model.Instance, plan *model.Plan) {
	if err := verify.Plan(in, *plan); err != nil {
		t.Fatalf("%v", err)
	}
}

// Plans are valid whatever the features, and optimal on small instances.
func TestAnytimeAgainstBruteForce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := odd(t)
		res, err := Anytime{Work: 1 << 14, Seed: rapid.Int64().Draw(t, "seed"), Threads: 1}.Plan(context.Background(), in)
		if err != nil || res.Plan == nil {
			t.Fatalf("%v, %v", res.Plan, err)
		}
		valid(t, in, res.Plan)
		if got, want := res.Plan.Peak(in), least(in); got != want {
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
		in.Buffers = append(in.Buffers, model.Buffer{ID: "b" + string(rune('0'+i/100)) + string(rune('0'+i/10%10)) + string(rune('0'+i%10)),
			Life: model.Interval{Start: int64(i), End: int64(n)}, Size: size})
	}
	return in
}

// The number of threads changes neither plan nor work.
func TestAnytimeSameForAllThreads(t *testing.T) {
	for seed, n := range []int{120, 120, many} {
		seed, in := int64(seed), crowd(n)
		var want model.Result
		for _, threads := range []int{1, 2, 3} {
			res, err := Anytime{Seed: seed, Work: 1 << 19, Threads: threads}.Plan(context.Background(), in)
			if err != nil {
				t.Fatal(err)
			}
			valid(t, in, res.Plan)
			for k := range res.Stats.Trace {
				res.Stats.Trace[k].Elapsed = 0
			}
			if threads == 1 {
				want = res
			} else if !reflect.DeepEqual(res, want) {
				t.Fatalf("seed %d: %d threads differ from one: peaks %d and %d", seed, threads, res.Plan.Peak(in), want.Plan.Peak(in))
			}
		}
	}
}

// A start is a planner with one plan.
type fixedStart struct{ plan model.Plan }

func (s fixedStart) Name() string { return "start" }
func (s fixedStart) Plan(context.Context, *model.Instance) (model.Result, error) {
	return model.Result{Plan: &s.plan}, nil
}

// Without time the start is the result; with it the result is never worse.
func TestAnytimeNeverWorseThanItsStart(t *testing.T) {
	in := crowd(80)
	stacked := model.Plan{Offsets: make([]int64, len(in.Buffers))}
	for i := 1; i < len(in.Buffers); i++ {
		stacked.Offsets[i] = stacked.Offsets[i-1] + in.Buffers[i-1].Size
	}
	ctx, stop := context.WithCancel(context.Background())
	stop()
	a := Anytime{Starts: []model.Planner{fixedStart{stacked}}, Work: 1000}
	res, err := a.Plan(ctx, in)
	if err != nil || !reflect.DeepEqual(*res.Plan, stacked) {
		t.Fatalf("%v, %v", res.Plan, err)
	}
	if res, err = a.Plan(context.Background(), in); err != nil || res.Plan.Peak(in) > stacked.Peak(in) {
		t.Fatalf("worse than the start: %v", err)
	}
}

// A new engine finds the same in the same calls, and ends at the load.
func TestAnytimeEngineRepeats(t *testing.T) {
	in := crowd(120)
	var want []model.Finding
	for again := range 2 {
		e := NewAnytime(in, 7)
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
	e := NewAnytime(pair(), 0)
	if got, _ := e.Run(context.Background(), model.Result{}, 1<<17); !got.Done || got.Plan == nil || got.Plan.Peak(pair()) != 7 {
		t.Fatalf("%+v", got)
	}
}
