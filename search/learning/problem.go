package learning

import (
	"slices"

	"memplan/model"
)

// A problem asks whether buffers, clipped to a window of time, can all be
// placed below a height, in the form that the search works on. Indexes are
// positions in the list of buffers; those that are live throughout the window
// are stripped: they go to the bottom, and their sizes off the height.
//
// Sizes are rounded up to the greatest common divisor of the alignments, and
// so is the height; what the rounding adds at the top is in the tails.
type problem struct {
	buffer   []int // index in the instance
	size     []int64
	align    []int64    // of the offset, above the bottom
	least    [2][]int64 // heads: lowest offset; tails: least bytes above the end
	stripped []bool
	bottom   int64 // bytes of the stripped
	height   int64
	hopeless bool // something does not fit even alone

	cliques [][]int32  // maximal sets of buffers live at one step, in order of time
	in      [][]int32  // cliques that a buffer is in, in order
	chordal bool       // a buffer's cliques are consecutive: no gaps
	order   []int32    // order[i*n+j]: the literal "i lies below j"; -1 without conflict
	ends    [][2]int32 // ends[p]: literal 2p puts the first below the second, 2p+1 above
	known   []int32    // literals that hold without loss of generality
	limits  []balance
	largest []int64   // per limit: its largest size
	shares  [][]share // per literal: its part in the limits
	flip    int32     // the one of them that turning upside down allows; -1
}

// maxBytes limits the height, the alignments, and all sizes together, so that no
// sum overflows; beyond it the search declines.
const maxBytes = int64(1) << 60

// A set is a set of buffers.
type set []uint64

func (s set) has(i int32) bool { return s[i>>6]&(1<<(i&63)) != 0 }
func (s set) add(i int32)      { s[i>>6] |= 1 << (i & 63) }
func (s set) drop(i int32)     { s[i>>6] &^= 1 << (i & 63) }

// within reports whether s is a subset of t.
func (s set) within(t set) bool {
	for w := range s {
		if s[w]&^t[w] != 0 {
			return false
		}
	}
	return true
}

// newProblem states the problem for the buffers that which allows (all: nil)
// and that are live in the window; nil when the search does not take it on.
func newProblem(in *model.Instance, window model.Interval, height int64, which func(i int) bool) *problem {
	p := &problem{height: height, flip: -1}
	sections := p.clip(in, window, which)
	if height < 0 || height > maxBytes || len(p.buffer) > tuned.maxBuffers || !p.measure(in, height) {
		return nil
	}
	if p.plain() {
		p.strip(sections)
	}
	if p.hopeless {
		return p
	}
	p.maximal(sections)
	if !p.pairs() {
		return nil
	}
	p.symmetries()
	p.balances()
	return p
}

// clip lists the buffers and returns the sections of the window.
func (p *problem) clip(in *model.Instance, window model.Interval, which func(i int) bool) []set {
	var rows [][]int32 // by index in the instance
	var live []int32
	place := map[int32]int32{}
	for s := range in.Sections() {
		live = slices.DeleteFunc(live, func(i int32) bool { return slices.Contains(s.Died, i) })
		for _, i := range s.Born {
			if which == nil || which(int(i)) {
				live = append(live, i)
			}
		}
		if !s.Steps.Meets(window) || len(live) == 0 {
			continue
		}
		rows = append(rows, slices.Clone(live))
		for _, i := range live {
			if _, known := place[i]; !known {
				place[i] = 0
				p.buffer = append(p.buffer, int(i))
			}
		}
	}
	slices.Sort(p.buffer)
	for k, i := range p.buffer {
		place[int32(i)] = int32(k)
	}
	sections := make([]set, len(rows))
	for r, row := range rows {
		sections[r] = make(set, (len(p.buffer)+63)/64)
		for _, i := range row {
			sections[r].add(place[i])
		}
	}
	return sections
}

// measure sets sizes, alignments, heads and tails; false when they are too large.
func (p *problem) measure(in *model.Instance, height int64) bool {
	unit, sum := int64(0), int64(0)
	for _, i := range p.buffer {
		b := &in.Buffers[i]
		unit = model.GCD(unit, b.Alignment())
		if b.Size > maxBytes-sum {
			return false
		}
		sum += b.Size
	}
	unit = max(unit, 1)
	if unit > maxBytes/int64(len(p.buffer)+1) {
		return false
	}
	p.height, _ = model.AlignUp(height, unit)
	p.stripped = make([]bool, len(p.buffer))
	for _, i := range p.buffer {
		b := &in.Buffers[i]
		room := height - b.Size
		head, top := int64(0), room-room%b.Alignment()
		if at, pinned := in.Pin(i); pinned && b.Size > 0 {
			head, top = at, at
		}
		p.hopeless = p.hopeless || room < 0 || top > room
		size, _ := model.AlignUp(b.Size, unit)
		p.size = append(p.size, size)
		p.align = append(p.align, b.Alignment())
		p.least[0] = append(p.least[0], head)
		p.least[1] = append(p.least[1], p.height-size-top)
	}
	return true
}

// plain reports whether every buffer may be anywhere below the height, in
// steps of the same size. Then plans may be turned upside down, and buffers
// that live throughout may be moved to the bottom.
func (p *problem) plain() bool {
	for k := range p.size {
		if p.hopeless || p.align[k] != p.align[0] || p.least[0][k] != 0 || p.least[1][k] != 0 {
			return false
		}
	}
	return true
}

// strip takes out the buffers of every section.
func (p *problem) strip(sections []set) {
	for k := range int32(len(p.size)) {
		if slices.ContainsFunc(sections, func(s set) bool { return !s.has(k) }) {
			continue
		}
		for _, s := range sections {
			s.drop(k)
		}
		p.stripped[k] = true
		p.bottom += p.size[k]
	}
	p.height -= p.bottom
	p.hopeless = p.height < 0
	for k, z := range p.size {
		p.hopeless = p.hopeless || !p.stripped[k] && z > p.height
	}
}

// maximal keeps the sections that no other contains.
func (p *problem) maximal(sections []set) {
	p.in = make([][]int32, len(p.size))
	p.chordal = true
	for r, s := range sections {
		inside := func(q int, t set) bool { return q != r && s.within(t) && (q < r || !t.within(s)) }
		covered := !slices.ContainsFunc(s, func(w uint64) bool { return w != 0 })
		for q, t := range sections {
			covered = covered || inside(q, t)
		}
		if covered {
			continue
		}
		var c []int32
		for k := range int32(len(p.size)) {
			if s.has(k) {
				c = append(c, k)
				if at := p.in[k]; len(at) > 0 && int(at[len(at)-1]) != len(p.cliques)-1 {
					p.chordal = false
				}
				p.in[k] = append(p.in[k], int32(len(p.cliques)))
			}
		}
		p.cliques = append(p.cliques, c)
	}
}

// pairs numbers the conflicting pairs; false when there are too many.
func (p *problem) pairs() bool {
	n := len(p.size)
	p.order = slices.Repeat([]int32{-1}, n*n)
	for _, c := range p.cliques {
		for a, i := range c {
			for _, j := range c[a+1:] {
				if p.below(i, j) >= 0 {
					continue
				}
				lit := int32(2 * len(p.ends))
				p.order[int(i)*n+int(j)] = lit
				p.order[int(j)*n+int(i)] = lit + 1
				p.ends = append(p.ends, [2]int32{i, j})
			}
		}
		if len(p.ends) > tuned.maxPairs {
			return false
		}
	}
	return true
}

// below is the literal "i lies below j".
func (p *problem) below(i, j int32) int32 { return p.order[int(i)*len(p.size)+int(j)] }

// sides are the buffers of a literal: the first lies below the second.
func (p *problem) sides(lit int32) (i, j int32) {
	e := &p.ends[lit>>1]
	return e[lit&1], e[1-lit&1]
}

// symmetries orders twins, buffers that may trade places, by index. And where
// plans may be turned upside down, it fixes the order of the pair without twins
// that has the largest product of sizes.
func (p *problem) symmetries() {
	twin := make([]bool, len(p.size))
	for _, e := range p.ends {
		if i, j := e[0], e[1]; p.twins(i, j) {
			twin[i], twin[j] = true, true
			p.known = append(p.known, p.below(min(i, j), max(i, j)))
		}
	}
	if !p.plain() {
		return
	}
	best := 0.0
	for pair, e := range p.ends {
		if w := p.weight(pair); w > best && !twin[e[0]] && !twin[e[1]] {
			best, p.flip = w, int32(2*pair)
		}
	}
	if p.flip >= 0 {
		p.known = append(p.known, p.flip)
	}
}

// twins reports whether two buffers in conflict may trade places in every plan:
// they are alike, and conflict with the same others.
func (p *problem) twins(i, j int32) bool {
	if p.size[i] != p.size[j] || p.align[i] != p.align[j] || p.least[0][i] != p.least[0][j] || p.least[1][i] != p.least[1][j] {
		return false
	}
	for k := range int32(len(p.size)) {
		if k != i && k != j && (p.below(i, k) < 0) != (p.below(j, k) < 0) {
			return false
		}
	}
	return true
}

// weight is the product of a pair's sizes; only ever compared.
func (p *problem) weight(pair int) float64 {
	e := &p.ends[pair]
	return float64(p.size[e[0]]) * float64(p.size[e[1]])
}
