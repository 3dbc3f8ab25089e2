package anytime

// params are the numbers of this package that might be others. Work is in units
// of about a microsecond; pairs are of buffers that conflict; A to K are
// MiniMalloc's challenging benchmarks. Where nothing is said of what a number was
// tuned on, it was set by reasoning, and others were not tried.
type params struct {
	// tasks is how many tasks a round has, whatever the number of threads: enough
	// to keep four busy, few enough that findings are soon shared.
	tasks int
	// firstShare is the work of a task in the first round of the mixture: on A to K
	// a narrow beam comes to an end in it. lastShare is where its growth, by a quarter
	// a round, ends: what is found is known to all within a second.
	firstShare, lastShare int64
	// narrowRounds is the number of rounds between two doublings of the widest
	// beams: easy instances fall to narrow ones, which cost less. Tuned on the nine of
	// A to K that are solved in seconds.
	narrowRounds int
	// beamShares is how many times a task's share a single beam may take: an
	// interrupted beam finds next to nothing, so almost none is to be.
	beamShares int64
	// nearFrom and nearOver are where beams aim that are to succeed, as parts of the
	// way from the least capacity to the best peak: from 0.2 to 0.5. Tuned on D, I
	// and J.
	nearFrom, nearOver float64

	// lesson is how many beams at the least are learnt from before all is forgotten:
	// those that came farthest may all end below the top.
	lesson int

	// diveShareEach is the work of a dive's first turn for each buffer, not less
	// than diveShareLeast nor more than diveShareMost. Where a dive at the load
	// succeeds it mostly does so within a few thousand placements, or not in
	// millions: tuned on A to K.
	diveShareEach, diveShareLeast, diveShareMost int64
	// divedPairs bounds the memory of all dives: where they would have more pairs
	// than these between them there are fewer, but as many as tasks.
	divedPairs int64
	// diveNodes is how many placements a dive tries between two looks at the clock.
	diveNodes int64
	// ladderShare is the work that a ladder may take, and rungNodes how many
	// placements each of its dives, for each buffer: one that succeeds makes few
	// mistakes. Tuned on D, I, J, and pinwheels, tilings and long chains of 200 to
	// 1,001 buffers, for the peak after about a second.
	ladderShare, rungNodes int64

	// askPairs is the number of pairs beyond which the learning search is not
	// asked: it is too slow there, at a few hundred contradictions a second.
	askPairs int64
	// questionWork is the work for a question, times Luby's sequence, so that neither one
	// hard question nor many easy ones take all the time.
	questionWork int64

	// large is the number of buffers from which on beams seldom come to an end, and
	// ejection is tried first. Tuned on instances of 200 to 10,000 buffers that
	// package omnimalloc draws and on those of the corpus.
	large int
	// ejectPairs is the number of pairs beyond which an ejection search gets through
	// too few steps to improve anything.
	ejectPairs int64
	// headStart is how many first shares it has before the ladders.
	headStart int64
	// heavier is the part of its first weight that a buffer gains when it is
	// ejected: one in so many.
	heavier int64
	// firstStep is the part of the way from the peak to the least capacity that it
	// asks for at first: one in so many. Successes double it and failures halve it.
	firstStep int64
	// passes over all neighbours are tried before a step is halved.
	passes int64
	// lookedPerUnit is how many neighbours are looked at in a unit of work: measured.
	lookedPerUnit int64
	// clockLooks is how many neighbours are looked at between two looks at the clock.
	clockLooks int64

	// firstSweeps is how many sweeps, of width 1 and 4, come before all else in each
	// direction: they take milliseconds, and tilings of large and unlike sizes need no
	// more.
	firstSweeps int64
	// plainSweeps is how many have no noise, each four times as wide as the last.
	// sweepWidth, times Luby's sequence, is the width of those with noise, and
	// sweepNoise how much: one bit did as well as more. Tuned on the corpus's tilings.
	plainSweeps int64
	sweepWidth  int
	sweepNoise  int64

	// farSweep is the part of all events that an early sweep must come to for wider ones
	// to be worth their time on large instances: one in so many. They come to half of a
	// guillotine of 1,000, and to a tenth of what is always full.
	farSweep int
	// looseWidth is the width of loose sweeps, looseParts how many steps there are at
	// first from the peak to the least capacity, and looseWork the work for one.
	looseWidth            int
	looseParts, looseWork int64

	// placementsPerUnit is how many buffers a local search places in a unit of work:
	// measured.
	placementsPerUnit int64
	// manyPairs is the number of pairs beyond which the canonical tree is not made,
	// for it would take gigabytes, and a local search is too slow.
	manyPairs int64
}

var tuned = params{
	tasks: 4, firstShare: 40_000, lastShare: 1 << 20,
	narrowRounds: 3, beamShares: 20, nearFrom: 0.2, nearOver: 0.3, lesson: 40,
	diveShareEach: 16, diveShareLeast: 2_000, diveShareMost: 20_000,
	divedPairs: 1 << 26, diveNodes: 500, ladderShare: 200_000, rungNodes: 4,
	askPairs: 1 << 14, questionWork: 1 << 18,
	large: 700, ejectPairs: 1 << 22, headStart: 4,
	heavier: 4, firstStep: 16, passes: 200, lookedPerUnit: 16, clockLooks: 1 << 14,
	firstSweeps: 2, plainSweeps: 4, sweepWidth: 16, sweepNoise: 1,
	farSweep: 4, looseWidth: 25, looseParts: 4, looseWork: 1 << 20,
	placementsPerUnit: 5, manyPairs: 1 << 26,
}
