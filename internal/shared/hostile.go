package shared

import (
	"math/rand"
	"runtime"
	"slices"
)

// Spoil is a copy of a file with up to four bytes changed.
func Spoil(r *rand.Rand, data []byte) []byte {
	data = slices.Clone(data)
	for range 1 + r.Intn(4) {
		data[r.Intn(len(data))] = []byte{0, 1, 4, 0x7f, 0x80, 0xff, byte(r.Intn(256))}[r.Intn(7)]
	}
	return data
}

// Allotted is the bytes that f allots in all, what is given back at once
// included.
func Allotted(f func()) int {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return int(after.TotalAlloc - before.TotalAlloc)
}
