package corpus

import (
	"context"
	"slices"
	"strings"
	"testing"

	"memplan/heuristics"
	"memplan/internal/oracle"
	"memplan/model"
)

const (
	bySize = "first-fit-decreasing first-fit-decreasing-birth best-fit-decreasing"
	inTime = "online-first-fit online-best-fit birth-first-fit birth-best-fit"
	byArea = "area-first-fit area-best-fit duration-first-fit duration-best-fit"
)

// peaks plans an instance with the heuristics named.
func peaks(t *testing.T, in *model.Instance, names string) map[string]int64 {
	t.Helper()
	found := map[string]int64{}
	for _, p := range heuristics.All() {
		if !slices.Contains(strings.Fields(names), p.Name()) {
			continue
		}
		r, err := p.Plan(context.Background(), in)
		if err != nil {
			t.Fatalf("%s on %s: %v", p.Name(), in.Name, err)
		}
		if fault := faultOf(in, *r.Plan); fault != "" {
			t.Errorf("%s on %s: %s", p.Name(), in.Name, fault)
		}
		found[p.Name()] = r.Plan.Peak(in)
	}
	return found
}

// TestBreaks: each family breaks what it is meant to break, wherever it is
// listed with a hundred buffers or so.
func TestBreaks(t *testing.T) {
	for name, broken := range map[string]string{
		"nested-100-1":       bySize,
		"nested-400-1":       bySize,
		"comb-100-1":         bySize,
		"comb-400-1":         bySize,
		"staircase-40-4-1":   inTime,
		"staircase-200-8-1":  inTime,
		"pyramid-100-1":      bySize + " " + byArea,
		"pyramid-400-1":      bySize + " " + byArea,
		"always-full-1000-1": bySize + " " + inTime,
		"guillotine-100-1":   bySize + " " + inTime,
		"pinwheel-101-1":     "choose-best",
		"pinwheel-1001-1":    "choose-best",
		"aligned-100-1":      bySize,
		"pinned-100-1":       bySize,
		"gapped-100-1":       bySize,
	} {
		e, ok := find(name)
		if !ok {
			t.Errorf("%s is not in the manifest", name)
			continue
		}
		found := peaks(t, e.Instance(), broken)
		for _, planner := range strings.Fields(broken) {
			if peak, ran := found[planner]; !ran || peak <= e.Best {
				t.Errorf("%s reaches %d on %s, whose optimum is %d", planner, peak, name, e.Best)
			}
		}
	}
}

// TestLaminarIsTrivial: the longer-lived first, and nothing is lost.
func TestLaminarIsTrivial(t *testing.T) {
	for seed := range int64(50) {
		in, _ := laminar(100, seed)
		if found := peaks(t, in, byArea); found["duration-first-fit"] != in.Load() {
			t.Errorf("seed %d: %d, load %d", seed, found["duration-first-fit"], in.Load())
		}
	}
}

// TestSixFits: the published peaks of the twelve rules.
func TestSixFits(t *testing.T) {
	in := listed("b", sixFits)
	names := "first-fit-decreasing best-fit-decreasing birth-first-fit birth-best-fit " + byArea
	found := peaks(t, in, names)
	for _, planner := range strings.Fields(names) {
		if found[planner] != 15 {
			t.Errorf("%s: %d, not 15", planner, found[planner])
		}
	}
	if load, best := in.Load(), oracle.Peak(in); load != 10 || best != 10 {
		t.Errorf("load %d, optimum %d", load, best)
	}
}

// TestSixOperators: what is known of the example.
func TestSixOperators(t *testing.T) {
	const mega = 1 << 20
	in := listed("T", sixOperators)
	sum, _ := in.Sum()
	if load := in.Load(); load != 384*mega || sum != 896*mega {
		t.Errorf("load %d, sum %d", load/mega, sum/mega)
	}
	if peak := peaks(t, in, "greedy-colouring")["greedy-colouring"]; peak != 384*mega || (sum-peak)*10000/sum != 5714 {
		t.Errorf("greedy colouring: %d", peak/mega)
	}
}
