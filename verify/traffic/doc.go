// Package traffic checks that a graph which keeps some values in a slow memory
// moves as little as can be: it makes the question of a proof anew from the graph
// that was fitted, by the rules of verify/PROOFS.md, and counts what the fitted
// graph moves. It shares nothing with what fits graphs but how a graph is
// lowered, and which views are then one buffer (graph.Lowered.Merged).
package traffic
