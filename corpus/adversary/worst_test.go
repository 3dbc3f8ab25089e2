package adversary

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"memplan/corpus"
	"memplan/heuristics"
	"memplan/model"
)

// update searches for the worst instance of every heuristic again, keeps the
// worse of found and listed, and rewrites ../worst.csv. It takes a quarter of an
// hour; then the manifest wants updating.
var update = flag.Bool("update", false, "search for the worst instances and rewrite ../worst.csv")

// searches are what the listed instances were found with.
func searches(victim model.Planner) []Search {
	tries := int64(100_000)
	if strings.HasSuffix(victim.Name(), "hill-climb") {
		tries = 2_000
	}
	var list []Search
	for seed := range uint64(2) {
		for _, steps := range []int64{5, 8} {
			list = append(list, Search{Victim: victim, Oracle: brute{}, Buffers: 9, MaxSize: 64, Steps: steps, Tries: tries, Seed: seed})
		}
	}
	return list
}

func TestUpdate(t *testing.T) {
	if !*update {
		t.Skip("only with -update")
	}
	out := "planner,start,end,size\n"
	for _, victim := range heuristics.All() {
		best := &Find{Peak: 1, Best: 1}
		if listed, err := corpus.Generate("worst-" + victim.Name()); err == nil {
			best = finding(t, victim, listed)
		}
		for _, s := range searches(victim) {
			f, err := s.Run(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if f.worse(best) {
				best = f
			}
		}
		t.Logf("%s: %d / %d", victim.Name(), best.Peak, best.Best)
		if best.Instance == nil {
			continue
		}
		for _, r := range rowsOf(best.Instance) {
			out += fmt.Sprintf("%s,%d,%d,%d\n", victim.Name(), r.start, r.end, r.size)
		}
	}
	if err := os.WriteFile("../worst.csv", []byte(out), 0o666); err != nil {
		t.Fatal(err)
	}
}

// finding is what the listed instance amounts to.
func finding(t *testing.T, victim model.Planner, in *model.Instance) *Find {
	t.Helper()
	r, err := victim.Plan(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	best, _ := brute{}.Plan(t.Context(), in)
	return &Find{Instance: in, Peak: r.Plan.Peak(in), Best: best.Plan.Peak(in), Result: best}
}

// worst is the entry of a planner's find, and whether there is one.
func worst(victim model.Planner) (corpus.Entry, bool) {
	list := corpus.Suite("worst")
	k := slices.IndexFunc(list, func(e corpus.Entry) bool { return e.Name == "worst-"+victim.Name() })
	if k < 0 {
		return corpus.Entry{}, false
	}
	return list[k], true
}

// TestWorst: what is listed is what each planner does, the optimum is as the
// manifest has it, and theory is not contradicted.
func TestWorst(t *testing.T) {
	limits := map[string]int64{"gergov": 3} // proven guarantees
	for _, victim := range heuristics.All() {
		e, ok := worst(victim)
		if !ok {
			continue // none was found above its optimum
		}
		f := finding(t, victim, e.Instance())
		t.Logf("%s: peak %d, optimum %d, %d buffers", victim.Name(), f.Peak, f.Best, e.Buffers)
		if e.Bound != f.Best || e.Best != f.Best {
			t.Errorf("%s: optimum %d, the manifest has [%d, %d]", e.Name, f.Best, e.Bound, e.Best)
		}
		if f.Peak <= f.Best {
			t.Errorf("%s: peak %d is the optimum", e.Name, f.Peak)
		}
		if g := limits[victim.Name()]; g > 0 && f.Peak > g*f.Best {
			t.Errorf("%s: peak %d, optimum %d, guaranteed %d times that", e.Name, f.Peak, f.Best, g)
		}
	}
}

// TestWorseThanFamilies: for best-fit decreasing the find is worse than every
// instance of the families.
func TestWorseThanFamilies(t *testing.T) {
	entry, _ := worst(bestFit)
	found := finding(t, bestFit, entry.Instance())
	for _, suite := range corpus.Suites() {
		for _, e := range corpus.Suite(suite) {
			best := e.Best
			if best == 0 || best != e.Bound || suite == "worst" || strings.HasPrefix(e.Name, "worst-") {
				continue
			}
			in := e.Instance()
			r, err := bestFit.Plan(t.Context(), in)
			if err != nil {
				t.Fatal(err)
			}
			if peak := r.Plan.Peak(in); !above(found.Peak, found.Best, peak, best) {
				t.Errorf("%s: %d / %d, found %d / %d", e.Name, peak, best, found.Peak, found.Best)
			}
		}
	}
}
