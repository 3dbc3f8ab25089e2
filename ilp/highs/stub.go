//go:build !cgo

package highs

import (
	"context"
	"errors"

	"memplan/ilp"
)

// Available reports whether the program was built with HiGHS.
const Available = false

// ErrAbsent is the answer of a program that was built without cgo.
var ErrAbsent = errors.New("highs: built without cgo, so without HiGHS; build with CGO_ENABLED=1 and a C compiler")

// Version says that there is none.
func (Solver) Version() string { return "HiGHS absent (built without cgo)" }

// Solve returns ErrAbsent.
func (Solver) Solve(context.Context, *ilp.Program, ilp.Options) (ilp.Outcome, error) {
	return ilp.Outcome{}, ErrAbsent
}
