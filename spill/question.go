package spill

import (
	"context"

	"memplan/ilp"
	"memplan/model"
	"memplan/model/graph"
)

// A Way is how tensors may be in slow memory.
type Way int

const (
	Whole  Way = iota // a tensor is in slow memory for good, and operators reach it there
	Pieces            // a tensor may be in fast memory for parts of its life, and operators may reach it in slow memory
	Staged            // the same, but operators reach fast memory alone
)

func (w Way) String() string { return [...]string{"whole", "direct", "copy"}[w] }

// A Question is a graph, a fast memory, and what a byte of slow memory costs.
type Question struct {
	Graph    *graph.Graph // of one memory space, or none
	Lowering graph.LowerOptions
	Capacity int64 // of the fast memory, bytes
	Way      Way
	Overlap  bool // results may take the place of operands, where operators say so

	Read, Write int64 // what a byte costs that is read from slow memory, or written to it; 0 = 1
}

// An Answer is what is known of a Question. Costs are bytes times Read or
// Write.
type Answer struct {
	Fitted *Fitted // the best that was found; nil: none
	Bound  int64   // no choice costs less, nor would one in which results take the places of states' copies, which is not tried
	Word   bool    // that Bound is above 0 is the word of a solver in floating point, unless Certificate proves it
	// Certificate, of kind traffic, proves that nothing costs less than Fitted in the
	// order of its operators; nil: see Prove.
	Certificate *model.Certificate
	None        *Proof // why no choice fits; nil: not known to be so
	States      bool   // nothing fits as states are kept here; that all are copied, and results take the places of copies, was not tried

	program *program // the last of those that were solved
	ordered bool     // Bound is of all orders of the operators

	Columns, Rows int // of the program
	Solved, Cuts  int // how often it was solved; proven clashes that were added
	Nodes         int64
}

// Optimal reports whether nothing costs less than what was found.
func (a *Answer) Optimal() bool { return a.Fitted != nil && a.Fitted.Cost() <= a.Bound }

// A Proof is an instance of buffers that are in fast memory whatever is chosen,
// and why no plan of it fits.
type Proof struct {
	Instance    *model.Instance
	Certificate *model.Certificate // with a bound above the instance's capacity
}

// Tools are what Solve works with.
type Tools struct {
	Solver  ilp.Solver
	Threads int // of the solver; 0 = 1
	// Pack plans what is in fast memory. A result whose Proven certificate is
	// above the capacity says that it does not fit; a plan within it, that it does.
	Pack func(context.Context, *model.Instance) (model.Result, error)
}
