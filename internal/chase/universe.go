package chase

import (
	"cmp"
	"math/bits"
	"slices"

	"memplan/model"
)

// A universe numbers the arrangements that count of live buffers of some sizes: one
// of each pair of mirror images, and those alone that have a hole for all bytes that
// may still be born. Sets of them are bitsets, and what a death or a birth makes of
// each is worked out once.
type universe struct {
	sizes     []int64 // descending
	bytes     int64   // of all of them
	twins     bool    // two are the same
	ways      []uint64
	renamings []*renaming // known ones, the first of which changes nothing
	compared  int         // by so many of them are sets compared
	moves     []*move     // where known: a death by its buffer, then a birth by its size
	pool      pool
}

// A renaming gives buffers of one size each other's names.
type renaming struct {
	perm []int   // which buffer the k-th was
	to   []int32 // what it makes of each arrangement; nil: the same
}

// A move is a death or a birth, with all that it can make of each arrangement.
type move struct {
	into  *universe
	died  int   // which buffer, or -1
	born  int64 // bytes
	at    int   // which buffer is the one that was born
	first []int32
	to    []int32 // of the k-th arrangement from first[k] to before first[k+1]
}

// maxRenamings is by how many sets are compared. Where there would be more, as with
// four buffers of one size, they cost more than they find.
const maxRenamings = 6

// universe is that of the sizes, made when it is first asked for.
func (m *meeting) universe(sizes []int64) *universe {
	key := keyOf(sizes)
	if u := m.universes[key]; u != nil {
		return u
	}
	u := &universe{sizes: sizes, moves: make([]*move, int64(len(sizes))+m.Load+1)}
	for k, z := range sizes {
		u.bytes += z
		u.twins = u.twins || k > 0 && sizes[k-1] == z
	}
	m.enumerate(u, 0, 0, 0)
	slices.Sort(u.ways)
	for r := range u.pool.words {
		u.pool.words[r] = u.none()
	}
	m.renaming(u, model.Identity(len(sizes)))
	if all := renamings(sizes); len(all) <= maxRenamings {
		for _, perm := range all {
			m.renaming(u, perm)
		}
	}
	u.compared = len(u.renamings)
	m.universes[key] = u
	return u
}

// none is the set of no arrangements.
func (u *universe) none() []uint64 { return make([]uint64, (len(u.ways)+63)/64) }

// keyOf is the same for equal lists of sizes.
func keyOf(sizes []int64) string {
	key := make([]byte, len(sizes))
	for k, z := range sizes {
		key[k] = byte(z)
	}
	return string(key)
}

// enumerate adds the arrangements that begin with way, the first k buffers of which
// have the bytes taken.
func (m *meeting) enumerate(u *universe, k int, way, taken uint64) {
	if k == len(u.sizes) {
		if m.room(taken, m.Load-u.bytes) && way == m.straight(u.sizes, way) {
			u.ways = append(u.ways, way)
		}
		return
	}
	for at := int64(0); at+u.sizes[k] <= m.Height; at++ {
		if block := block(u.sizes[k], at); taken&block == 0 {
			m.enumerate(u, k+1, way|uint64(at)<<(wide*k), taken|block)
		}
	}
}

// straight is an arrangement or its mirror image, whichever has the lesser number.
func (m *meeting) straight(sizes []int64, way uint64) uint64 {
	mirrored := uint64(0)
	for k, z := range sizes {
		mirrored |= uint64(m.Height-z-offset(way, k)) << (wide * k)
	}
	return min(way, mirrored)
}

// room reports whether so many free bytes are in a row.
func (m *meeting) room(taken uint64, bytes int64) bool {
	free := ^taken & (1<<m.Height - 1)
	for ; bytes > 1; bytes-- {
		free &= free >> 1
	}
	return free != 0 || bytes == 0
}

// number is that of an arrangement; -1 when it does not count.
func (m *meeting) number(u *universe, way uint64) int32 {
	k, found := slices.BinarySearch(u.ways, m.straight(u.sizes, way))
	if !found {
		return -1
	}
	return int32(k)
}

// renamings lists the orders of buffers that leave their sizes as they are.
func renamings(sizes []int64) [][]int {
	list := [][]int{nil}
	for _, z := range sizes {
		var longer [][]int
		for _, perm := range list {
			for i := range sizes {
				if sizes[i] == z && !slices.Contains(perm, i) {
					longer = append(longer, append(slices.Clone(perm), i))
				}
			}
		}
		list = longer
	}
	return list
}

// renaming is that by an order of the buffers.
func (m *meeting) renaming(u *universe, perm []int) *renaming {
	for _, r := range u.renamings {
		if slices.Equal(r.perm, perm) {
			return r
		}
	}
	r := &renaming{perm: perm}
	if !slices.IsSorted(perm) {
		for _, way := range u.ways {
			renamed := uint64(0)
			for k, i := range perm {
				renamed |= uint64(offset(way, i)) << (wide * k)
			}
			r.to = append(r.to, m.number(u, renamed))
		}
	}
	u.renamings = append(u.renamings, r)
	return r
}

// of writes a set under other names into result.
func (r *renaming) of(words, result []uint64) {
	if r.to == nil {
		copy(result, words)
		return
	}
	clear(result)
	for i := range members(words) {
		result[r.to[i]>>6] |= 1 << (r.to[i] & 63)
	}
}

// named is the renaming that puts buffers of one size into the order of how often
// they lie how far from the nearer end.
func (m *meeting) named(u *universe, words []uint64) *renaming {
	if !u.twins {
		return u.renamings[0]
	}
	var places [most][tallest + 1]int32
	for i := range members(words) {
		for k, z := range u.sizes {
			at := offset(u.ways[i], k)
			places[k][min(at, m.Height-z-at)]++
		}
	}
	perm := model.Identity(len(u.sizes))
	slices.SortStableFunc(perm, func(a, b int) int {
		return cmp.Or(cmp.Compare(u.sizes[b], u.sizes[a]), slices.Compare(places[a][:], places[b][:]))
	})
	return m.renaming(u, perm)
}

// death is the move by which the i-th buffer dies.
func (m *meeting) death(u *universe, i int) *move {
	if u.moves[i] == nil {
		u.moves[i] = m.died(u, i)
	}
	return u.moves[i]
}

func (m *meeting) died(u *universe, i int) *move {
	v := &move{into: m.universe(slices.Concat(u.sizes[:i], u.sizes[i+1:])), died: i}
	for _, way := range u.ways {
		v.begin()
		v.add(m.number(v.into, without(way, i)))
	}
	v.begin()
	return v
}

// birth is the move by which a buffer of that size is born.
func (m *meeting) birth(u *universe, size int64) *move {
	k := int64(len(u.sizes)) + size
	if u.moves[k] == nil {
		u.moves[k] = m.born(u, size)
	}
	return u.moves[k]
}

func (m *meeting) born(u *universe, size int64) *move {
	at := 0
	for at < len(u.sizes) && u.sizes[at] >= size {
		at++
	}
	v := &move{into: m.universe(slices.Insert(slices.Clone(u.sizes), at, size)), died: -1, born: size, at: at}
	below := uint64(1)<<(wide*at) - 1
	for _, way := range u.ways {
		v.begin()
		taken, apart := taken(u.sizes, way), way&below|way&^below<<wide
		for place := int64(0); place+size <= m.Height; place++ {
			if taken&block(size, place) == 0 {
				v.add(m.number(v.into, apart|uint64(place)<<(wide*at)))
			}
		}
	}
	v.begin()
	return v
}

// begin is called before the targets of each arrangement, and after the last.
func (v *move) begin() { v.first = append(v.first, int32(len(v.to))) }

// add adds a target that counts.
func (v *move) add(number int32) {
	if number >= 0 {
		v.to = append(v.to, number)
	}
}

// of writes what the move makes of a set into result.
func (v *move) of(words, result []uint64) {
	clear(result)
	for i := range members(words) {
		for _, to := range v.to[v.first[i]:v.first[i+1]] {
			result[to>>6] |= 1 << (to & 63)
		}
	}
}

// members lists what is in a set.
func members(words []uint64) func(yield func(int) bool) {
	return func(yield func(int) bool) {
		for k, word := range words {
			for ; word != 0; word &= word - 1 {
				if !yield(k*64 + bits.TrailingZeros64(word)) {
					return
				}
			}
		}
	}
}
