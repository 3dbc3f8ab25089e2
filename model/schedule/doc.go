// Package schedule orders operators so that few bytes are live at once.
//
// It knows nothing of tensors and graphs: a Problem is a DAG of units, each
// what runs as one step, and Items, the buffers that units make and use, with
// their bytes. Its load, in an order, is the most bytes live at any step; from
// the same items package graph later makes the instance that is planned. For
// example, of two units that are ready, one that frees four kilobytes and one
// that makes four more, the first should run first.
//
// Where to look:
//
//	kind.go          the names of the orders, and what is known of one found
//	dag.go           DAG: cycles, contraction
//	problem.go       Problem, Item and Pair; run.go, the bytes live so far
//	kahn.go          Kahn's order: whatever is ready, by a key
//	depthfirst.go    depth first, from the outputs
//	greedy.go        whatever leaves the fewest bytes live
//	optimal.go       the least load, exactly: Problem.Optimal; late.go joins units to those that need them
//	bound.go         bytes that no order avoids, before any search
//	partition.go     cutting the DAG at its narrow points
//	part.go          one part's search, and where the limit of states ends it;
//	                 beam.go improves the order it starts from, states.go holds
//	                 the states reached, bidirectional.go searches from both ends
//	                 and has the bound of a search that is cut short
package schedule
