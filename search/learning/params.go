package learning

// params are the numbers of this package that might be others. Units are of work,
// about a microsecond each. "Chains" are the corpus's long chains of 26 to 150
// buffers; where nothing is said of what a number was tuned on, it was set by
// reasoning or is usual, and others were not tried.
type params struct {
	// firstWidth is the sections of the narrowest windows; each width is half as much
	// again as the last, up to two thirds of the part: on chains, wider windows took
	// most of the work and gave nothing.
	firstWidth int
	// firstShare is the units for a query in the first pass over the windows; it
	// doubles with each pass.
	firstShare int64
	// cheap is the units within which a refutation is cheap: after one, the next
	// height is further up, about twice as far each time.
	cheap int64
	// probeUnits is the work for a probe, times Luby's sequence: a second.
	probeUnits int64
	// clockUnits is the units between two looks at the clock.
	clockUnits int64
	// stepsPerUnit is how many steps, propagations mostly, a unit has: measured.
	stepsPerUnit int64

	// restart is how many contradictions a restart of length one has: as in other
	// solvers that learn (Luby 100).
	restart int64
	// pairDecay and lemmaDecay are what activity is multiplied by at each
	// contradiction: 0.95 and 0.999, as MiniSat has them (Eén and Sörensson, An
	// extensible SAT-solver, SAT 2003, doi 10.1007/978-3-540-24605-3_37).
	pairDecay, lemmaDecay float64
	// lemmas is how many are kept before half of them are forgotten; it grows by a
	// tenth each time. The refutations of chains that were looked at have 132 to 3,942.
	lemmas int
	// depth is how many implications back an atom of a lemma is tried to be left
	// out: it makes lemmas a little shorter, and costs more the deeper it looks.
	depth int
	// apart is how far from each other, among a buffer's cliques, two are that make
	// a balance. Tuned on chains of 100 to 150: one refutation went from 1,160
	// contradictions to four, and further ones cost more than they gave.
	apart int

	// maxBuffers and maxPairs are what a search takes on: its tables are square in
	// the buffers, and it learns from 150 contradictions a second where there are 4,000
	// pairs.
	maxBuffers, maxPairs int
}

var tuned = params{
	firstWidth: 4, firstShare: 2 << 10, cheap: 1 << 16, probeUnits: 1 << 20, clockUnits: 1 << 14, stepsPerUnit: 12,
	restart: 100, pairDecay: 0.95, lemmaDecay: 0.999, lemmas: 20_000, depth: 10, apart: 3,
	maxBuffers: 2048, maxPairs: 200_000,
}
