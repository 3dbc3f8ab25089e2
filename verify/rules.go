package verify

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"memplan/model"
)

// close applies the rules until nothing changes or a contradiction is reached.
func (t *theory) close() {
	for !t.dead {
		switch {
		case len(t.orders) > 0:
			o := t.orders[len(t.orders)-1]
			t.orders = t.orders[:len(t.orders)-1]
			t.ordered(o[0], o[1])
		case len(t.tipped.list) > 0:
			t.weigh(&t.balances[t.tipped.pop()])
		case len(t.risen.list) > 0:
			t.rose(t.risen.pop())
		case len(t.fallen.list) > 0:
			t.fell(t.fallen.pop())
		case len(t.lifted.list) > 0:
			t.sumUp(t.lifted.popFirst(t.lo, 1))
		case len(t.sunk.list) > 0:
			t.sumDown(t.sunk.popFirst(t.hi, -1))
		case len(t.stale.list) > 0:
			t.spaces(t.stale.pop())
		default:
			return
		}
	}
	t.forget()
}

// ordered draws the conclusions from i below j: lemmas, and the rules order and
// chain.
func (t *theory) ordered(i, j int32) {
	if t.conflict[i].has(j) {
		list := &t.byOrder[t.number[t.at(i, j)]]
		*list = t.review(*list, model.Claim{Relation: model.Below, Buffer: int(j), Other: int(i)})
	}
	for w := range t.inside {
		for m := t.above[j][w] & t.near[i][w] &^ t.above[i][w]; m != 0; m &= m - 1 {
			t.put(i, lowest(w, m))
		}
		for m := t.under[i][w] & t.near[j][w] &^ t.under[j][w]; m != 0; m &= m - 1 {
			t.put(lowest(w, m), j)
		}
	}
	t.raise(j, t.lo[i]+t.size[i])
	t.lower(i, t.hi[j]-t.size[i])
	t.lifted.put(j)
	t.sunk.put(i)
}

// rose draws the conclusions from the least offset of i: lemmas, and the rules
// order and room.
func (t *theory) rose(i int32) {
	t.byLow[i] = t.review(t.byLow[i], model.Claim{Relation: model.AtMost, Buffer: int(i)})
	end := t.lo[i] + t.size[i]
	for w := range t.inside {
		for m := t.above[i][w]; m != 0; m &= m - 1 {
			k := lowest(w, m)
			t.raise(k, end)
			t.lifted.put(k)
		}
		for m := t.conflict[i][w] &^ t.above[i][w] &^ t.under[i][w]; m != 0; m &= m - 1 {
			if j := lowest(w, m); end > t.hi[j] {
				t.put(j, i)
			}
		}
	}
}

// fell draws those from its greatest offset.
func (t *theory) fell(i int32) {
	t.byHigh[i] = t.review(t.byHigh[i], model.Claim{Relation: model.AtLeast, Buffer: int(i)})
	for w := range t.inside {
		for m := t.under[i][w]; m != 0; m &= m - 1 {
			k := lowest(w, m)
			t.lower(k, t.hi[i]-t.size[k])
			t.sunk.put(k)
		}
		for m := t.conflict[i][w] &^ t.above[i][w] &^ t.under[i][w]; m != 0; m &= m - 1 {
			if j := lowest(w, m); t.lo[j]+t.size[j] > t.hi[i] {
				t.put(i, j)
			}
		}
	}
}

// lowest is the lowest member of word w of a mask.
func lowest(w int, word uint64) int32 { return int32(w<<6 + bits.TrailingZeros64(word)) }

// A balance is what two cliques with buffer j in both leave to its sides: the
// bytes below it of those in the first only, and above it of those in the second
// only, are at most so many.
type balance struct {
	room    int64      // less what is known
	members [][2]int32 // the orders that count, the largest buffer first
	size    []int64
}

func (s *scene) balance(j int32, first, second []int32) balance {
	b := balance{room: s.height}
	var others []int32
	for _, i := range first {
		if !slices.Contains(second, i) {
			others = append(others, i)
		}
	}
	leave := len(others)
	for _, i := range second {
		if !slices.Contains(first, i) {
			others = append(others, i)
		} else if b.room >= 0 {
			b.room -= s.size[i]
		}
	}
	b.members, b.size = make([][2]int32, len(others)), make([]int64, len(others))
	for k, i := range others {
		b.members[k] = [2]int32{i, j}
		if k >= leave {
			b.members[k] = [2]int32{j, i}
		}
	}
	slices.SortFunc(b.members, func(x, y [2]int32) int { return cmp.Compare(s.size[other(y, j)], s.size[other(x, j)]) })
	for k, o := range b.members {
		b.size[k] = s.size[other(o, j)]
	}
	return b
}

// other is the one of an order that is not j.
func other(o [2]int32, j int32) int32 { return o[0] + o[1] - j }

// binds reports whether all the orders that count may be too much together.
func (b *balance) binds() bool {
	room := b.room
	for _, z := range b.size {
		if room -= z; room < 0 {
			return true
		}
	}
	return room < 0
}

// apart is how many places apart in the list of the cliques with a buffer two are
// at most that make a balance of it.
const apart = 3

// counts adds the balances of j in its cliques.
func (t *theory) counts(j int32) {
	for k, c := range t.of[j] {
		for _, d := range t.of[j][max(0, k-apart):k] {
			t.count(t.balance(j, t.cliques[c], t.cliques[d]))
			t.count(t.balance(j, t.cliques[d], t.cliques[c]))
		}
	}
}

func (t *theory) count(b balance) {
	if !b.binds() {
		return
	}
	k := int32(len(t.balances))
	t.balances = append(t.balances, b)
	for n, o := range b.members {
		x := t.number[t.at(o[0], o[1])]
		t.shares[x] = append(t.shares[x], share{k, b.size[n]})
	}
}

// A share is what an order takes of a balance's room.
type share struct {
	balance int32
	size    int64
}

// weigh applies the rule balance: what there is no room for is denied.
func (t *theory) weigh(b *balance) {
	t.dead = t.dead || b.room < 0
	for k, z := range b.size {
		if z <= b.room {
			break
		}
		if o := b.members[k]; !t.above[o[0]].has(o[1]) {
			t.put(o[1], o[0])
		}
	}
}

// A spot is a member of a clique, with what is known of it.
type spot struct {
	id         int32
	start, end int64 // least offset, greatest end
	size       int64
}

// sorted lists the members of a clique by start, latest first, and keeps their
// order for the next time, when it will have changed little.
func (t *theory) sorted(c int32) []spot {
	spots, members := t.spots[:0], t.byStart[c]
	for k, i := range members {
		s := spot{i, t.lo[i], t.hi[i] + t.size[i], t.size[i]}
		spots = append(spots, s)
		for ; k > 0 && s.start > spots[k-1].start; k-- {
			spots[k], members[k] = spots[k-1], members[k-1]
		}
		spots[k], members[k] = s, i
	}
	t.spots = spots
	return spots
}

// sumUp applies the rule sum to what lies below j: in one clique, those that
// start at a or later fill a to a+sum. Also where a is the start of another, it
// is right, and says nothing new.
func (t *theory) sumUp(j int32) {
	below := t.spots[:0]
	for w, m := range t.under[j] {
		for ; m != 0; m &= m - 1 {
			i := lowest(w, m)
			below = insert(below, spot{id: i, start: t.lo[i], size: t.size[i]})
		}
	}
	t.spots = below
	x := t.lo[j]
	if len(below) > 1 {
		for _, c := range t.of[j] {
			sum, member := int64(0), t.member[c]
			for k := range below {
				s := &below[k]
				sum = plus(sum, s.size*member.count(s.id))
				x = max(x, plus(s.start, sum))
			}
		}
	}
	t.raise(j, x)
}

// sumDown applies it to what lies above j: those that end at b or earlier fill
// b-sum to b.
func (t *theory) sumDown(j int32) {
	above := t.spots[:0]
	for w, m := range t.above[j] {
		for ; m != 0; m &= m - 1 {
			i := lowest(w, m)
			above = insert(above, spot{id: i, start: -t.hi[i] - t.size[i], size: t.size[i]})
		}
	}
	t.spots = above
	x := t.hi[j]
	if len(above) > 1 {
		for _, c := range t.of[j] {
			sum, member := t.size[j], t.member[c]
			for k := range above {
				s := &above[k]
				sum = plus(sum, s.size*member.count(s.id))
				x = min(x, -s.start-sum)
			}
		}
	}
	t.lower(j, x)
}

// insert keeps spots sorted by start, latest first.
func insert(spots []spot, s spot) []spot {
	k := len(spots)
	spots = append(spots, s)
	for ; k > 0 && s.start > spots[k-1].start; k-- {
		spots[k] = spots[k-1]
	}
	spots[k] = s
	return spots
}

// spaces applies the rule space to clique c: for every a and b that bounds
// moved past since the last time, the set S of those that start at a or later
// and end at b or earlier.
func (t *theory) spaces(c int32) {
	starts, ends := t.starts[c], t.ends[c]
	t.starts[c], t.ends[c] = nothing, nothing
	spots := t.sorted(c)
	for x := range spots {
		b, look := spots[x].end, starts
		if ends.has(b) {
			look = span{math.MinInt64, math.MaxInt64}
		}
		if look.first > spots[0].start || slices.ContainsFunc(spots[:x], func(s spot) bool { return s.end == b }) {
			continue
		}
		rest := t.rest[:len(spots)+1] // largest that ends by b, from here on
		rest[len(spots)] = 0
		for y := len(spots) - 1; y >= 0; y-- {
			rest[y] = rest[y+1]
			if spots[y].end <= b {
				rest[y] = max(rest[y], spots[y].size)
			}
		}
		t.space(spots, rest, b, look)
	}
}

// space is spaces for one b, and for what a is looked at.
func (t *theory) space(spots []spot, rest []int64, b int64, look span) {
	clear(t.inside)    // S
	var sum, out int64 // of S; the largest that starts at a or later and ends after b
	for y := range spots {
		s := &spots[y]
		if s.start < look.first {
			return
		}
		if s.end > b {
			out = max(out, s.size)
		} else {
			sum = plus(sum, s.size)
			t.inside.put(s.id)
		}
		room := b - s.start - sum // beside S
		if sum == 0 || room >= max(out, rest[y+1]) || s.start > look.last {
			continue
		}
		if room < 0 {
			t.dead = true
			return
		}
		t.squeeze(spots, y+1, b, room)
	}
}

// squeeze: S is what of spots[:y] ends by b. A buffer that starts at a or later
// and has no room beside S is above it; one that ends by b, below it.
func (t *theory) squeeze(spots []spot, y int, b, room int64) {
	for x := range spots {
		j := &spots[x]
		switch {
		case j.size <= room || (x < y) == (j.end <= b):
		case x < y && !t.inside.within(t.under[j.id]):
			t.inside.each(func(k int32) { t.put(k, j.id) })
		case x >= y && !t.inside.within(t.above[j.id]):
			t.inside.each(func(k int32) { t.put(j.id, k) })
		}
	}
}

// plus is a sum of sizes and offsets, all at most 2^61, kept at most 2^61.
func plus(a, b int64) int64 { return min(a+b, 2*mostHeight) }
