// Package spill answers what a graph does whose tensors do not fit into a fast
// memory: which of them wait in a slow one, and when, so that as few bytes as
// possible are moved.
//
// A Question names the graph, the bytes of fast memory, and the way: whole
// tensors in slow memory, pieces that operators may also reach there, or pieces
// that are only copied. Solve gives an Answer: the graph with its stores and
// loads written out as operators, each piece in a memory of its own, and what
// no other choice can go below. For example, a chain x -> f -> y -> g -> z -> h
// (z, x) of one-kilobyte tensors needs 3 KiB. In 2 KiB x waits in slow memory
// while g runs: 1 KiB of traffic for reading it there, since the caller gives x
// in whichever memory is wanted.
//
// What is counted: a tensor's bytes when it is copied out, copied in, and
// written or read in slow memory by an operator, as often as that accesses it,
// times the cost of a byte read or written. Values never change, so one copy out is enough. Not counted: what
// the caller gives or takes, constants, and operators that only make views.
// Loads come right before the operator, stores right after the one that made
// the value. Views lie in their base. A state is copied in and
// out as well, anew after each operator that writes it, and is at the start of a
// run where it was at the end of the last; one that has views, or is the caller's, stays in one
// memory, and that nothing fits is never concluded from that. No result takes the
// place of a state's copy here, nor a copy that of an operand; bounds hold though it might.
// A tensor that several operators write is made in one.
//
// The program knows live bytes, not offsets: where what it leaves in fast
// memory is proven not to be placeable, the buffers that clash become a cut,
// and it is solved again. So its optimum is a bound on every answer, and the
// first that can be placed is the best. Where the planner does not decide, what is
// least for less fast memory is placed, and the bound stays. That nothing moves less
// is first the word of a solver in floating point; Prove finds sums of the rows that
// show it in integers. The answer itself is checked in integers.
//
// Where to look:
//
//	question.go  Question, Way, Answer
//	values.go    what a lowered graph does with its values, step by step
//	program.go   columns and rows; cut.go, what a proven no adds
//	fitted.go    the graph with stores and loads; traffic.go, what it moves
//	solve.go     the loop
//	prove.go     why nothing less is moved; asked.go, what that is said of
//	states.go    what is kept from run to run
//	orders.go    the order of the operators as part of the question
//	views.go     which operators only make views
//	alone.go     operators that do not fit by themselves
//
// Sources: the program of pieces goes back to register allocation by integer
// programming, D. W. Goodwin and K. D. Wilken, "Optimal and near-optimal global
// register allocation using 0-1 integer programming", Software: Practice and
// Experience 26 (1996), 929-965; cuts from a subproblem's infeasible subsets are
// J. N. Hooker and G. Ottosson, "Logic-based Benders decomposition",
// Mathematical Programming 96 (2003), 33-60, doi:10.1007/s10107-003-0375-9.
package spill
