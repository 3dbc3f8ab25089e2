package heuristics

import "testing"

// A million buffers must fit: of a hundred live at once a buffer has about two entries in all blocks of time.
func TestEntriesOfABuffer(t *testing.T) {
	const n = 20_000
	if got := len(newArena(uniform(n, 100, 1)).placed); got > 5*n/2 {
		t.Errorf("%d entries for %d buffers", got, n)
	}
}
