// Package model holds the nouns of offline dynamic storage allocation: what is
// placed, when it is live, where it goes, and what is known about the result.
// It imports nothing else of the project; every other package imports it.
//
// Start with Instance, the question: buffers to place in one arena. A Planner
// answers it with a Result: a Plan, one offset a buffer, and a proven Bound,
// with the Certificate that lets somebody else check it. For example, buffers
// a of 6 bytes, live [0,2), and b of 4 bytes, live [1,3), need 10 bytes: both
// are live at step 1, so that the load is 10, and offsets 0 and 6 reach it. Were
// b live [2,3), both could have offset 0.
//
// Where instances come from is elsewhere: a graph of operators is lowered by
// package model/graph, in an order found by package model/schedule, and each
// file format has a package below this one.
//
// The words, used with these meanings and no others:
//
//	buffer       the thing placed: id, size in bytes, lifetime, alignment
//	step         a point of the schedule's time, numbered from 0; operators
//	             run at steps, and a buffer is live at whole steps
//	schedule     which operators run at which step
//	lifetime     half-open interval [Start, End) of steps
//	gaps         intervals of a buffer's lifetime during which it is dead, so
//	             that others may have its bytes
//	offset       bytes from the arena's base
//	pin          an offset that the instance fixes beforehand
//	tie          a distance that the instance fixes between two buffers'
//	             offsets
//	body         a buffer together with those tied to it
//	load         L(t), live bytes at step t; L, the maximum over t: a lower
//	             bound on every peak
//	peak         max(offset + size): the arena a plan needs
//	stack        a range of a plan's addresses that no buffer lies across the
//	             ends of
//	bound        a proven lower bound on the optimal peak; bound >= load
//	gap          peak/bound - 1
//	fragmentation  peak/load - 1
//	capacity     the largest peak allowed, if any
//	conflict     two buffers live at the same step
//	section      a maximal run of steps with the same, non-empty, live set
//	pair         two buffers that may share bytes while both are live; tables
//	             have it in the column over, operators in overlap and in_place
//	lead         bytes that a pair's dying buffer lies above the other, at least
//	planner      what places buffers (it allocates nothing)
//	plan         a planner's result: one offset a buffer
//	incumbent    the best plan so far
//	certificate  what lets an independent checker accept a bound
//
// and of graphs:
//
//	unit         operators that run as one step: one, or a fused group
//	view         a tensor whose bytes are part of another's
//	space        a memory with an arena and a capacity of its own; files and
//	             reports say pool
//
// Where to look:
//
//	buffer.go        Buffer: what is placed; interval.go, when
//	instance.go      Instance; validate.go, what is wrong with one; faults.go,
//	                 how it is reported
//	conflicts.go     whether two buffers conflict, and which of an instance do
//	sections.go      the sweep over steps: births, deaths, live sets, the load
//	cliques.go       cliques and twins among conflicts
//	planner.go       Planner; plan.go, Plan; result.go, Result and its status
//	certificate.go   what a proof is made of
//	incumbent.go     what is known so far, while planners share it
//	check.go         whether a plan holds, for planners; package verify has its own
//
// All quantities are int64: sizes, offsets and peaks in bytes, times in steps.
// A sum that leaves int64 is an input error, never a wrapped number.
package model
