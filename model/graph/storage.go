package graph

import (
	"slices"

	"memplan/model"
)

// A group is the storage of tensors that share bytes: a root, and what lies
// inside it. Groups are the sets of a union-find with offsets: lowering.parent
// and lowering.inside are its forest, find and merge its operations. Two values share only where that cannot be told from separate
// memory:
//
//   - a view lies in its base where the operator that makes it, if any, reads
//     the base's bytes, and the base's address can hold its alignment;
//   - an in-place result lies where its operand did where nobody else reads
//     those bytes at that step or later, and they are not the caller's, a
//     weight or a variable;
//   - a concat's operand lies in its result, and a split's result in its
//     operand, where they are whole buffers, byte for byte.
//
// Otherwise each has bytes of its own, and the refusal is noted.
type group struct {
	size   int64
	align  int64
	life   model.Interval
	spaces []int
	guard  guard // why its bytes are not to be overwritten
	where  Where
	open   []part // what may still be read, or written, as the steps go on
	into   int    // the group that its bytes are part of from life.End on, -1 = none
	delta  int64  // where in that group
	parts  int    // groups that are part of this one
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
	l.laid = make([]bool, n)
	l.touch()
	l.splits()
	for _, t := range l.basesFirst() {
		l.groups[t] = l.alone(t)
		if l.base[t].Of >= 0 {
			l.view(t, l.base[t])
		}
	}
}

// share decides, along the schedule, which results take their operands' place
// and which operands lie in results.
func (l *lowering) share() {
	for t := range l.groups {
		if !l.touched(t) {
			continue
		}
		root, _ := l.find(t)
		life := l.life(t)
		if g := &l.groups[root]; g.life.Empty() {
			g.life = life
		} else {
			g.life = g.life.Hull(life)
		}
	}
	for _, ops := range l.out.Steps {
		for _, o := range ops {
			if l.g.Ops[o].Layout == Concat && l.o.Concat {
				l.concat(o)
			}
		}
		for _, o := range ops {
			for _, pair := range l.g.Ops[o].InPlace {
				l.inPlace(o, pair[0], pair[1])
			}
		}
	}
}

// alone is the group of one tensor.
func (l *lowering) alone(t int) group {
	x := &l.g.Tensors[t]
	g := group{size: x.Bytes, align: max(x.Align, 1), spaces: x.Spaces, into: -1, where: InArena, open: []part{{t, model.Interval{End: x.Bytes}}}}
	switch {
	case l.gone[t]:
		g.where = Fused
	case x.Kind == Weight:
		g.where, g.guard = InWeights, constant
	case !l.touched(t):
		g.where = Nowhere
	case x.Kind.Rewritten():
		g.guard = permanent
	case l.given[t] && l.o.Inputs == External, l.wanted[t] && !l.given[t] && l.o.Outputs == External:
		g.where, g.guard = AtCaller, callers
	case l.given[t] || l.wanted[t]:
		g.guard = callers
	}
	if len(g.spaces) == 0 {
		g.spaces = []int{0}
	}
	if s, put := l.o.InSpace[t]; put {
		if !slices.Contains(g.spaces, s) {
			l.fault("tensor %s: the plan puts it into a pool that it may not be in", l.id(t))
		}
		g.spaces = []int{s}
	}
	return g
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

// merge puts tensor t's group inside group root at the offset: the two are one
// buffer, live while either is.
func (l *lowering) merge(t, root int, offset int64) {
	from, into := &l.groups[t], &l.groups[root]
	l.parent[t], l.inside[t] = root, offset
	into.size = max(into.size, offset+from.size)
	into.align = model.LCM(into.align, from.align)
	into.life = into.life.Hull(from.life)
	into.guard = max(into.guard, from.guard)
	for _, p := range from.open {
		into.open = append(into.open, part{p.tensor, p.bytes.Shift(offset)})
	}
	from.open = nil
}

// fits says why a group cannot lie at an offset in another, empty if it can:
// its alignment must hold there, wherever the other is.
func (l *lowering) fits(from, into *group, offset int64) string {
	switch {
	case offset%from.align != 0:
		return "its alignment does not hold there"
	case model.LCM(into.align, from.align) == 0:
		return "the alignments have no common multiple in int64"
	}
	if _, ok := model.Add(offset, from.size); !ok {
		return "its end does not fit in int64"
	}
	return ""
}
