// Package verify checks plans and certificates with code of its own: it takes
// the types of package model and none of its algorithms, so that a mistake in
// a planner, or in the sweep that planners share, is not repeated here.
//
// What proves a bound, and in which file format, is written down in PROOFS.md,
// for whoever wants to check the proofs without this package; a second checker,
// testdata/check.py, is there to show that it is enough.
//
// Where to look:
//
//	plan.go          Plan: what a plan must be; sweep.go finds what overlaps
//	pairs.go         which overlaps a pair allows, and at what lead
//	certificate.go   Certificate: what a bound may rest on
//	scene.go         the buffers and steps that a refutation is about
//	rules.go         the rules of PROOFS.md; theory.go, what follows from them,
//	                 lemma by lemma
//	elaborate.go     finds hints for old proofs that have none; nothing rests on it
//	tree.go          proofs by cases; weight.go and relaxed.go, loads where bytes
//	                 are shared
package verify
