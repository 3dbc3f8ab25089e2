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
		f.sweeps = newSweeps(p, seed)
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
	f.least, f.next = bound, 0
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

// count adds up what a task did.
func (f *Finder) count(out outcome) {
	f.work += max(out.effort.Work, 1)
	f.visited += out.effort.Nodes
	if out.source == sweeping {
		f.swept += out.effort.Work
	}
}

// deal lays down the turns of a round: at first the narrow sweeps, where a plan
// may leave no byte free, and a little of every depth-first search, for where one
// succeeds it mostly does so at once; then a ladder of capacities, then a
// mixture. limit is as for Round.
func (f *Finder) deal(limit int64) []turn {
	switch {
	case f.sweepable() && (f.sweeps[0].early() || f.sweeps[1].early()):
		return []turn{{f.sweeps[0], tuned.diveShareMost}, {f.sweeps[1], tuned.diveShareMost}}
	case f.problem == nil && f.sweepable():
		share := f.grow(limit)
		return []turn{{f.sweeps[0], share}, {f.sweeps[1], share}}
	case f.problem == nil:
		return f.repack(f.grow(limit))
	case f.next < len(f.dives) && f.work-f.swept < int64(tuned.tasks)*tuned.diveShareMost:
		return f.beginnings()
	case !f.climbed:
		f.climbed = true
		return ladders()
	}
	return f.mixture(f.grow(limit))
}

// beginnings are the first turns of dives, and where it is of use the first of
// an ejection search, which takes longer to come to anything.
func (f *Finder) beginnings() []turn {
	share := min(max(tuned.diveShareEach*int64(f.problem.Len()), tuned.diveShareLeast), tuned.diveShareMost)
	var turns []turn
	for range tuned.tasks {
		turns = append(turns, turn{f.dive(), share})
	}
	if f.large() && f.ejections[last] == nil {
		turns = append(turns, turn{f.ejection(last), max(tuned.headStart*tuned.firstShare, f.pairs/4)})
	}
	return turns
}

// mixture is a round once the beginnings are made.
func (f *Finder) mixture(share int64) []turn {
	var head task = beams{near}
	if f.large() || f.from == ejecting {
		head = f.ejection(first)
	}
	if f.sweepable() {
		return []turn{{head, share}, {f.sweeps[0], share}, {f.sweeps[1], share}, {f.other(), share}}
	}
	return []turn{{head, share}, {f.again(second), share}, {f.again(third), share}, {f.other(), share}}
}

// repack is a round where the canonical tree cannot be searched.
func (f *Finder) repack(share int64) (turns []turn) {
	for k := range f.locals {
		if f.locals[k] == nil {
			f.locals[k] = &local{make: f.local, follows: k%2 == 1}
		}
		turns = append(turns, turn{f.locals[k], share})
	}
	return turns
}

// grow begins a round of the mixture, and returns the work of a task, which is
// more each time; beams grow wider.
func (f *Finder) grow(limit int64) int64 {
	share := f.share
	f.widest = min(2+f.rounds/tuned.narrowRounds, canonical.Widest)
	f.rounds++
	f.share = min(f.share+f.share/4, tuned.lastShare)
	if limit > 0 {
		share = min(share, max(limit/int64(tuned.tasks), 1))
	}
	return share
}

// sweepable reports whether there may still be a plan without a free byte.
func (f *Finder) sweepable() bool { return f.sweeps[0] != nil && f.least == f.load }

// large reports whether ejection searches do better than beams.
func (f *Finder) large() bool {
	return len(f.in.Buffers) >= tuned.large && f.pairs <= tuned.ejectPairs
}

// again is a task more of the kind that found the best plan, if that is a
// question or an ejection search; else beams at the least.
func (f *Finder) again(place int) task {
	switch f.from {
	case asking:
		return f.question(place)
	case ejecting:
		return f.ejection(place)
	}
	return beams{lowest}
}

// other is the task beside the beams: by turns a dive at the least, a question
// and an ejection search, of those that there are.
func (f *Finder) other() task {
	switch {
	case f.rounds%3 == 1:
		return f.dive()
	case f.rounds%3 == 2 && f.pairs <= tuned.askPairs:
		return f.question(last)
	case f.large() || f.from == ejecting || f.pairs > tuned.ejectPairs: // the one has its ejection searches, for the other they are too slow
		return beams{near}
	}
	return f.ejection(last)
}

// dive is the next of the dives.
func (f *Finder) dive() *dive {
	d := f.dives[f.next%len(f.dives)]
	f.next++
	return d
}

// question is the question in hand at a place, or the next one.
func (f *Finder) question(place int) *question {
	if q := f.questions[place]; q == nil || q.over(f.known) {
		f.asked++
		f.questions[place] = newQuestion(f.known, f.seed, f.asked)
	}
	return f.questions[place]
}

// ejection is the ejection search at a place.
func (f *Finder) ejection(place int) *ejection {
	if f.ejections[place] == nil {
		if f.near == nil {
			f.near = f.in.Neighbours()
		}
		f.ejections[place] = newEjection(f.in, f.near)
	}
	return f.ejections[place]
}
