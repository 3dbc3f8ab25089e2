package verify

import (
	"cmp"
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
		case len(t.tipped) > 0:
			k := t.tipped[len(t.tipped)-1]
			t.tipped = t.tipped[:len(t.tipped)-1]
			t.isTip[k] = false
			t.weigh(&t.balances[k])
		case len(t.moved) > 0:
			i := t.moved[len(t.moved)-1]
			t.moved = t.moved[:len(t.moved)-1]
			t.isMov[i] = false
			t.movedBy(i)
		case len(t.stale) > 0:
			c := t.stale[len(t.stale)-1]
			t.stale = t.stale[:len(t.stale)-1]
			t.isSta[c] = false
			t.clique(c)
		default:
			return
		}
	}
	t.rest()
}

// ordered draws the conclusions from i below j: rules order and chain.
func (t *theory) ordered(i, j int32) {
	t.above[j].each(func(k int32) { t.put(i, k) })
	t.under[i].each(func(k int32) { t.put(k, j) })
	t.raise(j, t.lo[i]+t.size[i])
	t.lower(i, t.hi[j]-t.size[i])
	t.spoil(i)
	t.spoil(j)
	key := [2]int32{i, j}
	if list := t.byOrder[key]; len(list) > 0 {
		t.byOrder[key] = t.review(list, func(c model.Claim) bool {
			return c.Relation == model.Below && int32(c.Other) == i && int32(c.Buffer) == j
		})
	}
}

// movedBy draws the conclusions from the bounds of i: rules order and room.
func (t *theory) movedBy(i int32) {
	t.above[i].each(func(k int32) { t.raise(k, t.lo[i]+t.size[i]) })
	t.under[i].each(func(k int32) { t.lower(k, t.hi[i]-t.size[k]) })
	t.conflict[i].each(func(j int32) {
		if t.lo[i]+t.size[i] > t.hi[j] {
			t.put(j, i)
		}
		if t.lo[j]+t.size[j] > t.hi[i] {
			t.put(i, j)
		}
	})
	t.byBound[i] = t.review(t.byBound[i], func(c model.Claim) bool {
		return c.Relation != model.Below && int32(c.Buffer) == i
	})
}

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
	t.balances, t.isTip = append(t.balances, b), append(t.isTip, false)
	for n, o := range b.members {
		t.shares[o] = append(t.shares[o], share{k, b.size[n]})
	}
	t.tip(k)
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

// clique applies the rules sum and space to clique c.
func (t *theory) clique(c int32) {
	t.sumsDown(t.sorted(t.byEnd[c], func(s, o *spot) bool { return s.end < o.end }))
	spots := t.sorted(t.byStart[c], func(s, o *spot) bool { return s.start > o.start })
	t.sumsUp(spots)
	t.spaces(spots)
}

// sorted lists the members of a clique, and keeps their order for the next
// time, when it will have changed little.
func (t *theory) sorted(members []int32, before func(s, o *spot) bool) []spot {
	spots := t.spots[:0]
	for k, i := range members {
		s := spot{i, t.lo[i], t.hi[i] + t.size[i], t.size[i]}
		spots = append(spots, s)
		for ; k > 0 && before(&s, &spots[k-1]); k-- {
			spots[k], members[k] = spots[k-1], members[k-1]
		}
		spots[k], members[k] = s, i
	}
	t.spots = spots
	return spots
}

// sumsUp: buffers below j that start at a or later fill a to a+sum.
func (t *theory) sumsUp(spots []spot) {
	for _, j := range spots {
		under, sum := t.under[j.id], int64(0)
		for _, k := range spots {
			if under.has(k.id) {
				sum = plus(sum, k.size)
				t.raise(j.id, plus(k.start, sum))
			}
		}
	}
}

// sumsDown: buffers above j that end at b or earlier fill b-sum to b.
func (t *theory) sumsDown(spots []spot) {
	for _, j := range spots {
		above, sum := t.above[j.id], j.size
		for _, k := range spots {
			if above.has(k.id) {
				sum = plus(sum, k.size)
				t.lower(j.id, k.end-sum)
			}
		}
	}
}

// spaces: for every a and b, the set S of those that start at a or later and
// end at b or earlier. spots are sorted by start, latest first.
func (t *theory) spaces(spots []spot) {
	rest := make([]int64, len(spots)+1) // largest that ends by b, from here on
	for x := range spots {
		b := spots[x].end
		if slices.ContainsFunc(spots[:x], func(s spot) bool { return s.end == b }) {
			continue
		}
		for y := len(spots) - 1; y >= 0; y-- {
			rest[y] = rest[y+1]
			if spots[y].end <= b {
				rest[y] = max(rest[y], spots[y].size)
			}
		}
		t.space(spots, rest, b)
	}
}

// space is spaces for one b.
func (t *theory) space(spots []spot, rest []int64, b int64) {
	clear(t.inside)    // S
	var sum, out int64 // of S; the largest that starts at a or later and ends after b
	for y, s := range spots {
		if s.end > b {
			out = max(out, s.size)
		} else {
			sum = plus(sum, s.size)
			t.inside.put(s.id)
		}
		room := b - s.start - sum // beside S
		if sum == 0 || room >= max(out, rest[y+1]) {
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
	for x, j := range spots {
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
