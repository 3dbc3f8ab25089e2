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
// Pins are buffers with one possible offset. Gaps only change the sections that
// a buffer is live in. Ties are declined (ErrTies).
//
// The tree is from the canonical search of MiniMalloc (Moffitt, MiniMalloc: a
// lightweight memory allocator for hardware-accelerated machine learning, ASPLOS
// 2023, doi 10.1145/3623278.3624752);
// the decision to pass and what follows from it are ours.
package canonical
