package learning

import "slices"

// analysis is what learning from a contradiction needs.
type analysis struct {
	premises []need  // of what was explained last
	members  []int32 // scratch

	marked []bool  // per trail position: part of the analysis
	wanted []int64 // what is wanted of a marked bound
	top    int32   // the highest marked position
	base   int32   // where the level of the contradiction begins
	open   int     // marked positions in that level
	weak   []need  // known not to follow from the other atoms of the lemma
}

// A falsified atom is one of a lemma in the making, and the position that made
// it false.
type falsified struct {
	atom
	pos int32
}

// learn turns a contradiction into a lemma, takes back what contradicts it and
// draws its conclusion; false when nothing is left to take back.
func (s *solver) learn() bool {
	end := int32(len(s.trail))
	if grow := int(end) - len(s.marked); grow > 0 {
		s.marked = append(s.marked, make([]bool, grow)...)
		s.wanted = append(s.wanted, make([]int64, grow)...)
	}
	s.top, s.log.steps, s.premises = -1, s.log.steps[:0], s.premises[:0]
	s.explainContradiction(end)
	s.base, s.open = end, 0
	for _, n := range s.premises {
		s.top = max(s.top, n.pos)
	}
	if s.top < 0 {
		return false
	}
	s.base = s.levels[s.levelOf(s.top)-1]
	s.markPremises()
	lemma := s.minimise(s.resolve())
	s.decay()
	s.weight /= tuned.lemmaDecay
	s.conclude(lemma)
	return true
}

// markPremises marks what was explained last.
func (s *solver) markPremises() {
	for _, n := range s.premises {
		if s.marked[n.pos] {
			s.wanted[n.pos] = max(s.wanted[n.pos], n.val)
			continue
		}
		s.marked[n.pos], s.wanted[n.pos] = true, n.val
		if n.pos >= s.base {
			s.open++
		}
	}
	s.premises = s.premises[:0]
}

// resolve goes back along the trail, replacing marked entries of the last level
// by their premises, until a literal is all that is left of it: the first
// unique implication point. The lemma is that not all that is marked then
// holds; its first atom is that literal's.
func (s *solver) resolve() []falsified {
	lemma := []falsified{{}}
	found := false
	for p := s.top; p >= s.levels[0]; p-- {
		if !s.marked[p] {
			continue
		}
		s.marked[p] = false
		e := &s.trail[p]
		if e.literal() {
			s.bump(e.what >> 1)
		}
		switch a := (atom{e.what, s.wanted[p]}); {
		case p < s.base:
			if n := s.not(a); e.literal() || !slices.ContainsFunc(lemma, func(o falsified) bool { return o.what == n.what }) {
				lemma = append(lemma, falsified{n, p}) // of one bound, the highest value says all
			}
		case e.literal() && s.open == 1 && !found:
			found = true
			lemma[0] = falsified{s.not(a), p}
		default:
			s.explain(need{p, a.val})
			s.markPremises()
		}
		if p >= s.base {
			s.open--
		}
	}
	return lemma
}

// minimise leaves out atoms that follow from others further down the trail.
func (s *solver) minimise(lemma []falsified) []falsified {
	for _, p := range lemma[1:] {
		s.marked[p.pos], s.wanted[p.pos] = true, 0
		if !p.literal() {
			s.wanted[p.pos] = s.not(p.atom).val
		}
	}
	s.weak = s.weak[:0]
	short := lemma[:1:1]
	for _, p := range lemma[1:] {
		steps := len(s.log.steps)
		s.marked[p.pos] = false
		if !s.follows(need{p.pos, s.wanted[p.pos]}, tuned.depth) {
			s.log.steps = s.log.steps[:steps]
			short = append(short, p)
		}
		s.marked[p.pos] = true
	}
	for _, p := range lemma[1:] {
		s.marked[p.pos] = false
	}
	return short
}

// follows reports whether an entry follows from marked ones before it, in at
// most so many steps.
func (s *solver) follows(n need, depth int) bool {
	if s.marked[n.pos] && s.wanted[n.pos] >= n.val {
		return true
	}
	if s.trail[n.pos].why.kind == decision || depth == 0 || slices.Contains(s.weak, n) {
		return false
	}
	from := len(s.premises)
	s.explain(n)
	for k := from; k < len(s.premises); k++ {
		if !s.follows(s.premises[k], depth-1) {
			s.premises = s.premises[:from]
			s.weak = append(s.weak, n)
			return false
		}
	}
	s.premises = s.premises[:from]
	return true
}

// conclude logs a lemma, goes back to where all but its first atom are false,
// and asserts that one.
func (s *solver) conclude(lemma []falsified) {
	back, joined := 0, map[int]bool{}
	for k, p := range lemma {
		level := s.levelOf(p.pos)
		joined[level] = true
		if k > 0 && level > back {
			back = level
			lemma[1], lemma[k] = lemma[k], lemma[1]
		}
	}
	atoms := make([]atom, len(lemma))
	for k, p := range lemma {
		atoms[k] = p.atom
	}
	c := clause{atoms, int32(len(joined)), s.log.add(atoms), s.weight}
	s.backtrack(back)
	if back == 0 {
		s.log.begin(len(s.trail))
	}
	k := s.add(c)
	s.assert(atoms[0], reason{kind: byLemma, x: k})
}
