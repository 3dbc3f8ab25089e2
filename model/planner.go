package model

import (
	"context"
	"errors"
)

// ErrOverflow is why a planner has no plan whose offsets fit in int64: the
// input is too large, or this planner's way of placing it is.
var ErrOverflow = errors.New("offset plus size does not fit in int64")

// A Planner places the buffers of an instance.
//
// The instance is valid and is not changed. A limit is not an error: when ctx
// ends, a planner returns the best plan it has, its bound and a nil error.
// An error means that the job could not be done: solver failure, no plan whose
// offsets fit in int64, a bug.
// Same instance, same planner value, same result, whatever the number of
// threads, unless ctx ended first.
type Planner interface {
	Name() string
	Plan(ctx context.Context, in *Instance) (Result, error)
}
