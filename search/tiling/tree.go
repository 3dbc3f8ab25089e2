package tiling

import "slices"

// A node is part of a PQ-tree: a leaf, a P-node, whose children may stand in any
// order, or a Q-node of three or more children, whose order may only be turned
// round. The orders of leaves that this allows are the tree's frontiers.
//
// Nodes never change, and trees share them. Source: Booth and Lueker, Testing for
// the consecutive ones property, interval graphs, and graph planarity using PQ-tree
// algorithms, J. Computer and System Sciences 13 (1976),
// doi 10.1016/S0022-0000(76)80045-1.
type node struct {
	kind     kind
	leaf     int32 // of a leaf: which
	children []*node
	leaves   int32  // below it, or itself
	freedom  int64  // the number of frontiers, as log2 does it
	hash     uint64 // the same for trees with the same frontiers
}

type kind uint8

const (
	leafNode kind = iota
	pNode
	qNode
)

func newLeaf(i int32, hash uint64) *node { return &node{leaf: i, leaves: 1, hash: hash} }

// anyOrder is a P-node; of one child, the child.
func anyOrder(children ...*node) *node {
	if len(children) == 1 {
		return children[0]
	}
	n := &node{kind: pNode, children: children, freedom: factorials[len(children)]}
	for _, c := range children {
		n.leaves += c.leaves
		n.freedom += c.freedom
		n.hash += mix(c.hash)
	}
	n.hash = mix(n.hash + 1)
	return n
}

// inOrder is a Q-node; of fewer than three children, what is the same.
func inOrder(children ...*node) *node {
	if len(children) < 3 {
		return anyOrder(children...)
	}
	n := &node{kind: qNode, children: children, freedom: factorials[2]}
	var there, back uint64
	for k, c := range children {
		n.leaves += c.leaves
		n.freedom += c.freedom
		there = mix(there + c.hash)
		back = mix(back + children[len(children)-1-k].hash)
	}
	n.hash = mix(there+back) + mix(there^back)
	return n
}

// like is a node of n's kind with these children.
func (n *node) like(children []*node) *node {
	if n.kind == pNode {
		return anyOrder(children...)
	}
	return inOrder(children...)
}

// mix scrambles 64 bits (the finalizer of SplitMix64: Steele, Lea and Flood,
// Fast splittable pseudorandom number generators, OOPSLA 2014,
// doi 10.1145/2660193.2660195).
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// append adds the leaves, in the order of the tree.
func (n *node) append(to []int32) []int32 {
	if n.kind == leafNode {
		return append(to, n.leaf)
	}
	for _, c := range n.children {
		to = c.append(to)
	}
	return to
}

// restrict is the tree of the frontiers without the leaves that are not kept;
// nil when none is.
func (n *node) restrict(keep func(leaf int32) bool) *node {
	if n.kind == leafNode {
		if keep(n.leaf) {
			return n
		}
		return nil
	}
	children := make([]*node, 0, len(n.children))
	same := true
	for _, c := range n.children {
		r := c.restrict(keep)
		same = same && r == c
		if r != nil {
			children = append(children, r)
		}
	}
	switch {
	case same:
		return n
	case len(children) == 0:
		return nil
	}
	return n.like(children)
}

// frontier appends the frontier that agrees with ranks; leaves of one rank may
// stand in any order.
func (n *node) frontier(rank, to []int32) []int32 {
	if n.kind == leafNode {
		return append(to, n.leaf)
	}
	children := slices.Clone(n.children)
	if n.kind == pNode {
		slices.SortStableFunc(children, func(a, b *node) int { return int(a.least(rank)) - int(b.least(rank)) })
	} else if children[0].least(rank) > children[len(children)-1].least(rank) {
		slices.Reverse(children)
	}
	for _, c := range children {
		to = c.frontier(rank, to)
	}
	return to
}

// least is the least rank of a leaf.
func (n *node) least(rank []int32) int32 {
	if n.kind == leafNode {
		return rank[n.leaf]
	}
	low := n.children[0].least(rank)
	for _, c := range n.children[1:] {
		low = min(low, c.least(rank))
	}
	return low
}

// maxLeaves is the number of buffers live at one step beyond which an instance is
// declined.
const maxLeaves = 1 << 12

// factorials are the logarithms of n!, as log2 does it.
var factorials = func() (sums [maxLeaves + 1]int64) {
	for n := 2; n < len(sums); n++ {
		sums[n] = sums[n-1] + log2(uint64(n))
	}
	return sums
}()

// log2 is the logarithm to base 2, times 2^16, rounded down, of x < 2^31; in
// integers, so that it is the same on every machine.
func log2(x uint64) (log int64) {
	v := x << 32 // a fixed-point number in [1, 2) in the end
	for ; v >= 2<<32; v >>= 1 {
		log++
	}
	for range 16 {
		v = (v >> 16) * (v >> 16)
		log *= 2
		if v >= 2<<32 {
			v >>= 1
			log++
		}
	}
	return log
}
