package verify

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"memplan/model"
)

// A stage is what a tree speaks of: PROOFS.md, "Trees".
type stage struct {
	in     *model.Instance
	n      int
	size   []int64
	align  []int64
	steps  [][]int
	ways   map[[2]int][]way // of each two in conflict, the lower first
	keys   [][2]int         // of ways, sorted
	height int64
}

// A way is how two buffers a < b may lie: offset(b) - offset(a) is between from
// and to.
type way struct {
	from, to int64
	shares   bool
	lead     int64 // of a lead; else -1
	over     int
}

const (
	maxNodes    = 1 << 20
	maxMatrix   = 256     // buffers of a tree
	maxClosures = 1 << 32 // comparisons
)

// tree replays a refutation by cases.
func tree(in *model.Instance, r *model.Refutation) error {
	s, err := newStage(in, r)
	if err != nil {
		return err
	}
	if len(r.Tree) > maxNodes {
		return fmt.Errorf("a tree of %d nodes is more than %d", len(r.Tree), maxNodes)
	}
	spent := 0
	first := s.start(r, &spent)
	open := []*facts{first} // what the next nodes are about, the last first
	for k, token := range r.Tree {
		if len(open) == 0 {
			return errors.New("the tree has more nodes than its branches ask for")
		}
		f := open[len(open)-1]
		open = open[:len(open)-1]
		f.conclude()
		if spent > maxClosures {
			return errors.New("the tree takes too long to replay")
		}
		if token < 0 {
			if !f.dead {
				return fmt.Errorf("node %d of the tree is no contradiction", k+1)
			}
			continue
		}
		ways, known := s.ways[[2]int{token / s.n, token % s.n}]
		if !known {
			return fmt.Errorf("node %d of the tree: buffers %d and %d do not conflict", k+1, token/s.n, token%s.n)
		}
		if len(open)+len(ways) > maxNodes/64 {
			return errors.New("the tree is too deep")
		}
		for w := len(ways) - 1; w >= 0; w-- {
			g := f.copy()
			g.decide([2]int{token / s.n, token % s.n}, w)
			open = append(open, g)
		}
	}
	if len(open) > 0 {
		return errors.New("the tree ends before its branches do")
	}
	return nil
}

func newStage(in *model.Instance, r *model.Refutation) (*stage, error) {
	s := &stage{in: in, n: len(r.Buffers), height: r.Height, ways: map[[2]int][]way{}}
	switch {
	case r.Height < 0 || r.Height > maxHeight:
		return nil, fmt.Errorf("the height %d is not between 0 and 2^60", r.Height)
	case s.n == 0 || s.n > maxMatrix:
		return nil, fmt.Errorf("a tree of %d buffers; 1 to %d are taken on", s.n, maxMatrix)
	}
	place := map[int]int{}
	for k, i := range r.Buffers {
		if _, twice := place[i]; i < 0 || i >= len(in.Buffers) || twice {
			return nil, fmt.Errorf("buffer number %d does not exist or is named twice", i+1)
		}
		place[i] = k
		b := &in.Buffers[i]
		if b.Size < 0 || b.Size > maxHeight || b.Align > maxHeight {
			return nil, fmt.Errorf("buffer %q: size or alignment beyond 2^60", b.ID)
		}
		s.size, s.align = append(s.size, b.Size), append(s.align, max(b.Align, 1))
	}
	s.cross(r)
	for _, p := range inOrder(in) {
		over, here := place[p.Over]
		under, too := place[p.Under]
		if here && too {
			s.share(p, over, under)
		}
	}
	s.keys = slices.SortedFunc(maps.Keys(s.ways), func(a, b [2]int) int { return slices.Compare(a[:], b[:]) })
	return s, nil
}

// cross finds who is live together at the steps of the window at which somebody
// is born.
func (s *stage) cross(r *model.Refutation) {
	seen := map[int64]bool{}
	live := func(i int, step int64) bool {
		for _, p := range parts(&s.in.Buffers[r.Buffers[i]]) {
			if p.Start <= step && step < p.End {
				return true
			}
		}
		return false
	}
	for _, i := range r.Buffers {
		for _, p := range parts(&s.in.Buffers[i]) {
			step := max(p.Start, r.Window.Start)
			if step >= min(p.End, r.Window.End) || seen[step] {
				continue
			}
			seen[step] = true
			var set []int
			for k := range s.n {
				if s.size[k] > 0 && live(k, step) {
					set = append(set, k)
				}
			}
			s.steps = append(s.steps, set)
			for x, a := range set {
				for _, b := range set[x+1:] {
					s.ways[[2]int{a, b}] = []way{{from: s.size[a], to: math.MaxInt64, lead: -1}, {from: math.MinInt64, to: -s.size[b], lead: -1}}
				}
			}
		}
	}
}

// share adds a way to share, unless it is none.
func (s *stage) share(p model.Pair, over, under int) {
	a, b := min(over, under), max(over, under)
	ways, conflict := s.ways[[2]int{a, b}]
	if !conflict || p.Distance < 0 || p.Distance > maxHeight || !p.Equal && !handsOver(s.in, p) {
		return
	}
	w := way{from: p.Distance, to: s.size[over] - 1, shares: true, lead: p.Distance, over: over}
	if p.Equal {
		w = way{from: -p.Distance, to: -p.Distance, shares: true, lead: -1}
	}
	if over != a {
		w.from, w.to = -w.to, -w.from
	}
	if w.from <= w.to && w.from < s.size[a] && w.to > -s.size[b] {
		s.ways[[2]int{a, b}] = append(ways, w)
	}
}

// facts are what is known at a node: of every two numbers of 0..n, of which n is
// the ground, how much higher the second is at least; and the ways left.
type facts struct {
	s     *stage
	least [][]int64
	left  map[[2]int][]int
	dead  bool
	spent *int
}

func (s *stage) start(r *model.Refutation, spent *int) *facts {
	f := &facts{s: s, left: map[[2]int][]int{}, spent: spent}
	for range s.n + 1 {
		row := make([]int64, s.n+1)
		for j := range row {
			row[j] = -s.height
		}
		f.least = append(f.least, row)
	}
	for i := range f.least {
		f.least[i][i] = 0
	}
	for key, ways := range s.ways {
		for w := range ways {
			f.left[key] = append(f.left[key], w)
		}
	}
	for k, i := range r.Buffers {
		f.learn(s.n, k, 0)
		f.learn(k, s.n, s.size[k]-s.height)
		if s.size[k] == 0 {
			continue // takes no room, wherever it is pinned or tied
		}
		if at, fixed := pin(s.in, i); fixed && at <= s.height {
			f.learn(s.n, k, at)
			f.learn(k, s.n, -at)
		} else if fixed {
			f.dead = true
		}
		t := s.in.Buffers[i].Tie
		for root, j := range r.Buffers {
			if t != nil && t.To == j && t.Delta <= s.height {
				f.learn(root, k, t.Delta)
				f.learn(k, root, -t.Delta)
			} else if t != nil && t.To == j {
				f.dead = true
			}
		}
	}
	return f
}

func (f *facts) copy() *facts {
	g := &facts{s: f.s, left: make(map[[2]int][]int, len(f.left)), dead: f.dead, spent: f.spent}
	for _, row := range f.least {
		g.least = append(g.least, append([]int64(nil), row...))
	}
	for key, list := range f.left {
		g.left[key] = list // lists are replaced, never changed
	}
	*f.spent += len(f.least) * len(f.least)
	return g
}

// learn takes in that j is at least x higher than i, and all that follows from
// it with one other distance on either side; distances are multiples of what
// divides both alignments.
func (f *facts) learn(i, j int, x int64) {
	x = f.round(i, j, x)
	switch {
	case f.dead || x <= f.least[i][j]:
		return
	case x > f.s.height || x+f.least[j][i] > 0:
		f.dead = true
		return
	}
	f.least[i][j] = x
	var more [][2]int
	for a := range f.least {
		for b := range f.least {
			y := f.least[a][i] + x + f.least[j][b]
			if a == b || y <= f.least[a][b] {
				continue
			}
			f.least[a][b] = y
			if f.round(a, b, y) > y {
				more = append(more, [2]int{a, b})
			}
		}
	}
	*f.spent += len(f.least) * len(f.least)
	for _, ab := range more {
		if *f.spent > maxClosures {
			return
		}
		f.learn(ab[0], ab[1], f.round(ab[0], ab[1], f.least[ab[0]][ab[1]]))
	}
}

// round rounds a distance up.
func (f *facts) round(i, j int, x int64) int64 {
	unit := int64(0)
	for _, k := range [...]int{i, j} {
		if k == f.s.n {
			continue // the ground is at 0, a multiple of anything
		}
		for a := f.s.align[k]; a != 0; {
			unit, a = a, unit%a
		}
	}
	if over := x % max(unit, 1); over > 0 {
		return x + unit - over
	} else {
		return x - over
	}
}

// decide says that two lie in one of their ways.
func (f *facts) decide(key [2]int, w int) {
	for _, other := range f.left[key] {
		if other == w {
			f.left[key] = []int{w}
			if way := f.s.ways[key][w]; !f.dead {
				f.apply(key, way)
			}
			return
		}
	}
	f.dead = true
}

func (f *facts) apply(key [2]int, w way) {
	if w.from > math.MinInt64 {
		f.learn(key[0], key[1], w.from)
	}
	if w.to < math.MaxInt64 {
		f.learn(key[1], key[0], -w.to)
	}
}

// conclude applies the rules until nothing changes.
func (f *facts) conclude() {
	for again := true; again && !f.dead; {
		again = false
		for _, key := range f.s.keys {
			list := f.left[key]
			from, to := f.least[key[0]][key[1]], -f.least[key[1]][key[0]]
			var keep []int
			for _, w := range list {
				if way := f.s.ways[key][w]; way.from <= to && from <= way.to {
					keep = append(keep, w)
				}
			}
			*f.spent += len(list)
			if len(keep) == 0 {
				f.dead = true
				return
			}
			if len(keep) < len(list) {
				f.left[key], again = keep, true
			}
			if way := f.s.ways[key][keep[0]]; len(keep) == 1 && (way.from > from || way.to < to) {
				f.apply(key, way)
				again = true
			}
		}
	}
	f.dead = f.dead || f.tooHeavy()
}

// tooHeavy reports whether there is no room for what is live at one step, or for
// it beside what shares in a row.
func (f *facts) tooHeavy() bool {
	rows := f.rows()
	for _, set := range f.s.steps {
		*f.spent += len(set) * len(set) * (1 + len(rows))
		if weight(f, set) > f.s.height {
			return true
		}
		for _, row := range rows {
			if total(f.span(row), weight(f, f.apart(row, set))) > f.s.height {
				return true
			}
		}
	}
	return false
}

// rows lists what is known to share, one with another.
func (f *facts) rows() (rows [][]int) {
	sharing := false
	for _, ways := range f.s.ways {
		sharing = sharing || len(ways) > 2
	}
	if !sharing {
		return nil
	}
	left := make([]int, f.s.n)
	for i := range left {
		left[i] = i
	}
	for len(left) > 0 {
		var row []int
		row, left = reach(joined{f}, left)
		if len(row) > 1 {
			rows = append(rows, row)
		}
	}
	return rows
}

// span is how far it is at least from the lowest of a row to the highest.
func (f *facts) span(row []int) (x int64) {
	for _, i := range row {
		for _, j := range row {
			x = max(x, f.least[i][j]+f.s.size[j])
		}
	}
	return x
}

// apart are the members of a set that may share with none of a row, and conflict
// with all of it.
func (f *facts) apart(row, set []int) (others []int) {
next:
	for _, w := range set {
		for _, r := range row {
			if _, conflict := f.s.ways[[2]int{min(w, r), max(w, r)}]; !conflict || f.may(w, r) {
				continue next
			}
		}
		others = append(others, w)
	}
	return others
}

func (f *facts) bytes(i int) int64 { return f.s.size[i] }

func (f *facts) may(i, j int) bool {
	key := [2]int{min(i, j), max(i, j)}
	for _, w := range f.left[key] {
		if f.s.ways[key][w].shares {
			return true
		}
	}
	return false
}

func (f *facts) over(y, x int) (lead int64, only bool) {
	key := [2]int{min(y, x), max(y, x)}
	lead = -1
	count := 0
	for _, w := range f.left[key] {
		if way := f.s.ways[key][w]; way.shares {
			count++
			if way.lead >= 0 && way.over == y {
				lead = way.lead
			}
		}
	}
	return lead, count == 1
}

// joined are facts of which only what is certain counts.
type joined struct{ *facts }

func (f joined) may(i, j int) bool {
	key := [2]int{min(i, j), max(i, j)}
	list := f.left[key]
	return len(list) == 1 && f.s.ways[key][list[0]].shares
}
