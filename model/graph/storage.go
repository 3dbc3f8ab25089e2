package graph

import (
	"slices"

	"memplan/model"
)

// A group is a family: a tensor that is no view, and what is a view of it, or of
// such, where that cannot be told from separate memory: the operator that makes
// the view, if any, reads the base's bytes, and the base's address can hold its
// alignment. Otherwise a view is a copy, and the refusal is noted. Families are
// the sets of a union-find with offsets: lowering.parent and lowering.inside are
// its forest, find and merge its operations.
type group struct {
	size  int64
	align int64
	guard guard // why its bytes are not to be overwritten
	where Where
	parts []part
}

// A part is a tensor's range of bytes in a group.
type part struct {
	tensor int
	bytes  model.Interval
}

// A guard says why a group's bytes are not to be overwritten.
type guard int

const (
	free guard = iota
	callers
	constant
	permanent
)

func (g guard) String() string {
	return [...]string{"", "the caller's", "a weight", "kept from run to run"}[g]
}

// views decides which views lie in their bases; it needs no schedule.
func (l *lowering) views() {
	n := len(l.g.Tensors)
	l.groups, l.parent, l.inside = make([]group, n), model.Identity(n), make([]int64, n)
	l.body, l.allowed = model.Identity(n), make([][]int, n)
	l.touch()
	l.splits()
	for _, t := range l.basesFirst() {
		l.groups[t], l.allowed[t] = l.alone(t), l.spacesOf(t)
		if l.base[t].Of >= 0 {
			l.view(t, l.base[t])
		}
	}
}

// alone is the group of one tensor.
func (l *lowering) alone(t int) group {
	x := &l.g.Tensors[t]
	g := group{size: x.Bytes, align: max(x.Align, 1), where: InArena, parts: []part{{t, model.Interval{End: x.Bytes}}}}
	switch {
	case l.gone[t]:
		g.where = Fused
	case x.Kind == Weight:
		g.where, g.guard = InWeights, constant
	case !l.touched(t):
		g.where = Nowhere
	case !x.Kind.Rewritten() && (l.given[t] && l.o.Inputs == External || l.wanted[t] && !l.given[t] && l.o.Outputs == External):
		g.where, g.guard = AtCaller, callers
	default:
		g.guard = l.guardOf(t)
	}
	return g
}

// guardOf is why the bytes of a tensor in an arena are not to be overwritten, if they
// are not.
func (l *lowering) guardOf(t int) guard {
	switch {
	case l.throughout(t) || l.g.Tensors[t].Kind == Mutable:
		return permanent
	case l.given[t] || l.wanted[t]:
		return callers
	}
	return free
}

// spacesOf are the spaces that a tensor by itself may be in.
func (l *lowering) spacesOf(t int) []int {
	spaces := l.g.Tensors[t].Spaces
	if len(spaces) == 0 {
		spaces = []int{0}
	}
	if s, put := l.o.InSpace[t]; put {
		if !slices.Contains(spaces, s) {
			l.fault("tensor %s: the plan puts it into a pool that it may not be in", l.id(t))
		}
		return []int{s}
	}
	return spaces
}

// find is the group that holds a tensor's bytes, by its root, and where. It
// compresses the path, so that the next find is short.
func (l *lowering) find(t int) (root int, offset int64) {
	root = t
	for l.parent[root] != root {
		offset += l.inside[root]
		root = l.parent[root]
	}
	for at := offset; l.parent[t] != root && t != root; {
		next, step := l.parent[t], l.inside[t]
		l.parent[t], l.inside[t] = root, at
		t, at = next, at-step
	}
	return root, offset
}

func (l *lowering) groupOf(t int) *group {
	root, _ := l.find(t)
	return &l.groups[root]
}

// basesFirst lists the tensors so that no view comes before its base.
func (l *lowering) basesFirst() []int {
	listed := make([]bool, len(l.base))
	var order, chain []int
	for t := range l.base {
		chain = chain[:0]
		for ; !listed[t]; t = l.base[t].Of {
			listed[t] = true
			chain = append(chain, t)
			if l.base[t].Of < 0 {
				break
			}
		}
		slices.Reverse(chain)
		order = append(order, chain...)
	}
	return order
}

// merge puts tensor t's group inside group root at the offset.
func (l *lowering) merge(t, root int, offset int64) {
	from, into := &l.groups[t], &l.groups[root]
	l.parent[t], l.inside[t] = root, offset
	into.size = max(into.size, offset+from.size)
	into.align = model.LCM(into.align, from.align)
	into.guard = max(into.guard, from.guard)
	for _, p := range from.parts {
		into.parts = append(into.parts, part{p.tensor, p.bytes.Shift(offset)})
	}
	from.parts = nil
}

// fits says why bytes that are so aligned cannot lie at an offset in others, empty
// if they can: the alignment must hold there, wherever the others are.
func fits(size, align, offset, of int64) string {
	switch {
	case offset%align != 0:
		return "its alignment does not hold there"
	case model.LCM(of, align) == 0:
		return "the alignments have no common multiple in int64"
	}
	if _, ok := model.Add(offset, size); !ok {
		return "its end does not fit in int64"
	}
	return ""
}
