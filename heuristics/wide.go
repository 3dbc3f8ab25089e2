package heuristics

import (
	"cmp"
	"math/bits"
)

// A wide is an unsigned number of 128 bits: areas and sums of bytes that serve
// as keys of orders and do not fit in int64.
type wide struct{ hi, lo uint64 }

func (a wide) compare(b wide) int {
	if c := cmp.Compare(a.hi, b.hi); c != 0 {
		return c
	}
	return cmp.Compare(a.lo, b.lo)
}

func (a wide) plus(b wide) wide {
	lo, carry := bits.Add64(a.lo, b.lo, 0)
	return wide{a.hi + b.hi + carry, lo}
}

func (a wide) minus(b wide) wide {
	lo, borrow := bits.Sub64(a.lo, b.lo, 0)
	return wide{a.hi - b.hi - borrow, lo}
}

// times is the product of two numbers.
func times(a, b uint64) wide {
	hi, lo := bits.Mul64(a, b)
	return wide{hi, lo}
}

// meanUp is a/n rounded up, for a sum of n numbers of int64.
func (a wide) meanUp(n int) int64 {
	q, r := bits.Div64(a.hi, a.lo, uint64(n))
	if r > 0 {
		q++
	}
	return int64(q)
}
