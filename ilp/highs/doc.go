// Package highs binds HiGHS, the mixed-integer solver, through its C
// interface. It is the only package with C in it, and holds nothing but what
// ilp.Solver needs: ask a program, with a start, limits, a way to stop it, and
// a way to see how far it is.
//
// HiGHS itself is not part of the repository: `make` puts the library and its
// header into .deps/highs, and the linker finds it there by a path relative to
// these sources. Built without cgo, the package says so in every answer.
package highs

// A Solver runs HiGHS. It has no state: every run has a HiGHS of its own, with
// a fixed seed, so that completed runs, and those that end at a node limit,
// repeat exactly with one thread.
type Solver struct{}
