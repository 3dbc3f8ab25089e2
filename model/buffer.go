package model

import (
	"cmp"
	"iter"
	"slices"
)

// A Buffer is one thing to place.
type Buffer struct {
	ID    string
	Life  Interval // steps; never empty
	Size  int64    // bytes, >= 0; a buffer of size 0 conflicts with nothing
	Align int64    // the offset is a multiple of it; 0 means 1. Sizes are not rounded.

	Offset *int64     // pinned to this offset, when not nil
	Gaps   []Interval // parts of Life during which the buffer is dead; sorted, disjoint
	Tie    *Tie       // placed at a fixed distance from another buffer, when not nil
	Ticks  *Ticks     // how long it lives by another clock, when not nil
}

// Ticks is how long a buffer lives by the clock of the compiler that a file is
// from, where that is finer than the schedule's steps. Only planners that
// repeat what that compiler does look at it.
type Ticks struct {
	First int64 // the value that is placed first, of those that share the buffer
	All   int64 // from the first value's birth to the last one's death
}

// A Tie fixes a buffer's offset relative to another's: offset = offset of To +
// Delta. To names an untied buffer of the same instance, so that a body is a
// root and the buffers tied to it. It expresses operands that are laid out
// inside a concatenation's result before that result itself is live.
type Tie struct {
	To    int   // index of the root in Instance.Buffers
	Delta int64 // bytes above the root's offset, >= 0
}

// Alignment is Align with its default: at least 1.
func (b *Buffer) Alignment() int64 { return max(b.Align, 1) }

// Live yields the maximal intervals during which b is live, in order: its
// lifetime without its gaps.
func (b *Buffer) Live() iter.Seq[Interval] {
	return func(yield func(Interval) bool) {
		start := b.Life.Start
		for _, g := range b.Gaps {
			if part := (Interval{start, g.Start}); !part.Empty() && !yield(part) {
				return
			}
			start = g.End
		}
		if part := (Interval{start, b.Life.End}); !part.Empty() {
			yield(part)
		}
	}
}

// SetLive has b live during all of the parts, at least one, and at no other
// steps. They may be in any order and overlap.
func (b *Buffer) SetLive(parts []Interval) {
	slices.SortFunc(parts, func(v, w Interval) int { return cmp.Compare(v.Start, w.Start) })
	b.Life, b.Gaps = parts[0], nil
	for _, part := range parts[1:] {
		if part.Start > b.Life.End {
			b.Gaps = append(b.Gaps, Interval{b.Life.End, part.Start})
		}
		b.Life.End = max(b.Life.End, part.End)
	}
}
