// Package highs runs HiGHS, the mixed-integer solver, through its C interface.
// It holds nothing but what ilp.Solver needs: ask a program, with a start,
// limits, a way to stop it, and a way to see how far it is.
//
// HiGHS is no part of the program: its shared library is looked for when it is
// first needed (places.go), loaded without cgo, and refused where its version
// is another than the one whose structures are known here. Find says what was
// found. A program without HiGHS, or one built with the tag static, answers
// every question with ErrAbsent, and works all the same.
//
// Source: Q. Huangfu and J. A. J. Hall, "Parallelizing the dual revised simplex
// method", Mathematical Programming Computation 10 (2018), 119-142,
// doi:10.1007/s12532-017-0130-5.
package highs

import "errors"

// ErrAbsent is wrapped by the answers of a program that found no HiGHS.
var ErrAbsent = errors.New("there is no HiGHS")

// Variable is the name of the environment variable that says where HiGHS is: the
// library, or the folder that holds it. Where it is set nothing else is looked at.
const Variable = "MEMPLAN_HIGHS"

// wanted is the version whose structures are known here, whatever comes after.
const wanted = "1.15."

// A Solver runs HiGHS. It has no state: every run has a HiGHS of its own, with
// a fixed seed, so that completed runs, and those that end at a node limit,
// repeat exactly with one thread.
type Solver struct{}
