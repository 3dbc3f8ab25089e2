// Package ilp plans by mixed-integer programming: it lays an instance out as
// linear rows over offsets and order binaries, has a Solver answer, and reads
// from the answer nothing but orders, "infeasible", and a bound. Offsets are
// stacked anew in integers, every plan is checked, and a bound that no integer
// argument supports is marked as the solver's word.
//
// It is pure Go. ilp/highs is the solver; tests give it worse ones.
//
// What was tried so that the program alone, without plan or proof of a search, proves
// long chains, with what it took of one core in CPU seconds and in simplex iterations.
// A name is that of long-chain-N-L-1; in brackets the height. Single runs, of a
// solver whose times have long tails: three random seeds differ by a factor of 2 to 3.
//
//	rows of Csum without balances    proves 3 of the 12 chains in 60 s, the quickest in 3.9 s
//	balances, peak minimised         100-20: from 23 to 22 after 2.3 s, and not 21
//	balances, all at once, decided   refutes 100-20 (20), 120-20 (20), 150-20 (20), 100-50 (50), 120-50 (50, 51),
//	                                 150-50 (50, 51), 200-50 (50, 51) without an iteration, in 0.03 to 0.15 s; plans of
//	                                 100-20 (21) .8 s, 120-20 (21) 3.3 s, 150-20 (21) 2.3 s, 100-50 (51) 2.7 s,
//	                                 120-50 (52) 8.4 s, 150-50 (52) 38 s
//	the same, seeds 1 and 2          100-20 (21) 1.6 and 1.9 s, 120-20 (21) 7.0 and 2.4 s
//	balances 3 cliques apart too     plans of 100-20 (21) .7 s, 120-20 (21) 6.0 s, 150-20 (21) 4.5 s
//	along time by 4 steps            with windows: 100-20 .7 s, 120-20 1.0 s, 150-20 1.8 s, 200-20 5.0 s, 100-50 9.0 s,
//	                                 120-50 15.5 s, everything included
//	along time by 16 steps           without: 100-50 6.6 s, 150-50 5.4 s; where orders of early steps are
//	                                 wrong, few can be kept, and there is nothing better than to ask all at once
//	keeping the orders of the dead   in place of those that met early: 100-50 (51) cannot be gone on with at any step
//	                                 from 8 on
//	along time, then all at once     what is done; see course, and results/published/exact.md
package ilp
