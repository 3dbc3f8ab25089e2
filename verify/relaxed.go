package verify

import (
	"cmp"
	"slices"

	"memplan/model"
)

// inOrder lists the pairs by the row of the buffer that lies over, then as they
// come.
func inOrder(in *model.Instance) []model.Pair {
	list := slices.Clone(in.Pairs)
	slices.SortStableFunc(list, func(p, q model.Pair) int { return cmp.Compare(p.Over, q.Over) })
	return list
}

// relaxed is an instance without pairs that has a plan of every height that in
// has one of: where the two of a pair are live together, the smaller is taken as
// dead, or the one that lies over, if they are equal. A buffer of which nothing
// is left has no bytes.
func relaxed(in *model.Instance) *model.Instance {
	if len(in.Pairs) == 0 {
		return in
	}
	out := *in
	out.Pairs, out.Buffers = nil, slices.Clone(in.Buffers)
	for _, p := range inOrder(in) {
		less, more := &out.Buffers[p.Over], &out.Buffers[p.Under]
		if less.Size > more.Size {
			less, more = more, less
		}
		if less.Size > 0 {
			cut(less, more)
		}
	}
	return &out
}

// cut takes the steps at which another is live out of a buffer's.
func cut(b, other *model.Buffer) {
	left := parts(b)
	for _, o := range parts(other) {
		var rest []model.Interval
		for _, p := range left {
			for _, q := range []model.Interval{{Start: p.Start, End: min(p.End, o.Start)}, {Start: max(p.Start, o.End), End: p.End}} {
				if !q.Empty() {
					rest = append(rest, q)
				}
			}
		}
		left = rest
	}
	if len(left) == 0 {
		b.Size = 0
		return
	}
	b.Life = model.Interval{Start: left[0].Start, End: left[len(left)-1].End}
	b.Gaps = nil
	for k := 1; k < len(left); k++ {
		if left[k-1].End < left[k].Start {
			b.Gaps = append(b.Gaps, model.Interval{Start: left[k-1].End, End: left[k].Start})
		}
	}
}
