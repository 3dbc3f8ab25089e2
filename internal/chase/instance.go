package chase

import (
	"cmp"
	"slices"
	"strconv"

	"memplan/model"
)

// A life is a buffer under way: until it dies, its end is -1.
type life struct{ start, end, size int64 }

// lives replays the moves to a set, each at a step of its own, with a buffer at each
// step that takes all bytes left. live are the buffers of the set.
func (m *meeting) lives(n *node) (all []life, live []int, steps int64) {
	var moves []*node
	for ; n.from != nil; n = n.from {
		moves = append(moves, n)
	}
	slices.Reverse(moves)
	for _, n := range moves {
		by := n.by
		if by.died >= 0 {
			all[live[by.died]].end = steps
			live = slices.Delete(live, by.died, by.died+1)
		} else {
			live = slices.Insert(live, by.at, len(all))
			all = append(all, life{steps, -1, by.born})
		}
		live = reordered(live, n.as.perm)
		steps++
		if left := m.Load - by.into.bytes; left > 0 {
			all = append(all, life{steps - 1, steps, left})
		}
	}
	return all, live, steps
}

// joined is the instance that leads to one set and from the other back.
func (m *meeting) joined(n, other *node, names *renaming) *model.Instance {
	all, live, steps := m.lives(n)
	back, too, more := m.lives(other)
	if n == other { // nothing fits any more
		back, too, more = nil, live, 0
	}
	live = reordered(live, names.perm)
	end := steps + more
	for i, l := range back {
		start := end - l.end
		k := slices.Index(too, i)
		if k >= 0 {
			all[live[k]].end = end - l.start
			continue
		}
		all = append(all, life{start, end - l.start, l.size})
	}
	in := &model.Instance{}
	for _, l := range all {
		if l.end < 0 {
			l.end = end
		}
		in.Buffers = append(in.Buffers, model.Buffer{Life: model.Interval{Start: l.start, End: l.end}, Size: l.size})
	}
	return inOrder(in)
}

// inOrder has the buffers in the order of birth, and deaths in a row at one step.
func inOrder(in *model.Instance) *model.Instance {
	slices.SortStableFunc(in.Buffers, func(a, b model.Buffer) int {
		return cmp.Or(cmp.Compare(a.Life.Start, b.Life.Start), cmp.Compare(a.Life.End, b.Life.End))
	})
	step, to := int64(0), make(map[int64]int64)
	var ends, starts = make(map[int64]bool), make(map[int64]bool)
	var times []int64
	for _, b := range in.Buffers {
		starts[b.Life.Start], ends[b.Life.End] = true, true
		times = append(times, b.Life.Start, b.Life.End)
	}
	slices.Sort(times)
	dying := false
	for _, t := range slices.Compact(times) {
		if ends[t] && !dying {
			step, dying = step+1, true
		}
		to[t] = step
		dying = dying && !starts[t]
	}
	for i := range in.Buffers {
		b := &in.Buffers[i]
		b.Life = model.Interval{Start: to[b.Life.Start], End: to[b.Life.End]}
	}
	return in
}

// reordered is a list of buffers in another order.
func reordered(live, perm []int) []int {
	result := make([]int, len(live))
	for k, i := range perm {
		result[k] = live[i]
	}
	return result
}

// reduced is the instance without buffers that can be left out, one after the
// other, with the optimum still above the height.
func reduced(in *model.Instance, height int64) (*model.Instance, error) {
	for k := 0; k < len(in.Buffers); {
		fewer := &model.Instance{Buffers: slices.Delete(slices.Clone(in.Buffers), k, k+1)}
		fits, err := Fits(fewer, height)
		if err != nil {
			return nil, err
		}
		if fits {
			k++
		} else {
			in = fewer
		}
	}
	for i := range in.Buffers {
		in.Buffers[i].ID = "b" + strconv.Itoa(i)
	}
	return in, nil
}
