package tiling

// params are the numbers of this package that might be others. They were set by
// reasoning, on the corpus's tilings; others were not tried one at a time.
type params struct {
	// ways is the number of ways to share the holes of an event beyond which
	// nothing is demanded of it, and waySteps how many steps are spent to find them: a
	// demand of many ways says little.
	ways, waySteps int
	// holesEach and stepsEach are what filling the holes of an event may cost for
	// one state, and for each that the sweep keeps up to maxEach: holes tried, and
	// steps to find what is born for them. keptEach is how many fillings are kept on
	// the way. These end what would not end: events of dozens that die and are born.
	holesEach, stepsEach, keptEach, maxEach int
	// visitsPerUnit is how many visits of nodes are a unit of work: measured, a
	// microsecond.
	visitsPerUnit int64

	lackWeight, lackLesson        int64
	retreat                       int
	gapHalf, together, looseNoise int64
	looseTried, horizon           int
	piecesPerUnit                 int64
}

var tuned = params{
	ways: 4, waySteps: 1 << 12,
	holesEach: 256, stepsEach: 1 << 14, keptEach: 8, maxEach: 16,
	visitsPerUnit: 50,
	lackWeight:    8, lackLesson: 5, retreat: 8,
	gapHalf: 8, together: 32, looseNoise: 32, looseTried: 3, horizon: 30, piecesPerUnit: 200,
}
