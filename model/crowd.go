package model

import (
	"cmp"
	"slices"
)

// CrowdLoad is a lower bound on every peak where buffers have gaps: buffers of
// which each conflicts with each are disjoint, though they need not all be live at
// one step. The heaviest such set that a search of limited work finds is returned
// with its certificate; nil where that is no more than the load, or where pairs may
// overlap. Sizes count as in RoundedLoad; pinned buffers are left out.
//
// Cost: O(conflicts) of at most 4096 buffers, and at most some 2^22 machine words looked at, in which
// the heaviest of a few hundred buffers is found as a rule.
//
// Source of the search: Carraghan and Pardalos, "An exact algorithm for the maximum
// clique problem", Operations Research Letters 9 (1990),
// doi:10.1016/0167-6377(90)90057-C, with colour classes as the bound.
func (in *Instance) CrowdLoad() *Certificate {
	gapped := slices.ContainsFunc(in.Buffers, func(b Buffer) bool { return len(b.Gaps) > 0 })
	if !gapped || len(in.Pairs) > 0 {
		return nil
	}
	c := newCrowd(in)
	if c == nil {
		return nil
	}
	all := newRanks(len(c.rank))
	for r := range c.rank {
		all.add(r)
	}
	c.most = in.Load()
	c.search(all, 0)
	if c.best == nil {
		return nil
	}
	members := make([]int, 0, len(c.best))
	for _, r := range c.best {
		members = append(members, c.rank[r])
	}
	slices.Sort(members)
	if cert := in.crowd(Always, members); cert != nil && cert.Bound > in.Load() {
		return cert
	}
	return nil
}

// A crowd looks for the heaviest set of buffers of which each conflicts with each.
type crowd struct {
	rank   []int // buffers, by falling weight
	weight []int64
	near   nearness

	taken []int // by rank, on the way to the node
	best  []int
	most  int64
	words int // left to look at
}

// maxCrowd is the number of buffers beyond which the conflicts alone take too
// long to list.
const maxCrowd = 1 << 12

// maxWords is what a search may look at: some tens of milliseconds.
const maxWords = 1 << 22

// newCrowd leaves out what is pinned or has no bytes; nil where the checkers would
// not take it on.
func newCrowd(in *Instance) *crowd {
	c := &crowd{words: maxWords}
	unit, sum, fits := int64(0), int64(0), true
	for i := range in.Buffers {
		b := &in.Buffers[i]
		if _, pinned := in.Pin(i); b.Size == 0 || pinned {
			continue
		}
		c.rank = append(c.rank, i)
		unit = GCD(unit, b.Alignment())
	}
	if len(c.rank) == 0 || len(c.rank) > maxCrowd {
		return nil
	}
	up := make([]int64, len(in.Buffers))
	for _, i := range c.rank {
		var ok bool
		up[i], ok = AlignUp(in.Buffers[i].Size, unit)
		sum, fits = addIf(fits && ok, sum, up[i])
	}
	if !fits {
		return nil
	}
	slices.SortStableFunc(c.rank, func(i, j int) int { return cmp.Compare(up[j], up[i]) })
	place := make([]int, len(in.Buffers))
	for i := range place {
		place[i] = -1
	}
	for r, i := range c.rank {
		place[i] = r
		c.weight = append(c.weight, up[i])
		c.near = append(c.near, newRanks(len(c.rank)))
	}
	for i, near := range in.Neighbours() {
		for _, j := range near {
			if place[i] >= 0 && place[j] >= 0 {
				c.near[place[i]].add(place[j])
			}
		}
	}
	return c
}

// search extends what is taken, of so many bytes, by what is left, which conflicts
// with all of it.
func (c *crowd) search(left ranks, bytes int64) {
	if bytes > c.most {
		c.most, c.best = bytes, slices.Clone(c.taken)
	}
	order, bound := c.colours(left)
	for k := len(order) - 1; k >= 0 && c.words > 0 && bytes+bound[k] > c.most; k-- {
		r := order[k]
		next := slices.Clone(left)
		next.and(c.near[r])
		c.words -= len(next)
		c.taken = append(c.taken, r)
		c.search(next, bytes+c.weight[r])
		c.taken = c.taken[:len(c.taken)-1]
		left.drop(r)
	}
}

// colours puts ranks into classes of which no two conflict, by falling weight. Of
// those up to the k-th a set has at most one of each class: bound[k] bytes.
func (c *crowd) colours(left ranks) (order []int, bound []int64) {
	rest, free := slices.Clone(left), newRanks(len(c.rank))
	sum := int64(0)
	for first := rest.next(0, nil); first >= 0; first = rest.next(0, nil) {
		copy(free, rest)
		sum += c.weight[first]
		for r := first; r >= 0; r = free.next(r+1, nil) {
			order, bound = append(order, r), append(bound, sum)
			rest.drop(r)
			free.subtract(c.near[r])
			c.words -= len(free)
		}
	}
	return order, bound
}
