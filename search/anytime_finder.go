package search

import (
	"context"
	"math/rand/v2"
	"sync"

	"memplan/model"
	"memplan/search/canonical"
	"memplan/search/tiling"
)

const (
	tasksEach   = 4       // tasks in a round, whatever the number of threads
	narrow      = 3       // rounds between the doublings of the widest beams
	tasteEach   = 16      // work of a dive's first turn for each buffer
	leastTaste  = 2_000   // but not less than this
	mostTaste   = 20_000  // nor more than this
	firstShare  = 40_000  // work of a task in the first round of the mixture
	lastShare   = 1 << 20 // and where its growth ends
	manyPairs   = 1 << 26 // conflicts beyond which the canonical tree would take gigabytes
	mostDived   = 1 << 26 // conflicts of all dives together, if there are more than a round's
	firstNumber = 8       // of a task; what it draws follows from its number and the seed, and any would do
	mostNear    = 1 << 22 // conflicts beyond which a local search is too slow
	many        = 700     // buffers from which on beams seldom come to an end, and ejection is tried first
	headStart   = 4       // how many shares it gets before the ladders
)

// A finder looks for ever better plans of one instance.
type finder struct {
	knowledge
	seed    int64
	dives   []*canonical.Dive // by ranking, at the least when it last had a turn; nil: no turn yet
	next    int               // the ranking whose turn it is
	climbed bool              // the ladders have had their turn
	rounds  int               // of the mixture
	share   int64             // work of a task in the next of them
	work    int64
	nodes   int64

	conflicts int64    // of the instance
	bodies    *packing // nil: not needed yet
	locals    []*local
	ejections []*ejection
	questions [3]*question // in hand; nil: none as yet
	asked     int64        // questions so far
	lucky     string       // source of the best plan
	tilings   tilings
}

// knowledge is what a task starts from: its own copy of what was known before
// the round.
type knowledge struct {
	in      *model.Instance
	problem *canonical.Problem // nil: not for the canonical tree
	least   int64              // the lowest capacity worth asking for
	best    *model.Plan        // nil: none yet
	peak    int64              // its peak; MaxBytes
	widest  int                // doublings of the width of beams
}

func newFinder(in *model.Instance, seed int64) *finder {
	f := &finder{seed: seed, share: firstShare, conflicts: in.Conflicts()}
	f.knowledge = knowledge{in: in, least: in.Load(), peak: model.MaxBytes}
	f.tilings = tilings{problem: tiling.Prepare(in), load: f.least}
	if f.conflicts <= manyPairs {
		f.problem, _ = canonical.Prepare(in) // fails for ties alone
	}
	if f.problem != nil {
		f.least = f.problem.Least()
		f.dives = make([]*canonical.Dive, min(len(canonical.Rankings), max(tasksEach, int(mostDived/(f.conflicts+1)))))
	}
	return f
}

// raise takes over a bound if it is higher: that there is no plan below it.
func (f *finder) raise(bound int64) {
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

// know takes over a plan if it is better.
func (f *finder) know(p *model.Plan) {
	if p == nil {
		return
	}
	if peak := p.Peak(f.in); f.best == nil || peak < f.peak {
		f.best, f.peak = p, peak
	}
}

// done reports whether there is nothing left to try.
func (f *finder) done() bool { return f.best != nil && f.peak <= f.least }

// A task is a piece of a round; it changes nothing that other tasks see.
type task func(ctx context.Context, r *rand.Rand) outcome

// Sources of plans that have more than one part in a round.
const (
	sweeping  = "sweep"
	asking    = "question"
	repacking = "repack"
)

// An outcome is what a task gives.
type outcome struct {
	source string
	plan   *model.Plan // nil: nothing better
	peak   int64
	none   int64 // a capacity that a search was exhausted at; -1: none
	effort canonical.Effort
}

// round runs the next tasks, and returns what was better than anything before,
// ever better. limit, when not 0, is the work that is left; what comes before the
// mixture may go beyond it.
func (f *finder) round(ctx context.Context, threads int, limit int64) (better []outcome) {
	tasks := f.plan(limit)
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	for _, o := range f.run(ctx, tasks, threads) {
		out := <-o
		if f.done() {
			continue // wait for it, but do not look
		}
		f.work += max(out.effort.Work, 1)
		if out.source == sweeping {
			f.tilings.work += out.effort.Work
		}
		f.nodes += out.effort.Nodes
		if out.none >= 0 {
			f.raise(out.none + 1)
		}
		if out.plan != nil && out.peak < f.peak {
			f.best, f.peak, f.lucky = out.plan, out.peak, out.source
			better = append(better, out)
		}
		if f.done() {
			stop()
		}
	}
	return better
}

// run has the tasks run by so many threads, in order.
func (f *finder) run(ctx context.Context, tasks []task, threads int) []chan outcome {
	outs := make([]chan outcome, len(tasks))
	for k := range outs {
		outs[k] = make(chan outcome, 1)
	}
	var mu sync.Mutex
	next, base := 0, firstNumber+tasksEach*uint64(f.rounds)
	for range min(threads, len(tasks)) {
		go func() {
			for {
				mu.Lock()
				k := next
				next++
				mu.Unlock()
				if k >= len(tasks) {
					return
				}
				outs[k] <- tasks[k](ctx, rand.New(rand.NewPCG(uint64(f.seed), base+uint64(k))))
			}
		}()
	}
	return outs
}

// plan lays down the tasks of a round: at first the narrow sweeps, where a plan
// may leave no byte free, and a little of every depth-first search, for where one
// succeeds it mostly does so at once; then a ladder of capacities, then a
// mixture. limit is as for round.
func (f *finder) plan(limit int64) []task {
	switch {
	case f.sweeps() && f.tilings.first():
		return []task{f.sweep(0, mostTaste), f.sweep(1, mostTaste)}
	case f.problem == nil:
		share := f.grow(limit)
		return []task{f.repack(0, share), f.repack(1, share), f.repack(2, share), f.repack(3, share)}
	case f.next < len(f.dives) && f.work-f.tilings.work < tasksEach*mostTaste:
		taste := min(max(tasteEach*int64(f.problem.Len()), leastTaste), mostTaste)
		tasks := []task{f.dive(taste), f.dive(taste), f.dive(taste), f.dive(taste)}
		if f.large() && len(f.ejections) == 0 {
			tasks = append(tasks, f.eject(0, max(headStart*firstShare, f.conflicts/4)))
		}
		return tasks
	case !f.climbed:
		f.climbed = true
		return f.ladders()
	}
	share := f.grow(limit)
	first := f.beams(share, near)
	if f.large() || f.lucky == ejecting {
		first = f.eject(3, share)
	}
	if f.sweeps() {
		return []task{first, f.sweep(0, share), f.sweep(1, share), f.other(share)}
	}
	return []task{first, f.again(1, share), f.again(2, share), f.other(share)}
}

// grow begins a round of the mixture, and returns the work of a task, which is
// more each time; beams grow wider.
func (f *finder) grow(limit int64) int64 {
	share := f.share
	f.widest = min(2+f.rounds/narrow, canonical.Widest)
	f.rounds++
	f.share = min(f.share+f.share/4, lastShare)
	if limit > 0 {
		share = min(share, max(limit/tasksEach, 1))
	}
	return share
}

// large reports whether ejection searches do better than beams.
func (f *finder) large() bool { return len(f.in.Buffers) >= many && f.conflicts <= mostNear }

// again is the k-th task more of the kind that found the best plan, if that is
// a question or an ejection search; else beams at the least.
func (f *finder) again(k int, share int64) task {
	switch f.lucky {
	case asking:
		return f.ask(k, share)
	case ejecting:
		return f.eject(k, share)
	}
	return f.knowledge.beams(share, lowest)
}

// other is the task beside the beams: by turns a dive at the least, a question
// and an ejection search, of those that there are.
func (f *finder) other(share int64) task {
	switch {
	case f.rounds%3 == 1:
		return f.dive(share)
	case f.rounds%3 == 2 && f.conflicts <= mostAsked:
		return f.ask(0, share)
	case f.large() || f.lucky == ejecting || f.conflicts > mostNear: // the one has its ejection searches, for the other they are too slow
		return f.knowledge.beams(share, near)
	}
	return f.eject(0, share)
}

// An aim is a way to draw a capacity between the least and the peak. Success is
// not monotone in it.
type aim int

const (
	near   aim = iota // about a third of the way up: likely to succeed
	low               // more often near the least
	lowest            // the least
)

// ceiling is the peak to stay below: with no plan as yet twice the least.
func (w *knowledge) ceiling(peak int64) int64 {
	if peak == model.MaxBytes {
		return min(w.least, model.MaxBytes-w.least) + w.least
	}
	return peak
}

// aim draws the capacity to ask for.
func (w *knowledge) aim(r *rand.Rand, peak int64, how aim) int64 {
	peak = w.ceiling(peak)
	u := r.Float64()
	switch how {
	case near:
		u = 0.2 + 0.3*u
	case low:
		u *= u
	case lowest:
		u = 0
	}
	unit := w.problem.Unit()
	steps := max((peak-1-w.least)/unit, 0)
	return w.least + min(int64(u*float64(steps+1)), steps)*unit
}
