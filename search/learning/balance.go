package learning

import (
	"cmp"
	"slices"

	"memplan/model"
)

// A balance limits what lies below a buffer j in one clique and above it in
// another.
//
// Let s(C) be what clique C leaves of the height, and U(C) the bytes of C below
// j. Then U(C) <= offset(j) <= U(C) + s(C) for every clique with j in it, so that
// U(C) - U(C') <= s(C') for any two. What both have cancels: with D = C - C' and
// B = C' - C,
//
//	z(D below j) + z(B above j) <= s(C') + z(B).
//
// Where little of the height is free, what is below j and dies has to be
// replaced by as much below j, whatever else is known. On long-lived chains this
// takes the contradictions from thousands to a few.
type balance struct {
	j, from, to int32 // the buffer, and the cliques

	max  int64
	lits []int32 // by size, largest first
	size []int64
}

// A share is a literal's part in a balance.
type share struct {
	balance int32
	size    int64
}

// balances lists those that can ever matter, between cliques of each buffer that
// are near each other, both ways.
func (p *problem) balances() {
	p.shares = make([][]share, 2*len(p.ends))
	spare := make([]int64, len(p.cliques))
	for c, list := range p.cliques {
		spare[c] = p.height
		for _, i := range list {
			spare[c] -= p.size[i]
		}
	}
	for j := range int32(len(p.size)) {
		for k, c := range p.in[j] {
			for _, before := range p.in[j][max(0, k-tuned.apart):k] {
				p.balance(j, before, c, spare[c])
				p.balance(j, c, before, spare[before])
			}
		}
	}
}

// balance adds the limit for j in cliques from and to, of which to leaves spare.
func (p *problem) balance(j, from, to int32, spare int64) {
	x := balance{j: j, from: from, to: to, max: spare}
	var others []int32
	total := int64(0)
	for _, k := range p.cliques[from] {
		if !slices.Contains(p.cliques[to], k) {
			others = append(others, k)
			total += p.size[k]
		}
	}
	dying := len(others)
	for _, k := range p.cliques[to] {
		if !slices.Contains(p.cliques[from], k) {
			others = append(others, k)
			total += p.size[k]
			x.max += p.size[k]
		}
	}
	if total <= x.max {
		return
	}
	x.lits, x.size = make([]int32, len(others)), make([]int64, len(others))
	order := model.Identity(len(others))
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p.size[others[b]], p.size[others[a]]) })
	for at, n := range order {
		k := others[n]
		lit := p.below(k, j)
		if n >= dying {
			lit ^= 1
		}
		x.lits[at], x.size[at] = lit, p.size[k]
		p.shares[lit] = append(p.shares[lit], share{int32(len(p.limits)), p.size[k]})
	}
	p.limits, p.largest = append(p.limits, x), append(p.largest, x.size[0])
}

// weigh takes a literal that became known into account.
func (s *solver) weigh(lit int32) bool {
	shares := s.p.shares[lit]
	for _, h := range shares {
		s.spare[h.balance] -= h.size
	}
	s.work += int64(len(shares)) / 2
	for _, h := range shares {
		if s.spare[h.balance] < s.p.largest[h.balance] && !s.limit(h.balance) {
			return false
		}
	}
	return true
}

// unweigh takes it back.
func (s *solver) unweigh(lit int32) {
	for _, h := range s.p.shares[lit] {
		s.spare[h.balance] += h.size
	}
}

// limit denies what a balance has no room for.
func (s *solver) limit(k int32) bool {
	x, why := &s.p.limits[k], reason{kind: byBalance, x: k}
	room := s.spare[k]
	if room < 0 {
		s.bad = contradiction{none, why}
		return false
	}
	for n, z := range x.size {
		if z <= room {
			break
		}
		if lit := x.lits[n]; s.value[lit] == 0 && !s.set(lit^1, why) {
			return false
		}
	}
	return true
}

// explainBalance adds known literals of a balance, the largest first, until they
// leave no room for the one denied, or for nothing (-1).
func (s *solver) explainBalance(k, denied, pos int32) {
	x := &s.p.limits[k]
	over, other := -x.max, x.j
	if n := slices.Index(x.lits, denied); n >= 0 {
		over += x.size[n]
		i, j := s.p.sides(denied)
		other = i + j - x.j
	}
	s.note(pos, useBalance, x.from, x.to, x.j, other)
	for n, lit := range x.lits {
		if over <= 0 && lit != denied && s.value[lit] == 1 && s.pos[lit>>1] < pos {
			s.want(lit)
			over += x.size[n]
		}
	}
}
