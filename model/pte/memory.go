package pte

import (
	"slices"
	"sort"
)

// A piece is a run of an arena's bytes that hold what one write put there.
type piece struct {
	start, end int64
	value      int // that was written
	step       int // of the instruction that wrote it; before 0: there from the start
}

// A memory is what an arena holds while a method is replayed: disjoint pieces
// by address. What is in none has not been written.
type memory struct{ pieces []piece }

// first is the first piece that ends above an address.
func (m *memory) first(at int64) int {
	return sort.Search(len(m.pieces), func(i int) bool { return m.pieces[i].end > at })
}

// read is the pieces of [start, end), cut to it.
func (m *memory) read(start, end int64) []piece {
	var list []piece
	for i := m.first(start); i < len(m.pieces) && m.pieces[i].start < end; i++ {
		p := m.pieces[i]
		p.start, p.end = max(p.start, start), min(p.end, end)
		list = append(list, p)
	}
	return list
}

// write puts a piece over whatever is there.
func (m *memory) write(w piece) {
	if w.start >= w.end {
		return
	}
	i := m.first(w.start)
	k := i
	var left []piece // of those that it covers in part
	for ; k < len(m.pieces) && m.pieces[k].start < w.end; k++ {
		if p := m.pieces[k]; p.start < w.start {
			left = append(left, piece{p.start, w.start, p.value, p.step})
		}
		if k == i {
			left = append(left, w)
		}
		if p := m.pieces[k]; p.end > w.end {
			left = append(left, piece{w.end, p.end, p.value, p.step})
		}
	}
	if k == i {
		left = append(left, w)
	}
	m.pieces = slices.Replace(m.pieces, i, k, left...)
}

// covers reports whether pieces fill [start, end).
func covers(list []piece, start, end int64) bool {
	for _, p := range list {
		if p.start > start {
			return false
		}
		start = p.end
	}
	return start >= end
}
