package heuristics

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"memplan/model"
)

// sharedCase loads a case of ../shared/data/cases.
func sharedCase(t *testing.T, path string) *model.Instance {
	t.Helper()
	return load(t, filepath.Join("cases", path))
}

// A leading gap is a gap: greedy by size reaches the load, 160, not 210.
func TestLeadingGap(t *testing.T) {
	in := sharedCase(t, "29-leading-gap/input.csv")
	for _, p := range []model.Planner{Decreasing{}, Decreasing{Fit: BestFit}, Decreasing{Ties: EarlierBirth}, TFLMGreedy{}, Spatial{}} {
		if got := peakOf(t, p, in); got != 160 {
			t.Errorf("%s: peak %d, want 160", p.Name(), got)
		}
	}
}

// Offsets are aligned, sizes are not rounded: nobody is below the optimum, and
// the choice of the best is there.
func TestAlignment(t *testing.T) {
	for file, want := range map[string]int64{"input": 158, "tiny": 129, "fill-the-hole": 192} {
		in := sharedCase(t, "27-alignment-larger-than-size/"+file+".csv")
		for _, p := range All() {
			if got := peakOf(t, p, in); got < want {
				t.Errorf("%s of %s: peak %d, optimum %d", p.Name(), file, got, want)
			}
		}
		if got := peakOf(t, ChooseBest{}, in); got != want {
			t.Errorf("%s: peak %d, want %d", file, got, want)
		}
	}
}

// Pins stay where they are, and the others keep off them.
func TestPins(t *testing.T) {
	for file, want := range map[string]int64{"input": 246, "over-2^31": 4294967328, "touching-in-time": 112} {
		in := sharedCase(t, "35-fixed-offsets/"+file+".csv")
		if got := peakOf(t, ChooseBest{}, in); got != want {
			t.Errorf("%s: peak %d, want %d", file, got, want)
		}
		for _, p := range All() {
			if got := peakOf(t, p, in); got < want {
				t.Errorf("%s of %s: peak %d, optimum %d", p.Name(), file, got, want)
			}
		}
	}
}

// Lifetimes that touch share bytes.
func TestTouching(t *testing.T) {
	in := sharedCase(t, "11-touching-intervals/input.csv")
	for _, p := range All() {
		want := int64(48)
		if slices.Contains([]string{"no-reuse"}, p.Name()) {
			want = 88
		}
		if got := peakOf(t, p, in); got != want {
			t.Errorf("%s: peak %d, want %d", p.Name(), got, want)
		}
	}
}

// What fits in int64 is planned, what does not is refused in those words; only
// planners that stack may refuse what others plan.
func TestOverflow(t *testing.T) {
	for file, want := range map[string]int64{"input": 1<<62 + 1<<61, "max-size-aligned": 1<<63 - 1} {
		in := sharedCase(t, "23-offset-overflow/"+file+".csv")
		for _, p := range []model.Planner{Decreasing{}, Decreasing{Fit: BestFit}, Online{}, ByArea{}, ByContention{}, GreedyColouring{}, Skyline{}, Gergov{}, Boxing{}, ChooseBest{}} {
			if got := peakOf(t, p, in); got != want {
				t.Errorf("%s of %s: peak %d, want %d", p.Name(), file, got, want)
			}
		}
	}
	in := sharedCase(t, "23-offset-overflow/align-up-overflow.csv")
	for _, p := range All() {
		if r, err := p.Plan(context.Background(), in); err == nil || !strings.Contains(err.Error(), "does not fit in int64") {
			t.Errorf("%s: %v, %v", p.Name(), r.Plan, err)
		}
	}
	sum := sharedCase(t, "23-offset-overflow/input.csv")
	if _, err := (NoReuse{}).Plan(context.Background(), sum); err == nil || !strings.Contains(err.Error(), "does not fit in int64") {
		t.Errorf("no-reuse: %v", err)
	}
}

// Nothing to plan, and one buffer.
func TestEmptyAndSingle(t *testing.T) {
	for file, want := range map[string]int64{"input": 0, "header-no-newline": 0, "one": 100} {
		in := sharedCase(t, "25-empty-and-single/"+file+".csv")
		for _, p := range All() {
			if got := peakOf(t, p, in); got != want {
				t.Errorf("%s of %s: peak %d, want %d", p.Name(), file, got, want)
			}
		}
	}
}

// A transformer example over six operators. It was published with 320 MB in 3
// pools, where 384 MB are live at one step: pools have to grow with a larger
// tenant. The sizes are those published, the closed lifetimes chosen to match.
func TestPoolsGrow(t *testing.T) {
	const MB = 1000_000
	in := &model.Instance{}
	for i, b := range [][3]int64{{0, 0, 128}, {0, 1, 64}, {0, 1, 64}, {1, 4, 128}, {2, 3, 128}, {3, 4, 128}, {4, 5, 128}, {5, 5, 128}} {
		in.Buffers = append(in.Buffers, model.Buffer{ID: fmt.Sprintf("T%d", i), Life: model.Interval{Start: b[0], End: b[1] + 1}, Size: b[2] * MB})
	}
	r, err := GreedyColouring{}.Plan(context.Background(), in)
	if err != nil {
		t.Fatal(err)
	}
	check(t, "greedy-colouring", in, r.Plan)
	if sum, _ := in.Sum(); sum != 896*MB || r.Plan.Peak(in) != 384*MB || in.Load() != 384*MB {
		t.Errorf("peak %d, load %d, sum %d", r.Plan.Peak(in), in.Load(), sum)
	}
	pools := slices.Clone(r.Plan.Offsets)
	slices.Sort(pools)
	if want := []int64{0, 128 * MB, 256 * MB}; !slices.Equal(slices.Compact(pools), want) {
		t.Errorf("pools at %v, want %v", pools, want)
	}
}

// Scripts rely on the names.
func TestNames(t *testing.T) {
	var names []string
	for _, p := range All() {
		names = append(names, p.Name())
		d, ok := p.(interface{ Definition() string })
		if !ok || d.Definition() == "" || strings.Contains(d.Definition(), "\n") {
			t.Errorf("%s has no definition of one line", p.Name())
		}
	}
	settled := `no-reuse greedy-colouring online-first-fit online-best-fit first-fit-decreasing first-fit-decreasing-birth best-fit-decreasing
		area-first-fit duration-first-fit birth-first-fit conflicts-first-fit contention-first-fit
		area-best-fit duration-best-fit birth-best-fit conflicts-best-fit contention-best-fit breadth two-tier choose-best
		tflm-greedy tvm-by-size tvm-by-conflicts tvm-hill-climb vela-hill-climb xla-spatial xla-temporal skyline boxing gergov
		shared-by-size shared-by-breadth size-class-colouring`
	for _, name := range strings.Fields(settled) {
		if !slices.Contains(names, name) {
			t.Errorf("%s is missing", name)
		}
	}
	slices.Sort(names)
	if len(slices.Compact(names)) != len(All()) {
		t.Errorf("names twice: %v", names)
	}
}
