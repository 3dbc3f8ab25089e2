package learning

// A row is a member of a clique as the rule edge sees it.
type row struct {
	id         int32
	head, tail int64
	size       int64
}

// edges is the rule edge, overload checking and edge finding, on one clique.
// For every a and b let S be the members with a head of at least a and a tail
// of at least b.
//
//   - a + z(S) + b > height: a contradiction.
//   - j has a head of at least a, a lesser tail, and a + z(S) + z(j) + b > height:
//     S lies below j.
//   - j has a tail of at least b, a lesser head, and the same: S lies above j.
//
// Only those a and b are looked at that heads or tails moved past since the
// last time. Cost: O(|C|^2).
func (s *solver) edges(c int32) bool {
	heads, tails := s.moved[0][c], s.moved[1][c]
	s.moved[0][c], s.moved[1][c] = nothing, nothing
	rows := s.byHead(c)
	s.work += int64(len(rows)*len(rows)/16) + 1
	for x := range rows {
		b := rows[x].tail
		if seen(rows[:x], b) {
			continue
		}
		look := heads
		if tails.has(b) {
			look = everything
		}
		if look.lo <= rows[0].head && !s.edge(c, rows, b, look) {
			return false
		}
	}
	return true
}

// edge is edges for one b and for what a is looked at.
func (s *solver) edge(c int32, rows []row, b int64, look extent) bool {
	above := s.largestFrom(rows, b)
	clear(s.among)
	var sum, big int64 // of S; the largest outsider with a head of at least a
	for y := range rows {
		r := &rows[y]
		if r.head < look.lo {
			return true
		}
		if r.tail >= b {
			sum += r.size
			s.among.add(r.id)
		} else {
			big = max(big, r.size)
		}
		if a := r.head; sum > 0 && a <= look.hi && (y+1 == len(rows) || rows[y+1].head < a) {
			room := s.p.height - a - sum - b
			why := reason{kind: byEdge, x: c, a: a, b: b}
			if room < 0 {
				s.bad = contradiction{none, why}
				return false
			}
			if big > room && !s.tops(rows[:y+1], room, why) || above[y+1] > room && !s.bottoms(rows, y+1, room, why) {
				return false
			}
		}
	}
	return true
}

// largestFrom is, for each place in rows, the largest with a tail of at least b
// from there on.
func (s *solver) largestFrom(rows []row, b int64) []int64 {
	above := s.above[:len(rows)+1]
	above[len(rows)] = 0
	for y := len(rows) - 1; y >= 0; y-- {
		above[y] = above[y+1]
		if r := &rows[y]; r.tail >= b {
			above[y] = max(above[y], r.size)
		}
	}
	return above
}

// tops puts S below each outsider of a lesser tail that has no room beside it.
func (s *solver) tops(rows []row, room int64, why reason) bool {
	for x := range rows {
		j := &rows[x]
		if j.tail >= why.b || j.size <= room {
			continue
		}
		below := s.pre[0][j.id]
		if s.among.within(below) {
			continue
		}
		for y := range rows {
			k := &rows[y]
			if k.tail >= why.b && !below.has(k.id) && !s.set(s.p.below(k.id, j.id), why) {
				return false
			}
		}
	}
	return true
}

// bottoms puts S, among rows[:y], above each outsider of a lesser head.
func (s *solver) bottoms(rows []row, y int, room int64, why reason) bool {
	why.mirror = true
	for x := y; x < len(rows); x++ {
		j := &rows[x]
		if j.tail < why.b || j.size <= room {
			continue
		}
		above := s.pre[1][j.id]
		if s.among.within(above) {
			continue
		}
		for w := range rows[:y] {
			k := &rows[w]
			if k.tail >= why.b && !above.has(k.id) && !s.set(s.p.below(j.id, k.id), why) {
				return false
			}
		}
	}
	return true
}

func seen(rows []row, tail int64) bool {
	for x := range rows {
		if rows[x].tail == tail {
			return true
		}
	}
	return false
}

// byHead lists the members of a clique by head, highest first.
func (s *solver) byHead(c int32) []row {
	rows := s.rows[:0]
	for _, k := range s.p.cliques[c] {
		r := row{k, s.bound[2*k], s.bound[2*k+1], s.p.size[k]}
		rows = append(rows, r)
		b := len(rows) - 1
		for ; b > 0 && rows[b-1].head < r.head; b-- {
			rows[b] = rows[b-1]
		}
		rows[b] = r
	}
	s.rows = rows
	return rows
}
