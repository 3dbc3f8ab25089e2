//go:build static || !(linux || darwin || windows) || !(amd64 || arm64)

package highs

import (
	"context"
	"fmt"

	"memplan/ilp"
)

// Find says that this program cannot load any.
func Find() (version, path string, err error) {
	return "", "", fmt.Errorf("%w: this program was built without the means to load it", ErrAbsent)
}

// Version says that there is none.
func (Solver) Version() string { return "HiGHS absent" }

// Solve returns ErrAbsent.
func (Solver) Solve(context.Context, *ilp.Program, ilp.Options) (ilp.Outcome, error) {
	_, _, err := Find()
	return ilp.Outcome{}, err
}
