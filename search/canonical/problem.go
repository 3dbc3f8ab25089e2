package canonical

import (
	"errors"
	"slices"

	"memplan/model"
)

// ErrTies says that an instance has ties, which the canonical tree cannot
// treat: a body need not rest on what lies below its root.
var ErrTies = errors.New("canonical search: the instance has ties")

// A Problem is an instance as the search sees it: the buffers with bytes, and
// the maximal sections, whose live sets are the maximal sets of buffers that
// conflict pairwise. It is read only, and may be shared by searches.
type Problem struct {
	in      *model.Instance
	buf     []int32 // the index in the instance of each buffer with bytes
	size    []int64
	align   []int64
	pin     []int64   // the offset of a pinned buffer, else -1
	spans   [][]span  // sections of each buffer, ascending
	members [][]int32 // buffers of each section, ascending
	near    [][]int32 // buffers that each conflicts with
	twin    []int32   // the next buffer that is its like in everything, else -1
	total   []int64   // live bytes of each section
	load    int64
	least   int64   // the load, or the end of a pinned buffer if that is higher
	base    []int32 // buffers that may be placed first, in this order
	unit    int64   // every peak that the search can reach is a multiple of it
}

// Prepare reads a valid instance. It fails only with ErrTies. Cost: O(n log n +
// conflicts) time and memory.
func Prepare(in *model.Instance) (*Problem, error) {
	p := &Problem{in: in, load: in.Load()}
	p.least = p.load
	rank := make([]int32, len(in.Buffers))
	for i := range in.Buffers {
		b := &in.Buffers[i]
		if b.Tie != nil {
			return nil, ErrTies
		}
		rank[i] = int32(len(p.buf))
		if b.Size == 0 {
			continue
		}
		pin := int64(-1)
		if b.Offset != nil {
			pin = *b.Offset
			p.least = max(p.least, pin+b.Size)
		}
		p.buf = append(p.buf, int32(i))
		p.size = append(p.size, b.Size)
		p.align = append(p.align, b.Alignment())
		p.pin = append(p.pin, pin)
	}
	p.sections(rank)
	p.near = make([][]int32, len(p.buf))
	for i, near := range in.Neighbours() {
		for k := range near {
			near[k] = rank[near[k]]
		}
		if in.Buffers[i].Size > 0 {
			p.near[rank[i]] = near
		}
	}
	p.twins(rank)
	p.unit = p.grain()
	p.base = p.universal()
	return p, nil
}

// sections keeps the sections that are not contained in the next or the one
// before: the instance's cliques.
func (p *Problem) sections(rank []int32) {
	p.spans = make([][]span, len(p.buf))
	for c := range p.in.Cliques() {
		s, m := int32(len(p.members)), c.Members
		for k, i := range m {
			m[k] = rank[i]
			p.extend(m[k], s)
		}
		p.members, p.total = append(p.members, m), append(p.total, c.Bytes)
	}
}

// twins links buffers that can be exchanged in any plan.
func (p *Problem) twins(rank []int32) {
	p.twin = slices.Repeat([]int32{-1}, len(p.buf))
	for _, class := range p.in.Twins() {
		for k := 1; k < len(class); k++ {
			p.twin[rank[class[k-1]]] = rank[class[k]]
		}
	}
}

// grain is the greatest g that divides every sum of sizes, aligned where the
// buffers want it.
func (p *Problem) grain() int64 {
	var g int64
	for i := range p.size {
		g = model.GCD(g, p.size[i])
		if p.pin[i] > 0 {
			g = model.GCD(g, p.pin[i])
		}
	}
	for again := true; again; {
		again = false
		for _, a := range p.align {
			if g%a != 0 && a%g != 0 {
				g, again = model.GCD(g, a), true
			}
		}
	}
	return max(g, 1)
}

// Load is the load of the instance.
func (p *Problem) Load() int64 { return p.load }

// Unit divides every peak that the search can reach.
func (p *Problem) Unit() int64 { return p.unit }

// Len is the number of buffers with bytes.
func (p *Problem) Len() int { return len(p.buf) }

// extend adds section s, the last so far, to those of buffer i.
func (p *Problem) extend(i, s int32) {
	if k := len(p.spans[i]) - 1; k >= 0 && p.spans[i][k].hi == s {
		p.spans[i][k].hi++
		return
	}
	p.spans[i] = append(p.spans[i], span{s, s + 1})
}

// first and last are the ends of the sections of buffer i.
func (p *Problem) first(i int32) int32 { return p.spans[i][0].lo }
func (p *Problem) last(i int32) int32  { return p.spans[i][len(p.spans[i])-1].hi - 1 }

// meet reports whether two buffers conflict.
func (p *Problem) meet(i, j int32) bool {
	a, b := p.spans[i], p.spans[j]
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0].hi <= b[0].lo:
			a = a[1:]
		case b[0].hi <= a[0].lo:
			b = b[1:]
		default:
			return true
		}
	}
	return false
}

// floor is the highest peak of at most the given capacity that the search can
// reach; -1 if the capacity is below what is known to be needed.
func (p *Problem) floor(capacity int64) int64 {
	if capacity < p.least {
		return -1
	}
	return capacity - capacity%p.unit
}

// seq lists the numbers below n.
func seq(n int) []int32 {
	s := make([]int32, n)
	for i := range s {
		s[i] = int32(i)
	}
	return s
}

// Least is the lowest peak not ruled out: the load, or more if a pinned buffer
// ends above it or peaks must be multiples of the unit.
func (p *Problem) Least() int64 {
	if r := p.least % p.unit; r != 0 && p.unit-r <= model.MaxBytes-p.least {
		return p.least + p.unit - r
	}
	return p.least
}
