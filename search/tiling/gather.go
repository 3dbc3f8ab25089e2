package tiling

import "slices"

// A gatherer makes leaves of a tree neighbours.
type gatherer struct {
	marked []bool // by leaf
	size   int32  // how many are
	visits int64  // of nodes, so far
}

// mark chooses the leaves to gather, and takes the marks of earlier ones away.
func (g *gatherer) mark(leaves []int32) {
	for _, i := range leaves {
		g.marked[i] = true
	}
	g.size = int32(len(leaves))
}

func (g *gatherer) unmark(leaves []int32) {
	for _, i := range leaves {
		g.marked[i] = false
	}
}

// gather returns the tree of those frontiers in which the leaves are
// neighbours, nil when there are none, and the tree in which the stand-in has
// their place; without a stand-in, they are gone.
//
// Cost: the size of the tree.
func (g *gatherer) gather(tree *node, leaves []int32, stand *node) (gathered, replaced *node) {
	g.mark(leaves)
	defer g.unmark(leaves)
	_, gathered, replaced = g.below(tree, stand)
	return gathered, replaced
}

// below counts the marked leaves below a node. Where these are all of them, it
// also returns what gather does for that part of the tree.
func (g *gatherer) below(n *node, stand *node) (count int32, gathered, replaced *node) {
	g.visits++
	if n.kind == leafNode && g.marked[n.leaf] {
		count = 1
	}
	counts := make([]int32, len(n.children))
	for k, c := range n.children {
		got, gathered, replaced := g.below(c, stand)
		if got == g.size {
			if gathered == nil {
				return got, nil, nil
			}
			return got, n.with(k, gathered), n.with(k, replaced)
		}
		counts[k] = got
		count += got
	}
	switch {
	case count < g.size:
		return count, nil, nil
	case count == n.leaves:
		return count, n, stand
	case n.kind == pNode:
		gathered, replaced = g.root(n, counts, stand)
	default:
		gathered, replaced = g.splice(n, counts, stand)
	}
	return count, gathered, replaced
}

// with is n with another k-th child; without it when that is nil.
func (n *node) with(k int, child *node) *node {
	if child == n.children[k] {
		return n
	}
	children := slices.Clone(n.children)
	if child == nil {
		return n.like(slices.Delete(children, k, k+1))
	}
	children[k] = child
	return n.like(children)
}

// root gathers leaves below several children of a P-node: the full children
// between the near ends of at most two that are neither full nor empty.
func (g *gatherer) root(n *node, counts []int32, stand *node) (gathered, replaced *node) {
	var empty, full []*node
	var sides [][]*node
	for k, c := range n.children {
		switch counts[k] {
		case 0:
			empty = append(empty, c)
		case c.leaves:
			full = append(full, c)
		default:
			side := g.line(c)
			if side == nil || len(sides) == 2 {
				return nil, nil
			}
			sides = append(sides, side)
		}
	}
	var row []*node
	if len(sides) > 0 {
		row = sides[0]
	}
	if len(full) > 0 {
		row = append(row, anyOrder(full...))
	}
	if len(sides) > 1 {
		slices.Reverse(sides[1])
		row = append(row, sides[1]...)
	}
	gathered = anyOrder(append(slices.Clone(empty), inOrder(row...))...)
	if row = g.replace(row, stand); len(row) > 0 {
		empty = append(empty, inOrder(row...))
	}
	return gathered, anyOrder(empty...)
}

// splice gathers leaves below several children of a Q-node: those between its
// first and its last child with any must be full.
func (g *gatherer) splice(n *node, counts []int32, stand *node) (gathered, replaced *node) {
	var row []*node
	begun, ended := false, false
	for k, c := range n.children {
		switch counts[k] {
		case 0:
			ended = begun
			row = append(row, c)
		case c.leaves:
			if ended {
				return nil, nil
			}
			begun = true
			row = append(row, c)
		default:
			side := g.line(c)
			if side == nil || ended {
				return nil, nil
			}
			if begun {
				slices.Reverse(side)
				ended = true
			}
			begun = true
			row = append(row, side...)
		}
	}
	return inOrder(row...), inOrder(g.replace(row, stand)...)
}

// replace puts the stand-in in the place of the full nodes of a row.
func (g *gatherer) replace(row []*node, stand *node) (out []*node) {
	for _, c := range row {
		switch {
		case g.count(c) == 0:
			out = append(out, c)
		case stand != nil:
			out = append(out, stand)
			stand = nil
		}
	}
	return out
}

// count counts the marked leaves below a node.
func (g *gatherer) count(n *node) (count int32) {
	g.visits++
	if n.kind == leafNode && g.marked[n.leaf] {
		return 1
	}
	for _, c := range n.children {
		count += g.count(c)
	}
	return count
}

// line is the parts of a tree in a row that ends with all marked leaves; nil
// when there is no such frontier.
func (g *gatherer) line(n *node) []*node {
	if n.kind == qNode {
		return g.lineInOrder(n)
	}
	var empty, full, side []*node
	for _, c := range n.children {
		switch g.count(c) {
		case 0:
			empty = append(empty, c)
		case c.leaves:
			full = append(full, c)
		default:
			if side != nil {
				return nil
			}
			if side = g.line(c); side == nil {
				return nil
			}
		}
	}
	var row []*node
	if len(empty) > 0 {
		row = append(row, anyOrder(empty...))
	}
	row = append(row, side...)
	if len(full) > 0 {
		row = append(row, anyOrder(full...))
	}
	return row
}

// lineInOrder is line for a Q-node.
func (g *gatherer) lineInOrder(n *node) (row []*node) {
	children := n.children
	if first, last := children[0], children[len(children)-1]; g.count(last) == 0 || g.count(first) == first.leaves {
		children = slices.Clone(children)
		slices.Reverse(children)
	}
	begun := false
	for _, c := range children {
		switch count := g.count(c); {
		case begun && count < c.leaves:
			return nil
		case count == 0 || count == c.leaves:
			row = append(row, c)
		default:
			side := g.line(c)
			if side == nil {
				return nil
			}
			row = append(row, side...)
		}
		begun = begun || g.count(c) > 0
	}
	return row
}

// runs appends the largest sets of marked leaves that are neighbours in every
// frontier.
func (g *gatherer) runs(n *node, to [][]int32) [][]int32 {
	switch g.count(n) {
	case 0:
		return to
	case n.leaves:
		return append(to, n.append(nil))
	}
	var run []int32
	for _, c := range n.children {
		if n.kind == qNode && g.count(c) == c.leaves {
			run = c.append(run)
			continue
		}
		if run != nil {
			to, run = append(to, run), nil
		}
		to = g.runs(c, to)
	}
	if run != nil {
		to = append(to, run)
	}
	return to
}
