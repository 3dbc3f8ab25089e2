package graph

import (
	"cmp"
	"slices"

	"memplan/model"
	"memplan/model/schedule"
)

// costs collects the items, once the views are known.
func (l *lowering) costs() *schedule.Problem {
	c := schedule.New(len(l.ops))
	c.DAG = l.dag
	index := l.items(c)
	for u, ops := range l.ops {
		for _, o := range ops {
			for _, bytes := range l.g.Ops[o].Scratch {
				c.Scratch[u] = model.SaturatingAdd(c.Scratch[u], bytes)
			}
			l.layItems(c, index, u, o)
			for _, p := range l.g.Ops[o].InPlace {
				l.pairItems(c, index, u, o, p[0], p[1])
			}
			for _, p := range l.g.Ops[o].Overlap {
				l.leadItems(c, index, u, p)
			}
		}
	}
	c.Finish()
	return c
}

// items makes an item of each group, and returns the item of each tensor, -1
// where it takes no bytes of an arena.
func (l *lowering) items(c *schedule.Problem) []int {
	index := make([]int, len(l.g.Tensors))
	ofRoot := make(map[int]int)
	for t := range index {
		root, _ := l.find(t)
		g := &l.groups[root]
		index[t] = -1
		if g.where != InArena || g.size == 0 {
			continue
		}
		i, seen := ofRoot[root]
		if !seen {
			i = len(c.Items)
			ofRoot[root] = i
			c.Items = append(c.Items, schedule.Item{Bytes: g.size})
			c.Items[i].Firsts = l.firsts(root)
		}
		index[t] = i
		it := &c.Items[i]
		it.Forever = it.Forever || l.wanted[t] || l.throughout(t) || l.g.Tensors[t].Kind == Mutable
		if l.throughout(t) {
			it.Firsts = nil
		}
		if w := l.writer[t]; w >= 0 {
			it.Users = append(it.Users, l.unit[w])
		}
		for _, o := range l.readers[t] {
			it.Users = append(it.Users, l.unit[o])
		}
	}
	return index
}

// firsts lists the units that write a group's root first, one or another; none
// where it is there from the start.
func (l *lowering) firsts(root int) []int {
	if l.throughout(root) {
		return nil
	}
	var units []int
	l.makers.each(root, func(o int) { units = append(units, l.unit[o]) })
	slices.Sort(units)
	return slices.Compact(units)
}

// layItems notes what a concat lays into its result. From then on an operand's
// readers read the result.
func (l *lowering) layItems(c *schedule.Problem, index []int, u, o int) {
	op := &l.g.Ops[o]
	if op.Layout != Concat || !l.o.Concat || len(l.ops[u]) > 1 {
		return
	}
	result := index[op.Outputs[0]]
	if result < 0 || l.laidOut(op.Inputs, op.Outputs[0]) != "" {
		return
	}
	c.Result[u] = result
	delta := int64(0)
	for _, t := range op.Inputs {
		i := index[t]
		if i >= 0 && i != result && !slices.Contains(c.Items[i].Laid, u) && l.whole(t) && l.whole(op.Outputs[0]) && l.layable(o, t, op.Outputs[0], delta) == "" {
			c.Lays[u] = append(c.Lays[u], i)
			c.Items[i].Laid = append(c.Items[i].Laid, u)
		}
		delta += l.g.Tensors[t].Bytes
	}
}

// partsLimit is how many views of one tensor are looked at before a pair of it is
// taken to save what it can at most.
const partsLimit = 64

// pairItems notes an in-place pair that no schedule would rule out.
func (l *lowering) pairItems(c *schedule.Problem, index []int, u, o, x, y int) {
	if l.gone[y] {
		return
	}
	if x = l.through(o, x); x < 0 || index[x] < 0 || index[y] < 0 || index[x] == index[y] {
		return
	}
	_, at := l.find(x)
	a, b := l.groupOf(x), l.groupOf(y)
	bytes := model.Interval{Start: at, End: model.SaturatingAdd(at, max(l.g.Tensors[x].Bytes, b.size))}
	if cmp.Or(l.never(o, x, y), fits(b.size, b.align, at, a.align)) != "" || a.guard != free || !l.whole(y) {
		return
	}
	whole := len(a.parts) <= partsLimit
	for _, p := range a.parts[:min(len(a.parts), partsLimit)] {
		if p.tensor == x {
			continue
		}
		if !p.bytes.Meets(bytes) {
			whole = false
		} else if m := l.member(o); m.reads[p.tensor] > 0 || m.writes[p.tensor] {
			return
		}
	}
	if !whole {
		c.Items[index[y]].Bytes = 0 // it may lie in what x's buffer takes anyway
		if l.o.Concat {
			c.Items[index[x]].Bytes = 0 // which may lie, with y, in a concat's result
		}
		return
	}
	c.Pairs[u] = append(c.Pairs[u], schedule.Pair{X: index[x], Y: index[y], Bytes: min(a.size, b.size)})
}

// leadItems notes an output that may lie over an input.
func (l *lowering) leadItems(c *schedule.Problem, index []int, u int, p Lead) {
	x, y := index[p.Under], index[p.Over]
	if x < 0 || y < 0 || x == y || len(l.ops[u]) > 1 {
		return
	}
	bytes := min(c.Items[x].Bytes, c.Items[y].Bytes)
	if l.lone(p.Under) && l.lone(p.Over) {
		bytes = min(bytes, c.Items[y].Bytes-p.Bytes)
	}
	if bytes > 0 {
		c.Leads[u] = append(c.Leads[u], schedule.Pair{X: x, Y: y, Bytes: bytes})
	}
}

// whole reports whether a tensor is no view, and no view of it reaches further.
func (l *lowering) whole(t int) bool {
	return l.family[t] == t && l.groups[t].size == l.g.Tensors[t].Bytes
}

// lone reports whether a tensor is no view, and nothing a view of it.
func (l *lowering) lone(t int) bool { return l.family[t] == t && len(l.groups[t].parts) == 1 }
