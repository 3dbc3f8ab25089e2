// Package verify checks plans and certificates with code of its own: it takes
// the types of package model and none of its algorithms, so that a mistake in
// a planner, or in the sweep that planners share, is not repeated here.
//
// What proves a bound, and in which file format, is written down in PROOFS.md,
// for whoever wants to check the proofs without this package; a second checker,
// testdata/check.py, is there to show that it is enough.
package verify
