// Package anytime looks for ever better plans of one instance, for as long as
// it is allowed to.
//
// A [Finder] works in rounds. It deals out the turns of a round: which tasks are
// next, and how much counted work each may do. A task starts from what was known
// before the round and gives an outcome; tasks know neither each other nor the
// finder. The outcomes are put together in the order of the tasks, so that what
// is found is the same for any number of threads.
//
// Which tasks a round has is decided in deal.go; finder.go holds what is known
// and runs the turns, task.go says what a task is, params.go has the tuned
// numbers. There is one file a kind of task: sweeps for a plan that leaves no byte free,
// loose ones for a plan that leaves few, dives, ladders, beams, questions, ejections, and local searches on orders for
// what these cannot treat. The doc comment of package search has them in a table.
//
// Approximate: what is proven here is that the load is reached, and, within a
// race, which capacities dives and sweeps have exhausted; the latter only says
// where not to look again, and is in no certificate.
package anytime
