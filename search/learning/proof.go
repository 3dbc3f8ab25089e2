package learning

import (
	"slices"

	"memplan/model"
)

// A proof is the lemmas in the order they were learnt, and which of them the
// refutation needs.
type proof struct {
	lemmas []lemma
	needed []bool
}

// A lemma is its atoms, and the lemmas that it was derived with.
type lemma struct {
	atoms []atom
	from  []int32
}

// add logs a lemma and returns its number.
func (l *proof) add(atoms []atom, from []int32) int32 {
	l.lemmas = append(l.lemmas, lemma{slices.Clone(atoms), slices.Clone(from)})
	return int32(len(l.lemmas) - 1)
}

// close marks what the refutation needs: the lemmas of the last contradiction,
// those behind what holds from the start, and those that they were derived with.
func (l *proof) close(s *solver) {
	l.needed = make([]bool, len(l.lemmas))
	for _, k := range s.used {
		l.needed[k] = true
	}
	for k := range s.trail {
		if why := &s.trail[k].why; why.kind == byLemma && s.levelOf(int32(k)) == 0 {
			l.needed[s.store[why.x].lemma] = true
		}
	}
	for k := len(l.lemmas) - 1; k >= 0; k-- {
		if l.needed[k] {
			for _, f := range l.lemmas[k].from {
				l.needed[f] = true
			}
		}
	}
}

// refutation is the proof in the terms of verify.
func (s *solver) refutation(window model.Interval, height int64) *model.Refutation {
	r := &model.Refutation{Window: window, Height: height, Buffers: s.p.buffer}
	if s.p.flip >= 0 {
		flip := s.claim(atom{what: s.p.flip})
		r.Flip = &flip
	}
	for k, l := range s.log.lemmas {
		if !s.log.needed[k] {
			continue
		}
		claims := make([]model.Claim, len(l.atoms))
		for x, a := range l.atoms {
			claims[x] = s.claim(a)
		}
		r.Lemmas = append(r.Lemmas, claims)
	}
	return r
}

// claim is what an atom says.
func (s *solver) claim(a atom) model.Claim {
	if a.what >= 0 {
		i, j := s.p.sides(a.what)
		return model.Claim{Relation: model.Below, Buffer: int(i), Other: int(j)}
	}
	v := -1 - a.what
	if v&1 == 0 {
		return model.Claim{Relation: model.AtLeast, Buffer: int(v >> 1), Offset: a.val}
	}
	return model.Claim{Relation: model.AtMost, Buffer: int(v >> 1), Offset: s.p.height - s.p.size[v>>1] - a.val}
}
