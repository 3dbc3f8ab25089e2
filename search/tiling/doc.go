// Package tiling finds plans that leave no byte free.
//
// Where as many bytes are live at every step as at any other, a plan at the load
// is a tiling: whatever dies at a step leaves holes that what is born at that
// step must fill to the last byte. Seen along time, a plan is then an order of
// the live buffers that changes at each step in a few places only: the dead of
// a hole, who must be neighbours by then, give way to as many bytes of newly
// born, in any order. All orders that a set of such demands leaves open are the
// frontiers of one PQ-tree (Booth and Lueker 1976). So there is nothing to
// search for in where buffers lie or in which order; what must be guessed is
// only which of the dead and the born of one step share a hole, and their sums
// seldom leave a choice. Sizes that are large and different leave none, and the
// sweep takes one tree from the first step to the last; where there are choices
// it is a beam search, and keeps the trees that leave the most open.
//
// The offsets follow from the last order backwards: each tree, and what the
// order after it says, gives an order before it.
//
// The method is ours; we know of no planner that has it.
package tiling
