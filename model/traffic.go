package model

// Traffic is why no way of keeping a graph's values in a fast and a slow memory
// moves less: a question, and what proves its answer. verify/PROOFS.md,
// "Traffic", defines both.
type Traffic struct {
	Question TrafficQuestion
	Cuts     []Cut
	Rounded  []Rounding // rows that follow from others, since columns are integers

	// Tree parts the choices, in preorder: a column that is 0 below the node that
	// follows and 1 below the next, -1 for a leaf. Leaves has those in order.
	Tree   []int
	Leaves []Leaf
}

// A TrafficQuestion is what a graph does with its values, step by step in one
// order of its operators, and what is to be known of it.
type TrafficQuestion struct {
	Capacity    int64 // of the fast memory, bytes
	Way         TrafficWay
	Overlap     bool  // results may take the place of operands
	Read, Write int64 // what a byte costs that is read from slow memory, or written to it

	Scratch   [][]int64  // of each step, bytes of each workspace
	Reserved  []Interval // addresses of fast memory where nothing is put
	Values    []TrafficValue
	Handovers []Handover // where Overlap is

	Before [][]int // where the operators may run in any order: of each step, those that come before it in all
}

// A TrafficWay is how values may be in slow memory.
type TrafficWay string

const (
	WholeValues  TrafficWay = "whole"  // for good; operators reach them there
	DirectPieces TrafficWay = "direct" // for parts of their lives; operators may reach them there
	CopiedPieces TrafficWay = "copy"   // for parts of their lives; operators reach fast memory alone
)

// A TrafficValue is a tensor with the views of it.
type TrafficValue struct {
	Bytes, Align int64
	Made         int     // the first so many events make it; 0: it is given
	State        bool    // kept from run to run
	Copied       bool    // a state that may be in both memories, each for a part of a run; others are in one for good
	Least        int64   // bytes of it that are needed as long as it is live, in any order of the steps
	Moves        []int64 // steps at which an operator makes a view of it, which may be a copy
	Events       []TrafficEvent
}

// A TrafficEvent is a step at which a value is made, arrives (-1), is used, or is
// taken by the caller (the step after the last).
type TrafficEvent struct {
	Step          int64
	Reads, Writes int64 // bytes of it that operators read and write there, as often as they do
	Read, Written bool  // by operators that do more than to make views; what is written beside others in a step is read, too
	Needed        int64 // bytes of the largest of its tensors that is looked at there or later
}

// Reached reports whether an operator does more than to make views there.
func (e TrafficEvent) Reached() bool { return e.Read || e.Written }

// A Handover is an operator's leave to write one value over another that it
// reads.
type Handover struct {
	Step        int64
	Under, Over int // values
	Distance    int64
	Lead        bool // Under lies at least Distance above Over; else Over exactly Distance above Under
	Given       bool // Under is where the caller put it, unless it is copied in
}

// A Cut is values that cannot be in fast memory all at once, and why.
type Cut struct {
	Pieces      []PresentPiece
	Certificate Certificate // of the instance that they make, above the capacity
}

// A PresentPiece is a value that is in fast memory, in one place, for some steps.
type PresentPiece struct {
	Value int
	Steps Interval
}

// A Rounding is a row made of another by a divisor, counted in what some columns
// are short of 1.
type Rounding struct {
	Row     int
	Divisor int64
	Turned  []int // those columns
}

// A Leaf adds rows of the program up: each Weights[k] times row Rows[k], and
// Scale times the costs.
type Leaf struct {
	Scale   int64
	Rows    []int
	Weights []int64
}
