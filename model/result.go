package model

import "time"

// A Result is what a planner found out about an instance.
type Result struct {
	Plan        *Plan        // the best plan found; nil when there is none
	Bound       int64        // a proven lower bound on the optimal peak, bytes; 0 when none was sought
	Certificate *Certificate // why Bound holds; nil when no bound was sought
	Proven      *Certificate // of the highest bound that is no solver's word; nil when there is none
	Stats       Stats
}

// Stats counts the work done. Counters, unlike times, are the same in every
// run, and may be compared between machines.
type Stats struct {
	Placements int64   // offsets tried by a heuristic or a search
	Nodes      int64   // nodes of a search tree, or of HiGHS's
	Learnt     int64   // contradictions that a learning search learnt from
	Trace      []Point // how best and bound improved; may be empty
}

// A Point is one improvement of the best peak or of the bound.
type Point struct {
	Elapsed time.Duration // since the planner began; never part of repeatable output
	Work    int64         // nodes and placements so far, in the units of the planner
	Peak    int64         // the best peak so far; MaxBytes before the first plan
	Bound   int64
	Source  string // the planner, or part of it, that improved
}

// Status says what a result amounts to.
type Status int

const (
	Unknown    Status = iota // no plan, or none within the capacity, and no proof that there is none
	Feasible                 // a plan within the capacity, not proven best
	Optimal                  // a plan whose peak equals the bound
	Infeasible               // the bound exceeds the capacity
)

func (s Status) String() string {
	return [...]string{"unknown", "feasible", "optimal", "infeasible"}[s]
}

// Status derives what the result says of in. It trusts Bound: whoever reports
// it checks the certificate first.
func (r Result) Status(in *Instance) Status {
	if in.Capacity > 0 && r.Bound > in.Capacity {
		return Infeasible
	}
	if r.Plan == nil {
		return Unknown
	}
	switch peak := r.Plan.Peak(in); {
	case in.Capacity > 0 && peak > in.Capacity:
		return Unknown
	case peak <= r.Bound:
		return Optimal
	}
	return Feasible
}
