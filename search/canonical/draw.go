package canonical

import (
	"math"
	"math/bits"
	"math/rand/v2"
)

// beamOrders are the orders that beams do best with.
var beamOrders = []string{"WAT", "TAW", "TWA", "CAT", "TOC", "CTA"}

// Widest is the number of doublings of width that is of use, and octaves how
// many of them are drawn from at a time. (At the load of MiniMalloc's J, ten of 57
// beams of 12 to 24 find a plan, one in 15 seconds; of those of 4 to 8, at a little
// more, four of 210.)
const (
	Widest  = 4
	octaves = 3
)

// Draw draws the order and the parameters of a beam, with a width of so many
// doublings or some fewer. Each doubling gets about the same share of the work: a
// beam is half as likely as one half as wide.
func (p *Problem) Draw(r *rand.Rand, widest int) ([]int32, Beam) {
	least := max(1, widest+1-octaves)
	octave := least + min(bits.TrailingZeros64(r.Uint64()), widest-least)
	b := Beam{
		Width:     1<<octave + r.IntN(1<<octave),
		Barrier:   r.IntN(8) == 0,
		Power:     0.5 + 1.5*r.Float64(),
		Margin:    1 + 10*r.Float64(),
		Weight:    math.Pow(10, -1.5+2*r.Float64()),
		LifePower: 1.5 * r.Float64(),
		Noise:     math.Pow(10, -3+1.3*r.Float64()),
		Seed:      r.Uint64(),
		Tail:      2000,
	}
	return p.Order(beamOrders[r.IntN(len(beamOrders))]), b
}
