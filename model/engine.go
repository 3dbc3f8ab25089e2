package model

import "context"

// An Engine improves what is known of one instance, in slices of counted work,
// so that several can race with a result that does not depend on who was
// quicker: each slice starts from the same knowledge and does the same work.
//
// The same calls on a new engine give the same findings, unless ctx ended
// first. An engine is used by one goroutine at a time.
type Engine interface {
	Name() string
	// Run works for about that many units; a unit is about a microsecond on
	// one core, but it is counted (nodes, placements, conflicts), never timed.
	// known is the best plan and bound so far, from whatever engine.
	Run(ctx context.Context, known Result, work int64) (Finding, error)
}

// A Finding is what one slice of an engine's work gave.
type Finding struct {
	Result       // Plan when better than the known one, Bound and Certificate when higher; Stats of this slice
	Work   int64 // units done
	Done   bool  // the engine has nothing more to contribute, whatever the others find
}
