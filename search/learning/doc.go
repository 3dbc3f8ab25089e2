// Package learning is the exact search that proves: lazy clause generation on
// the orders of conflicting buffers. It refutes a height, with a proof that
// package verify replays, or finds a plan within it.
//
// The problem is a disjunctive graph: for each pair of conflicting buffers one
// lies below the other, and each maximal clique of them is a unary machine. The
// search decides pairs, the most active first, and keeps for every buffer a
// head (its least offset) and a tail (the least bytes between its end and the
// height). After each decision the rules of verify/PROOFS.md are applied until
// nothing changes:
//
//	order   i below j: head(j) >= head(i)+z(i), tail(i) >= tail(j)+z(j)
//	room    head(i)+z(i)+z(j)+tail(j) > height: j below i
//	sum     buffers of a clique below j with heads of at least a fill it from a on
//	edge    overload and edge finding: what lies between a and b in a clique
//	chain   i below j below k: i below k
//	balance what is below j and dies is replaced by about as much below j
//
// The last is what makes proofs short; see type balance. At a contradiction
// it walks back along the reasons to the first unique implication point, and
// learns a lemma: orders and bounds of which not all hold.
//
// Sources: Siala, Artigues and Hebrard, Two clause learning approaches for
// disjunctive scheduling, CP 2015, doi 10.1007/978-3-319-23219-5_28; Carlier and
// Pinson, An algorithm for solving the job-shop problem, Management Science 35
// (1989), doi 10.1287/mnsc.35.2.164, on edge finding; Ohrimenko, Stuckey and Codish,
// Propagation via lazy clause generation, Constraints 14 (2009),
// doi 10.1007/s10601-008-9064-x, on explained bounds.
//
// Exact, and in int64 alone. Alignment, pins and gaps are respected. Ties are
// left out, but for what a pinned root fixes: what is refuted without them is
// refuted with them, and a plan found is offered only where it keeps them.
package learning
