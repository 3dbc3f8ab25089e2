package reduce

import (
	"slices"

	"memplan/model"
)

// compress gives the part one step for each maximal clique, in order of time.
//
// Whether a plan is valid depends on the instance only through its sizes,
// alignments, pins, ties, and on which buffers conflict. Every set of buffers
// that are live together is part of the set at some step that deaths follow
// and births precede; those steps alone keep all conflicts, and make none. So
// it is valid under every feature. With gaps such a set may be contained in
// another: it is dropped where the two are neighbours. Steps at which only
// pinned buffers are live are left out, and pinned buffers that live at no
// other step: validation has compared those with each other.
func compress(p Part) Part {
	cliques := cliques(p.Instance)
	if len(cliques) == 0 || p.Steps != nil && len(cliques) == len(p.Steps) {
		return p
	}
	spans := make([][]model.Interval, len(p.Index))
	steps := make([]model.Interval, len(cliques))
	for t, c := range cliques {
		for _, i := range c.Members {
			spans[i] = model.Extend(spans[i], int64(t))
		}
		if steps[t] = c.Steps; p.Steps != nil {
			steps[t] = p.Steps[c.Steps.Start]
		}
	}
	in := &model.Instance{Name: p.Instance.Name, Buffers: slices.Clone(p.Instance.Buffers)}
	var keep []int
	for i := range in.Buffers {
		b := &in.Buffers[i]
		if b.Offset != nil && spans[i] == nil {
			continue
		}
		keep = append(keep, i)
		if spans[i] == nil {
			spans[i] = model.Extend(nil, 0)
		}
		b.SetLive(spans[i])
	}
	p.Instance, p.Steps = in, steps
	return compress(p.only(keep))
}

// cliques lists the cliques of an instance. Sets of pinned buffers alone are
// left out.
func cliques(in *model.Instance) (list []model.Clique) {
	for c := range in.Cliques() {
		if slices.ContainsFunc(c.Members, func(i int32) bool { return in.Buffers[i].Offset == nil }) {
			list = append(list, c)
		}
	}
	return list
}

// Cliques lists the members of an instance's cliques. Sets of pinned buffers
// alone are left out.
func Cliques(in *model.Instance) (sets [][]int32) {
	for _, c := range cliques(in) {
		sets = append(sets, c.Members)
	}
	return sets
}

// scale divides sizes, alignments, pins and distances of ties by a unit.
//
// Push all bodies down as far as the order of a plan allows: offsets are then
// made from 0 and pins by adding sizes, adding and subtracting distances, and
// rounding up to alignments. When all of those are multiples of g except
// alignments that divide g, every such offset is a multiple of g (rounding up
// to an alignment that divides g changes nothing), and the peak is no higher.
// So some optimal plan lies on multiples of g, and the bytes between them are
// not needed. The unit is the greatest such g.
func scale(p Part) Part {
	g := unit(p.Instance)
	if g <= 1 {
		return p
	}
	in := &model.Instance{Name: p.Instance.Name, Buffers: slices.Clone(p.Instance.Buffers)}
	for i := range in.Buffers {
		b := &in.Buffers[i]
		b.Size /= g
		b.Align = max(1, b.Alignment()/g)
		if b.Offset != nil {
			off := *b.Offset / g
			b.Offset = &off
		}
		if b.Tie != nil {
			b.Tie = &model.Tie{To: b.Tie.To, Delta: b.Tie.Delta / g}
		}
	}
	p.Instance = in
	p.Unit *= g // a divisor of a size in bytes
	return p
}

// unit is the greatest g that divides all sizes, pins and distances, and is a
// multiple or a divisor of every alignment.
func unit(in *model.Instance) int64 {
	var g int64
	for i := range in.Buffers {
		b := &in.Buffers[i]
		g = model.GCD(g, b.Size)
		if b.Offset != nil {
			g = model.GCD(g, *b.Offset)
		}
		if b.Tie != nil {
			g = model.GCD(g, b.Tie.Delta)
		}
	}
	for changed := true; changed; {
		changed = false
		for i := range in.Buffers {
			if a := in.Buffers[i].Alignment(); g%a != 0 && a%g != 0 {
				g, changed = model.GCD(g, a), true
			}
		}
	}
	return g
}

// cut splits the part into the connected components of its conflicts, where
// bodies hold together and pinned buffers do not.
//
// Unpinned buffers of different components never conflict, nor does a tie hold
// between them, so their plans do not matter to each other, and the peak is
// the maximum of theirs. A pinned buffer is where it is in each of them: every
// component gets those that it conflicts with. Without gaps and ties this is
// the cut at steps that no unpinned buffer crosses. Valid under every feature.
func cut(p Part) []Part {
	in := p.Instance
	root := model.Identity(len(in.Buffers))
	find := func(i int) int {
		for root[i] != i {
			root[i] = root[root[i]]
			i = root[i]
		}
		return i
	}
	join := func(i, j int) { // the least index is the root
		a, b := find(i), find(j)
		root[max(a, b)] = min(a, b)
	}
	for i := range in.Buffers {
		if t := in.Buffers[i].Tie; t != nil {
			join(i, t.To)
		}
	}
	sets := Cliques(in)
	free := func(i int32) bool { return in.Buffers[i].Offset == nil }
	for _, set := range sets {
		first := set[slices.IndexFunc(set, free)]
		for _, i := range set {
			if free(i) {
				join(int(first), int(i))
			}
		}
	}
	members := make([][]int, len(in.Buffers))
	for i := range in.Buffers {
		if free(int32(i)) {
			members[find(i)] = append(members[find(i)], i)
		}
	}
	for _, set := range sets {
		home := find(int(set[slices.IndexFunc(set, free)]))
		for _, i := range set {
			if !free(i) {
				members[home] = append(members[home], int(i))
			}
		}
	}
	var parts []Part
	for _, m := range members {
		if len(m) > 0 {
			slices.Sort(m)
			parts = append(parts, p.only(slices.Compact(m)))
		}
	}
	return parts
}

// universal takes out the buffers that are live whenever anything is.
//
// Such a buffer conflicts with all others, so each lies wholly above or wholly
// below it. Put it at the bottom and move what was below it up by its size:
// the same peak, and the rest is a plan of the part without it, one size up.
// Moving by its size keeps the others aligned when their alignments divide it:
// else it declines. It declines with pins, which do not move, and with ties,
// whose bodies could lie on both sides of it.
func (r *Reduction) universal(p Part) Part {
	in := p.Instance
	if slices.ContainsFunc(in.Buffers, func(b model.Buffer) bool { return b.Offset != nil || b.Tie != nil }) {
		return p
	}
	seen := make([]int, len(in.Buffers))
	sets := Cliques(in)
	for _, set := range sets {
		for _, i := range set {
			seen[i]++
		}
	}
	aligns := make(map[int64]int) // how many of the buffers left have it
	for i := range in.Buffers {
		aligns[in.Buffers[i].Alignment()]++
	}
	var keep []int
	for i := range in.Buffers {
		b := &in.Buffers[i]
		aligns[b.Alignment()]--
		if seen[i] < len(sets) || !divided(b.Size, aligns) {
			aligns[b.Alignment()]++
			keep = append(keep, i)
			continue
		}
		r.fixed[p.Index[i]] = p.Base
		p.Base += p.Unit * b.Size // at most the load
	}
	return p.only(keep)
}

// divided reports whether all alignments that occur divide size.
func divided(size int64, aligns map[int64]int) bool {
	for a, n := range aligns {
		if n > 0 && size%a != 0 {
			return false
		}
	}
	return true
}
