// Package oracle holds the truth about tiny instances, for tests: their
// optimal peak by brute force, and a generator of instances with every
// feature. It shares no code with the planners.
//
//	Optimum   a plan of least peak, by every offset; all features
//	ByOrders  the least peak, by every order of offsets; no ties, any sizes
//	ByFloors  the same, with failed states remembered; sizes and lifetimes alone
//	Peak      by the quicker of these two
//	Plans     all plans within a height
//	Random    instances with the features asked for
package oracle

import (
	"fmt"
	"math/rand"
	"slices"

	"memplan/model"
)

// Highest is the greatest peak that Optimum looks for.
const Highest = 63

// Optimum is a plan of least peak, by trying every offset of every
// body at every height from 0 to Highest; false when it is beyond that. It
// knows nothing of bounds, orders or symmetries. Arenas are bit masks, one a
// section, and lives must lie in [0, 64). For about seven buffers of a few
// bytes.
func Optimum(in *model.Instance) (plan model.Plan, ok bool) {
	s := search{in: in, bodies: in.Bodies(), at: make([]int64, len(in.Buffers))}
	degree := func(body []int) (d int) {
		for _, i := range body {
			for j := range in.Buffers {
				if in.Buffers[i].Conflicts(&in.Buffers[j]) {
					d++
				}
			}
		}
		return d
	}
	slices.SortStableFunc(s.bodies, func(a, b []int) int { return degree(b) - degree(a) })
	for s.height = 0; s.height <= Highest; s.height++ {
		if s.fits(0) {
			return model.Plan{Offsets: s.at}, true
		}
	}
	return model.Plan{}, false
}

type search struct {
	in     *model.Instance
	bodies [][]int
	at     []int64
	height int64
	rows   [64]uint64 // of each step: the bytes taken
}

// fits places the bodies from the k-th on.
func (s *search) fits(k int) bool {
	if k == len(s.bodies) {
		return true
	}
	root := &s.in.Buffers[s.bodies[k][0]]
	first, last := int64(0), s.height
	if root.Offset != nil {
		first, last = *root.Offset, *root.Offset
	}
	for off := first; off <= last; off += root.Alignment() {
		if s.put(s.bodies[k], off, true) {
			if s.fits(k + 1) {
				return true
			}
			s.put(s.bodies[k], off, false)
		}
	}
	return false
}

// put takes or frees the bytes of a body whose root is at off, unless some of
// them are taken or beyond the height.
func (s *search) put(body []int, off int64, take bool) bool {
	if take {
		for _, i := range body {
			b := &s.in.Buffers[i]
			if b.Size > 0 && at(b, off)+b.Size > s.height || s.each(b, off, func(row *uint64, mask uint64) bool { return *row&mask != 0 }) {
				return false
			}
		}
	}
	for _, i := range body {
		s.at[i] = at(&s.in.Buffers[i], off)
		s.each(&s.in.Buffers[i], off, func(row *uint64, mask uint64) bool { *row ^= mask; return false })
	}
	return true
}

func at(b *model.Buffer, root int64) int64 {
	if b.Tie != nil {
		return root + b.Tie.Delta
	}
	return root
}

// each calls f for every step at which b is live, until f returns true.
func (s *search) each(b *model.Buffer, root int64, f func(row *uint64, mask uint64) bool) bool {
	mask := (uint64(1)<<b.Size - 1) << at(b, root)
	for part := range b.Live() {
		for step := part.Start; step < part.End; step++ {
			if f(&s.rows[step], mask) {
				return true
			}
		}
	}
	return false
}

// Features says what random instances may have.
type Features struct{ Align, Pins, Gaps, Ties bool }

// All is every feature.
var All = Features{true, true, true, true}

// Random makes a valid instance of at most seven buffers with few bytes, some
// of them without any.
func Random(r *rand.Rand, f Features) *model.Instance {
	for {
		in := &model.Instance{Name: "random"}
		for i := range r.Intn(8) {
			in.Buffers = append(in.Buffers, random(r, f, i))
		}
		for i := range in.Buffers {
			if to := r.Intn(len(in.Buffers)); f.Ties && r.Intn(3) == 0 && in.Buffers[i].Offset == nil {
				b := &in.Buffers[i]
				b.Tie = &model.Tie{To: to, Delta: b.Alignment() * r.Int63n(5)}
			}
		}
		if in.Validate() == nil {
			return in
		}
	}
}

func random(r *rand.Rand, f Features, i int) model.Buffer {
	start := r.Int63n(8)
	b := model.Buffer{ID: fmt.Sprint("b", i), Life: model.Interval{Start: start, End: start + 1 + r.Int63n(6)}, Size: r.Int63n(6)}
	if f.Align && r.Intn(3) == 0 {
		b.Align = 1 + r.Int63n(4)
	}
	if f.Pins && r.Intn(6) == 0 {
		pin := b.Alignment() * r.Int63n(4)
		b.Offset = &pin
	}
	if n := b.Life.End - b.Life.Start; f.Gaps && n > 2 && r.Intn(3) == 0 {
		from := b.Life.Start + r.Int63n(n-1)
		b.Gaps = []model.Interval{{Start: from, End: from + 1 + r.Int63n(b.Life.End-from-1)}}
	}
	return b
}
