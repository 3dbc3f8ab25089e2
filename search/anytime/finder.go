package anytime

import (
	"context"

	"memplan/model"
	"memplan/search/canonical"
	"memplan/search/tiling"
)

// A Finder looks for ever better plans of one instance, in rounds.
type Finder struct {
	known
	seed  int64
	load  int64
	pairs int64  // that conflict
	from  source // of the best plan

	sweeps    [2]*sweep
	looses    [2]*loose
	dives     []*dive // by ranking
	next      int     // the ranking whose turn it is
	climbed   bool    // the ladders have had their turn
	questions [places]*question
	asked     int64 // questions so far
	ejections [places]*ejection
	locals    [places]*local
	local     Local     // nil: none
	near      [][]int32 // neighbours of each buffer; nil: not needed yet

	dealt   uint64 // turns so far: the number of the next, which its draws follow from
	rounds  int    // of the mixture
	taught  int    // trials since all were forgotten
	share   int64  // work of a task in the next of them
	work    int64
	swept   int64 // of it by sweeps
	visited int64 // nodes
}

// Places in a round of the mixture. What a task goes on from in a later round is
// kept by its place, so that no two tasks of a round have the same.
const (
	last = iota
	second
	third
	first
	places
)

// NewFinder knows no plan as yet. What the searches of this package cannot treat
// is left to local, which may be nil.
func NewFinder(in *model.Instance, seed int64, local Local) *Finder {
	load := in.Load()
	f := &Finder{seed: seed, load: load, local: local, share: tuned.firstShare, pairs: in.Conflicts()}
	f.known = known{in: in, least: load, peak: model.MaxBytes}
	if p := tiling.Prepare(in); p != nil {
		f.sweeps, f.looses = newSweeps(p, seed), newLooses(p, seed)
	}
	if f.pairs <= tuned.manyPairs {
		f.problem, _ = canonical.Prepare(in) // fails for ties alone
	}
	if f.problem != nil {
		f.least = f.problem.Least()
		f.dives = newDives(min(len(canonical.Rankings), max(tuned.tasks, int(tuned.divedPairs/(f.pairs+1)))))
	}
	return f
}

// Know takes over a plan if it is better, and a bound if it is higher.
func (f *Finder) Know(r model.Result) {
	f.learn(r.Plan)
	f.raise(r.Bound)
}

// raise takes over that there is no plan below a bound.
func (f *Finder) raise(bound int64) {
	if bound <= f.least {
		return
	}
	f.least, f.next, f.trials = bound, 0, nil
	if f.problem == nil {
		return
	}
	if up, ok := model.AlignUp(bound, f.problem.Unit()); ok {
		f.least = up
	}
}

// Done reports whether there is nothing left to try: the best plan is as low as
// any can be, or no task can do anything with the instance.
func (f *Finder) Done() bool {
	return f.met() || f.problem == nil && (f.local == nil || f.pairs > tuned.manyPairs) && !f.sweepable()
}

// Work is what all rounds did, in units of about a microsecond.
func (f *Finder) Work() int64 { return f.work }

// Nodes is how many placements they tried.
func (f *Finder) Nodes() int64 { return f.visited }

// A Found is a plan that was better than all before, and the kind of task that
// found it.
type Found struct {
	Plan   *model.Plan
	Source string
}

// Round runs the next tasks, on so many threads, and returns what was better
// than anything before, ever better. limit, when not 0, is the work that is
// left; what comes before the mixture may go beyond it. An error is a bug.
func (f *Finder) Round(ctx context.Context, threads int, limit int64) (better []Found, failed error) {
	turns := f.deal(limit)
	number := f.dealt
	f.dealt += uint64(len(turns))
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	for _, o := range run(ctx, turns, f.known, threads, f.seed, number) {
		out := <-o
		if f.Done() || failed != nil {
			continue // wait for it, but do not look
		}
		failed = out.err
		f.count(out)
		f.teach(out.trials)
		if out.none >= 0 {
			f.raise(out.none + 1)
		}
		if out.plan != nil && out.peak < f.peak {
			f.best, f.peak, f.from = out.plan, out.peak, out.source
			better = append(better, Found{out.plan, string(out.source)})
		}
		if f.Done() || failed != nil {
			stop()
		}
	}
	return better, failed
}

// teach takes over how far beams came. Every so often all is forgotten: those that
// came farthest may all end before the top.
func (f *Finder) teach(trials []canonical.Trial) {
	if f.taught += len(trials); f.taught > tuned.lesson {
		f.trials, f.taught = nil, 0
	}
	f.trials = canonical.Best(f.trials, trials)
}

// count adds up what a task did.
func (f *Finder) count(out outcome) {
	f.work += max(out.effort.Work, 1)
	f.visited += out.effort.Nodes
	if out.source == sweeping {
		f.swept += out.effort.Work
	}
}
