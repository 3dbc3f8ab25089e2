package main

import (
	"fmt"
	"io"

	"memplan/model"
)

// tflmLine prints a line of a report.
func tflmLine(w io.Writer, name, format string, args ...any) {
	fmt.Fprintf(w, "%-11s  "+format+"\n", append([]any{name}, args...)...)
}

// text prints the report for people.
func (r *tflmReport) text(w io.Writer) {
	r.heads(w)
	if r.today == unknown {
		tflmLine(w, "arena_size", "not known")
	} else {
		arenaSize(w, r.ArenaSize, r.Tail, r.Saved)
	}
	if r.Planning > *r.Peak {
		tflmLine(w, "", "TFLM needs %d bytes there while it plans, more than the head", r.Planning)
	}
	for _, n := range r.Notes {
		tflmLine(w, "note", "%s", n)
	}
}

// twoArenas is what two arenas take more than one: a second allocator, among what is
// persistent.
const twoArenas = 16

// arenas is the size of an arena, and of one for what is persistent alone, where so
// much is used for that and the rest takes so much. TFLM aligns what is persistent
// from the end: it takes what it took where the end is at a multiple of 16.
func arenas(tail, rest int64) (size, persistent *int64) {
	tail, _ = model.AlignUp(tail, 16)
	one, own := tail+rest, tail+twoArenas
	return &one, &own
}

// arenaSize says what to set, and how it is made up.
func arenaSize(w io.Writer, size, tail *int64, saved int64) {
	switch {
	case size != nil:
		tflmLine(w, "arena_size", "%d bytes; as two arenas %d persistent and %d non-persistent", *size, *tail, *size-(*tail-twoArenas))
	case saved < 0:
		tflmLine(w, "arena_size", "%d bytes more than today", -saved)
	case saved > 0:
		tflmLine(w, "arena_size", "%d bytes less than today", saved)
	default:
		tflmLine(w, "arena_size", "as today")
	}
}

// heads prints what is said of a model's head.
func (r *tflmReport) heads(w io.Writer) {
	line := func(name, format string, args ...any) { tflmLine(w, name, format, args...) }
	line("model", "%s: %d tensors in the arena, %d requests of scratch (%s)", r.Instance, r.Buffers-r.Requests, r.Requests, r.Scratch)
	what := "TFLM's own plan"
	switch {
	case r.today == unsound:
		what = fmt.Sprintf("the file's plan, which does not hold; without it TFLM takes %d", r.Own)
	case r.today == unkept:
		what = "TFLM's own plan, which need not keep the inputs"
	case r.today == unknown:
		what = "TFLM's own plan; the file holds another"
	case r.Before != r.Own:
		what = fmt.Sprintf("the file's plan; without it TFLM takes %d", r.Own)
	}
	line("head before", "%d bytes (%s)", r.Before, what)
	change := percent(r.Before-*r.Peak, r.Before, false) + " less"
	if r.Before < *r.Peak {
		change = fmt.Sprintf("%d bytes more", *r.Peak-r.Before)
	}
	line("head after", "%d bytes, %s; load %d; %s", *r.Peak, change, r.Load, r.worth())
	if r.Overlaps > 0 {
		line("overlap", "%d of outputs over inputs, right with the kernels %s; WITH OTHERS THE ANSWERS ARE WRONG, without any error", r.Overlaps, r.Kernels)
	}
	if text := r.inOrder(); text != "" {
		line("order", "%s", text)
	}
}

// worth is what is known of the plan's optimality.
func (r *tflmReport) worth() string {
	if *r.Peak == r.Bound {
		return fmt.Sprintf("optimal (proof: %s)", r.Proof)
	}
	return fmt.Sprintf("at most %s above the optimum (bound %d, proof: %s)", percent(*r.Peak-r.Bound, r.Bound, true), r.Bound, r.Proof)
}

// percent is part of whole, to one decimal: the nearest, or the one above.
func percent(part, whole int64, above bool) string {
	if whole == 0 {
		return "0.0 %"
	}
	add := whole / 2
	if above {
		add = whole - 1
	}
	thousandths := (part*1000 + add) / whole // part is below 2^31
	return fmt.Sprintf("%d.%d %%", thousandths/10, thousandths%10)
}
