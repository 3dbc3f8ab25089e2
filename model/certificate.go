package model

// Proof names the kind of argument behind a bound.
type Proof string

const (
	ProofNone   Proof = "none"   // no bound is claimed
	ProofLoad   Proof = "load"   // the live bytes at one step
	ProofSearch Proof = "search" // a refutation that verify replays
	ProofMIP    Proof = "mip"    // HiGHS's word, which nobody can replay

	ProofTraffic Proof = "traffic" // of what is moved: a tree of sums that verify adds up
)

// A Certificate lets an independent checker accept that no plan has a peak
// below Bound; with ProofTraffic, that nothing costs less to move.
type Certificate struct {
	Proof Proof
	Bound int64 // bytes
	Step  int64 // ProofLoad: the step whose live bytes are Bound

	Refutation *Refutation // ProofSearch: why peak Bound-1 is impossible
	Traffic    *Traffic    // ProofTraffic: why less than Bound is
}

// A Refutation proves that some buffers, clipped to a window of time, cannot
// all be placed below a height. verify/PROOFS.md defines what proves it.
type Refutation struct {
	Window  Interval  // steps; the buffers are clipped to it
	Height  int64     // bytes; no plan of the clipped buffers has a peak <= Height
	Buffers []int     // indexes in Instance.Buffers; all others are left out
	Flip    *Claim    // an order assumed by turning plans upside down; may be nil
	Lemmas  [][]Claim // each says that one of its claims holds
	Hints   *Hints    // how the lemmas are proven; nil: that has to be found

	// Tree proves it by cases instead, in preorder: a*n+b where positions a < b
	// of the n Buffers lie in one way after another, -1 for a contradiction.
	Tree []int
}

// Hints are the steps of a proof, so that who checks it need not look for them.
type Hints struct {
	Cliques [][]int  // sets of positions in Refutation.Buffers, each in conflict with each
	Steps   [][]Step // for each lemma, and last for the contradiction
}

// A Step applies one rule of verify/PROOFS.md.
type Step struct {
	Rule string
	Args []int64 // positions, offsets, lemmas, cliques: as the rule has it
}

// Relation says what a claim compares.
type Relation uint8

const (
	Below   Relation = iota // the buffer lies below another
	AtLeast                 // its offset is at least so many bytes
	AtMost                  // its offset is at most so many bytes
)

// A Claim is a statement about a plan of a refutation's buffers. Offsets count
// from the top of the buffers that live throughout the window.
type Claim struct {
	Relation Relation
	Buffer   int   // position in Refutation.Buffers
	Other    int   // Below: position of the other
	Offset   int64 // AtLeast, AtMost: bytes
}
