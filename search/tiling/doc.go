// Package tiling finds plans that leave no byte free, or few.
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
// Where dozens of small buffers are live sweeps end early: of the 191 events of
// always-full-1000-11 at the 2nd along time and the 7th against it, with width 1.
// What was tried, and is not here: tables of all sets of the dead and of the born
// with as many bytes, so that no hole is filled after which sums leave no way for
// the others. They come to the 25th and 51st with width 1, 44th and 54th with 4,
// 49th and 71st with 32, and 53rd and 44th with 128: the wrong dead are made
// neighbours, and no width makes up for that. Guillotines of 1,000 are not solved for
// it: seeds 2, 5 and 8 had no plan at the load after six seconds. Demands of up to 40
// ways instead of 4: 43rd and 44th with width 4. Six pieces of free bytes, 6 % of the load, as
// leaves that a hole takes to make up for another that leaves as many: 65th and
// 54th; long-chain-200-200-1, with 5 to 10 bytes, came to the 12th to 22nd and the 23rd
// of 111.
//
// There loose sweeps (loose.go) find plans somewhat above the load, by a beam
// along time over where each buffer lies. What they come to stands or falls with
// the few events at which a large buffer is born in the place of several, who must
// be neighbours: of 156 bytes where 118 and 38 die. So a state is charged for
// what such events will lack, the more the more often they were the end, and the
// search goes back a little from them instead of beginning anew. On always-full-1000-1,
// CPU seconds on a busy machine: beams of width 100 by free bytes alone end at
// the 26th event of 197 within 1.06 of the load; beams of width 50 that look ahead, drawn
// anew each time, come to 1.094 in ten seconds (63 beams, one success); those that go
// back to 1.094 in 1.5, to 1.060 in six, and to 1.045 with width 25, in ten.
//
// PQ-trees are Booth and Lueker's (1976, see node); the use of them is this
// project's. Where nothing is left out it is exact: it finds a plan at
// the load, or there is none.
package tiling
