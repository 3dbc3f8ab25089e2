package heuristics

import (
	"context"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"memplan/model"
	"memplan/verify"

	"pgregory.net/rapid"
)

// quick is All with searches cut short.
func quick() []Planner {
	list := All()
	for i := range list {
		switch list[i].(type) {
		case TVMHillClimb:
			list[i] = TVMHillClimb{Attempts: 60}
		case VelaHillClimb:
			list[i] = VelaHillClimb{Iterations: 60}
		case Multistart:
			list[i] = Multistart{Rounds: 10}
		case IteratedLocalSearch:
			list[i] = IteratedLocalSearch{Iterations: 60}
		case Tabu:
			list[i] = Tabu{Iterations: 20}
		}
	}
	return list
}

func plan(t *rapid.T, p model.Planner, in *model.Instance) []int64 {
	t.Helper()
	r, err := p.Plan(context.Background(), in)
	if err != nil {
		t.Fatalf("%s: %v", p.Name(), err)
	}
	check(t, p.Name(), in, r.Plan)
	return r.Plan.Offsets
}

func peak(in *model.Instance, offsets []int64) int64 {
	return model.Plan{Offsets: offsets}.Peak(in)
}

// Every plan is valid, by two checks that share nothing, no lower than the
// load, and the same again; the instance is left alone.
func TestPlansAreValid(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := everything.draw(t)
		before := clone(in)
		for _, p := range quick() {
			offsets := plan(t, p, in)
			if err := verify.Plan(in, model.Plan{Offsets: offsets}); err != nil {
				t.Fatalf("%s: %v", p.Name(), err)
			}
			if peak(in, offsets) < in.Load() {
				t.Fatalf("%s: below the load", p.Name())
			}
			if again := plan(t, p, in); !slices.Equal(offsets, again) {
				t.Fatalf("%s: %v, then %v", p.Name(), offsets, again)
			}
			if !reflect.DeepEqual(in, before) {
				t.Fatalf("%s changed the instance", p.Name())
			}
		}
	})
}

// Instances at the edge of int64 are planned or refused, in those words.
func TestHugeNumbers(t *testing.T) {
	huge := rapid.OneOf(rapid.Int64Range(0, 9), rapid.Int64Range(math.MaxInt64/2-3, math.MaxInt64/2+3), rapid.Int64Range(math.MaxInt64-3, math.MaxInt64))
	rapid.Check(t, func(t *rapid.T) {
		in := &model.Instance{}
		for i := range rapid.IntRange(1, 5).Draw(t, "n") {
			b := model.Buffer{ID: string(rune('a' + i)), Size: huge.Draw(t, "size"), Align: huge.Draw(t, "align")}
			b.Life = model.Interval{Start: rapid.SampledFrom([]int64{math.MinInt64, -1, 0}).Draw(t, "start"), End: rapid.SampledFrom([]int64{1, math.MaxInt64}).Draw(t, "end")}
			if rapid.IntRange(0, 2).Draw(t, "short") == 0 {
				b.Life = model.Interval{Start: int64(i), End: int64(i) + 1}
			}
			if i > 0 && rapid.IntRange(0, 3).Draw(t, "tie") == 0 {
				b.Tie, b.Align = &model.Tie{To: 0, Delta: huge.Draw(t, "delta")}, 1
			}
			in.Buffers = append(in.Buffers, b)
		}
		if in.Validate() != nil {
			t.Skip("not an instance")
		}
		for _, p := range quick() {
			r, err := p.Plan(context.Background(), in)
			if err == nil {
				check(t, p.Name(), in, r.Plan)
			} else if !strings.Contains(err.Error(), "does not fit in int64") {
				t.Fatalf("%s: %v", p.Name(), err)
			}
		}
	})
}

// A context that has ended gives no error, and a plan that is valid if any.
func TestEndedContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	in := uniform(50, 10, 1)
	for _, p := range All() {
		r, err := p.Plan(ctx, in)
		if err != nil {
			t.Errorf("%s: %v", p.Name(), err)
		}
		if r.Plan != nil {
			check(t, p.Name(), in, r.Plan)
		}
	}
}

func clone(in *model.Instance) *model.Instance {
	out := &model.Instance{Name: in.Name, Capacity: in.Capacity, Buffers: slices.Clone(in.Buffers)}
	for i := range out.Buffers {
		b := &out.Buffers[i]
		b.Gaps = slices.Clone(b.Gaps)
		if b.Offset != nil {
			off := *b.Offset
			b.Offset = &off
		}
		if b.Tie != nil {
			tie := *b.Tie
			b.Tie = &tie
		}
	}
	return out
}

// except is quick without the planners named.
func except(names ...string) []Planner {
	return slices.DeleteFunc(quick(), func(p Planner) bool {
		return slices.ContainsFunc(names, func(n string) bool { return strings.HasPrefix(p.Name(), n) })
	})
}

func TestShiftedTime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := everything.draw(t)
		by := rapid.Int64Range(-1000, 1000).Draw(t, "by")
		moved := clone(in)
		for i := range moved.Buffers {
			b := &moved.Buffers[i]
			b.Life.Start, b.Life.End = b.Life.Start+by, b.Life.End+by
			for k := range b.Gaps {
				b.Gaps[k].Start, b.Gaps[k].End = b.Gaps[k].Start+by, b.Gaps[k].End+by
			}
		}
		for _, p := range quick() {
			if a, b := plan(t, p, in), plan(t, p, moved); !slices.Equal(a, b) {
				t.Fatalf("%s: %v, shifted by %d %v", p.Name(), a, by, b)
			}
		}
	})
}

// Without alignment, sizes times f give offsets times f. Powers of two are
// classes of their own.
func TestScaledSizes(t *testing.T) {
	f := everything
	f.align = false
	rapid.Check(t, func(t *rapid.T) {
		in := f.draw(t)
		by := rapid.SampledFrom([]int64{2, 1024, 1000_000, 1000_000_000}).Draw(t, "by")
		scaled := clone(in)
		for i := range scaled.Buffers {
			b := &scaled.Buffers[i]
			b.Size *= by
			if b.Offset != nil {
				*b.Offset *= by
			}
			if b.Tie != nil {
				b.Tie.Delta *= by
			}
		}
		for _, p := range quick() {
			if _, classes := p.(SizeClassColouring); classes && by > 1024 {
				continue
			}
			a, b := plan(t, p, in), plan(t, p, scaled)
			for i := range a {
				if in.Buffers[i].Size > 0 && a[i]*by != b[i] {
					t.Fatalf("%s: %v, times %d %v", p.Name(), a, by, b)
				}
			}
		}
	})
}

// distinct instances leave nothing to the index, so its order does not matter;
// neither does the direction of time, nor how long a section lasts, except to
// the rules that look at them.
var distinct = features{most: 16, horizon: 400, size: 1000, distinct: true}

func TestPermutedBuffers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := distinct.draw(t)
		perm := rapid.Permutation(model.Identity(len(in.Buffers))).Draw(t, "perm")
		mixed := &model.Instance{}
		for _, i := range perm {
			mixed.Buffers = append(mixed.Buffers, in.Buffers[i])
		}
		for _, p := range except("conflicts", "contention", "boxing", "tvm-hill", "vela-hill", "multistart", "iterated", "tabu", "choose-best") {
			if a, b := peak(in, plan(t, p, in)), peak(mixed, plan(t, p, mixed)); a != b {
				t.Fatalf("%s: peak %d, permuted %d", p.Name(), a, b)
			}
		}
	})
}

// Rules that know no direction of time give the same offsets in reverse.
func TestReversedTime(t *testing.T) {
	f := distinct
	f.gaps = true
	rapid.Check(t, func(t *rapid.T) {
		in := f.draw(t)
		back := clone(in)
		for i := range back.Buffers {
			b := &back.Buffers[i]
			b.Life = model.Interval{Start: -b.Life.End, End: -b.Life.Start}
			for k := range b.Gaps {
				b.Gaps[k] = model.Interval{Start: -b.Gaps[k].End, End: -b.Gaps[k].Start}
			}
		}
		for _, p := range []model.Planner{NoReuse{}, Decreasing{}, Decreasing{Fit: BestFit}, Decreasing{Ties: EarlierBirth},
			ByArea{}, ByArea{BestFit}, ByDuration{}, ByDuration{BestFit}, ByConflicts{}, ByConflicts{BestFit}, ByContention{}, ByContention{BestFit},
			TwoTier{}, TFLMGreedy{}, TVMBySize{}, TVMByConflicts{}, Spatial{}, Temporal{}, SharedBySize{}} {
			if a, b := plan(t, p, in), plan(t, p, back); !slices.Equal(a, b) {
				t.Fatalf("%s: %v, reversed %v", p.Name(), a, b)
			}
		}
	})
}

// Steps between which nothing changes are one step to rules that do not
// measure durations.
func TestMergedSteps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := distinct.draw(t)
		var steps []int64
		for _, b := range in.Buffers {
			steps = append(steps, b.Life.Start, b.Life.End)
		}
		slices.Sort(steps)
		steps = slices.Compact(steps)
		merged := clone(in)
		for i := range merged.Buffers {
			b := &merged.Buffers[i]
			start, _ := slices.BinarySearch(steps, b.Life.Start)
			end, _ := slices.BinarySearch(steps, b.Life.End)
			b.Life = model.Interval{Start: int64(start), End: int64(end)}
		}
		for _, p := range except("area", "duration", "xla-temporal", "xla-choose", "choose-best", "skyline", "gergov", "vela-hill") {
			if a, b := plan(t, p, in), plan(t, p, merged); !slices.Equal(a, b) {
				t.Fatalf("%s: %v, merged %v", p.Name(), a, b)
			}
		}
	})
}

// A small buffer long after all others changes nothing for them.
func TestStranger(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := everything.draw(t)
		if len(in.Buffers) == 0 {
			t.Skip("nobody")
		}
		more := clone(in)
		more.Buffers = append(more.Buffers, model.Buffer{ID: "stranger", Life: model.Interval{Start: 100, End: 101}, Size: 1})
		for _, p := range except("no-reuse", "two-tier", "equal-size", "size-class", "shared", "greedy", "skyline", "gergov", "boxing", "tvm-hill", "vela-hill", "multistart", "iterated", "tabu", "choose-best") {
			if a, b := plan(t, p, in), plan(t, p, more); !slices.Equal(a, b[:len(a)]) {
				t.Fatalf("%s: %v, with a stranger %v", p.Name(), a, b)
			}
		}
	})
}
