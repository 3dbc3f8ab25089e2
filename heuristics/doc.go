// Package heuristics holds the planners that look at each buffer once, or a
// bounded number of times, and prove nothing beyond a guaranteed ratio: one
// file a planner, listed by [All].
//
// Most of them are an order of the bodies and a fit rule over one shared gap
// search ([arena]): pinned bodies go in first, then the others in the order's
// turn, each into a gap among the bodies already placed whose lifetimes meet
// its own. First fit takes the lowest gap, the one below the lowest placed
// body included; best fit takes the gap that is smallest after alignment, the
// lowest among equals; where no gap fits the body goes on top of the highest.
// Every order ends in the index.
//
// A body (a buffer and those tied to it) is ordered by its hull: the life from
// its first birth to its last death, and the bytes from its root's offset to
// its highest end.
//
// In the cost of a planner n is the number of buffers, k the largest number
// live at once and m the number of conflicts.
package heuristics
