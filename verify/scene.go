package verify

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"memplan/model"
)

// A scene is what a refutation speaks of: buffers clipped to a window, without
// those that live throughout, and a height. It is derived from the instance;
// the refutation only says which buffers, which steps and which height.
type scene struct {
	n      int
	size   []int64 // rounded up to the unit of alignment
	align  []int64
	lo, hi []int64 // least and greatest offset
	height int64

	live     [][]model.Interval // of what has bytes, in the window
	conflict []mask             // by buffer: who is live with it at some step
	known    [][2]int32         // orders without loss of generality: first below second
	gone     []bool             // lives throughout
	dead     bool               // some buffer alone does not fit
}

const (
	maxHeight  = int64(1) << 60 // bytes; beyond it a refutation is not taken on
	maxBuffers = 2048
)

// A mask is a set of buffers.
type mask []uint64

func (m mask) has(i int32) bool { return m[i>>6]>>(i&63)&1 != 0 }
func (m mask) put(i int32)      { m[i>>6] |= 1 << (i & 63) }
func (m mask) cut(i int32)      { m[i>>6] &^= 1 << (i & 63) }

func (m mask) count() (n int64) {
	for _, w := range m {
		n += int64(bits.OnesCount64(w))
	}
	return n
}

func (m mask) within(o mask) bool {
	for w := range m {
		if m[w]&^o[w] != 0 {
			return false
		}
	}
	return true
}

// each calls f with the members, in order.
func (m mask) each(f func(i int32)) {
	for w, word := range m {
		for ; word != 0; word &= word - 1 {
			f(int32(w<<6 + bits.TrailingZeros64(word)))
		}
	}
}

func masks(n int) []mask {
	words := (n + 63) / 64
	flat := make([]uint64, n*words)
	m := make([]mask, n)
	for i := range m {
		m[i] = flat[i*words : (i+1)*words]
	}
	return m
}

func newScene(in *model.Instance, r *model.Refutation) (*scene, error) {
	if r.Height < 0 || r.Height > maxHeight {
		return nil, fmt.Errorf("the height %d is not between 0 and 2^60", r.Height)
	}
	if len(r.Buffers) > maxBuffers {
		return nil, fmt.Errorf("%d buffers are more than %d", len(r.Buffers), maxBuffers)
	}
	s := &scene{n: len(r.Buffers), height: r.Height, gone: make([]bool, len(r.Buffers))}
	s.live = make([][]model.Interval, s.n)
	seen := map[int]bool{}
	for k, i := range r.Buffers {
		if i < 0 || i >= len(in.Buffers) || seen[i] {
			return nil, fmt.Errorf("buffer number %d does not exist or is named twice", i+1)
		}
		seen[i] = true
		for _, p := range parts(&in.Buffers[i]) {
			if p = p.Intersect(r.Window); !p.Empty() {
				s.live[k] = append(s.live[k], p)
			}
		}
		switch size := in.Buffers[i].Size; {
		case len(s.live[k]) == 0 || size < 0:
			return nil, fmt.Errorf("buffer %q is not live in the window", in.Buffers[i].ID)
		case size == 0:
			s.live[k] = nil // meets nobody, and may be anywhere
		}
	}
	if err := s.measure(in, r); err != nil {
		return nil, err
	}
	throughout := s.meet()
	if s.plain() {
		s.strip(throughout)
	}
	return s, s.order(r.Flip)
}

// measure sets sizes, alignments, offsets and the height, in bytes, such that
// every size and the height are multiples of the greatest common divisor of
// the alignments.
func (s *scene) measure(in *model.Instance, r *model.Refutation) error {
	unit := int64(0)
	for _, i := range r.Buffers {
		for a := max(in.Buffers[i].Align, 1); a != 0; {
			unit, a = a, unit%a
		}
	}
	unit = max(unit, 1)
	if unit > maxHeight {
		return errors.New("the alignment is beyond 2^60")
	}
	up := func(x int64) int64 { return (x + unit - 1) / unit * unit }
	s.height = up(r.Height)
	for _, i := range r.Buffers {
		b := &in.Buffers[i]
		align, room := max(b.Align, 1), r.Height-b.Size
		lo, hi := int64(0), room-room%align
		if at, pinned := pin(in, i); pinned && b.Size > 0 {
			lo, hi = at, at
		}
		if room < 0 || hi > room {
			s.dead = true
			lo, hi = 0, 0
		}
		s.size = append(s.size, up(min(b.Size, maxHeight)))
		s.align = append(s.align, align)
		s.lo, s.hi = append(s.lo, lo), append(s.hi, hi)
	}
	return nil
}

// pin is where a buffer is pinned, by itself or by the root it is tied to. Other
// ties are not looked at: what has no plan without them has none with them.
func pin(in *model.Instance, i int) (at int64, pinned bool) {
	b, above := &in.Buffers[i], int64(0)
	if t := b.Tie; t != nil && t.To >= 0 && t.To < len(in.Buffers) {
		b, above = &in.Buffers[t.To], t.Delta
	}
	if b.Offset == nil {
		return 0, false
	}
	if *b.Offset > math.MaxInt64-above {
		return math.MaxInt64, true
	}
	return *b.Offset + above, true
}

// plain reports whether every buffer may be anywhere below the height, in
// steps of the same size: then plans may be turned upside down, and buffers
// that live throughout may be moved to the bottom.
func (s *scene) plain() bool {
	if s.dead {
		return false
	}
	for k := range s.n {
		if s.align[k] != s.align[0] || s.lo[k] != 0 || s.hi[k] != s.height-s.size[k] {
			return false
		}
	}
	return true
}

// meet finds who conflicts with whom, and returns those that are live whenever
// anybody is.
func (s *scene) meet() (throughout mask) {
	var list []change
	for _, birth := range [...]bool{false, true} {
		for k, parts := range s.live {
			for _, p := range parts {
				list = append(list, changeOf(int32(k), p, birth))
			}
		}
	}
	list = inTime(list)
	s.conflict = masks(s.n)
	now := make(mask, (s.n+63)/64)
	throughout = slices.Repeat(mask{math.MaxUint64}, len(now))
	for k, c := range list {
		i := c.who
		if !c.birth {
			now.cut(i)
		} else {
			now.each(func(j int32) { s.conflict[i].put(j); s.conflict[j].put(i) })
			now.put(i)
		}
		if k+1 < len(list) && list[k+1].step > c.step && slices.ContainsFunc(now, func(w uint64) bool { return w != 0 }) {
			for w := range now {
				throughout[w] &= now[w]
			}
		}
	}
	return throughout
}

// strip takes out the buffers that are live throughout, and their sizes off the
// height.
func (s *scene) strip(throughout mask) {
	for k := range int32(s.n) {
		if len(s.live[k]) == 0 || !throughout.has(k) {
			continue
		}
		s.conflict[k].each(func(j int32) { s.conflict[j].cut(k) })
		clear(s.conflict[k])
		s.gone[k] = true
		if s.height -= s.size[k]; s.height < 0 {
			s.dead = true
			return
		}
	}
	for k := range s.n {
		s.hi[k] = s.height - s.size[k]
		s.dead = s.dead || s.hi[k] < 0 && !s.gone[k]
	}
}

// order finds the twins, and admits the flip.
func (s *scene) order(flip *model.Claim) error {
	twin := make([]bool, s.n)
	for i := range int32(s.n) {
		s.conflict[i].each(func(j int32) {
			if i < j && s.twins(i, j) {
				twin[i], twin[j] = true, true
				s.known = append(s.known, [2]int32{i, j})
			}
		})
	}
	if flip == nil {
		return nil
	}
	if err := s.claims([]model.Claim{*flip}); err != nil || flip.Relation != model.Below {
		return errors.New("the flip is not an order of two buffers in conflict")
	}
	if !s.plain() || twin[flip.Buffer] || twin[flip.Other] {
		return errors.New("the flip is not without loss of generality")
	}
	s.known = append(s.known, [2]int32{int32(flip.Buffer), int32(flip.Other)})
	return nil
}

// twins reports whether two buffers in conflict may trade places in every plan:
// they are alike, and conflict with the same others.
func (s *scene) twins(i, j int32) bool {
	if s.size[i] != s.size[j] || s.align[i] != s.align[j] || s.lo[i] != s.lo[j] || s.hi[i] != s.hi[j] {
		return false
	}
	for w := range s.conflict[i] {
		differ := s.conflict[i][w] ^ s.conflict[j][w]
		for _, k := range [...]int32{i, j} {
			if int(k>>6) == w {
				differ &^= 1 << (k & 63)
			}
		}
		if differ != 0 {
			return false
		}
	}
	return true
}

// claims checks that each claim is about buffers of the scene and can be
// denied: the opposite of an order is an order only where two conflict.
func (s *scene) claims(list []model.Claim) error {
	for _, c := range list {
		switch {
		case c.Buffer < 0 || c.Buffer >= s.n || s.gone[c.Buffer]:
			return fmt.Errorf("buffer %d is not in the scene", c.Buffer)
		case c.Relation == model.Below && (c.Other < 0 || c.Other >= s.n || !s.conflict[c.Buffer].has(int32(c.Other))):
			return fmt.Errorf("buffers %d and %d do not conflict", c.Buffer, c.Other)
		case c.Relation > model.AtMost:
			return fmt.Errorf("unknown relation %d", c.Relation)
		case c.Relation != model.Below && (c.Offset < 0 || c.Offset > maxHeight):
			return fmt.Errorf("the offset %d is not between 0 and 2^60", c.Offset)
		}
	}
	return nil
}
