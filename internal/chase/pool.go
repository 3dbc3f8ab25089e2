package chase

import (
	"cmp"
	"math/rand/v2"
	"slices"
)

// A node is a set of arrangements, and the move that led to it.
type node struct {
	in       *universe
	words    []uint64
	from     *node // nil: nothing was ever live
	by       *move
	as       *renaming // after it
	expanded bool
	gone     bool // from its pool
	score    int64
}

// A pool is the sets of one universe, none of which holds another, by whatever names
// they are compared.
type pool struct {
	nodes []*node
	words [maxRenamings][]uint64 // room for a new set, by each of its names
}

// add takes a set in, unless it holds one that is there. other is one that it has
// nothing in common with, by names that are given to the new one; the new one itself
// when it is empty.
func (p *pool) add(n *node) (other *node, names *renaming) {
	if !slices.ContainsFunc(n.words, func(word uint64) bool { return word != 0 }) {
		return n, n.in.renamings[0]
	}
	lost := false
	for r, names := range n.in.renamings[:n.in.compared] {
		words := n.words
		if r > 0 {
			words = p.words[r]
			names.of(n.words, words)
		}
		for k, o := range p.nodes {
			within, holds, apart := compare(words, o.words)
			switch {
			case holds: // as others will, so that it moves to the front
				p.nodes[k], p.nodes[k/2] = p.nodes[k/2], o
				return nil, nil
			case apart:
				return o, names
			case within:
				o.gone, lost = true, true
			}
		}
	}
	if lost {
		p.nodes = slices.DeleteFunc(p.nodes, func(o *node) bool { return o.gone })
	}
	n.words = slices.Clone(n.words)
	p.nodes = append(p.nodes, n)
	return nil, nil
}

// compare tells whether a is within b, holds it, or has nothing in common with it.
func compare(a, b []uint64) (within, holds, apart bool) {
	var less, more, both uint64
	b = b[:len(a)]
	for k, x := range a {
		y := b[k]
		less |= y &^ x
		more |= x &^ y
		both |= x & y
		if less != 0 && more != 0 && both != 0 {
			return false, false, false
		}
	}
	return more == 0, less == 0, both == 0
}

// cut leaves the best sets of a pool.
func (p *pool) cut(keep int, noise *rand.PCG) {
	if len(p.nodes) <= keep {
		return
	}
	p.rank(noise)
	for _, n := range p.nodes[keep:] {
		n.gone = true
	}
	p.nodes = p.nodes[:keep]
}

// rank sorts the sets by score: the sum, over the arrangements of a set, of 1/50
// and of the square of the share of the pool's sets that hold it, in millionths. Noise
// adds up to an eighth.
func (p *pool) rank(noise *rand.PCG) {
	held := make([]int64, len(p.nodes[0].in.ways))
	for _, n := range p.nodes {
		for i := range members(n.words) {
			held[i]++
		}
	}
	for i := range held {
		share := held[i] * 1000 / int64(len(p.nodes))
		held[i] = 20_000 + share*share
	}
	for _, n := range p.nodes {
		n.score = 0
		for i := range members(n.words) {
			n.score += held[i]
		}
		if noise != nil {
			n.score += n.score / 1024 * int64(noise.Uint64()%128)
		}
	}
	slices.SortStableFunc(p.nodes, func(a, b *node) int { return cmp.Compare(a.score, b.score) })
}
