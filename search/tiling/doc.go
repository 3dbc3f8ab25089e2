// Package tiling finds plans that leave no byte free.
//
// Where as many bytes are live at every step as at any other, a plan at the load
// is a tiling: whatever dies at a step leaves holes that what is born at that
// step must fill to the last byte. Seen along time, a plan is then an order of
// the live buffers that changes at each step in a few places only: the dead of
// a hole, who must be neighbours by then, give way to as many bytes of newly
// born, in any order. All orders that such demands leave open are the frontiers
// of one PQ-tree. So there is nothing to search for in where buffers lie or in
// which order; what must be guessed is only which of the dead and the born of
// one step share a hole, and sums seldom leave a choice. Sizes that are large
// and different leave none, and one tree is followed from the first step to the
// last; where there are choices the sweep is a beam search, and keeps the trees
// that leave the most open.
//
// The offsets follow from the last order backwards: each tree, and what the
// order after it says, gives an order before it.
//
// PQ-trees are Booth and Lueker's (1976, see node); the use of them is this
// project's. Where nothing is left out it is exact: it finds a plan at
// the load, or there is none.
package tiling
