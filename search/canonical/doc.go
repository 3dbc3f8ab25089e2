// Package canonical finds plans of at most a given peak by search in the
// canonical tree of an instance.
//
// In a plan in which no buffer can be moved to a lower offset, take the buffers
// in order of offset: each lies at the lowest offset that the earlier ones
// leave it, aligned. So the tree need only decide, for one of the buffers with
// the least possible offset, whether it lies there (place) or not (pass); in
// the second case something unplaced must lie below it and hold it up. Some
// best plan is a leaf. After each decision conclusions are drawn:
//
//   - The next buffer of a section must start at or below the capacity less the
//     section's unplaced bytes. If none may, there is no plan here; if only one
//     may, all others of the section start above it.
//   - A buffer that was passed over starts at or above the lowest top of those
//     that may still hold it up. If none may, the plan could be improved, and is
//     looked for elsewhere.
//   - Buffers alike in everything lie in index order.
//
// Of the work of beams at the load of MiniMalloc's D and J, and of both with sizes
// that differ by up to a tenth, the tails take 40 to 62 %; two of three plans at
// D's load came from them. What was tried, and is not here: a section's room as
// the least over all heights of what remains above the height when all that
// start there or higher lie there. Six beams on such a D came to 0.41 to 0.70 of
// the capacity instead of 0.18 to 0.67, for 1.6 times the CPU time a unit of work
// with up to four heights, those just reached, and 4.4 times with all. At D's own
// load 18 beams found two plans in 12 CPU seconds, where 22 found three in 10
// without it: too few to say which is better. Moves from one state made in turn,
// so that what they pass over is passed over once: 4 % less CPU time, and other
// counts of work.
//
// Pins are buffers with one possible offset. Gaps only change the sections that
// a buffer is live in. Ties are declined (ErrTies).
//
// The tree is from the canonical search of MiniMalloc (Moffitt, MiniMalloc: a
// lightweight memory allocator for hardware-accelerated machine learning, ASPLOS
// 2023, doi 10.1145/3623278.3624752);
// the decision to pass and what follows from it are ours.
package canonical
