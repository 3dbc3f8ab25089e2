package model

import (
	"cmp"
	"errors"
	"fmt"
	"math/bits"
	"slices"
)

// A When says more of when a buffer is live than a lifetime can, in programs of
// which not all that runs is in one order.
type When struct {
	// Vector clocks: what is known, at its birth and after its death, of how far
	// each of several streams is, in steps. A buffer that ends at a clock of which
	// no component is above another's start is dead before that one is born. Both
	// nil: steps of one schedule, Buffer.Life and Gaps, count.
	//
	// Source: Mattern, "Virtual Time and Global States of Distributed Systems" (1989).
	Start, End []int64

	// Arms it is in, each of another group. Of a group one arm alone runs, as of a
	// conditional: buffers in two arms of one group are never live together.
	Arms []Arm
}

// An Arm is one of several that exclude each other.
type Arm struct{ Group, Name string }

const (
	maxTogether = 1 << 13 // buffers that Coexist takes
	maxMeetings = 1 << 16 // steps that it gives them
	maxChained  = 1 << 13 // steps that it puts in order by what they have in common
)

// Coexist gives the buffers of an instance, some of which are live as when has
// it, lifetimes and gaps that say the same: two buffers with bytes are live at a
// common step just where they are live together. Any relation has such lives: each
// step is a set of buffers of which every two are live together, and each two are
// in one of them. verify/PROOFS.md says which sets, and in which order.
//
// Faults are those of lifetimes and gaps, clocks that do not compare, and pairs
// with a lead, which need a schedule. Cost: O(n^2) for n buffers, times the
// components of clocks, and the steps times the buffers live at each, or the other
// steps, over 64. There may be 8192 buffers and 65536 steps.
func (in *Instance) Coexist(when map[int]When) error {
	v := validation{in: in}
	v.when(when)
	if len(v.errs) > 0 {
		return errors.Join(v.errs...)
	}
	c := coexistence{in: in, when: when}
	list, err := c.meetings()
	if err != nil {
		return err
	}
	c.live(inChain(list))
	return nil
}

// when checks what Coexist takes.
func (v *validation) when(when map[int]When) {
	if len(v.in.Buffers) > maxTogether {
		v.errs = append(v.errs, fmt.Errorf("%d buffers, some with clocks or in arms: more than %d", len(v.in.Buffers), maxTogether))
		return
	}
	components := len(when[0].Start)
	for i := range v.in.Buffers {
		w := when[i]
		switch {
		case len(w.Start) != components || len(w.End) != components:
			v.fault(i, "clocks of %d and %d components, where the first buffer's have %d", max(len(w.Start), 1), max(len(w.End), 1), max(components, 1))
		case components == 0:
			v.shape(i, &v.in.Buffers[i])
			v.gaps(i, &v.in.Buffers[i])
		case !before(w.Start, w.End):
			v.fault(i, "it ends before it begins, in some component of its clocks")
		case before(w.End, w.Start):
			v.fault(i, "its lifetime is empty: it ends at the clock that it begins at")
		case len(v.in.Buffers[i].Gaps) > 0:
			v.fault(i, "gaps are steps of one schedule; there is none where there are clocks")
		}
	}
	for _, p := range v.in.Pairs {
		if !p.Equal {
			v.fault(p.Over, "over %q with a lead: that takes steps of one schedule, without clocks and arms", v.in.Buffers[p.Under].ID)
		}
	}
}

// before reports whether no component of a clock is above the other's.
func before(end, start []int64) bool {
	for k := range end {
		if end[k] > start[k] {
			return false
		}
	}
	return true
}

// A coexistence finds sets of buffers that are live together. Buffers with bytes
// are known by their rank: by falling size, then by index.
type coexistence struct {
	in   *Instance
	when map[int]When
	rank []int // the buffer of each
}

// together reports whether two buffers are ever live at the same time.
func (c *coexistence) together(i, j int) bool {
	a, b := c.when[i], c.when[j]
	for _, x := range a.Arms {
		if slices.ContainsFunc(b.Arms, func(y Arm) bool { return x.Group == y.Group && x.Name != y.Name }) {
			return false
		}
	}
	if a.Start != nil {
		return !before(a.End, b.Start) && !before(b.End, a.Start)
	}
	return c.in.Buffers[i].Conflicts(&c.in.Buffers[j])
}

// A meeting is a set of ranks, live together, and who of it dies first.
type meeting struct {
	ranks ranks
	first int // its place in the order of deaths
}

// meetings covers all pairs that are live together by sets of such. From each
// pair on that no set has as yet, by rank, a set takes in whoever is live together
// with all of it, by rank.
func (c *coexistence) meetings() (list []meeting, err error) {
	near := c.near()
	met, deaths := make([]ranks, len(near)), c.deaths()
	for r := range near {
		met[r] = newRanks(len(near))
	}
	for r := range near {
		s := near[r].next(r+1, met[r])
		if near[r].next(0, nil) < 0 {
			s = r // meets nobody: a set of its own
		}
		for ; s >= 0; s = near[r].next(r+1, met[r]) {
			m := meeting{near.grown(r, s), len(c.in.Buffers)}
			for k := m.ranks.next(0, nil); k >= 0; k = m.ranks.next(k+1, nil) {
				met[k].or(m.ranks)
				m.first = min(m.first, deaths[k])
			}
			if list = append(list, m); len(list) > maxMeetings {
				return nil, fmt.Errorf("what is live together takes more than %d steps to say", maxMeetings)
			}
		}
	}
	return list, nil
}

// near is, of each rank, who is live together with it.
func (c *coexistence) near() nearness {
	for i := range c.in.Buffers {
		if c.in.Buffers[i].Size > 0 {
			c.rank = append(c.rank, i)
		}
	}
	slices.SortStableFunc(c.rank, func(i, j int) int { return cmp.Compare(c.in.Buffers[j].Size, c.in.Buffers[i].Size) })
	near := make(nearness, len(c.rank))
	for r, i := range c.rank {
		near[r] = newRanks(len(near))
		for s, j := range c.rank[:r] {
			if c.together(i, j) {
				near[r].add(s)
				near[s].add(r)
			}
		}
	}
	return near
}

// deaths is the place of each rank in the order of deaths, by clocks component by
// component, then by index.
func (c *coexistence) deaths() []int {
	order := Identity(len(c.rank))
	slices.SortFunc(order, func(r, s int) int {
		i, j := c.rank[r], c.rank[s]
		return cmp.Or(slices.Compare(c.when[i].End, c.when[j].End),
			cmp.Compare(c.in.Buffers[i].Life.End, c.in.Buffers[j].Life.End), cmp.Compare(i, j))
	})
	place := make([]int, len(order))
	for k, r := range order {
		place[r] = k
	}
	return place
}

// inChain orders meetings so that lives have few gaps: first the one with the
// first death, and after each the one that has most in common with it; of equal
// ones that with the earlier death, then the one made first.
func inChain(list []meeting) []meeting {
	slices.SortStableFunc(list, func(a, b meeting) int { return cmp.Compare(a.first, b.first) })
	for k := 1; k < len(list) && len(list) <= maxChained; k++ {
		best, most := k, -1
		for l := k; l < len(list); l++ {
			if common := list[k-1].ranks.common(list[l].ranks); common > most {
				best, most = l, common
			}
		}
		next := list[best]
		copy(list[k+1:best+1], list[k:best])
		list[k] = next
	}
	return list
}

// live has each buffer live at the steps of its sets; one without bytes at step 0.
func (c *coexistence) live(list []meeting) {
	runs := make([][]Interval, len(c.in.Buffers))
	for t, m := range list {
		for k := m.ranks.next(0, nil); k >= 0; k = m.ranks.next(k+1, nil) {
			runs[c.rank[k]] = Extend(runs[c.rank[k]], int64(t))
		}
	}
	for i := range runs {
		if runs[i] == nil {
			runs[i] = Extend(nil, 0)
		}
		c.in.Buffers[i].SetLive(runs[i])
	}
}

// A nearness is, of each rank, the others that it is live together with.
type nearness []ranks

// grown is the set of r, s, and by rank whoever is near all of it.
func (near nearness) grown(r, s int) ranks {
	set, left := newRanks(len(near)), slices.Clone(near[r])
	set.add(r)
	for ; s >= 0; s = left.next(0, nil) {
		set.add(s)
		left.and(near[s])
	}
	return set
}

// A ranks is a set of ranks.
type ranks []uint64

func newRanks(n int) ranks { return make(ranks, (n+63)/64) }
func (s ranks) add(r int)  { s[r/64] |= 1 << (r % 64) }
func (s ranks) drop(r int) { s[r/64] &^= 1 << (r % 64) }
func (s ranks) subtract(t ranks) {
	for k := range s {
		s[k] &^= t[k]
	}
}
func (s ranks) or(t ranks) {
	for k := range s {
		s[k] |= t[k]
	}
}
func (s ranks) and(t ranks) {
	for k := range s {
		s[k] &= t[k]
	}
}

// next is the least member from r on that is not in other; -1 without one.
func (s ranks) next(r int, other ranks) int {
	for k := r / 64; k < len(s); k++ {
		word := s[k]
		if other != nil {
			word &^= other[k]
		}
		if k == r/64 {
			word &= ^uint64(0) << (r % 64)
		}
		if word != 0 {
			return 64*k + bits.TrailingZeros64(word)
		}
	}
	return -1
}

// common is the number of members of both.
func (s ranks) common(t ranks) (n int) {
	for k := range s {
		n += bits.OnesCount64(s[k] & t[k])
	}
	return n
}
