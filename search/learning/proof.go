package learning

import (
	"cmp"
	"encoding/binary"
	"iter"
	"slices"

	"memplan/model"
)

// A proof is the lemmas in the order they were learnt, and which of them the
// refutation needs. Each keeps the steps by which it was derived: they become
// its hints.
type proof struct {
	lemmas []lemma
	steps  []step // of the contradiction that is looked at
	ground []bool // per trail position: known from the start, and needed
	begun  []fact // where, after so many lemmas, more became known from the start

	needed []bool // lemmas
	facts  []fact // what is known from the start, and needed
	last   []byte // the steps of the contradiction at the end
}

// A lemma is its atoms, and the steps that refute their opposites.
type lemma struct {
	atoms []atom
	steps []byte
}

// A fact is what is known from the start, once so many lemmas are proven.
type fact struct {
	pos, lemmas int
	steps       []byte
}

// A step is one application of a rule, behind an entry of the trail.
type step struct {
	pos  int32
	rule rule
	args [4]int64
}

// A rule of verify/PROOFS.md.
type rule uint8

const (
	useLemma rule = iota
	useOrder
	useChain
	useRoom
	useSumUp
	useSumDown
	useEdge
	useBalance
)

// spelled are their names in the proof, and how many numbers each has.
var spelled = [...]struct {
	name string
	args int
}{useLemma: {"lemma", 1}, useOrder: {"order", 2}, useChain: {"chain", 3}, useRoom: {"room", 2},
	useSumUp: {"sum_up", 3}, useSumDown: {"sum_down", 3}, useEdge: {"edge", 4}, useBalance: {"balance", 4}}

// note adds a step behind the entry at pos.
func (l *proof) note(pos int32, r rule, args ...int64) {
	s := step{pos: pos, rule: r}
	copy(s.args[:], args)
	l.steps = append(l.steps, s)
}

// note adds a step about buffers, cliques or lemmas alone.
func (s *solver) note(pos int32, r rule, args ...int32) {
	l := step{pos: pos, rule: r}
	for k, x := range args {
		l.args[k] = int64(x)
	}
	s.log.steps = append(s.log.steps, l)
}

// mention notes that an entry that holds from the start is needed.
func (l *proof) mention(pos int32) {
	if grow := int(pos) + 1 - len(l.ground); grow > 0 {
		l.ground = append(l.ground, make([]bool, grow)...)
	}
	l.ground[pos] = true
}

// add logs a lemma, with the steps noted, and returns its number.
func (l *proof) add(atoms []atom) int32 {
	l.lemmas = append(l.lemmas, lemma{slices.Clone(atoms), l.pack()})
	return int32(len(l.lemmas) - 1)
}

// begin notes that the trail goes on from the start.
func (l *proof) begin(pos int) { l.begun = append(l.begun, fact{pos: pos, lemmas: len(l.lemmas)}) }

// pack puts the steps noted into the order of the trail, in little room.
func (l *proof) pack() (text []byte) {
	slices.SortStableFunc(l.steps, func(a, b step) int { return cmp.Compare(a.pos, b.pos) })
	for _, s := range slices.Compact(l.steps) {
		text = append(text, byte(s.rule))
		for _, x := range s.args {
			text = binary.AppendVarint(text, x)
		}
	}
	return slices.Clip(text)
}

// unpack yields steps that were packed.
func unpack(text []byte) iter.Seq2[rule, [4]int64] {
	return func(yield func(rule, [4]int64) bool) {
		for len(text) > 0 {
			r, a := rule(text[0]), [4]int64{}
			text = text[1:]
			for k := range a {
				x, n := binary.Varint(text)
				a[k], text = x, text[n:]
			}
			if !yield(r, a) {
				return
			}
		}
	}
}

// need marks the lemmas of some steps.
func (l *proof) need(steps []byte) {
	for r, a := range unpack(steps) {
		if r == useLemma {
			l.needed[a[0]] = true
		}
	}
}

// close marks what the refutation needs: the lemmas of the last contradiction,
// those behind what holds from the start, and those that they were derived with.
func (l *proof) close(s *solver) {
	l.last, l.needed = l.pack(), make([]bool, len(l.lemmas))
	l.need(l.last)
	for k := range s.trail {
		if why := &s.trail[k].why; why.kind == byLemma && s.levelOf(int32(k)) == 0 {
			l.needed[s.store[why.x].lemma] = true
		}
	}
	for k := len(l.lemmas) - 1; k >= 0; k-- {
		if l.needed[k] {
			l.need(l.lemmas[k].steps)
		}
	}
	for pos := len(l.ground) - 1; pos >= 0; pos-- {
		if l.ground[pos] {
			l.steps = l.steps[:0]
			s.explain(need{int32(pos), s.trail[pos].val})
			l.facts = append(l.facts, fact{pos, l.proven(pos), l.pack()})
		}
	}
	slices.Reverse(l.facts)
}

// proven is how many lemmas were, when the entry at pos became known from the start.
func (l *proof) proven(pos int) (lemmas int) {
	for _, b := range l.begun {
		if b.pos <= pos {
			lemmas = b.lemmas
		}
	}
	return lemmas
}

// refutation is the proof in the terms of verify.
func (s *solver) refutation(window model.Interval, height int64) *model.Refutation {
	r := &model.Refutation{Window: window, Height: height, Buffers: s.p.buffer, Hints: &model.Hints{}}
	if s.p.flip >= 0 {
		flip := s.claim(atom{what: s.p.flip})
		r.Flip = &flip
	}
	for _, c := range s.p.cliques {
		set := make([]int, len(c))
		for k, i := range c {
			set[k] = int(i)
		}
		r.Hints.Cliques = append(r.Hints.Cliques, set)
	}
	number, facts := make([]int64, len(s.log.lemmas)), s.log.facts
	var hints []model.Step
	known := func(lemmas int) {
		for hints = nil; len(facts) > 0 && facts[0].lemmas <= lemmas; facts = facts[1:] {
			hints = spell(hints, facts[0].steps, number)
		}
	}
	for k, l := range s.log.lemmas {
		if !s.log.needed[k] {
			continue
		}
		claims := make([]model.Claim, len(l.atoms))
		for x, a := range l.atoms {
			claims[x] = s.claim(a)
		}
		known(k)
		r.Hints.Steps = append(r.Hints.Steps, spell(append(hints, model.Step{Rule: "suppose"}), l.steps, number))
		number[k] = int64(len(r.Lemmas))
		r.Lemmas = append(r.Lemmas, claims)
	}
	known(len(number))
	r.Hints.Steps = append(r.Hints.Steps, spell(hints, s.log.last, number))
	return r
}

// spell adds packed steps to a list, with the numbers that lemmas have there.
func spell(list []model.Step, steps []byte, number []int64) []model.Step {
	for r, a := range unpack(steps) {
		if r == useLemma {
			a[0] = number[a[0]]
		}
		list = append(list, model.Step{Rule: spelled[r].name, Args: slices.Clone(a[:spelled[r].args])})
	}
	return list
}

// claim is what an atom says.
func (s *solver) claim(a atom) model.Claim {
	if a.literal() {
		i, j := s.p.sides(a.what)
		return model.Claim{Relation: model.Below, Buffer: int(i), Other: int(j)}
	}
	v := a.bound()
	if v&1 == 0 {
		return model.Claim{Relation: model.AtLeast, Buffer: int(v >> 1), Offset: a.val}
	}
	return model.Claim{Relation: model.AtMost, Buffer: int(v >> 1), Offset: s.p.height - s.p.size[v>>1] - a.val}
}
