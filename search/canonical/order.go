package canonical

import (
	"cmp"
	"slices"
)

// Orders are static ones to try side by side: each finds plans where others do not.
var Orders = []string{"WAT", "TAW", "TWA", "CAT", "TCA", "CTA", "TOC", "AT"}

// A Look is when a dive looks for the fullest section, by bytes yet to be placed.
type Look int

const (
	Never   Look = iota // all sections count as equally full
	Divided             // at the start, and when what is left falls into pieces
	Always              // at each placement
)

// A Ranking says which buffers a dive places first.
type Ranking struct {
	Order string
	Look  Look
}

// Rankings are those of dives to try side by side, as unlike as can be from one
// to the next: a plan is found within a few thousand placements, by some of them,
// or by none in a long time. To look when what is left is divided is from
// MiniMalloc, where T is of what is unplaced then.
var Rankings = []Ranking{
	{"WA", Always}, {"OC", Always}, {"WA", Divided}, {"TCA", Never},
	{"AW", Always}, {"TWA", Never}, {"CA", Divided}, {"TOC", Never},
	{"CA", Always}, {"TAW", Never}, {"OC", Divided}, {"WAT", Never},
	{"AW", Divided}, {"CAT", Never}, {"CTA", Never}, {"AT", Never},
}

// Order sorts the buffers by the given keys, each descending:
//
//	A  area: lifetime times size
//	C  sections live in
//	O  conflicts
//	T  the most live bytes during the lifetime
//	W  lifetime
//
// and last by index.
func (p *Problem) Order(letters string) []int32 {
	order := seq(len(p.buf))
	keys := make([][]float64, len(letters))
	for k, letter := range letters {
		keys[k] = make([]float64, len(p.buf))
		for i := range keys[k] {
			keys[k][i] = p.key(letter, int32(i))
		}
	}
	slices.SortFunc(order, func(a, b int32) int {
		for _, key := range keys {
			if c := cmp.Compare(key[b], key[a]); c != 0 {
				return c
			}
		}
		return cmp.Compare(a, b)
	})
	return order
}

func (p *Problem) key(letter rune, i int32) float64 {
	switch letter {
	case 'A':
		return p.width(i) * float64(p.size[i])
	case 'C':
		var n int32
		for _, r := range p.spans[i] {
			n += r.hi - r.lo
		}
		return float64(n)
	case 'O':
		return float64(len(p.near[i]))
	case 'T':
		var largest int64
		for _, r := range p.spans[i] {
			largest = max(largest, slices.Max(p.total[r.lo:r.hi]))
		}
		return float64(largest)
	case 'W':
		return p.width(i)
	}
	panic("canonical: no order " + string(letter))
}

func (p *Problem) width(i int32) float64 {
	life := p.in.Buffers[p.buf[i]].Life
	return float64(life.End) - float64(life.Start)
}
