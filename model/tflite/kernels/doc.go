// Package kernels knows the kernels that TensorFlow Lite Micro runs operators
// with: how far the output of one may lie over an input that dies there, and how
// much scratch it asks for. A library of kernels is a set of them as built for
// some processors; what holds for one is wrong for another, without any error.
//
// # Leads
//
// A kernel writes its output in ascending addresses and reads its input ahead of
// what it writes. With x the input and y the output, the outputs are right when
// offset(x) - offset(y) >= lead: no byte of y is then written before the bytes of
// x that lie there are read for the last time. The lead follows from the kernel's
// loops: it is the greatest, over all writes and all reads that come after, of
// (the end of what is written, counted from y) - (the address read, counted from
// x). It is never below 0 here: a lead below it that is right in one build is
// wrong in another, and no kernel goes through its output downwards.
//
// Source: Blacker et al., "Diagonal Memory Optimisation for Machine Learning on
// Micro-controllers", arXiv:2010.01668 (2020).
package kernels
