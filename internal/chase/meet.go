package chase

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"memplan/model"
)

// A Meeting looks for an instance of that load whose optimum is above the height,
// from both ends of time. It follows the same sets as a Chase, and
//
//   - leaves out arrangements without a hole for all bytes that the load leaves
//     free: a buffer of these could live for an instant;
//   - takes arrangements and their mirror images for one;
//   - keeps for each multiset of live sizes a pool of sets none of which holds
//     another, the best of them where there are too many;
//   - has an instance as soon as two sets of a pool have no arrangement in common:
//     the moves to the one, and then those to the other backwards in time.
//
// The score of a set is the sum, over its arrangements, of a little and of the
// share of the pool's sets that hold it: what few others hold can soon be missed.
type Meeting struct {
	Load, Height int64
	Live         int   // at once, at most
	Least        int64 // bytes of what is born, but for an instant
	Keep         int   // sets of a pool; 0: all, so that finding none proves that there is none
	Power        int   // of the share in the score, 1 to 3
}

// A node is a set of arrangements, one of each pair of mirror images, and the move
// that led to it.
type node struct {
	sizes []int64 // descending
	ways  []uint64
	from  *node // nil: nothing was ever live
	died  int   // which of from's buffers, or -1
	born  int64
	perm  []int // where each buffer was before they were sorted

	expanded bool
	score    int64
}

// A pool is the sets of one multiset of sizes, none of which holds another.
type pool struct{ nodes []*node }

// Run returns an instance with no buffer that could be left out, or nil; sets is how
// many it has looked at. ctx, when it ends, leaves the question open: none is
// false.
func (m Meeting) Run(ctx context.Context) (in *model.Instance, sets int, none bool, err error) {
	if _, err := Fits(&model.Instance{}, max(m.Load, m.Height)); err != nil {
		return nil, 0, false, err
	}
	m.Live, m.Power = min(max(m.Live, 1), most), max(m.Power, 1)
	pools := map[string]*pool{}
	open := []*node{{died: -1, ways: []uint64{0}}}
	for len(open) > 0 {
		for _, n := range open {
			n.expanded = true
			for _, next := range m.next(n) {
				if ctx.Err() != nil {
					return nil, sets, false, nil
				}
				sets++
				key := string(keyOf(next.sizes))
				p := pools[key]
				if p == nil {
					p = &pool{}
					pools[key] = p
				}
				if other, found := p.add(next); found {
					in, err := reduced(m.joined(next, other), m.Height)
					return in, sets, false, err
				}
			}
		}
		open = m.cut(pools)
	}
	return nil, sets, m.Keep == 0, nil
}

// keyOf is the same for equal lists of sizes.
func keyOf(sizes []int64) []byte {
	key := make([]byte, len(sizes))
	for k, z := range sizes {
		key[k] = byte(z)
	}
	return key
}

// add takes a set in, unless it holds one that is there; found is one that it has
// nothing in common with.
func (p *pool) add(n *node) (other *node, found bool) {
	for _, o := range p.nodes {
		if subset(o.ways, n.ways) {
			return nil, false
		}
	}
	if len(n.ways) == 0 {
		return n, true
	}
	kept := p.nodes[:0]
	for _, o := range p.nodes {
		if disjoint(o.ways, n.ways) {
			return o, true
		}
		if !subset(n.ways, o.ways) {
			kept = append(kept, o)
		} else {
			o.expanded = true // no need to
		}
	}
	p.nodes = append(kept, n)
	return nil, false
}

// subset reports whether all of a is in b; both are sorted.
func subset(a, b []uint64) bool {
	if len(a) > len(b) {
		return false
	}
	for _, x := range a {
		for len(b) > 0 && b[0] < x {
			b = b[1:]
		}
		if len(b) == 0 || b[0] != x {
			return false
		}
	}
	return true
}

func disjoint(a, b []uint64) bool {
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0] == b[0]:
			return false
		case a[0] < b[0]:
			a = a[1:]
		default:
			b = b[1:]
		}
	}
	return true
}

// cut leaves of each pool the best, and lists what is new of them.
func (m *Meeting) cut(pools map[string]*pool) (open []*node) {
	for _, key := range slices.Sorted(maps.Keys(pools)) {
		p := pools[key]
		if m.Keep > 0 && len(p.nodes) > m.Keep {
			p.rank(m.Power)
			p.nodes = p.nodes[:m.Keep]
		}
		for _, n := range p.nodes {
			if !n.expanded {
				open = append(open, n)
			}
		}
	}
	return open
}

// rank sorts the sets by score. A share is in thousandths, and so is its power.
func (p *pool) rank(power int) {
	held := make(map[uint64]int64)
	for _, n := range p.nodes {
		for _, way := range n.ways {
			held[way]++
		}
	}
	for _, n := range p.nodes {
		n.score = 0
		for _, way := range n.ways {
			share := held[way] * 1000 / int64(len(p.nodes))
			term := share
			for range power - 1 {
				term = term * share / 1000
			}
			n.score += 20 + term
		}
	}
	slices.SortStableFunc(p.nodes, func(a, b *node) int { return cmp.Compare(a.score, b.score) })
}

// next lists the sets that a death or a birth leads to.
func (m *Meeting) next(n *node) (list []*node) {
	var live int64
	for _, z := range n.sizes {
		live += z
	}
	s := set{sizes: n.sizes, bytes: live, ways: n.ways}
	for i := range n.sizes {
		list = append(list, m.sorted(s.die(i), &node{from: n, died: i}))
	}
	if len(n.sizes) < m.Live {
		for size := max(m.Least, 1); size <= m.Load-live; size++ {
			list = append(list, m.sorted(s.bear(size, m.Height), &node{from: n, died: -1, born: size}))
		}
	}
	return list
}

// sorted is what is left of a set: its buffers in order, and of each arrangement
// with its mirror image the one with the lesser number, if there is room in it for
// all bytes that may still be born.
func (m *Meeting) sorted(s set, n *node) *node {
	places := m.places(&s)
	n.perm = model.Identity(len(s.sizes))
	slices.SortStableFunc(n.perm, func(a, b int) int {
		return cmp.Or(cmp.Compare(s.sizes[b], s.sizes[a]), slices.Compare(places[a], places[b]))
	})
	n.sizes = make([]int64, len(s.sizes))
	for k, i := range n.perm {
		n.sizes[k] = s.sizes[i]
	}
	for _, way := range s.ways {
		var taken, straight, mirrored uint64
		for k, i := range n.perm {
			at := way >> (wide * i) & tallest
			taken |= (1<<n.sizes[k] - 1) << at
			straight |= at << (wide * k)
			mirrored |= (uint64(m.Height-n.sizes[k]) - at) << (wide * k)
		}
		if m.room(taken, m.Load-s.bytes) {
			n.ways = append(n.ways, min(straight, mirrored))
		}
	}
	slices.Sort(n.ways)
	n.ways = slices.Compact(n.ways)
	return n
}

// places counts how often each buffer lies how far from the nearer end, so that
// buffers of one size have an order, whatever they are called.
func (m *Meeting) places(s *set) [][]int32 {
	places := make([][]int32, len(s.sizes))
	for i, z := range s.sizes {
		places[i] = make([]int32, m.Height)
		for _, way := range s.ways {
			at := int64(way >> (wide * i) & tallest)
			places[i][min(at, m.Height-z-at)]++
		}
	}
	return places
}

// room reports whether so many free bytes are in a row.
func (m *Meeting) room(taken uint64, bytes int64) bool {
	free := ^taken & (1<<m.Height - 1)
	for ; bytes > 1; bytes-- {
		free &= free >> 1
	}
	return free != 0 || bytes == 0
}

// A life is a buffer under way: until it dies, its end is -1.
type life struct{ start, end, size int64 }

// lives replays the moves to a set, each at a step of its own, with a buffer at each
// step that takes all bytes left. live are the buffers of the set.
func (m *Meeting) lives(n *node) (all []life, live []int, steps int64) {
	var moves []*node
	for ; n.from != nil; n = n.from {
		moves = append(moves, n)
	}
	slices.Reverse(moves)
	for _, n := range moves {
		if n.died >= 0 {
			all[live[n.died]].end = steps
			live = slices.Delete(live, n.died, n.died+1)
		} else {
			live = append(live, len(all))
			all = append(all, life{steps, -1, n.born})
		}
		left, sorted := m.Load, make([]int, len(live))
		for k, i := range n.perm {
			sorted[k] = live[i]
			left -= all[live[i]].size
		}
		live = sorted
		steps++
		if left > 0 {
			all = append(all, life{steps - 1, steps, left})
		}
	}
	return all, live, steps
}

// joined is the instance that leads to one set and from the other back.
func (m *Meeting) joined(n, other *node) *model.Instance {
	all, live, steps := m.lives(n)
	back, too, more := m.lives(other)
	if n == other { // nothing fits any more
		back, too, more = nil, live, 0
	}
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
