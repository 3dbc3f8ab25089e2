package chase

import (
	"context"
	"maps"
	"math/rand/v2"
	"slices"

	"memplan/model"
)

// A Meeting looks for an instance of that load whose optimum is above the height,
// from both ends of time. It follows the sets of arrangements that deaths and births
// lead to, and
//
//   - leaves out arrangements without a hole for all bytes that the load leaves
//     free: a buffer of these could live for an instant;
//   - takes arrangements and their mirror images for one;
//   - keeps for each multiset of live sizes a pool of sets none of which holds
//     another, the best of them where there are too many;
//   - has an instance as soon as two sets of a pool have no arrangement in common:
//     the moves to the one, and then those to the other backwards in time.
//
// The score of a set is the sum, over its arrangements, of a little and of the square
// of the share of the pool's sets that hold it: what few others hold can soon be missed.
type Meeting struct {
	Load, Height int64  // bytes
	Live         int    // at once, at most, beside one for an instant
	Least        int64  // bytes of what is born, but for an instant
	Keep         int    // sets of a pool; 0: all, so that finding none proves that there is none
	Seed         uint64 // of noise in the score; 0: none
}

// A meeting is a Meeting under way.
type meeting struct {
	Meeting
	universes map[string]*universe
	noise     *rand.PCG
	sets      int
}

// Run returns an instance with no buffer that could be left out, or nil; sets is how
// many it has looked at. ctx, when it ends, leaves the question open: none is
// false.
func (m Meeting) Run(ctx context.Context) (in *model.Instance, sets int, none bool, err error) {
	if _, err := Fits(&model.Instance{}, max(m.Load, m.Height)); err != nil {
		return nil, 0, false, err
	}
	m.Live, m.Least = min(max(m.Live, 1), most), max(m.Least, 1)
	s := &meeting{Meeting: m, universes: map[string]*universe{}}
	if m.Seed != 0 {
		s.noise = rand.NewPCG(m.Seed, 0)
	}
	nothing := s.universe(nil)
	nothing.pool.add(&node{in: nothing, words: []uint64{1}})
	for open := s.cut(); len(open) > 0; open = s.cut() {
		for _, n := range open {
			if ctx.Err() != nil {
				return nil, s.sets, false, nil
			}
			if in := s.expand(n); in != nil {
				in, err := reduced(in, m.Height)
				return in, s.sets, false, err
			}
		}
	}
	return nil, s.sets, m.Keep == 0, nil
}

// expand follows all moves from a set that is still in its pool; the instance is what
// they find.
func (m *meeting) expand(n *node) *model.Instance {
	if n.gone {
		return nil
	}
	n.expanded = true
	for _, by := range m.moves(n.in) {
		m.sets++
		next := m.follow(n, by)
		if other, names := next.in.pool.add(next); other != nil {
			return m.joined(next, other, names)
		}
	}
	return nil
}

// follow is the set that a move leads to, in the room that the pool has for one.
func (m *meeting) follow(n *node, by *move) *node {
	u := by.into
	p := &u.pool
	by.of(n.words, p.words[1])
	next := &node{in: u, from: n, by: by, as: m.named(u, p.words[1]), words: p.words[0]}
	next.as.of(p.words[1], next.words)
	return next
}

// moves lists what can come next: any death, and a birth of any size that there is
// room for.
func (m *meeting) moves(u *universe) (list []*move) {
	for i := range u.sizes {
		list = append(list, m.death(u, i))
	}
	if len(u.sizes) < m.Live {
		for size := m.Least; size <= m.Load-u.bytes; size++ {
			list = append(list, m.birth(u, size))
		}
	}
	return list
}

// cut leaves of each pool the best, and lists what is new of them.
func (m *meeting) cut() (open []*node) {
	for _, key := range slices.Sorted(maps.Keys(m.universes)) {
		p := &m.universes[key].pool
		if m.Keep > 0 {
			p.cut(m.Keep, m.noise)
		}
		for _, n := range p.nodes {
			if !n.expanded {
				open = append(open, n)
			}
		}
	}
	return open
}
