package oracle

import (
	"iter"

	"memplan/model"
)

// Plans yields plans of a small instance with a peak of at most height, as
// offsets that are valid until the next: all of them, up to a limit.
func Plans(in *model.Instance, height int64, limit int) iter.Seq[[]int64] {
	at := make([]int64, len(in.Buffers))
	var place func(i int, yield func([]int64) bool) bool
	place = func(i int, yield func([]int64) bool) bool {
		if i == len(at) {
			limit--
			return yield(at) && limit > 0
		}
		for at[i] = 0; at[i]+in.Buffers[i].Size <= height; at[i]++ {
			if free(in, at, i) && !place(i+1, yield) {
				return false
			}
		}
		return true
	}
	return func(yield func([]int64) bool) { place(0, yield) }
}

// free reports whether buffer i is where it may be, beside those before it.
func free(in *model.Instance, at []int64, i int) bool {
	b := &in.Buffers[i]
	if at[i]%b.Alignment() != 0 || b.Offset != nil && at[i] != *b.Offset {
		return false
	}
	for j := range i + 1 {
		o := &in.Buffers[j]
		if o.Tie != nil && o.Tie.To <= i && at[j] != at[o.Tie.To]+o.Tie.Delta {
			return false
		}
		if j < i && b.Conflicts(o) && at[i] < at[j]+o.Size && at[j] < at[i]+b.Size {
			return false
		}
	}
	return true
}
