package canonical

import (
	"cmp"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
)

// beamOrders are the orders that beams do best with.
var beamOrders = []string{"WAT", "TAW", "TWA", "CAT", "TOC", "CTA"}

// Widest is the number of doublings of width that is of use. At the load of
// MiniMalloc's J, ten of 57 beams of 12 to 24 find a plan, one in 15 seconds; of
// those of 4 to 8, at a little more, four of 210.
const Widest = 4

// A Trial is a beam that was tried at the least capacity, and how far it came.
type Trial struct {
	Beam
	Far float64
}

// Best are the trials that came farthest, of those so far and some more; of equals
// the earlier.
func Best(trials, more []Trial) []Trial {
	all := slices.Concat(trials, more)
	slices.SortStableFunc(all, func(a, b Trial) int { return cmp.Compare(b.Far, a.Far) })
	return slices.Clip(all[:min(len(all), tuned.elite)])
}

// Draw draws the parameters of a beam, with a width of so many doublings or some
// fewer. Each doubling gets about the same share of the work: a beam is half as likely
// as one half as wide. Those for the least capacity have less noise, and once there
// are enough trials most are drawn near one of the best: what suits an instance is
// learnt from how far beams come, long before one succeeds.
func (p *Problem) Draw(r *rand.Rand, widest int, atLeast bool, best []Trial) Beam {
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
		Order:     beamOrders[r.IntN(len(beamOrders))],
	}
	if !atLeast {
		return b
	}
	b.Noise = math.Pow(10, tuned.lowNoise.draw(r))
	if len(best) < tuned.elite || r.IntN(tuned.fresh) == 0 {
		return b
	}
	return b.near(r, best[r.IntN(len(best))].Beam)
}

// near is the beam with parameters a little off another's: width and order may be
// its own.
func (b Beam) near(r *rand.Rand, other Beam) Beam {
	off := func(by float64) float64 { return by * r.NormFloat64() }
	other.Seed = b.Seed
	if r.IntN(2) == 0 {
		other.Width = b.Width
	}
	if r.IntN(4) == 0 {
		other.Order = b.Order
	}
	other.Power = max(0, other.Power+off(tuned.near))
	other.LifePower = max(0, other.LifePower+off(tuned.near))
	other.Margin = max(tuned.margin.from/2, other.Margin*math.Pow(10, off(tuned.near)))
	other.Weight *= math.Pow(10, off(tuned.near))
	other.Noise *= math.Pow(10, off(2*tuned.near))
	return other
}

// A choice is a range that numbers are drawn from, all alike.
type choice struct{ from, length float64 }

func (c choice) draw(r *rand.Rand) float64 { return c.from + c.length*r.Float64() }
