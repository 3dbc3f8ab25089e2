// Package heuristics holds the planners that look at each buffer once, or a
// bounded number of times, and prove nothing beyond a guaranteed ratio: one
// file a planner, listed by [All].
//
// Most of them are an order of the bodies and a fit rule over one shared search
// for holes ([arena]): pinned bodies go in first, then the others in the order's
// turn, each into a hole among the bodies already placed whose lifetimes meet
// its own. First fit takes the lowest hole, the one below the lowest placed
// body included; best fit takes the hole that is smallest after alignment, the
// lowest among equals; where no hole fits the body goes on top of the highest.
// Every order ends in the index.
//
// A body (a buffer and those tied to it) is ordered by its hull: the life from
// its first birth to its last death, and the bytes from its root's offset to
// its highest end.
//
// In the cost of a planner n is the number of buffers, k the largest number
// live at once and m the number of conflicts.
//
// The doc comment of each planner says its order, its rule of fit, its cost, what
// it guarantees, and its source: a program, in which the function is named, or
// one of these:
//
//   - Buchsbaum, Karloff, Kenyon, Reingold and Thorup, OPT versus LOAD in dynamic
//     storage allocation, SIAM J. Computing 33 (2004), doi 10.1137/S0097539703423941.
//   - Burke, Kendall and Whitwell, A new placement heuristic for the orthogonal
//     stock-cutting problem, Operations Research 52 (2004), doi 10.1287/opre.1040.0109.
//   - Gergov, Algorithms for compile-time memory optimization, SODA 1999.
//   - Hashimoto and Stevens, Wire routing by optimizing channel assignment within
//     large apertures, DAC 1971, doi 10.1145/800158.805069.
//   - Lourenço, Martin and Stützle, Iterated local search, Handbook of
//     Metaheuristics (2003), doi 10.1007/0-306-48056-5_11.
//   - Maas, Beaugnon, Chauhan and Ilbeyi, TelaMalloc: efficient on-chip memory
//     allocation for production machine learning accelerators, ASPLOS 2023 (volume 1, 2022),
//     doi 10.1145/3567955.3567961.
//   - Martí, Multi-start methods, Handbook of Metaheuristics (2003),
//     doi 10.1007/0-306-48056-5_12.
//   - Nowicki and Smutnicki, A fast taboo search algorithm for the job shop problem,
//     Management Science 42 (1996), doi 10.1287/mnsc.42.6.797.
//   - Pemmaraju, Raman and Varadarajan, Buffer minimization using max-coloring,
//     SODA 2004.
//   - Pisarchyk and Lee, Efficient memory management for deep neural net inference,
//     2020, arXiv 2001.03288.
//   - Sekiyama et al., Profile-guided memory optimization for
//     deep neural networks, 2018, arXiv 1804.10001.
package heuristics
