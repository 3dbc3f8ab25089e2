package model

import (
	"math"
	"math/bits"
)

// MaxBytes is the largest size, offset or peak that can be expressed.
const MaxBytes = math.MaxInt64

// Add returns a+b for non-negative a and b, and whether it fits in int64.
func Add(a, b int64) (int64, bool) {
	s := a + b
	return s, s >= a && s >= b
}

// Mul returns a*b for non-negative a and b, and whether it fits in int64.
func Mul(a, b int64) (int64, bool) {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	return int64(lo), hi == 0 && lo <= math.MaxInt64
}

// AlignUp returns the least multiple of align that is at least x, and whether
// it fits in int64. x is non-negative; align 0 and 1 both mean "anywhere".
func AlignUp(x, align int64) (int64, bool) {
	if align <= 1 {
		return x, true
	}
	if r := x % align; r != 0 {
		return Add(x, align-r)
	}
	return x, true
}

// GCD returns the greatest common divisor of non-negative a and b; of 0 and b, b.
func GCD(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// SaturatingAdd returns a+b for non-negative a and b, MaxBytes where that does
// not fit in int64: for bounds and estimates, which stay true.
func SaturatingAdd(a, b int64) int64 {
	if s, ok := Add(a, b); ok {
		return s
	}
	return MaxBytes
}

// SaturatingMul returns the product of non-negative numbers, MaxBytes where that
// does not fit in int64: more than can be planned, and refused there.
func SaturatingMul(factors ...int64) int64 {
	n, ok := int64(1), true
	for _, x := range factors {
		if x == 0 {
			return 0
		}
		if ok {
			n, ok = Mul(n, x)
		}
	}
	if !ok {
		return MaxBytes
	}
	return n
}

// LCM returns the least common multiple of positive a and b, 0 when it does not
// fit in int64.
func LCM(a, b int64) int64 {
	m, ok := Mul(a/GCD(a, b), b)
	if !ok {
		return 0
	}
	return m
}

// Identity returns the numbers from 0 to n-1, in order: a permutation or an
// order of indexes to begin with.
func Identity(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}
