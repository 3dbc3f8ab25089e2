// Package search holds the planners that search for as long as they may: the
// anytime planner, which proves nothing, and the exact one.
//
// [Race] is the exact planner. Engines, some of which find plans while others
// prove bounds, work on one instance in rounds and share what they know; the race
// is over when the best peak meets the bound. What has been proven is in the
// certificate of its result, which package verify checks without this package:
//
//	bound                          proof in the certificate
//	the load                       the step at which so many bytes are live
//	of the learning search         a refutation (package learning), replayed rule by rule
//	of an integer program          none: the solver's word, and marked as such
//
// [Anytime] is the planner for when there is no hope of a proof, or no need: its
// result has the load for a bound, and is optimal where a plan reaches it. Both
// give the same plan for any number of threads, unless their time ends first.
//
// Rounds of Anytime, and of its engine in a race, are made of tasks (package
// anytime). In this order, each only where it can do something:
//
//	round                  tasks
//	first, until over      two sweeps, along time and against it, for a plan that leaves no byte free
//	beginnings             four dives of a few thousand placements at the least capacity, from sixteen
//	                       rankings; from 700 buffers on, an ejection search beside them
//	one                    four ladders: dives at capacities that halve what lies below the best peak
//	mixture, for ever      beams near the peak, or an ejection search from 700 buffers on
//	                       twice: the two sweeps, or from 700 buffers on, where these do not come far,
//	                         two that leave bytes free; or more of what found the best plan (questions,
//	                         ejections), or beams at the least capacity, once drawn
//	                         near those that came farthest
//	                       by turns: a dive, a question to the learning search, an ejection search
//	all, where ties, or    four local searches on the order in which buffers are placed
//	too many conflicts,
//	forbid the above
//
// Dives and beams search the canonical tree (package canonical), sweeps follow
// the order of the live buffers along time (package tiling), and questions go to
// the search that learns from its failures (package learning). A dive that is
// exhausted, a sweep that left nothing out and a question that is refuted say that
// a capacity is too small: the finder asks no more for it, but claims no bound.
//
// Words of the searches, beside those of package model:
//
//	engine     what takes part in a race; a slice is its work in one round
//	task       a kind of search of the anytime planner; a turn is its part in
//	           a round, a share the work it may do in it
//	dive       a depth-first search of the canonical tree
//	state      a node that a beam search keeps
//	part       an instance that package reduce cuts off; a stage is what an
//	           engine knows of one part
//	query      the question whether a window of a part fits below a height
//	probe      the learning search looking for plans above the height in question
//	hole       free addresses between buffers that are live
//	refuted    said of a height: no plan is within it, and there is a proof
package search
