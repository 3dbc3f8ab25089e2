package results

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"memplan/internal/shared"
	"memplan/model"
	plan "memplan/model/json"
	"memplan/search"
)

func ptr(v int64) *int64 { return &v }

// two buffers that are live together, of 3 and 5 bytes.
func pair() *Task {
	in := &model.Instance{Name: "pair", Buffers: []model.Buffer{
		{ID: "a", Life: model.Interval{Start: 0, End: 2}, Size: 3},
		{ID: "b", Life: model.Interval{Start: 1, End: 3}, Size: 5},
	}}
	return &Task{Name: "pair", Arenas: []*model.Instance{in}}
}

// fake is a planner that returns what it is told to.
type fake struct {
	res  model.Result
	err  error
	trap bool
}

func (fake) Name() string { return "fake" }
func (f fake) Plan(context.Context, *model.Instance) (model.Result, error) {
	if f.trap {
		var none []int
		_ = none[1]
	}
	return f.res, f.err
}

// Whatever a planner returns, only what holds is recorded, and the rest is a
// row with an error.
func TestRunBelievesNothing(t *testing.T) {
	good := &model.Plan{Offsets: []int64{0, 3}}
	cert := func(p model.Proof, bound int64) *model.Certificate {
		return &model.Certificate{Proof: p, Bound: bound, Step: 1}
	}
	for _, c := range []struct {
		name   string
		give   fake
		peak   *int64
		bound  int64
		status string
		proof  model.Proof
		fault  string
	}{
		{"plan at the load", fake{res: model.Result{Plan: good}}, ptr(8), 8, "optimal", model.ProofLoad, ""},
		{"plan above it", fake{res: model.Result{Plan: &model.Plan{Offsets: []int64{5, 8}}}}, ptr(13), 8, "feasible", model.ProofLoad, ""},
		{"overlap", fake{res: model.Result{Plan: &model.Plan{Offsets: []int64{0, 2}}}}, nil, 8, "unknown", model.ProofLoad, "does not hold"},
		{"too few offsets", fake{res: model.Result{Plan: &model.Plan{Offsets: []int64{0}}}}, nil, 8, "unknown", model.ProofLoad, "does not hold"},
		{"no plan", fake{}, nil, 8, "unknown", model.ProofLoad, ""},
		{"error", fake{err: errors.New("out of order")}, nil, 8, "unknown", model.ProofLoad, "out of order"},
		{"panic", fake{trap: true}, nil, 8, "unknown", model.ProofLoad, "panicked"},
		{"bound without proof", fake{res: model.Result{Plan: good, Bound: 9}}, ptr(8), 8, "optimal", model.ProofLoad, "no certificate"},
		{"bound above the plan", fake{res: model.Result{Plan: good, Bound: 9, Certificate: cert(model.ProofMIP, 9)}}, ptr(8), 8, "optimal", model.ProofLoad, "above the peak"},
		{"two bounds", fake{res: model.Result{Bound: 9, Certificate: cert(model.ProofMIP, 10)}}, nil, 8, "unknown", model.ProofLoad, "its certificate says 10"},
		{"load misquoted", fake{res: model.Result{Bound: 9, Certificate: cert(model.ProofLoad, 9)}}, nil, 8, "unknown", model.ProofLoad, "claims a bound"},
		{"by HiGHS's word", fake{res: model.Result{Plan: &model.Plan{Offsets: []int64{6, 0}}, Bound: 9, Certificate: cert(model.ProofMIP, 9)}}, ptr(9), 9, "optimal", model.ProofMIP, ""},
	} {
		out := Run(context.Background(), pair(), Choice{Planner: c.give, Limit: -1})
		r := out.Record
		if (r.Peak == nil) != (c.peak == nil) || r.Peak != nil && *r.Peak != *c.peak {
			t.Errorf("%s: peak %v, want %v", c.name, r.Peak, c.peak)
		}
		if r.Bound != c.bound || r.Status != c.status || r.Proof != c.proof {
			t.Errorf("%s: bound %d, %s, %s; want %d, %s, %s", c.name, r.Bound, r.Status, r.Proof, c.bound, c.status, c.proof)
		}
		if c.fault == "" && r.Error != "" || !strings.Contains(r.Error, c.fault) || (out.Err == nil) != (c.fault == "") {
			t.Errorf("%s: error %q, want %q", c.name, r.Error, c.fault)
		}
	}
}

// spoilt is an engine with a bug.
type spoilt struct{ list []int }

func (spoilt) Name() string { return "spoilt" }
func (e spoilt) Run(context.Context, model.Result, int64) (model.Finding, error) {
	return model.Finding{Work: int64(e.list[3])}, nil
}

// A panic in an engine's goroutine is one bad row.
func TestBenchPanicIsARow(t *testing.T) {
	engines := func(*model.Instance) []model.Engine { return []model.Engine{spoilt{}} }
	good := fake{res: model.Result{Plan: &model.Plan{Offsets: []int64{0, 3}}}}
	b := &Bench{
		Cases:   []Case{{Name: "pair", Read: func() (*Task, error) { return pair(), nil }}},
		Choices: []Choice{{Planner: search.Race{Engines: engines}, Limit: -1}, {Planner: good, Limit: -1}},
		Jobs:    1,
	}
	var got []string
	b.Emit = func(r Record, _ bool) error {
		got = append(got, r.Planner+" "+r.Error)
		return nil
	}
	if err := b.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	if len(got) != 2 || !strings.HasPrefix(got[0], "exact spoilt: panicked: runtime error: index out of range") || got[1] != "fake " {
		t.Errorf("%q", got)
	}
}

// A bench goes on after failures, and gives a row for each.
func TestBenchFailureIsARow(t *testing.T) {
	b := &Bench{
		Cases: []Case{
			{Name: "good", Read: func() (*Task, error) { return pair(), nil }},
			{Name: "bad", Read: func() (*Task, error) { return nil, errors.New("no such thing") }},
			{Name: "reversed", Read: func() (*Task, error) {
				bad := pair()
				bad.Arenas[0].Buffers[0].Life = model.Interval{Start: 2, End: 0}
				return bad, nil
			}},
		},
		Choices: []Choice{{Planner: fake{res: model.Result{Plan: &model.Plan{Offsets: []int64{0, 3}}}}}, {Planner: fake{err: errors.New("x")}, Seed: 1}},
	}
	var got []string
	b.Emit = func(r Record, fresh bool) error {
		got = append(got, fmt.Sprintf("%s@%d %q %v", r.Instance, r.Seed, r.Error, fresh))
		return nil
	}
	b.Jobs = 1
	if err := b.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	want := []string{`pair@0 "" true`, `pair@1 "x" true`, `bad@0 "no such thing" true`, `bad@1 "no such thing" true`,
		`reversed@0 "buffer \"a\": lifetime [2,0) is reversed" true`, `reversed@1 "buffer \"a\": lifetime [2,0) is reversed" true`}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// A write error stops a bench; a cancelled one marks the run under way.
func TestBenchStops(t *testing.T) {
	many := make([]Case, 100)
	for i := range many {
		many[i] = Case{Name: fmt.Sprint(i), Read: func() (*Task, error) { return pair(), nil }}
	}
	full := errors.New("disk full")
	b := &Bench{Cases: many, Choices: []Choice{{Planner: fake{}}}, Jobs: 2, Emit: func(Record, bool) error { return full }}
	if err := b.Run(context.Background()); !errors.Is(err, full) {
		t.Errorf("error %v, want %v", err, full)
	}
	ctx, stop := context.WithCancel(context.Background())
	count, interrupted := 0, 0
	b.Choices = []Choice{{Planner: waits{stop}}}
	b.Jobs = 1
	b.Emit = func(r Record, _ bool) error {
		count++
		if r.Interrupted {
			interrupted++
		}
		return nil
	}
	if err := b.Run(ctx); err != nil || count != 1 || interrupted != 1 {
		t.Errorf("error %v, %d records, %d interrupted; want the one under way", err, count, interrupted)
	}
}

// waits interrupts the run that it is in.
type waits struct{ stop func() }

func (waits) Name() string { return "waits" }
func (w waits) Plan(ctx context.Context, in *model.Instance) (model.Result, error) {
	w.stop()
	<-ctx.Done()
	return model.Result{}, nil
}

// sample is a set of records with everything that a table has to show.
func sample() []Record {
	rec := func(instance, planner string, load int64, peak *int64, bound int64, proof model.Proof) Record {
		r := Record{
			Plan:   plan.Plan{Schema: 1, Instance: instance, Buffers: 2, Load: load, Peak: peak, Bound: bound, Planner: planner, Proof: proof, Status: "feasible"},
			Family: strings.Split(instance, "-")[0], Hash: "h" + instance, Nanoseconds: 1500000,
		}
		if peak != nil && *peak == bound {
			r.Status = "optimal"
		}
		return r
	}
	failed := rec("chain-9", "first-fit-decreasing", 10, nil, 10, model.ProofLoad)
	failed.Error, failed.Status = "it | broke", "unknown"
	return []Record{
		rec("chain-10", "exact", 20, ptr(22), 22, model.ProofSearch),
		rec("chain-9", "exact", 10, ptr(12), 11, model.ProofSearch),
		failed,
		rec("mip-1", "exact", 10, ptr(11), 11, model.ProofMIP),
		rec("mip-1", "first-fit-decreasing", 10, ptr(12), 10, model.ProofLoad),
		rec("chain-10", "first-fit-decreasing", 20, ptr(33), 20, model.ProofLoad),
		rec("zero-1", "first-fit-decreasing", 0, ptr(0), 0, model.ProofLoad),
		rec("zero-1", "exact", 0, ptr(0), 0, model.ProofLoad),
	}
}

func TestTableGolden(t *testing.T) {
	c := Compare(sample())
	for _, format := range Formats {
		var got bytes.Buffer
		if err := c.Write(&got, Options{Format: format, Timing: format == CSV}); err != nil {
			t.Fatal(err)
		}
		golden(t, "table."+string(format), got.Bytes())
	}
}

// golden compares with a file of testdata; UPDATE=1 in the environment writes it.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs:\n%s\nwant\n%s", path, got, want)
	}
}

// The order in which records arrive, and what they were before, do not matter.
func TestCompareIgnoresOrder(t *testing.T) {
	records := sample()
	want := table(t, records)
	old := records[0]
	old.Peak = ptr(40)
	records = append([]Record{old}, records...)
	for turn := range records {
		turned := append(append([]Record{}, records[turn:]...), records[:turn]...)
		if turn > 0 {
			turned = append(turned, records[1]) // the later of two stands
		}
		if got := table(t, turned); got != want {
			t.Fatalf("turned by %d:\n%s\nwant\n%s", turn, got, want)
		}
	}
}

func table(t *testing.T, records []Record) string {
	t.Helper()
	var out bytes.Buffer
	if err := Compare(records).Write(&out, Options{Format: "text"}); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// A planner without any plan is named, and takes no other its mean.
func TestPlannerWithoutPlans(t *testing.T) {
	means := func(c *Comparison) (text string) {
		for _, s := range c.Scores {
			text += fmt.Sprintf("%s %.3f ", s.Planner, s.Mean)
		}
		return text + fmt.Sprint(c.Common)
	}
	want := means(Compare(sample()))
	records := sample()
	for _, r := range sample() {
		r.Planner, r.Peak, r.Error, r.Status = "hangs", nil, "no plan", "unknown"
		records = append(records, r)
	}
	c := Compare(records)
	if got := strings.Replace(means(c), "hangs 0.000 ", "", 1); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	for _, by := range Groupings {
		var out bytes.Buffer
		if err := c.Write(&out, Options{Format: Text, By: by}); err != nil || !strings.Contains(out.String(), "all have a plan (but hangs: none at all)") {
			t.Errorf("%s: %v\n%s", by, err, out.String())
		}
	}
	if c := Compare(records[len(sample()):]); c.Common != 0 || c.Scores[0].Worst != nil {
		t.Errorf("of failures alone: %+v", c.Scores)
	}
}

func TestNoRecords(t *testing.T) {
	for _, format := range Formats {
		var out bytes.Buffer
		if err := Compare(nil).Write(&out, Options{Format: format}); err != nil {
			t.Error(err)
		}
		if s := out.String(); strings.Contains(s, "NaN") || strings.Contains(s, "Inf") {
			t.Errorf("%s: %s", format, s)
		}
	}
	if err := Compare(nil).Write(&bytes.Buffer{}, Options{Format: "ascii"}); err == nil {
		t.Error("an unknown format is accepted")
	}
}

// benchstat reads the benchmark format as it is.
func TestBenchstatReadsBenchfmt(t *testing.T) {
	file := filepath.Join(t.TempDir(), "table.txt")
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	records := sample()
	for k := range records {
		records[k].Planner = strings.Replace(records[k].Planner, "exact", "exact-2", 1) // not on two processors
		if strings.HasPrefix(records[k].Planner, "exact") {
			records[k].Params = map[string]string{"rounds": "1"}
		}
	}
	if err := Compare(records).Write(f, Options{Format: "benchfmt"}); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "tool", "benchstat", "-col", "/planner", file)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, want := range []string{"first-fit-decreasing", "exact_2", "instance=chain-10", "33.00", "22.00", "+50.00%"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("benchstat does not show %q:\n%s", want, out)
		}
	}
}

func TestNaturalOrder(t *testing.T) {
	want := []string{"a", "a-2", "a-10", "a-010", "b", "b1c", "b1d", "b2"}
	for i := range want {
		for j := range want {
			if got := natural(want[i], want[j]); sign(got) != sign(i-j) && !(strings.HasPrefix(want[i], "a-0") || strings.HasPrefix(want[j], "a-0")) {
				t.Errorf("natural(%q, %q) = %d", want[i], want[j], got)
			}
			if (natural(want[i], want[j]) == 0) != (i == j) {
				t.Errorf("natural(%q, %q) = 0", want[i], want[j])
			}
		}
	}
}

func sign(v int) int { return max(-1, min(1, v)) }

// A log survives writers that died, and two that write at once.
func TestLog(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log.jsonl")
	one, err := OpenLog(path)
	if err != nil {
		t.Fatal(err)
	}
	two, err := OpenLog(path)
	if err != nil {
		t.Fatal(err)
	}
	records := sample()
	appendTo := func(l *Log, r Record) {
		if err := l.Append(&r); err != nil {
			t.Fatal(err)
		}
	}
	appendTo(one, records[0])
	if _, err := one.f.Write([]byte(`{"schema":1,"inst`)); err != nil { // killed here
		t.Fatal(err)
	}
	done := make(chan bool)
	times := shared.Many(125)
	for _, l := range []*Log{one, two} {
		go func() {
			for range times {
				appendTo(l, records[1])
			}
			done <- true
		}()
	}
	<-done
	<-done
	if err := errors.Join(one.Close(), two.Close()); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	read, torn, err := ReadLog(bytes.NewReader(data), path)
	if err != nil || len(read) != 1+2*times || torn != 1 {
		t.Fatalf("%d records, %d torn, %v; want %d, 1", len(read), torn, err, 1+2*times)
	}
	want, _ := json.Marshal(records[1])
	if got, _ := json.Marshal(read[2*times]); !bytes.Equal(got, want) {
		t.Errorf("read %s, wrote %s", got, want)
	}
	from := 0 // a reader goes by lines: all cuts of each, after the two before it
	for lines := []int{0, 0}; from < len(data); lines = append(lines[1:], from) {
		end := from + bytes.IndexByte(data[from:], '\n') + 1
		for cut := from; cut < end; cut++ { // killed anywhere
			if cut > 2000 && cut%29 != 0 {
				continue
			}
			if _, _, err := ReadLog(bytes.NewReader(data[lines[0]:cut]), path); err != nil {
				t.Fatalf("cut at %d: %v", cut, err)
			}
		}
		from = end
	}
	if _, _, err := ReadLog(strings.NewReader(`{"schema":2}`), path); err == nil || !strings.Contains(err.Error(), path+":1:") {
		t.Errorf("another schema: %v", err)
	}
}

// The planners' names are distinct, and every planner says what it is.
func TestPlanners(t *testing.T) {
	seen := make(map[string]bool)
	for _, c := range Planners(Settings{}) {
		name := c.Planner.Name()
		if seen[name] || c.Definition == "" || strings.Contains(c.Definition, "\n") {
			t.Errorf("%s: twice, or without a definition of one line: %q", name, c.Definition)
		}
		seen[name] = true
		found, err := Find(name, Settings{})
		if err != nil || found.Planner.Name() != name {
			t.Errorf("%s is not found: %v", name, err)
		}
	}
	if _, err := Find("nonesuch", Settings{}); err == nil {
		t.Error("an unknown planner is found")
	}
}

// Columns are told apart by what differs, and by nothing else.
func TestColumns(t *testing.T) {
	var records []Record
	for _, c := range []struct {
		planner string
		seed    int64
		params  map[string]string
	}{
		{"exact", 0, map[string]string{"time_limit": "1s"}},
		{"ilp", 0, map[string]string{"time_limit": "1s"}},
		{"ilp", 0, map[string]string{"time_limit": "1s", "formulation": "raw"}},
		{"no-reuse", 3, nil},
		{"no-reuse", 10, nil},
	} {
		r := sample()[0]
		r.Planner, r.Seed, r.Params = c.planner, c.seed, c.params
		records = append(records, r)
	}
	if got, want := fmt.Sprintf("%q", Compare(records).Columns), `["no-reuse seed=3" "no-reuse seed=10" "ilp" "ilp formulation=raw" "exact"]`; got != want {
		t.Errorf("columns %s, want %s", got, want)
	}
}

// A planner that has a seed is given it, and one that has none is not asked.
func TestSeeds(t *testing.T) {
	for _, c := range Planners(Settings{Seed: 7}) {
		seed := reflect.ValueOf(c.Planner).FieldByName("Seed")
		switch {
		case seed.IsValid() && fmt.Sprint(seed.Interface()) != "7":
			t.Errorf("%s: its seed is %v", c.Planner.Name(), seed.Interface())
		case seed.IsValid() && (!c.Draws || c.Seed != 7):
			t.Errorf("%s draws, and its records do not say so", c.Planner.Name())
		case !c.Draws && c.Seed != 0:
			t.Errorf("%s does not draw, and its records have a seed", c.Planner.Name())
		}
	}
}

// LaTeX takes the tables as they are; how a wide one fits the page is for the
// document to say.
func TestLaTeXCompiles(t *testing.T) {
	latex, err := exec.LookPath("pdflatex")
	if err != nil {
		t.Skip("NOT TESTED: there is no pdflatex")
	}
	records := sample()
	for k := range 12 {
		more := records[0]
		more.Planner = fmt.Sprintf("planner_%d & 100%% ~^\\{}$#", k)
		records = append(records, more)
	}
	var text bytes.Buffer
	text.WriteString("\\documentclass{article}\n\\usepackage{booktabs}\n\\begin{document}\n")
	for _, o := range []Options{{Format: LaTeX, Hard: true, Work: true}, {Format: LaTeX, By: ByFamily}, {Format: LaTeX, By: ByPlanner}} {
		if err := Compare(records).Write(&text, o); err != nil {
			t.Fatal(err)
		}
		text.WriteString("\n")
	}
	text.WriteString("\\end{document}\n")
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "t.tex"), text.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(latex, "-interaction=nonstopmode", "-halt-on-error", "-draftmode", "t.tex")
	cmd.Dir = folder
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// Formats and groupings are told by their names, and an unknown one is an error,
// as is a summary in a format of one line a record.
func TestOptions(t *testing.T) {
	for _, o := range []Options{{}, {Format: "ascii"}, {Format: Text, By: "size"}, {Format: JSON, By: ByPlanner}, {Format: Benchfmt, By: ByFamily}} {
		if err := Compare(sample()).Write(io.Discard, o); err == nil {
			t.Errorf("%+v is taken", o)
		}
	}
	if _, err := ParseFormat("latex", "", OrderFormats); err == nil {
		t.Error("orders are written as LaTeX")
	}
	if err := WriteOrders(io.Discard, LaTeX, nil); err == nil {
		t.Error("orders are written as LaTeX")
	}
	if _, err := ParseGrouping("size"); err == nil {
		t.Error("rows are sizes")
	}
}

// By planner and by family CSV holds what the tables for people hold.
func TestSummariesAsCSV(t *testing.T) {
	for by, want := range map[Grouping]string{
		ByPlanner: "planner,mean,worst,on,optimal,best,plans,failed,proofs,common,instances\n" +
			"first-fit-decreasing,1.178401,1.500,chain-10,1,1,3,1,1,3,4\nexact,1.000000,1.000,chain-10,3,4,4,0,3,3,4\n",
		ByFamily: "family,planner,mean,worst,on,optimal,best,plans,failed,proofs,common,instances\n" +
			"chain,first-fit-decreasing,1.500000,1.500,chain-10,0,0,1,1,0,1,2\nchain,exact,1.000000,1.000,chain-10,1,2,2,0,1,1,2\n" +
			"mip,first-fit-decreasing,1.090909,1.091,mip-1,0,0,1,0,0,1,1\nmip,exact,1.000000,1.000,mip-1,1,1,1,0,1,1,1\n" +
			"zero,first-fit-decreasing,1.000000,1.000,zero-1,1,1,1,0,1,1,1\nzero,exact,1.000000,1.000,zero-1,1,1,1,0,1,1,1\n",
	} {
		var out strings.Builder
		if err := Compare(sample()).Write(&out, Options{Format: CSV, By: by}); err != nil || out.String() != want {
			t.Errorf("by %s: %v\n%s\nwant\n%s", by, err, out.String(), want)
		}
	}
}

// Where so many buffers are live together that one pass takes minutes, the first
// plan does not wait for its end.
func TestFirstPlanOfACrowd(t *testing.T) {
	in := &model.Instance{}
	for i := range int64(100_000) {
		in.Buffers = append(in.Buffers, model.Buffer{ID: itoa(i), Life: model.Interval{Start: i % 2, End: i%2 + 1}, Size: 4})
	}
	over, stop := context.WithCancel(t.Context())
	stop()
	res, err := first{}.Plan(over, in)
	if err != nil || res.Plan == nil || res.Plan.Peak(in) != 2*in.Load() {
		t.Errorf("%v, %v", err, res.Plan != nil)
	}
}
