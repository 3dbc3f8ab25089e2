package corpus

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"memplan/internal/oracle"
	"memplan/model"
)

// update rewrites manifest.csv: give a new row a name and its suites alone, and
// zeros. What is known of an instance that has changed is forgotten.
var update = flag.Bool("update", false, "rewrite manifest.csv from the generators")

// records is what `memplan bench SUITE --format json` printed: with -update, its
// better peaks and proven bounds go into the manifest.
var records = flag.String("records", "", "with -update: a file of records to learn from")

// find is the entry of that name, and whether there is one.
func find(name string) (Entry, bool) {
	k := slices.IndexFunc(entries, func(e Entry) bool { return e.Name == name })
	if k < 0 {
		return Entry{}, false
	}
	return entries[k], true
}

// TestManifest: every row says what its generator gives.
func TestManifest(t *testing.T) {
	var fresh []Entry
	known := readRecords(t)
	for _, e := range entries {
		in := e.Instance()
		f, _, _ := parse(e.Name)
		now := e
		now.Buffers, now.Load, now.Hash = len(in.Buffers), in.Load(), Hash(in)
		switch changed := e.Hash != "" && e.Hash != now.Hash; {
		case f.Optimum == perfect:
			now.Bound, now.Best, now.Reason = now.Load, now.Load, construction
		case changed || now.Bound == 0:
			now.Bound, now.Best, now.Reason = now.Load, 0, ""
		}
		if *update && now.Best == 0 && slices.Contains(e.Suites, "small") {
			best := oracle.Peak(in)
			now.Bound, now.Best, now.Reason = best, best, exhausted
		}
		if *update && now.Best != now.Bound && now.Buffers < 20_000 {
			now = withRecords(withHeuristics(t, now, in), known)
		}
		fresh = append(fresh, now)
		if !*update && fmt.Sprint(now) != fmt.Sprint(e) {
			t.Errorf("the manifest has\n%v, the generator gives\n%v", e, now)
		}
	}
	if *update {
		if err := os.WriteFile("manifest.csv", written(fresh), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// withHeuristics is e with the best plan of the heuristics, where that
// is better than the best known.
func withHeuristics(t *testing.T, e Entry, in *model.Instance) Entry {
	for _, peak := range peaks(t, in, bySize+" "+inTime+" "+byArea+" breadth conflicts-first-fit contention-first-fit") {
		if e.Best == 0 || peak < e.Best {
			e.Best, e.Reason = peak, "heuristics"
		}
	}
	return e
}

// A record is a line of a bench.
type record struct {
	Instance    string
	Peak, Bound int64
	Planner     string
	Proof       model.Proof
}

func readRecords(t *testing.T) []record {
	if *records == "" {
		return nil
	}
	text, err := os.ReadFile(*records)
	if err != nil {
		t.Fatal(err)
	}
	var all []record
	for d := json.NewDecoder(bytes.NewReader(text)); ; {
		var r record
		if err := d.Decode(&r); err == io.EOF {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, r)
	}
}

// withRecords is e with the best peak and the best bound that can be checked.
func withRecords(e Entry, known []record) Entry {
	for _, r := range known {
		if r.Instance != e.Name {
			continue
		}
		if r.Peak > 0 && (e.Best == 0 || r.Peak < e.Best) {
			e.Best, e.Reason = r.Peak, r.Planner
		}
		if (r.Proof == model.ProofSearch || r.Proof == model.ProofLoad) && r.Bound > e.Bound {
			e.Bound = r.Bound
		}
	}
	return e
}

func written(all []Entry) []byte {
	var out bytes.Buffer
	w := csv.NewWriter(&out)
	w.Write([]string{"name", "suites", "buffers", "load", "bound", "best", "reason", "hash"})
	for _, e := range all {
		w.Write([]string{e.Name, strings.Join(e.Suites, " "), fmt.Sprint(e.Buffers), fmt.Sprint(e.Load), fmt.Sprint(e.Bound), fmt.Sprint(e.Best), e.Reason, e.Hash})
	}
	w.Flush()
	return out.Bytes()
}

func TestEntriesAreConsistent(t *testing.T) {
	seen := map[string]bool{}
	for _, e := range entries {
		if seen[e.Name] {
			t.Errorf("%s is listed twice", e.Name)
		}
		seen[e.Name] = true
		if len(e.Suites) == 0 || e.Bound < e.Load || e.Best != 0 && e.Best < e.Bound {
			t.Errorf("%v", e)
		}
		if e.Best != 0 && e.Reason == "" {
			t.Errorf("%s: an optimum without a reason", e.Name)
		}
		if err := e.Instance().Validate(); err != nil {
			t.Errorf("%s: %v", e.Name, err)
		}
		if f, _, _ := parse(e.Name); e.Family() != f.Name || (e.Graph() == nil) != (f.graph == nil) {
			t.Errorf("%s: family %s", e.Name, e.Family())
		}
	}
}

// TestSmallOptima: the optima of the small instances, recomputed.
func TestSmallOptima(t *testing.T) {
	above := 0
	for _, e := range Suite("small") {
		best := e.Best
		if best == 0 || best != e.Bound {
			t.Errorf("%s has no proven optimum", e.Name)
			continue
		}
		in := e.Instance()
		if got := oracle.Peak(in); got != best {
			t.Errorf("%s: optimum %d, the manifest says %d", e.Name, got, best)
		}
		if best > e.Load {
			above++
		}
	}
	if above < 200 {
		t.Errorf("%d small instances have their optimum above the load, 200 are wanted", above)
	}
}

func TestSuites(t *testing.T) {
	for _, want := range []string{"built-in", "small", "worst", "adversarial", "tilings", "chains", "features", "graphs", "wired", "large"} {
		if len(Suite(want)) == 0 {
			t.Errorf("no suite %s", want)
		}
	}
	for _, name := range Suites() {
		if len(Suite(name)) == 0 {
			t.Errorf("suite %s is empty", name)
		}
	}
	if Suite("nothing") != nil {
		t.Error("a suite of no name")
	}
}

func TestNames(t *testing.T) {
	for _, bad := range []string{"", "pinwheel", "pinwheel-", "pinwheel-0-1", "pinwheel-10", "pinwheel-10-x", "pinwheel-10--1",
		"pinwheel-10-1-1", "pinwheel-99999999999999999999-1", "nothing-1-2", "six-fits-1", "chain-5-0-1"} {
		if _, err := Generate(bad); err == nil {
			t.Errorf("%q makes an instance", bad)
		}
	}
	for _, f := range Families() {
		var name strings.Builder
		name.WriteString(f.Name)
		for _, p := range f.Params {
			fmt.Fprintf(&name, "-%d", max(p.Min, 1))
		}
		if f.graph != nil {
			g, err := Graph(name.String())
			if err != nil || g == nil || g.Name != name.String() {
				t.Errorf("%s: %v", name.String(), err)
			}
			continue
		}
		in, err := Generate(name.String())
		if err != nil {
			t.Errorf("%s: %v", name.String(), err)
		} else if err := in.Validate(); err != nil || in.Name != name.String() {
			t.Errorf("%s: %v", name.String(), err)
		}
	}
}
