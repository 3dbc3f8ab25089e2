package canonical

// params are the numbers of this package that might be others. A to K are
// MiniMalloc's challenging benchmarks. Where nothing is said of what a number was
// tuned on, it was set by reasoning, and others were not tried.
type params struct {
	// octaves is how many doublings of width are drawn from at a time.
	octaves int
	// barrier is one in how many beams has the cost that rises towards the end of
	// the slack: J has more success with it, D and I without.
	barrier int
	// power, margin and lifePower are what those of a beam are drawn from; weight
	// and noise their logarithms to base 10. Success is heavy-tailed in all of them,
	// so ranges are wide: within them plans at the load of D and J were found.
	power, margin, weight, lifePower, noise choice
	// lowNoise is that of beams at the least capacity. With as little near the peak
	// long chains came to worse plans (58 where it was 54, once in 150).
	lowNoise choice
	// elite is how many of the best trials are drawn near to, by near, in units of a
	// parameter or of its logarithm; one draw in fresh is not. On D beams at the load
	// take 12 million units of work a plan without that and with noise from 10^-3 to
	// 10^-1.7, 5 with noise from 10^-4, 3.3 with both (5 of 57 beams, 8 of 45, 12 of 63);
	// on J 33 (3 of 75).
	elite, fresh int
	near         float64
	// tail is how many placements are tried, depth first, from each of a beam's last
	// states: more than in a dive's first look, for there is little left to place.
	tail int64
	// keepEvery says where a beam keeps states for that, at one in so many parts of
	// the capacity, and tails how many of the last are used: where a beam dies, what
	// is wrong was mostly done a little before.
	keepEvery int64
	tails     int

	// firstMemory and lastMemory are how many failed states a dive remembers, at
	// first and at last. Most dives are short; half a megabyte is what the cache has
	// room for.
	firstMemory, lastMemory int

	// changesPerUnit and looksPerUnit are how many changes of a tree, with what
	// follows from them, and how many looks at a buffer or section are a unit of
	// work: measured, a microsecond.
	changesPerUnit, looksPerUnit int64
}

var tuned = params{
	octaves: 3, barrier: 8,
	power: choice{0.5, 1.5}, margin: choice{1, 10}, weight: choice{-1.5, 2}, lifePower: choice{0, 1.5}, noise: choice{-3, 1.3}, lowNoise: choice{-4, 1.7},
	elite: 6, fresh: 4, near: 0.15,
	tail: 2000, keepEvery: 20, tails: 3,
	firstMemory: 1 << 8, lastMemory: 1 << 16,
	changesPerUnit: 6, looksPerUnit: 1000,
}
