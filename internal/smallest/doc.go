// Package smallest decides, by exhaustive search, what the smallest instances
// are whose optimum is above the load.
//
// # Result
//
// With up to 6 buffers the optimum is the load, whatever their sizes. With 7 it
// can be above it. The one smallest instance in total size (11 bytes), up to
// mirroring and renaming, has load 4 and optimum 5, as (start, end, size):
//
//	(0,1,2) (0,2,2) (1,3,1) (1,4,1) (2,4,1) (3,5,2) (4,5,2)
//
// Why 4 is too little: the second must lie at 0 or 2, beside the first; so the
// third and the fourth share the other half. The sixth must lie at 0 or 2,
// beside the last; so the fourth and the fifth share the other half. The fourth
// is in both, so these are the same half, of two bytes, and third, fourth and
// fifth are live at once.
//
// Of the 369 graphs of 7 intervals, 2 can have an optimum above the load. Of the
// 1,807 of 8, 36 can, and those 2 with one more buffer that is universal or meets
// nobody. With 8 buffers, none of size 0, 12 bytes are needed: the smallest
// instance with such a buffer of one byte more, or one of 6 others, all of load
// 4 and optimum 5. Over all real sizes the largest ratio of optimum to load is
// 5/4, exactly, for 7 buffers and for 8.
//
// # What was searched, and why that is everything
//
// Optimum and load depend on nothing but which buffers conflict, and on sizes:
// lifetimes that meet pairwise have a step in common, so the live sets are the
// cliques. So it is enough to look at interval graphs up to isomorphism, which
// also leaves out mirrored and stretched instances. [Intervals] makes each of
// them once; their numbers are those known (OEIS A005975: 1, 2, 4, 10, 27, 92,
// 369, 1807). Left out, each with its proof:
//
//   - Graphs that are not connected. Something cuts the instance in time; the
//     part with the higher optimum is a smaller instance above its load.
//   - Graphs with a universal vertex u. An optimal plan of the rest, raised by
//     u's size, with u at 0 below it, is a plan of all; so optimum and load both
//     rise by exactly that size, and the rest is a smaller instance above its
//     load. (Not for the largest ratio: there leaving out u only raises it.)
//   - Comparability graphs. Place the buffers by a transitive orientation, each
//     on top of those below it: a path that makes the peak is a clique, so the
//     peak is the load (Hoffman; see Golumbic, Algorithmic Graph Theory and
//     Perfect Graphs, chapter 9: superperfect graphs).
//
// What remains, 0 graphs up to n = 6, 5 for n = 7 and 71 for n = 8, is decided
// for all real sizes by [Graph.Worst], in rationals. A buffer of size 0 counts
// as absent there, so that a graph above its load may owe it to a part. The
// least total is found by trying every list of positive sizes of that total on
// every graph that remains, against brute force.
package smallest
