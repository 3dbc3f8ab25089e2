package learning

// A verdict is what a search came to.
type verdict int

const (
	unknown verdict = iota // the work ran out
	refuted
	planned
)

// kind says which rule gave a literal or a bound.
type kind uint8

const (
	root      kind = iota // holds from the start
	decision              //
	byLemma               // x: the clause
	byChain               // x: the buffer between
	byRoom                // the other order has no room
	byEdge                // x: the clique; between a and b; mirror: the outsider is the lowest
	byOrder               // x: the neighbour
	bySum                 // x: the clique, from a on
	byBalance             // x: the balance
	byCycle               // a contradiction: orders that go round
)

// A reason is the rule behind an entry of the trail, with what it needs to be
// explained later.
type reason struct {
	kind   kind
	mirror bool
	x      int32
	a, b   int64
}

// An atom is a literal, which orders a pair, or "bound v is at least val". Bound
// 2i is the head of buffer i, bound 2i+1 its tail.
type atom struct {
	what int32 // the literal, or -1-v
	val  int64 // 0 for a literal
}

// atLeast is the atom that bound v is at least x.
func atLeast(v int32, x int64) atom { return atom{-1 - v, x} }

// literal reports whether an atom is a literal.
func (a atom) literal() bool { return a.what >= 0 }

// bound is the v of an atom that is no literal.
func (a atom) bound() int32 { return -1 - a.what }

// An entry of the trail is an atom that became known.
type entry struct {
	atom
	prev int32 // of a bound: the entry before; -1 none
	why  reason
}

// A contradiction is a literal, or bound, that a rule gives while its opposite
// is known, or what reason alone says.
type contradiction struct {
	atom // the literal that is known to be false; or the bound that left no room; or none
	why  reason
}

// none is no atom.
var none = atom{what: -1 << 31}

// A solver searches one problem, in slices.
type solver struct {
	p     *problem
	n     int32
	words int

	value  []int8   // per literal: 1 known, -1 known to be false
	pos    []int32  // per pair: trail position
	bound  []int64  // per bound
	last   []int32  // per bound: its latest trail position
	phase  []int64  // per bound: its residue modulo the alignment
	pre    [2][]set // pre[0][i]: known to lie below i; pre[1][i]: above
	near   []set    // in conflict
	trail  []entry
	levels []int32 // trail positions of the decisions
	head   int     // trail entries propagated
	bad    contradiction
	spare  []int64 // per balance: what its known literals leave

	queues
	clauses
	activity
	analysis
	log proof

	run, left int64 // the restart, and contradictions left in it
	work      int64 // units of about a microsecond, times stepsPerUnit
	learnt    int64 // contradictions
}

func newSolver(p *problem, seed int64) *solver {
	n, pairs := len(p.size), len(p.ends)
	s := &solver{p: p, n: int32(n), words: (n + 63) / 64, bad: contradiction{atom: none}}
	s.value, s.pos = make([]int8, 2*pairs), make([]int32, pairs)
	s.bound, s.last, s.phase = make([]int64, 2*n), make([]int32, 2*n), make([]int64, 2*n)
	for v := range s.last {
		s.last[v] = -1
	}
	sets := func() []set {
		list := make([]set, n)
		for i := range list {
			list[i] = make(set, s.words)
		}
		return list
	}
	s.pre, s.near = [2][]set{sets(), sets()}, sets()
	for i := range n {
		s.phase[2*i+1] = (p.height - p.size[i]) % p.align[i]
	}
	for _, e := range p.ends {
		s.near[e[0]].add(e[1])
		s.near[e[1]].add(e[0])
	}
	s.spare = make([]int64, len(p.limits))
	for k := range s.spare {
		s.spare[k] = p.limits[k].max
	}
	s.queues.init(n, len(p.cliques))
	s.among = make(set, s.words)
	s.clauses.init(n, pairs)
	s.activity.init(p, seed)
	return s
}

func (s *solver) level() int { return len(s.levels) }

// levelOf is the decision level of a trail position.
func (s *solver) levelOf(pos int32) int {
	lo, hi := 0, len(s.levels)
	for lo < hi {
		if mid := (lo + hi) / 2; s.levels[mid] <= pos {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// set makes a literal known; false when it is known to be false.
func (s *solver) set(lit int32, why reason) bool {
	switch s.value[lit] {
	case 1:
		return true
	case -1:
		s.bad = contradiction{atom{lit, 0}, why}
		return false
	}
	s.value[lit], s.value[lit^1] = 1, -1
	s.pos[lit>>1] = int32(len(s.trail))
	i, j := s.p.sides(lit)
	s.pre[0][j].add(i)
	s.pre[1][i].add(j)
	s.trail = append(s.trail, entry{atom{lit, 0}, -1, why})
	return true
}

// raise lifts bound v to x, or the next value that the alignment allows; false
// when no room is left.
func (s *solver) raise(v int32, x int64, why reason) bool {
	i := v >> 1
	if x <= s.bound[v] {
		return true
	}
	if a := s.p.align[i]; a > 1 {
		x = roundUp(x, a, s.phase[v])
	}
	old := s.bound[v]
	s.trail = append(s.trail, entry{atLeast(v, x), s.last[v], why})
	s.last[v], s.bound[v] = int32(len(s.trail)-1), x
	if x+s.bound[v^1]+s.p.size[i] > s.p.height {
		s.bad = contradiction{atom: atLeast(v, x)}
		return false
	}
	s.moves(v, s.p.in[i], old+1, x)
	return true
}

// roundUp is the least y >= x with y = phase modulo a.
func roundUp(x, a, phase int64) int64 {
	r := (x - phase) % a
	if r <= 0 {
		return x - r
	}
	return x + a - r
}

// backtrack takes back what came after a level.
func (s *solver) backtrack(level int) {
	if level >= s.level() {
		return
	}
	to := int(s.levels[level])
	for k := len(s.trail) - 1; k >= to; k-- {
		e := &s.trail[k]
		if lit := e.what; lit >= 0 {
			s.value[lit], s.value[lit^1] = 0, 0
			i, j := s.p.sides(lit)
			s.pre[0][j].drop(i)
			s.pre[1][i].drop(j)
			if k < s.head {
				s.unweigh(lit)
			}
			s.reopen(lit)
			continue
		}
		v := e.bound()
		s.last[v], s.bound[v] = e.prev, 0
		if e.prev >= 0 {
			s.bound[v] = s.trail[e.prev].val
		}
	}
	s.trail, s.levels, s.head = s.trail[:to], s.levels[:level], to
	s.queues.drop()
}

// solve searches on until a verdict, or for about that many units of work.
func (s *solver) solve(units int64) verdict { return s.until(s.work + units*tuned.stepsPerUnit) }

// until searches on until a verdict, or until so much work was done in all.
func (s *solver) until(stop int64) verdict {
	if s.p.hopeless {
		return refuted
	}
	if s.run == 0 {
		s.run, s.left = 1, tuned.restart
		if !s.begin() {
			s.explainContradiction(int32(len(s.trail)))
			s.log.close(s)
			return refuted
		}
	}
	for s.work < stop {
		switch {
		case !s.propagate():
			s.learnt++
			s.left--
			if !s.learn() {
				s.log.close(s)
				return refuted
			}
		case s.left <= 0:
			s.backtrack(0)
			s.forget()
			s.run++
			s.left = tuned.restart * Luby(s.run)
		default:
			lit := s.branch()
			if lit < 0 {
				return planned
			}
			s.levels = append(s.levels, int32(len(s.trail)))
			s.set(lit, reason{kind: decision})
		}
	}
	return unknown
}

// begin notes what holds from the start.
func (s *solver) begin() bool {
	for i := range s.n {
		if s.p.stripped[i] {
			continue
		}
		for v := 2 * i; v <= 2*i+1; v++ {
			if !s.raise(v, s.p.least[v&1][i], reason{kind: root}) {
				return false
			}
			s.moves(v, s.p.in[i], everything.lo, everything.hi)
		}
	}
	for k := range s.p.limits {
		if !s.limit(int32(k)) {
			return false
		}
	}
	for i := range s.n {
		if !s.room(2*i) || !s.room(2*i+1) {
			return false
		}
	}
	for _, lit := range s.p.known {
		if !s.set(lit, reason{kind: root}) {
			return false
		}
	}
	return true
}

// offsets is the plan that the heads make: lowest offsets for the orders, each
// stripped buffer on top of the one before, at the bottom.
func (s *solver) offsets() []int64 {
	at, stack := make([]int64, s.n), int64(0)
	for i := range at {
		if s.p.stripped[i] {
			at[i] = stack
			stack += s.p.size[i]
		} else {
			at[i] = s.p.bottom + s.bound[2*i]
		}
	}
	return at
}

// Luby is the i-th number, from 1, of the sequence 1 1 2 1 1 2 4 1 1 2 ...,
// within a constant factor of the best way to restart (Luby, Sinclair and
// Zuckerman, Optimal speedup of Las Vegas algorithms, Information Processing Letters
// 47 (1993), doi 10.1016/0020-0190(93)90029-9).
func Luby(i int64) int64 {
	for k := int64(1); ; k++ {
		switch last := int64(1)<<k - 1; {
		case i == last:
			return 1 << (k - 1)
		case i < last:
			return Luby(i - (1<<(k-1) - 1))
		}
	}
}
