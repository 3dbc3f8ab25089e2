package model

// Proof names the kind of argument behind a bound.
type Proof string

const (
	ProofNone   Proof = "none"   // no bound is claimed
	ProofLoad   Proof = "load"   // the live bytes at one step
	ProofSearch Proof = "search" // a refutation that verify replays
	ProofMIP    Proof = "mip"    // HiGHS's word, which nobody can replay
)

// A Certificate lets an independent checker accept that no plan has a peak
// below Bound.
type Certificate struct {
	Proof Proof
	Bound int64 // bytes
	Step  int64 // ProofLoad: the step whose live bytes are Bound

	Refutation *Refutation // ProofSearch: why peak Bound-1 is impossible
}

// A Refutation proves that the buffers clipped to a window of time cannot all
// be placed below a height.
type Refutation struct {
	Window Interval // steps; buffers live in it are clipped to it
	Height int64    // bytes; no plan of the window has a peak <= Height
}
