// Package ilp plans by mixed-integer programming: it lays an instance out as
// linear rows over offsets and order binaries, has a Solver answer, and reads
// from the answer nothing but orders, "infeasible", and a bound. Offsets are
// stacked anew in integers, every plan is checked, and a bound that no integer
// argument supports is marked as the solver's word.
//
// It is pure Go. ilp/highs is the solver; tests give it worse ones.
package ilp
