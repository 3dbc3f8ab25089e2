// Package corpus makes instances on which planners differ, and knows what is
// known of their optima.
//
// Families are seeded generators: pure functions of their parameters. Rows are
// shuffled by the seed, so that their order does not leak the answer. The
// manifest (manifest.csv) lists the instances in use, the suites they belong
// to, their proven bound and the best peak known, and a hash that shows when a
// generator has changed. Suites:
//
//	built-in     what `make` plans: a few of everything, quick
//	small        hand-made, and chains of up to 26 buffers whose optimum lies above the load
//	worst        the instance on which each heuristic was found to be worst, by package adversary
//	adversarial  shapes that break one kind of rule each
//	tilings      perfect plans by construction, n = 40 to 1001
//	chains       long-lived chains, n = 30 to 200
//	features     alignment, pins and gaps
//	graphs       real networks, with the sizes of their layers
//	wired        networks wired at random, for the order of operators
//	large        a thousand to a million buffers
//
// known/ holds the best plans known of benchmarks that others leave open, with
// their certificates.
package corpus
