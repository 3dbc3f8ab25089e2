package canonical

import (
	"math"
	"math/bits"
	"math/rand/v2"
)

// beamOrders are the orders that beams do best with.
var beamOrders = []string{"WAT", "TAW", "TWA", "CAT", "TOC", "CTA"}

// Widest is the number of doublings of width that is of use. At the load of
// MiniMalloc's J, ten of 57 beams of 12 to 24 find a plan, one in 15 seconds; of
// those of 4 to 8, at a little more, four of 210.
const Widest = 4

// Draw draws the order and the parameters of a beam, with a width of so many
// doublings or some fewer. Each doubling gets about the same share of the work: a
// beam is half as likely as one half as wide.
func (p *Problem) Draw(r *rand.Rand, widest int) ([]int32, Beam) {
	least := max(1, widest+1-tuned.octaves)
	octave := least + min(bits.TrailingZeros64(r.Uint64()), widest-least)
	b := Beam{
		Width:     1<<octave + r.IntN(1<<octave),
		Barrier:   r.IntN(tuned.barrier) == 0,
		Power:     tuned.power.draw(r),
		Margin:    tuned.margin.draw(r),
		Weight:    math.Pow(10, tuned.weight.draw(r)),
		LifePower: tuned.lifePower.draw(r),
		Noise:     math.Pow(10, tuned.noise.draw(r)),
		Seed:      r.Uint64(),
		Tail:      tuned.tail,
	}
	return p.Order(beamOrders[r.IntN(len(beamOrders))]), b
}

// A choice is a range that numbers are drawn from, all alike.
type choice struct{ from, length float64 }

func (c choice) draw(r *rand.Rand) float64 { return c.from + c.length*r.Float64() }
