package canonical

import (
	"math"
	"slices"
)

// A state is a node of the tree that a beam may return to.
type state struct {
	tables
	held      []hold
	key       uint64
	sum, left float64
	low       int64 // least effective offset
	score     float64
	path      *step
	kept      bool
}

// tables are what tree and gauge keep of each buffer and section.
type tables struct {
	eff, latest []int64
	watch       [][2]int32
	guards      []int32
	floor       []int64
	rests       []int32
	bears       []int32
	cost        []float64
}

// tables are those of the node that the tree is at.
func (b *beam) tables() tables {
	return tables{b.eff, b.latest, b.watch, b.guards, b.floor, b.rests, b.bears, b.cost}
}

// set copies the entries of other tables, of the same lengths.
func (t tables) set(to tables) {
	copy(t.eff, to.eff)
	copy(t.latest, to.latest)
	copy(t.watch, to.watch)
	copy(t.guards, to.guards)
	copy(t.floor, to.floor)
	copy(t.rests, to.rests)
	copy(t.bears, to.bears)
	copy(t.cost, to.cost)
}

// A step is the last placement of a state, and those before.
type step struct {
	buf    int32
	offset int64
	before *step
}

// save makes a state of the node that the tree is at.
func (b *beam) save(path *step) *state {
	var s *state
	if k := len(b.free) - 1; k >= 0 {
		s, b.free = b.free[k], b.free[:k]
	} else {
		n := len(b.latest)
		m := len(b.eff)
		s = &state{tables: tables{make([]int64, m), make([]int64, n), make([][2]int32, n), make([]int32, m), make([]int64, n), make([]int32, n), make([]int32, m), make([]float64, n)}}
	}
	s.set(b.tables())
	s.held, s.key, s.sum, s.left = b.held, b.key, b.sum, b.left
	s.low, s.path = b.lowest(), path
	return s
}

// load takes the tree to a state.
func (b *beam) load(s *state) {
	b.tables().set(s.tables)
	b.held, b.key, b.sum, b.left = s.held, s.key, s.sum, s.left
	b.trail = b.trail[:0]
}

// restore takes the tree, with the offsets, to a state.
func (b *beam) restore(s *state) {
	b.load(s)
	for p := s.path; p != nil; p = p.before {
		b.off[p.buf] = p.offset
	}
}

// lowest is the least effective offset of the piece in hand.
func (b *beam) lowest() int64 {
	low := int64(placed)
	for _, i := range b.bufs {
		low = min(low, b.eff[i])
	}
	return low
}

// A gauge keeps the costs of the sections up to date.
type gauge struct {
	with      Beam
	unit      float64   // bytes in a thousandth of the capacity
	slack     []float64 // capacity - live bytes
	weight    []float64 // (slack + 3)^-Power
	potential []float64 // share of each buffer

	floor []int64   // least effective offset of each section's unplaced
	rests []int32   // a buffer of each section that has it, or n
	bears []int32   // how many sections have a buffer for that
	cost  []float64 // of each section
	sum   float64   // of the costs
	left  float64   // potential of the unplaced

	dirty    []int32 // sections that the last assessment looked at, and what it found
	rose     []int32 // those of them whose floors rose, without those of what was placed
	stamp    []int64
	now      int64
	newFloor []int64
	newRests []int32
	newCost  []float64
}

func (g *gauge) begin(t *tree, with Beam) {
	n, sections := len(t.size), len(t.latest)
	*g = gauge{with: with, unit: float64(max(t.capacity, 1)) / 1000, potential: make([]float64, n), left: 1,
		slack: make([]float64, sections), weight: make([]float64, sections), stamp: make([]int64, sections),
		floor: make([]int64, sections), newFloor: make([]int64, sections),
		rests: make([]int32, sections), newRests: make([]int32, sections), bears: make([]int32, n+1),
		cost: make([]float64, sections), newCost: make([]float64, sections)}
	var sum float64
	for r, i := range t.order {
		g.potential[r] = math.Pow(t.p.width(i), with.LifePower) * math.Sqrt(float64(t.size[r]))
		sum += g.potential[r]
	}
	for r := range g.potential {
		g.potential[r] /= sum
	}
	for s, total := range t.p.total {
		g.slack[s] = float64(t.capacity-total) / g.unit
		g.weight[s] = math.Pow(g.slack[s]+3, -with.Power)
	}
	for s := range g.cost {
		g.rests[s] = int32(n)
		g.floor[s], g.rests[s], g.cost[s] = g.measure(t, int32(s), 0)
		g.bears[g.rests[s]]++
		g.sum += g.cost[s]
	}
}

// measure works out the floor, known to be at least that, and the cost of a section.
func (g *gauge) measure(t *tree, s int32, least int64) (floor int64, at int32, cost float64) {
	if t.latest[s] == t.capacity {
		return placed, int32(len(t.size)), 0 // full
	}
	floor, at = g.lowest(t, s, least)
	return floor, at, g.price(t, s, floor)
}

// lowest works out the floor of a section that is not full, known to be at least
// that, and who bears it.
func (g *gauge) lowest(t *tree, s int32, least int64) (floor int64, at int32) {
	at = g.rests[s]
	if floor = t.eff[at]; floor > least {
		for _, j := range t.members[s] {
			if e := t.eff[j]; e < floor {
				if floor, at = e, j; e == least {
					break
				}
			}
		}
	}
	return floor, at
}

// price is the cost of a section that is not full, by its floor.
func (g *gauge) price(t *tree, s int32, floor int64) float64 {
	room := float64(t.latest[s]-floor) / g.unit
	if g.with.Barrier {
		return math.Pow(room+g.with.Margin, -g.with.Power)
	}
	return (g.slack[s] - room) * g.weight[s]
}

// assess works out the sum of the costs after the changes since mark.
func (g *gauge) assess(t *tree, mark int) float64 {
	g.now++
	g.dirty = g.dirty[:0]
	sure, top := 0, int64(0) // sections of what was placed: in this order; and where that ends
	for k, ch := range t.trail[mark:] {
		if ch.of >= 0 {
			g.touch(t, ch)
		}
		if k == 0 && ch.of >= 0 && t.eff[ch.of] == placed {
			sure, top = len(g.dirty), ch.old+t.size[ch.of]
		}
	}
	sum := g.sum
	for _, s := range g.dirty[:sure] { // what is left of them starts above what was placed
		g.newFloor[s], g.newRests[s], g.newCost[s] = g.measure(t, s, top)
		sum += g.newCost[s] - g.cost[s]
	}
	g.rose = g.rose[:0]
	for _, s := range g.dirty[sure:] {
		g.newFloor[s], g.newRests[s] = g.lowest(t, s, g.floor[s]) // floors never fall
		if g.newCost[s] = g.cost[s]; g.newFloor[s] != g.floor[s] {
			g.newCost[s] = g.price(t, s, g.newFloor[s])
			g.rose = append(g.rose, s)
		}
	}
	g.arrange(t, mark)
	for _, s := range g.rose {
		sum += g.newCost[s] - g.cost[s]
	}
	return sum
}

// arrange puts the sections whose floors rose in the order in which the first that
// had their floors did, for the last bits of a sum depend on its order, and who
// bears a floor is chance.
func (g *gauge) arrange(t *tree, mark int) {
	left := g.rose
	slices.Sort(left)
	for k := mark; k < len(t.trail) && len(left) > 1; k++ {
		ch := t.trail[k]
		for at := 0; ch.of >= 0 && at < len(left); at++ {
			if s := left[at]; ch.old == g.floor[s] && t.live(ch.of, s) {
				copy(left[1:at+1], left[:at])
				left[0] = s
				left, at = left[1:], at-1
			}
		}
	}
}

// live reports whether a buffer is live in a section.
func (t *tree) live(i, s int32) bool {
	for _, r := range t.spans[i] {
		if r.lo <= s && s < r.hi {
			return true
		}
	}
	return false
}

// touch marks the sections whose cost may differ after a change.
func (g *gauge) touch(t *tree, ch change) {
	gone := t.eff[ch.of] == placed
	if !gone && g.bears[ch.of] == 0 {
		return
	}
	for _, r := range t.spans[ch.of] {
		for s := r.lo; s < r.hi; s++ {
			if (gone || g.rests[s] == ch.of) && g.stamp[s] != g.now {
				g.stamp[s] = g.now
				g.dirty = append(g.dirty, s)
			}
		}
	}
}

// commit makes what was assessed the state of affairs.
func (g *gauge) commit(sum float64) {
	for _, s := range g.dirty {
		g.bears[g.rests[s]]--
		g.bears[g.newRests[s]]++
		g.floor[s], g.rests[s], g.cost[s] = g.newFloor[s], g.newRests[s], g.newCost[s]
	}
	g.sum = sum
}
