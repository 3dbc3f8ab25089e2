package verify

import (
	"cmp"
	"errors"
	"math/bits"
	"slices"

	"memplan/model"
)

// An elaborator finds hints for a proof that has none: it applies the rules of
// PROOFS.md until nothing changes, and notes each that told something. No proof
// rests on it: what it notes is followed like the hints of a file.
//
// What is supposed makes levels: a lemma often ends like the one before, and
// what followed from that is kept.
type elaborator struct {
	*theory
	sets     [][]int32 // the cliques
	of       [][]int   // those of each buffer
	balances [][]pair  // by buffer
	stale    []bool    // buffers to look at,
	old      []bool    // cliques to sum up,
	moved    []bool    // and those of which bounds moved
	seen     int       // so much of the trail has been looked at
	proven   int       // lemmas
	steps    []model.Step
	levels   []level
	left     int64 // work
}

// A level is a claim that is denied, and where what followed begins.
type level struct {
	claim        model.Claim
	trail, steps int
}

// A pair of cliques makes a balance.
type pair struct {
	first, second int
	leave, come   []int32
	most          int64
}

const (
	apart       = 3 // how far from each other among a buffer's cliques two are that make a balance
	maxSections = 1 << 13
	elaborating = int64(1) << 33 // claims and buffers looked at, at most
)

// ErrWork is why a proof without hints is not replayed.
var ErrWork = errors.New("the proof has no hints, and finding them takes too much work")

// unhinted replays a proof for which the steps have yet to be found.
func unhinted(t *theory, lemmas [][]model.Claim) error {
	e, cliques, err := newElaborator(t.scene, lemmas)
	if err == nil {
		err = t.assemble(lemmas, cliques)
	}
	for k := 0; err == nil; k++ {
		var steps []model.Step
		if steps, err = e.next(k); err == nil {
			err = t.admit(k, steps)
		}
		if err == nil {
			var refuted bool
			if refuted, err = t.prove(k, steps); refuted {
				return nil
			}
		}
	}
	return err
}

// next finds the steps of lemma k, as far as there are any: where it does not
// follow they end without a contradiction. Lemmas are asked for in order.
func (e *elaborator) next(k int) ([]model.Step, error) {
	e.proven = k
	var claims []model.Claim
	if k < len(e.lemmas) {
		claims = slices.Clone(e.lemmas[k])
		slices.Reverse(claims)
	}
	same := 0
	for same < min(len(claims), len(e.levels)) && e.levels[same].claim == claims[same] {
		same++
	}
	e.back(same)
	e.close()
	for ; e.dead && same > 0; same-- { // by what was proven since
		e.back(same - 1)
		e.close()
	}
	known := slices.Clone(e.steps)
	if len(e.levels) > 0 {
		known = nil
	} else {
		e.steps = nil
	}
	for same = len(e.levels); same < len(claims) && !e.dead; same++ {
		e.levels = append(e.levels, level{claims[same], len(e.trail), len(e.steps)})
		e.assume(opposite(claims[same]))
		e.close()
	}
	if e.left <= 0 {
		return nil, ErrWork
	}
	return slices.Concat(known, []model.Step{{Rule: "suppose"}}, e.steps), nil
}

// back takes back all levels but so many.
func (e *elaborator) back(levels int) {
	if levels < len(e.levels) {
		l := e.levels[levels]
		e.mark = l.trail
		e.retract()
		e.levels, e.steps, e.seen = e.levels[:levels], e.steps[:l.steps], min(e.seen, l.trail)
	}
}

// newElaborator also gives the cliques of the scene.
func newElaborator(s *scene, lemmas [][]model.Claim) (e *elaborator, cliques [][]int, err error) {
	e = &elaborator{theory: newTheory(s), left: elaborating, of: make([][]int, s.n), balances: make([][]pair, s.n), stale: make([]bool, s.n)}
	sets, err := s.maximal()
	if err != nil {
		return nil, nil, err
	}
	e.lemmas = lemmas
	for c, m := range sets {
		var list []int
		var set []int32
		m.each(func(i int32) {
			e.of[i] = append(e.of[i], c)
			list, set = append(list, int(i)), append(set, i)
		})
		cliques, e.cliques, e.sets = append(cliques, list), append(e.cliques, m), append(e.sets, set)
	}
	e.old, e.moved = slices.Repeat([]bool{true}, len(e.sets)), slices.Repeat([]bool{true}, len(e.sets))
	for i := range int32(s.n) {
		e.stale[i] = !s.gone[i]
		for k, c := range e.of[i] {
			for _, d := range e.of[i][max(0, k-apart):k] {
				e.pair(i, c, d)
				e.pair(i, d, c)
			}
		}
	}
	return e, cliques, nil
}

// maximal lists the sets of buffers that are live at one step, in order of time:
// those of which no other contains them.
func (s *scene) maximal() ([]mask, error) {
	var cuts []int64
	for _, list := range s.live {
		for _, p := range list {
			cuts = append(cuts, p.Start)
		}
	}
	slices.Sort(cuts)
	if cuts = slices.Compact(cuts); len(cuts) > maxSections {
		return nil, ErrWork
	}
	var sets []mask
	for _, step := range cuts {
		m := make(mask, (s.n+63)/64)
		for k, list := range s.live {
			if !s.gone[k] && slices.ContainsFunc(list, func(p model.Interval) bool { return p.Start <= step && step < p.End }) {
				m.put(int32(k))
			}
		}
		sets = append(sets, m)
	}
	all := slices.Clone(sets)
	k := -1
	return slices.DeleteFunc(sets, func(m mask) bool {
		k++
		return m.count() == 0 || slices.ContainsFunc(all[:k], m.within) ||
			slices.ContainsFunc(all[k+1:], func(o mask) bool { return m.within(o) && !o.within(m) })
	}), nil
}

// pair notes a balance of j, if it can ever bind.
func (e *elaborator) pair(j int32, first, second int) {
	p := pair{first: first, second: second, most: e.height}
	total := int64(0)
	for _, i := range e.sets[first] {
		if e.cliques[second].has(i) {
			p.most -= e.size[i]
		} else {
			p.leave = append(p.leave, i)
			total = plus(total, e.size[i])
		}
	}
	for _, i := range e.sets[second] {
		if !e.cliques[first].has(i) {
			p.come = append(p.come, i)
			total = plus(total, e.size[i])
		}
	}
	if total > p.most {
		e.balances[j] = append(e.balances[j], p)
	}
}

// try applies a rule, and notes it if that told something.
func (e *elaborator) try(rule string, a []int64) {
	if e.dead {
		return
	}
	before := len(e.trail)
	rules[rule].apply(e.theory, a)
	if e.dead || len(e.trail) > before {
		e.steps = append(e.steps, model.Step{Rule: rule, Args: a})
	}
}

// close applies the rules until nothing changes.
func (e *elaborator) close() {
	for !e.dead && e.left > 0 {
		for ; e.seen < len(e.trail); e.seen++ {
			m := e.trail[e.seen]
			e.touch(m.i, m.j < 0)
			if m.j >= 0 {
				e.touch(m.j, false)
			}
		}
		if i := slices.Index(e.stale, true); i >= 0 {
			e.stale[i] = false
			e.buffer(int32(i))
		} else if c := slices.Index(e.old, true); c >= 0 {
			e.old[c] = false
			e.sums(c)
		} else if c := slices.Index(e.moved, true); c >= 0 {
			e.moved[c] = false
			e.edges(c)
		} else {
			before := len(e.trail)
			for k := 0; k < e.proven && !e.dead; k++ {
				e.unit(k)
			}
			if len(e.trail) == before {
				return
			}
		}
	}
}

func (e *elaborator) touch(i int32, bounds bool) {
	e.stale[i] = true
	for _, c := range e.of[i] {
		e.old[c], e.moved[c] = true, e.moved[c] || bounds
	}
}

// unit applies a lemma if no more than one of its claims is open.
func (e *elaborator) unit(k int) {
	open := 0
	for _, c := range e.lemmas[k] {
		e.left--
		if !e.denied(c) {
			if open++; open > 1 {
				return
			}
		}
	}
	e.try("lemma", []int64{int64(k)})
}

// buffer applies the rules of two or three buffers to i, and its balances.
func (e *elaborator) buffer(i int32) {
	e.left -= int64(len(e.above[i])) * (1 + e.above[i].count() + e.under[i].count())
	e.above[i].each(func(j int32) {
		e.pairOf(i, j)
		e.chains(i, j)
	})
	e.under[i].each(func(h int32) {
		e.pairOf(h, i)
		e.chains(h, i)
	})
	e.conflict[i].each(func(j int32) {
		for _, o := range [][2]int32{{i, j}, {j, i}} {
			if e.lo[o[0]]+e.size[o[0]] > e.hi[o[1]] && !e.under[o[0]].has(o[1]) {
				e.try("room", []int64{int64(o[0]), int64(o[1])})
			}
		}
	})
	for k := range e.balances[i] {
		e.balance(i, &e.balances[i][k])
	}
}

// chains puts i below what is above j.
func (e *elaborator) chains(i, j int32) {
	for w := range e.above[i] {
		for m := e.above[j][w] &^ e.above[i][w]; m != 0; m &= m - 1 {
			e.try("chain", []int64{int64(i), int64(j), int64(w<<6 + bits.TrailingZeros64(m))})
		}
	}
}

// pairOf applies the rule order, where it says more than is known.
func (e *elaborator) pairOf(i, j int32) {
	if e.lo[i]+e.size[i] > e.lo[j] || e.hi[j]-e.size[i] < e.hi[i] {
		e.try("order", []int64{int64(i), int64(j)})
	}
}

func (e *elaborator) balance(j int32, p *pair) {
	e.left -= int64(len(p.leave) + len(p.come))
	room := p.most
	for _, k := range p.leave {
		if e.under[j].has(k) {
			room -= e.size[k]
		}
	}
	for _, k := range p.come {
		if e.above[j].has(k) {
			room -= e.size[k]
		}
	}
	for _, list := range [][]int32{p.leave, p.come} {
		for _, k := range list {
			if room < 0 || e.size[k] > room && !e.under[j].has(k) && !e.above[j].has(k) {
				e.try("balance", []int64{int64(p.first), int64(p.second), int64(j), int64(k)})
			}
		}
	}
}

// sums applies the rule sum to clique c.
func (e *elaborator) sums(c int) {
	set := e.sets[c]
	byStart, byEnd := slices.Clone(set), slices.Clone(set)
	slices.SortFunc(byStart, func(i, j int32) int { return cmp.Compare(e.lo[j], e.lo[i]) })
	slices.SortFunc(byEnd, func(i, j int32) int { return cmp.Compare(e.end(i), e.end(j)) })
	e.left -= int64(len(set) * len(set))
	for _, j := range set {
		up, down := int64(0), int64(0)
		for _, k := range byStart {
			if e.under[j].has(k) {
				if up = plus(up, e.size[k]); e.lo[k]+up > e.lo[j] {
					e.try("sum_up", []int64{int64(c), int64(j), e.lo[k]})
				}
			}
		}
		for _, k := range byEnd {
			if e.above[j].has(k) {
				if down = plus(down, e.size[k]); e.end(k)-down-e.size[j] < e.hi[j] {
					e.try("sum_down", []int64{int64(c), int64(j), e.end(k)})
				}
			}
		}
	}
}

// end is the greatest end of a buffer.
func (e *elaborator) end(i int32) int64 { return e.hi[i] + e.size[i] }

// edges applies the rule edge to clique c, for every start and end of its
// members.
func (e *elaborator) edges(c int) {
	set := slices.Clone(e.sets[c])
	slices.SortFunc(set, func(i, j int32) int { return cmp.Compare(e.lo[j], e.lo[i]) })
	within, rest := make(mask, len(e.cliques[c])), make([]int64, len(set)+1)
	for n, last := range set {
		y, sum, out := e.end(last), int64(0), int64(0)
		if slices.ContainsFunc(set[:n], func(i int32) bool { return e.end(i) == y }) {
			continue
		}
		e.left -= int64(len(set))
		for k := len(set) - 1; k >= 0; k-- { // the largest that ends by y, from here on
			if rest[k] = rest[k+1]; e.end(set[k]) <= y {
				rest[k] = max(rest[k], e.size[set[k]])
			}
		}
		clear(within)
		for k, first := range set {
			if e.end(first) <= y {
				sum = plus(sum, e.size[first])
				within.put(first)
			} else {
				out = max(out, e.size[first])
			}
			if x := e.lo[first]; sum > 0 && x+plus(sum, max(out, rest[k+1])) > y {
				e.squeeze(c, set, x, y, sum, within)
			}
		}
	}
}

// squeeze applies it for one start and end, between which so much lies at least.
func (e *elaborator) squeeze(c int, set []int32, x, y, sum int64, within mask) {
	e.left -= int64(len(set))
	for _, j := range set {
		up := e.lo[j] >= x
		switch {
		case x+sum > y:
		case x+plus(sum, e.size[j]) <= y || up == (e.end(j) <= y) || up && within.within(e.under[j]) || !up && within.within(e.above[j]):
			continue
		}
		e.try("edge", []int64{int64(c), x, y, int64(j)})
	}
}
