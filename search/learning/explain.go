package learning

// A need is a trail position and, where that is a bound, the value wanted of it.
type need struct {
	pos int32
	val int64
}

// want adds what made a literal known to the premises.
func (s *solver) want(lit int32) { s.premise(s.pos[lit>>1], 0) }

// wantBound adds the first entry by which bound v was at least x.
func (s *solver) wantBound(v int32, x int64, before int32) {
	e := s.entryOf(v, before)
	if e < 0 || x <= 0 {
		return
	}
	for prev := s.trail[e].prev; prev >= 0 && s.trail[prev].val >= x; prev = s.trail[e].prev {
		e = prev
	}
	s.premise(e, x)
}

// premise adds an entry. What holds from the start is no premise: the proof
// says it once.
func (s *solver) premise(pos int32, x int64) {
	if len(s.levels) > 0 && pos >= s.levels[0] {
		s.premises = append(s.premises, need{pos, x})
	} else {
		s.log.mention(pos)
	}
}

// entryOf is the latest entry of bound v before a position; -1 without one.
func (s *solver) entryOf(v, before int32) int32 {
	e := s.last[v]
	for e >= before {
		e = s.trail[e].prev
	}
	return e
}

// boundAt is what bound v was before a position.
func (s *solver) boundAt(v, before int32) int64 {
	if e := s.entryOf(v, before); e >= 0 {
		return s.trail[e].val
	}
	return 0
}

// explain adds the premises of an entry; of a bound, those of so much of it as
// is needed.
func (s *solver) explain(n need) {
	e := &s.trail[n.pos]
	if e.literal() {
		s.explainLiteral(e.what, e.why, n.pos)
	} else {
		s.explainBound(e.bound(), n.val, e.why, n.pos)
	}
}

// explainLiteral adds the premises of a literal that a rule gave at a position.
func (s *solver) explainLiteral(lit int32, why reason, pos int32) {
	i, j := s.p.sides(lit) // i below j
	switch why.kind {
	case byLemma:
		s.explainLemma(why.x, lit, pos)
	case byChain:
		s.note(pos, useChain, i, why.x, j)
		s.want(s.p.below(i, why.x))
		s.want(s.p.below(why.x, j))
	case byBalance:
		s.explainBalance(why.x, lit^1, pos)
	case byRoom: // head(j) + z(j) + z(i) + tail(i) > height
		s.note(pos, useRoom, j, i)
		h := s.boundAt(2*j, pos)
		s.wantBound(2*j, h, pos)
		s.wantBound(2*i+1, s.p.height+1-s.p.size[i]-s.p.size[j]-h, pos)
	case byEdge:
		if why.mirror {
			s.explainEdge(why, i, pos)
		} else {
			s.explainEdge(why, j, pos)
		}
	}
}

// explainEdge adds heads and tails of the set between a and b, and of the
// outsider, if any. What the sum has to spare is taken off one of the two.
func (s *solver) explainEdge(why reason, outsider, pos int32) {
	a, b := why.a, why.b
	spare := a + b - s.p.height - 1
	members := s.members[:0]
	for _, k := range s.p.cliques[why.x] {
		if k == outsider {
			spare += s.p.size[k]
		} else if s.boundAt(2*k, pos) >= a && s.boundAt(2*k+1, pos) >= b {
			spare += s.p.size[k]
			members = append(members, k)
		}
	}
	s.members = members
	if why.mirror {
		b -= spare
	} else {
		a -= spare
	}
	member := outsider
	if outsider < 0 {
		member = s.p.cliques[why.x][0]
	}
	s.log.note(pos, useEdge, int64(why.x), max(a, 0), s.p.height-max(b, 0), int64(member))
	for _, k := range members {
		s.wantBound(2*k, a, pos)
		s.wantBound(2*k+1, b, pos)
	}
	switch {
	case outsider < 0:
	case why.mirror:
		s.wantBound(2*outsider+1, b, pos)
	default:
		s.wantBound(2*outsider, a, pos)
	}
}

// explainBound adds the premises of bound v >= x, that a rule gave at a position.
func (s *solver) explainBound(v int32, x int64, why reason, pos int32) {
	j, side := v>>1, v&1
	if a := s.p.align[j]; a > 1 { // any more than the multiple below is enough
		x = roundUp(x, a, s.phase[v]) - a + 1
	}
	switch why.kind {
	case byLemma:
		s.explainLemma(why.x, atLeast(v, x).what, pos)
	case byOrder:
		if side == 0 {
			s.note(pos, useOrder, why.x, j)
		} else {
			s.note(pos, useOrder, j, why.x)
		}
		s.want(s.p.below(why.x, j) ^ side)
		s.wantBound(2*why.x+side, x-s.p.size[why.x], pos)
	case bySum:
		members := s.members[:0]
		for _, k := range s.p.cliques[why.x] {
			if k == j {
				continue
			}
			lit := s.p.below(k, j) ^ side
			if s.value[lit] == 1 && s.pos[lit>>1] < pos && s.boundAt(2*k+side, pos) >= why.a {
				members = append(members, k)
				x -= s.p.size[k]
			}
		}
		s.members = members
		if side == 0 {
			s.log.note(pos, useSumUp, int64(why.x), int64(j), max(x, 0))
		} else {
			s.log.note(pos, useSumDown, int64(why.x), int64(j), s.p.height-max(x, 0))
		}
		for _, k := range members {
			s.want(s.p.below(k, j) ^ side)
			s.wantBound(2*k+side, x, pos)
		}
	}
}

// explainLemma adds that all atoms of a clause are false, but for the one over what.
func (s *solver) explainLemma(k, what, pos int32) {
	s.note(pos, useLemma, s.store[k].lemma)
	s.useful(k)
	for _, a := range s.store[k].atoms {
		if a.what == what {
			continue
		}
		if n := s.not(a); n.literal() {
			s.want(n.what)
		} else {
			s.wantBound(n.bound(), n.val, pos)
		}
	}
}

// explainContradiction adds the premises of the contradiction.
func (s *solver) explainContradiction(end int32) {
	switch bad := s.bad; {
	case bad.literal():
		s.explainLiteral(bad.what, bad.why, end)
		s.want(bad.what ^ 1)
	case bad.atom != none: // no room between head and tail
		v := bad.bound()
		s.wantBound(v, s.bound[v], end)
		s.wantBound(v^1, s.p.height+1-s.p.size[v>>1]-s.bound[v], end)
	case bad.why.kind == byLemma:
		s.explainLemma(bad.why.x, none.what, end)
	case bad.why.kind == byBalance:
		s.explainBalance(bad.why.x, -1, end)
	case bad.why.kind == byEdge:
		s.explainEdge(bad.why, -1, end)
	case bad.why.kind == byCycle:
		i, j := s.p.sides(bad.why.x)
		s.want(bad.why.x)
		path := s.reaches(j, i)
		for k := range path[1:] {
			s.note(end, useChain, j, path[k+1], path[k])
			s.want(s.p.below(path[k+1], path[k]))
		}
	}
}
