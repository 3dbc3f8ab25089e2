package model

import (
	"cmp"
	"iter"
	"slices"
)

// A Clique is a set of buffers that conflict pairwise, with bytes, and the
// section at which all of them are live.
type Clique struct {
	Steps   Interval
	Bytes   int64
	Members []int32 // by index, ascending
}

// Cliques yields, in order of time, the live sets of the sections before which
// something was born and after which something dies: every maximal set of
// buffers that conflict pairwise, and, where there are gaps, some that are not
// maximal as well. Cost: O(n log n), and sorting the sets.
func (in *Instance) Cliques() iter.Seq[Clique] {
	return func(yield func(Clique) bool) {
		var live []int32
		place := make([]int32, len(in.Buffers)) // in live
		var now Clique
		grown := false
		for s := range in.Sections() {
			if len(s.Died) > 0 && grown {
				if now.Members = slices.Sorted(slices.Values(live)); !yield(now) {
					return
				}
				grown = false
			}
			for _, i := range s.Died {
				last := live[len(live)-1]
				live[place[i]], place[last] = last, place[i]
				live = live[:len(live)-1]
			}
			for _, i := range s.Born {
				place[i] = int32(len(live))
				live = append(live, i)
				grown = true
			}
			now = Clique{Steps: s.Steps, Bytes: s.Bytes}
		}
		if grown {
			now.Members = slices.Sorted(slices.Values(live))
			yield(now)
		}
	}
}

// Twins lists the classes of two or more buffers that can change places: in the
// same cliques, of the same size and alignment, neither pinned nor tied nor tied
// to. Swapping two of them turns plans into plans of the same peak, so some
// optimal plan has each class in ascending order of address. Classes are in order
// of their first member, and so are the members. Cost: O(n log n), and the sizes
// of the cliques.
func (in *Instance) Twins() [][]int {
	spans := in.spans()
	var order []int
	for _, body := range in.Bodies() {
		if i := body[0]; len(body) == 1 && in.Buffers[i].Offset == nil && in.Buffers[i].Size > 0 {
			order = append(order, i)
		}
	}
	alike := func(i, j int) int {
		a, b := &in.Buffers[i], &in.Buffers[j]
		return cmp.Or(slices.CompareFunc(spans[i], spans[j], func(v, w Interval) int {
			return cmp.Or(cmp.Compare(v.Start, w.Start), cmp.Compare(v.End, w.End))
		}), cmp.Compare(a.Size, b.Size), cmp.Compare(a.Alignment(), b.Alignment()))
	}
	slices.SortStableFunc(order, alike)
	var classes [][]int
	for k := 0; k < len(order); {
		end := k + 1
		for end < len(order) && alike(order[k], order[end]) == 0 {
			end++
		}
		if end-k > 1 {
			classes = append(classes, order[k:end:end])
		}
		k = end
	}
	slices.SortFunc(classes, func(a, b []int) int { return cmp.Compare(a[0], b[0]) })
	return classes
}

// spans lists, for each buffer, the runs of cliques that it is in, by their
// numbers.
func (in *Instance) spans() [][]Interval {
	spans := make([][]Interval, len(in.Buffers))
	t := int64(0)
	for c := range in.Cliques() {
		for _, i := range c.Members {
			spans[i] = Extend(spans[i], t)
		}
		t++
	}
	return spans
}
