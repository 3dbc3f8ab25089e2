package model

import (
	"cmp"
	"fmt"
	"slices"
)

// A Pair is two buffers that may share bytes while both are live. Unless they
// lie as the pair allows they are disjoint, as any two buffers in conflict are.
//
// There are two kinds:
//
//   - A lead: an operator writes Over while it reads Under for the last time,
//     and reads ahead of what it writes. They may lie in any way such that
//     offset(Under) - offset(Over) >= Distance, the lead in bytes. They are live
//     together at one step, the last of Under and the first of Over.
//   - Equal: the bytes of Over are those of Under from Distance on, or take their
//     place. They may lie such that offset(Over) = offset(Under) + Distance.
//
// Source of the first kind: Blacker et al., "Diagonal Memory Optimisation for
// Machine Learning on Micro-controllers", arXiv:2010.01668 (2020).
type Pair struct {
	Over, Under int   // indexes in Instance.Buffers
	Distance    int64 // bytes, >= 0
	Equal       bool
}

// Allows reports whether the pair lets Over and Under lie at these offsets
// though they share bytes.
func (p Pair) Allows(over, under int64) bool {
	if p.Equal {
		return over-under == p.Distance
	}
	return under-over >= p.Distance
}

// Apart is the same instance with pairs that share nothing: what planners see
// that make no use of pairs. Every plan of it is one of in.
func (in *Instance) Apart() *Instance {
	if len(in.Pairs) == 0 {
		return in
	}
	apart := *in
	apart.Pairs = nil
	return &apart
}

// PairsInOrder lists the pairs in the order of Over, then as they come: that in
// which certificates count them.
func (in *Instance) PairsInOrder() []Pair {
	pairs := slices.Clone(in.Pairs)
	slices.SortStableFunc(pairs, func(p, q Pair) int { return cmp.Compare(p.Over, q.Over) })
	return pairs
}

// pairs checks each pair by itself.
func (v *validation) pairs() {
	named := make(map[Pair]bool)
	for _, p := range v.in.Pairs {
		n := len(v.in.Buffers)
		if p.Over < 0 || p.Over >= n || p.Under < 0 || p.Under >= n {
			v.errs = append(v.errs, fmt.Errorf("a pair of buffers number %d and %d, of %d", p.Over+1, p.Under+1, n))
			continue
		}
		if p.Over == p.Under {
			v.fault(p.Over, "over itself")
			continue
		}
		key := p
		if !p.Equal {
			key.Distance = 0 // one lead is enough
		}
		over, under := &v.in.Buffers[p.Over], &v.in.Buffers[p.Under]
		switch {
		case named[key]:
			v.fault(p.Over, "over %q twice", under.ID)
		case p.Distance < 0:
			v.fault(p.Over, "over %q at the negative distance %d", under.ID, p.Distance)
		case !p.Equal:
			v.handover(p, over, under)
		}
		named[key] = true
	}
}

// handover checks that the two of a lead are live together where the one ends
// and the other begins, if at all.
func (v *validation) handover(p Pair, over, under *Buffer) {
	both, any := over.FirstShared(under)
	if any && (both.Start != over.Life.Start || both.End != under.Life.End || both.End-both.Start != 1) {
		v.fault(p.Over, "over %q, but the two are live together at steps %v, which is not one step, the last of %q and the first of %q",
			under.ID, both, under.ID, over.ID)
	}
}

// links are the pairs by buffer: how two buffers of one instance may share.
type links map[int32][]link

// A link is what a pair says to one of its two.
type link struct {
	other int32
	lead  int64 // of a lead whose Over this is; -1: nothing of the kind
}

func (in *Instance) links() links {
	of := make(links)
	for _, p := range in.Pairs {
		lead := int64(-1)
		if !p.Equal {
			lead = min(p.Distance, in.Buffers[p.Over].Size)
		}
		of[int32(p.Over)] = append(of[int32(p.Over)], link{int32(p.Under), lead})
		of[int32(p.Under)] = append(of[int32(p.Under)], link{int32(p.Over), -1})
	}
	return of
}

// saved is by how much the bytes of some live buffers are more than the weight
// of what they must take: buffers that pairs link count as little as pairs may
// make of them. set holds those that any pair names. See weight.
func (in *Instance) saved(of links, set []int32) (bytes int64) {
	live := make(map[int32]bool, len(set))
	for _, i := range set {
		live[i] = true
	}
	for _, i := range set {
		if !live[i] {
			continue
		}
		live[i] = false
		component, sum := []int32{i}, int64(0)
		for k := 0; k < len(component); k++ {
			sum += in.Buffers[component[k]].Size
			for _, l := range of[component[k]] {
				if live[l.other] {
					live[l.other] = false
					component = append(component, l.other)
				}
			}
		}
		if len(component) > 1 {
			bytes += sum - in.weight(of, component)
		}
	}
	return bytes
}

// weight is how many bytes buffers that are live together, linked by pairs, take
// at least, whichever of the pairs share. It is the greatest of
//
//   - the bytes of some of them of which no two are paired: from each one on,
//     the others are taken by falling size where they are paired with none
//     taken before;
//   - for each y that leads go out from: what the inputs x of y take at least
//     together with y, if no two of them are paired. Of those with a lead of
//     l or more none begins before l bytes of y, so l and their bytes. To that
//     the others are added in the same way.
func (in *Instance) weight(of links, component []int32) (most int64) {
	slices.SortFunc(component, func(a, b int32) int {
		return cmp.Or(cmp.Compare(in.Buffers[b].Size, in.Buffers[a].Size), cmp.Compare(a, b))
	})
	paired := func(i, j int32) bool {
		return slices.ContainsFunc(of[i], func(l link) bool { return l.other == j })
	}
	var taken []int32
	for _, first := range component {
		taken = append(taken[:0], first)
		sum := in.Buffers[first].Size
		for _, i := range component {
			if i != first && !slices.ContainsFunc(taken, func(j int32) bool { return paired(i, j) }) {
				taken = append(taken, i)
				sum += in.Buffers[i].Size
			}
		}
		most = max(most, sum, in.released(of, first, component, paired))
	}
	return most
}

// released is what y and its inputs among a component, and others that are paired
// with none of those, take at least; 0 where two inputs are paired, or y and an input by an equal pair too.
func (in *Instance) released(of links, y int32, component []int32, paired func(i, j int32) bool) (end int64) {
	var inputs []link
	for _, l := range of[y] {
		if l.lead < 0 || !slices.Contains(component, l.other) {
			continue
		}
		twice := slices.ContainsFunc(of[y], func(o link) bool { return o.other == l.other && o.lead < 0 })
		if twice || slices.ContainsFunc(inputs, func(o link) bool { return paired(o.other, l.other) }) {
			return 0
		}
		inputs = append(inputs, l)
	}
	slices.SortFunc(inputs, func(a, b link) int { return cmp.Compare(a.lead, b.lead) })
	taken := []int32{y}
	for _, l := range inputs {
		end = max(end, l.lead) + in.Buffers[l.other].Size
		taken = append(taken, l.other)
	}
	for _, i := range component {
		if !slices.ContainsFunc(taken, func(j int32) bool { return i == j || paired(i, j) }) {
			taken = append(taken, i)
			end += in.Buffers[i].Size
		}
	}
	return end
}

// Relaxed is an instance without pairs that has a plan of every height that in
// has one of, so that every bound of it is one of in: where the two of a pair
// are live together the smaller is taken as dead, or Over if they are equal.
// Pairs count in the order of Over, then as they come. A buffer of which nothing
// is left has no bytes. Buffers keep their indexes.
func (in *Instance) Relaxed() *Instance {
	if len(in.Pairs) == 0 {
		return in
	}
	out := in.Apart()
	out.Buffers = slices.Clone(in.Buffers)
	for _, p := range in.PairsInOrder() {
		less, more := &out.Buffers[p.Over], &out.Buffers[p.Under]
		if less.Size > more.Size {
			less, more = more, less
		}
		if less.Size > 0 {
			less.without(more)
		}
	}
	return out
}

// without takes the steps at which another is live out of b's.
func (b *Buffer) without(other *Buffer) {
	var left []Interval
	for part := range b.Live() {
		for o := range other.Live() {
			if before := (Interval{part.Start, min(part.End, o.Start)}); !before.Empty() {
				left = append(left, before)
			}
			part.Start = max(part.Start, min(o.End, part.End))
		}
		if !part.Empty() {
			left = append(left, part)
		}
	}
	if len(left) == 0 {
		b.Size = 0
		return
	}
	b.SetLive(left)
}
