package anytime

import "memplan/search/canonical"

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
	var head task = beams{aim: near}
	if f.large() || f.from == ejecting {
		head = f.ejection(first)
	}
	switch {
	case f.sweepable() && f.large() && !f.sweeps[0].far && !f.sweeps[1].far:
		return []turn{{head, share}, {f.looses[0], share}, {f.looses[1], share}, {f.other(), share}}
	case f.sweepable():
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
	return beams{aim: lowest, taught: place == second}
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
		return beams{aim: near}
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
