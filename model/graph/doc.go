// Package graph turns a model's graph of operators into instances to plan.
//
// A Graph is what readers produce: tensors, and the operators that make and
// read them. Lower orders the operators (package schedule), works out when each
// tensor is live and which tensors share bytes, and gives a Lowered: one
// model.Instance for each memory space, and for each tensor its Place in them.
// For example, the chain x -> f -> y -> g -> z of one-kilobyte tensors, x its
// input and z its output, becomes x [0,1), y [0,2), z [1,3): f runs at step 0, g
// at step 1, and step 2 is the caller's. Were g marked in-place on (y, z), the
// two would be a pair: at one address or apart, as the planner chooses.
//
// What may share bytes and need not is such a choice, and only what cannot be told
// from one buffer, or costs nothing, is one in advance (atom). Whoever wants the
// sharing taken, since the planner knows of no pairs or the runtime insists on it,
// asks for Lowered.Merged.
//
// Where to look:
//
//	graph.go         the nouns: Graph, Tensor, Op, View, Space, Dim, Shape
//	validate.go      what is wrong with a graph; faults.go, how it is reported
//	shape.go         bytes from shapes, named dimensions
//	lower.go         Lower, its options, and the steps it takes, in order:
//	fuse.go          which operators run as one unit
//	views.go         which views share their base's bytes
//	order.go         the units' order; costs.go, what package schedule is told
//	liveness.go      first and last step of each tensor by itself
//	storage.go       families: tensors, their views, and views of those
//	sharing.go       atoms, which are the buffers, and the pairs of them that may
//	                 share bytes: views of the same, and outputs over inputs
//	inplace.go       which results may take their operands' place
//	concat.go        which operands of a concat may lie in its result
//	arenas.go        the instances, and the region of weights
//	spaces.go        which memory space a tensor goes to; assignment.go, the
//	                 question and a greedy answer
//	lowered.go       Lowered: places, notes, and plans of tensors from plans of
//	                 arenas
//	dependences.go   which operator must run before which
//	makers.go        which operators give a tensor its bytes, whole or in slices
package graph
