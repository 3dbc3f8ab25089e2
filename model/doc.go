// Package model holds the nouns of offline dynamic storage allocation: what is
// placed, when it is live, where it goes, and what is known about the result.
// It imports nothing else of the project; every other package imports it.
//
// The words, used with these meanings and no others:
//
//	buffer       the thing placed: id, size in bytes, lifetime, alignment
//	lifetime     half-open interval [Start, End) of schedule steps
//	offset       bytes from the arena's base
//	load         L(t), live bytes at step t; L, the maximum over t: a lower
//	             bound on every peak
//	peak         max(offset + size): the arena a plan needs
//	bound        a proven lower bound on the optimal peak; bound >= load
//	gap          peak/bound - 1
//	fragmentation  peak/load - 1
//	capacity     the largest peak allowed, if any
//	conflict     two buffers live at the same step
//	section      a maximal run of steps with the same, non-empty, live set
//	body         a buffer together with those tied to it at fixed distances
//	planner      what places buffers (it allocates nothing)
//	plan         a planner's result: one offset a buffer
//	incumbent    the best plan so far
//	certificate  what lets an independent checker accept a bound
//
// All quantities are int64: sizes, offsets and peaks in bytes, times in steps.
// A sum that leaves int64 is an input error, never a wrapped number.
package model
