package results

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"memplan/heuristics"
	"memplan/ilp"
	"memplan/ilp/highs"
	"memplan/model"
	"memplan/model/graph"
	"memplan/model/json"
	"memplan/search"
	"memplan/search/anytime"
	"memplan/search/learning"
	"memplan/search/pairs"
)

// A Choice is a planner as a run uses it.
type Choice struct {
	Planner    model.Planner
	Definition string            // one line
	Draws      bool              // its result depends on the seed
	Seed       int64             // 0 where it does not draw
	Limit      time.Duration     // for one arena; below 0: none
	Params     map[string]string // what else its result depends on; may be nil
}

func (c Choice) key(t *Task) Key {
	r := Record{Plan: json.Plan{Instance: t.Name, Planner: c.Planner.Name()}, Family: t.Family, Granularity: t.Granularity, Hash: t.known().hash, Seed: c.Seed, Params: c.Params}
	return r.Key()
}

// Settings are what all planners of a run share.
type Settings struct {
	Threads int           // 0: one a processor
	Seed    int64         // of planners that draw
	Limit   time.Duration // for one planner on one arena; below 0: none
	Rounds  int           // of planners that work in rounds, a limit that repeats; 0: none

	Formulation ilp.Formulation // of the planner ilp

	Watch func(model.Point) // told of every improvement; may be nil
}

// params are the settings that the result of a planner that could go on for
// ever depends on.
func (s Settings) params() map[string]string {
	p := make(map[string]string)
	if s.Limit >= 0 {
		p["time_limit"] = s.Limit.String()
	}
	if s.Formulation != ilp.Csum {
		p["formulation"] = s.Formulation.String()
	}
	if s.Rounds > 0 {
		p["rounds"] = strconv.Itoa(s.Rounds)
	}
	return p
}

// Planners lists every planner there is, by its name, in the order of tables:
// the heuristics, then the exact ones. It is the one place where heuristics,
// programs, solver and searches are put together.
func Planners(s Settings) []Choice {
	var list []Choice
	for _, p := range heuristics.All() {
		c := Choice{Planner: p, Definition: p.Definition(), Limit: s.Limit}
		if seeded, draws := p.(heuristics.Seeded); draws {
			c.Planner, c.Draws, c.Seed = seeded.WithSeed(s.Seed), true, s.Seed
		}
		c.Planner = pairs.Planner{Of: c.Planner}
		list = append(list, c)
	}
	return append(list,
		Choice{Planner: improver(s), Definition: "sweeps, beams, ejection and depth-first search for a lower peak, for as long as allowed; proves nothing", Limit: s.Limit, Draws: true, Seed: s.Seed, Params: s.params()},
		Choice{Planner: program(s), Definition: "the integer program, solved by HiGHS: the optimum, given time", Limit: s.Limit, Params: s.params()},
		Choice{Planner: race(s, "search", searches), Definition: "our own searches racing, one that finds and one that proves: the optimum, given time", Limit: s.Limit, Draws: true, Seed: s.Seed, Params: s.params()},
		Choice{Planner: race(s, "exact", everything), Definition: "searches and the integer program racing: the true optimum, given time", Limit: s.Limit, Draws: true, Seed: s.Seed, Params: s.params()},
	)
}

func program(s Settings) model.Planner {
	return either{plainProgram(s), race(s, "ilp", programs)}
}

func plainProgram(s Settings) model.Planner {
	return ilp.Planner{Solver: highs.Solver{}, Start: first{}, Formulation: s.Formulation, Threads: s.Threads, Watch: s.Watch, Prover: prover}
}

// prover proves bounds without the solver.
func prover(in *model.Instance) model.Engine { return &learning.Engine{Instance: in} }

func improver(s Settings) model.Planner {
	return either{plainImprover(s), race(s, "anytime", finders)}
}

func plainImprover(s Settings) model.Planner {
	return search.Anytime{
		Starts: []model.Planner{first{}}, Local: local, Seed: s.Seed, Threads: s.Threads,
		Work: int64(s.Rounds) * roundWork, Watch: s.Watch,
	}
}

// local is the local search of the anytime search.
func local(from *model.Plan, seed uint64, steps int) model.Planner {
	return heuristics.IteratedLocalSearch{From: from, Seed: seed, Iterations: steps}
}

// roundWork is what a round is worth to a planner that does not work in rounds:
// units of a microsecond.
const roundWork = 1 << 18

// race makes the exact planners: engines that find plans or prove bounds.
func race(s Settings, title string, engines func(*model.Instance, int64) []model.Engine) model.Planner {
	return search.Race{
		Title:   title,
		Starts:  []model.Planner{pairs.Planner{Of: first{}}},
		Engines: func(in *model.Instance) []model.Engine { return engines(in, s.Seed) },
		Threads: s.Threads,
		Rounds:  s.Rounds,
		Watch:   s.Watch,
	}
}

// searches are the engines of our own, the most useful first.
func searches(in *model.Instance, seed int64) []model.Engine {
	if len(in.Pairs) > 0 {
		return append(finders(in, seed), provers(in, seed)...)
	}
	var prover model.Engine = &learning.Engine{Instance: in, Seed: seed}
	if in.Conflicts() > provable {
		prover = quarter{prover}
	}
	plain := []model.Engine{anytime.NewEngine(in, seed, local), prover}
	if tied(in) {
		plain = append(plain, &pairs.Engine{Instance: in})
	}
	return plain
}

// provable is the number of conflicts beyond which provers seldom prove anything:
// chains of 300 buffers have 3,000. The learning search comes to a hundred
// contradictions a second, and HiGHS to no end of its first node: of the 38 CPU
// seconds that D took with seed 7 it spent 33 in one slice, counted as a fraction of
// one, for it looks at the clock between nodes alone.
const provable = 1 << 12

// tied reports whether some buffers are at a distance from others, which the
// learning search leaves out, and trees of cases do not.
func tied(in *model.Instance) bool {
	return slices.ContainsFunc(in.Buffers, func(b model.Buffer) bool { return b.Tie != nil })
}

// everything adds the integer program, where there is a HiGHS to solve it. It
// proves little that the searches do not, except where there are ties, which
// the learning search leaves out.
func everything(in *model.Instance, seed int64) []model.Engine {
	if _, _, err := highs.Find(); err != nil {
		return searches(in, seed)
	}
	if len(in.Pairs) > 0 {
		return append(searches(in, seed), quarter{relaxedProgram(in)})
	}
	var program model.Engine = &ilp.Engine{Instance: in, Solver: highs.Solver{}}
	switch {
	case tied(in):
		return append(searches(in, seed), program)
	case in.Conflicts() > provable:
		return searches(in, seed)
	}
	return append(searches(in, seed), quarter{program})
}

// finders look for plans of an instance with pairs, with what is equal merged
// and without.
func finders(in *model.Instance, seed int64) []model.Engine {
	return []model.Engine{
		pairs.NewMerged(in, func(in *model.Instance) model.Engine { return anytime.NewEngine(in, seed, local) }),
		&pairs.Finder{Instance: in, Seed: seed},
	}
}

// provers prove bounds of an instance with pairs, by cases and by what holds
// whatever is shared.
func provers(in *model.Instance, seed int64) []model.Engine {
	return []model.Engine{
		&pairs.Engine{Instance: in},
		pairs.NewRelaxed(in, func(in *model.Instance) model.Engine { return &learning.Engine{Instance: in, Seed: seed} }),
	}
}

// programs are what the planner ilp is made of where there are pairs: the program,
// and what proves without the solver's word.
func programs(in *model.Instance, seed int64) []model.Engine {
	return append(finders(in, seed), &pairs.Engine{Instance: in}, &ilp.Engine{Instance: in, Solver: highs.Solver{}})
}

func relaxedProgram(in *model.Instance) model.Engine {
	return pairs.NewRelaxed(in, func(in *model.Instance) model.Engine {
		return &ilp.Engine{Instance: in, Solver: highs.Solver{}}
	})
}

// An either is a planner for instances without pairs, and one for those with.
type either struct{ plain, paired model.Planner }

// Name is that of both.
func (e either) Name() string { return e.plain.Name() }

// Plan implements model.Planner.
func (e either) Plan(ctx context.Context, in *model.Instance) (model.Result, error) {
	if len(in.Pairs) > 0 {
		return e.paired.Plan(ctx, in)
	}
	return e.plain.Plan(ctx, in)
}

// A quarter is an engine that works for a fourth of each slice.
type quarter struct{ model.Engine }

// Run implements model.Engine.
func (q quarter) Run(ctx context.Context, known model.Result, work int64) (model.Finding, error) {
	return q.Engine.Run(ctx, known, work/4)
}

// Assign chooses memory spaces exactly, by an integer program, within a time, or
// without a limit where that is below 0; for graph.LowerOptions.
func Assign(limit time.Duration) func(*graph.Assignment) (graph.Assigned, error) {
	return func(a *graph.Assignment) (graph.Assigned, error) {
		ctx := context.Background()
		if limit >= 0 {
			within, stop := context.WithTimeout(ctx, limit)
			defer stop()
			ctx = within
		}
		return ilp.Assigner{Solver: highs.Solver{}, Nodes: assignNodes}.Assign(ctx, a)
	}
}

// assignNodes bounds the search for an assignment, so that it repeats; beyond it
// the best one found is taken.
const assignNodes = 10_000

// first gives the race a plan however short its time is: the best of a few
// one-pass planners. For few buffers it does not stop early; for many it takes
// one pass to its end, seconds for a million, and the others while there is time.
// Where a pass may take minutes, for so many are live together, that ends with the
// time too, and without a plan there is the one that reuses nothing.
type first struct{}

// many is the number of buffers from which on one pass is all there is time for.
const many = 10_000

// maxConflicts is the number of conflicts up to which one pass is a matter of
// seconds.
const maxConflicts = 1 << 30

// quick are one-pass planners of which the best is seldom bad.
var quick = heuristics.ChooseBest{Of: []heuristics.Planner{
	heuristics.Decreasing{}, heuristics.Decreasing{Ties: heuristics.EarlierBirth}, heuristics.Decreasing{Fit: heuristics.BestFit},
	heuristics.ByContention{}, heuristics.ByContention{Fit: heuristics.BestFit}, heuristics.ByConflicts{}, heuristics.ByArea{},
	heuristics.ByDuration{}, heuristics.ByBirth{}, heuristics.ByBirth{Fit: heuristics.BestFit}, heuristics.ByDeath{},
	heuristics.Breadth{}, heuristics.Skyline{}, heuristics.Gergov{},
}}

func (first) Name() string { return "first" }

func (first) Plan(ctx context.Context, in *model.Instance) (model.Result, error) {
	patient := context.WithoutCancel(ctx)
	if len(in.Buffers) < many {
		return quick.Plan(patient, in)
	}
	pass := patient
	if crowded(in) {
		pass = ctx
	}
	one, err := heuristics.Decreasing{}.Plan(pass, in)
	if one.Plan == nil && err == nil {
		one, err = heuristics.NoReuse{}.Plan(patient, in)
	}
	best, other := quick.Plan(ctx, in)
	if best.Plan == nil || one.Plan != nil && one.Plan.Peak(in) <= best.Plan.Peak(in) {
		return one, err
	}
	return best, other
}

// crowded reports whether there are more than maxConflicts, gaps left aside.
func crowded(in *model.Instance) bool {
	whole := model.Instance{Buffers: slices.Clone(in.Buffers)}
	for i := range whole.Buffers {
		whole.Buffers[i].Gaps = nil
	}
	return whole.Conflicts() > maxConflicts
}

// Find is the planner of that name.
func Find(name string, s Settings) (Choice, error) {
	for _, c := range Planners(s) {
		if c.Planner.Name() == name {
			return c, nil
		}
	}
	return Choice{}, fmt.Errorf("there is no planner %q; memplan planners lists them", name)
}

// places maps the planners' names to their places in Planners.
var places = func() map[string]int {
	at := make(map[string]int)
	for k, c := range Planners(Settings{}) {
		at[c.Planner.Name()] = k
	}
	return at
}()

// rank is a planner's place in Planners; planners made elsewhere come last.
func rank(name string) int {
	if k, known := places[name]; known {
		return k
	}
	return len(places)
}

// ByPlace orders names of planners as tables do.
func ByPlace(a, b string) int { return cmp.Or(cmp.Compare(rank(a), rank(b)), natural(a, b)) }

// Heuristics are the names of the planners that prove nothing.
func Heuristics() []string {
	var names []string
	for _, p := range heuristics.All() {
		names = append(names, p.Name())
	}
	return slices.Clip(names)
}
