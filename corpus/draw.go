package corpus

import (
	"hash/fnv"
	"math/bits"
	"math/rand/v2"
	"slices"
)

// A draw is a source of seeded choices. Everything is derived from the words
// of PCG here, by hand, so that an instance is the same in every Go release.
type draw struct{ src *rand.PCG }

// newDraw seeds a draw by the family's name and its parameters, so that
// different families with the same seed are unrelated.
func newDraw(family string, params ...int64) draw {
	h := fnv.New64a()
	h.Write([]byte(family))
	for _, p := range params {
		var word [8]byte
		for k := range word {
			word[k] = byte(p >> (8 * k))
		}
		h.Write(word[:])
	}
	return draw{rand.NewPCG(h.Sum64(), uint64(len(params)))}
}

// below is uniform in [0, n), for n > 0.
func (d draw) below(n int64) int64 {
	m := uint64(n)
	hi, lo := bits.Mul64(d.src.Uint64(), m)
	for lo < m && lo < -m%m {
		hi, lo = bits.Mul64(d.src.Uint64(), m)
	}
	return int64(hi)
}

// between is uniform in [lo, hi].
func (d draw) between(lo, hi int64) int64 { return lo + d.below(hi-lo+1) }

// coin is true once in n draws.
func (d draw) coin(n int64) bool { return d.below(n) == 0 }

// subset is a uniform k-subset of 0..n-1, ascending.
func (d draw) subset(k, n int) []int {
	picked := d.permutation(n)[:k]
	slices.Sort(picked)
	return picked
}

// permutation is a uniform order of 0..n-1.
func (d draw) permutation(n int) []int {
	p := make([]int, n)
	for i := range p {
		j := d.below(int64(i) + 1)
		p[i] = p[j]
		p[j] = i
	}
	return p
}

// composition is a uniform composition of total into that many positive parts.
// There are no more parts than total.
func (d draw) composition(total int64, parts int) []int64 {
	cuts := map[int64]bool{}
	for j := total - int64(parts); len(cuts) < parts-1; {
		// Floyd's sampling of parts-1 distinct cuts in [1, total).
		j++
		if c := d.between(1, j); cuts[c] {
			cuts[j] = true
		} else {
			cuts[c] = true
		}
	}
	at := make([]int64, 0, parts+1)
	at = append(at, 0)
	for c := range cuts {
		at = append(at, c)
	}
	at = append(at, total)
	slices.Sort(at)
	sizes := make([]int64, parts)
	for k := range sizes {
		sizes[k] = at[k+1] - at[k]
	}
	return sizes
}
