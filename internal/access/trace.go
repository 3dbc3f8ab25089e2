// Package access runs kernels as what they do to memory, for tests alone: blocks
// that read bytes of an input, then write bytes of an output, in the order in which
// the kernels' sources have them. It draws random operators to run. What leads
// follow from closed formulas is no business of it.
package access

import "slices"

// A Block is what a kernel does at once: it reads bytes of the input, then writes
// bytes of the output. Each span goes from one address to another.
type Block struct{ Reads, Writes [][2]int64 }

// A Trace is a kernel's blocks in the order in which they run.
type Trace []Block

// do adds a block.
func (t *Trace) do(reads [][2]int64, writes ...[2]int64) { *t = append(*t, Block{reads, writes}) }

// Lead is the least distance, not below 0, from which on no byte is written before
// it is read for the last time, if the input lies so far above the output.
func (t Trace) Lead() int64 {
	least, most := int64(1)<<62, int64(0)
	for _, b := range slices.Backward(t) {
		for _, w := range b.Writes {
			most = max(most, w[1]-least)
		}
		for _, r := range b.Reads {
			least = min(least, r[0])
		}
	}
	return most
}

// Right reports whether all that the kernel reads is what was there before, with
// the input so many bytes above the output: it runs the blocks byte by byte.
func (t Trace) Right(distance int64) bool {
	written := make(map[int64]bool) // addresses of the input
	for _, b := range t {
		for _, r := range b.Reads {
			for at := r[0]; at < r[1]; at++ {
				if written[at] {
					return false
				}
			}
		}
		for _, w := range b.Writes {
			for at := w[0]; at < w[1]; at++ {
				written[at-distance] = true
			}
		}
	}
	return true
}

// span is n elements from one on, of so many bytes each.
func span(from, n, width int64) [2]int64 { return [2]int64{from * width, (from + n) * width} }
