package canonical

import (
	"context"
	"math"
	"math/bits"
	"math/rand/v2"

	"memplan/model"
)

// A Search looks for a plan of at most a given capacity: dives in several
// orders, in turns of a slice each, every one keeping its place, and after each
// turn a few beams with parameters drawn at random.
//
// Its work is counted, and it does the same in every run.
type Search struct {
	problem  *Problem
	capacity int64
	dives    []*Dive
	next     int // in the cycle of dives and beams
	beams    uint64
	seed     uint64
}

const (
	slice     = 2000 // placements a dive in its turn
	beamsEach = 4    // beams after each turn of all dives
)

// New begins a search. It fails only with ErrTies.
func New(in *model.Instance, capacity int64) (*Search, error) {
	p, err := Prepare(in)
	if err != nil {
		return nil, err
	}
	return p.Search(capacity, 0), nil
}

// Search begins a search; the seed is that of the beams.
func (p *Problem) Search(capacity int64, seed uint64) *Search {
	s := &Search{problem: p, capacity: capacity, seed: seed}
	for _, letters := range Orders {
		s.dives = append(s.dives, p.Dive(p.Order(letters), capacity))
	}
	return s
}

// Run searches on until it has tried at least that many placements more, or ctx
// ends. exhausted says that there is nothing left to try: since failed states
// are remembered by their hashes, that is no proof that there is no plan.
func (s *Search) Run(ctx context.Context, nodes int64) (plan *model.Plan, exhausted bool, done int64) {
	for done < nodes && ctx.Err() == nil {
		plan, outcome, tried := s.turn(ctx)
		done += tried
		if outcome != Open {
			return plan, outcome == Exhausted, done
		}
	}
	return nil, false, done
}

// turn gives the next dive its slice, or runs the next beam.
func (s *Search) turn(ctx context.Context) (*model.Plan, Outcome, int64) {
	k := s.next
	s.next = (k + 1) % (len(s.dives) + beamsEach)
	if k >= len(s.dives) {
		s.beams++
		order, beam := s.problem.Draw(rand.New(rand.NewPCG(s.seed, s.beams)), Widest)
		plan, effort := s.problem.Beam(ctx, order, s.capacity, beam)
		if plan != nil {
			return plan, Found, effort.Nodes
		}
		return nil, Open, effort.Nodes
	}
	d := s.dives[k]
	before := d.nodes
	switch outcome := d.Run(slice); outcome {
	case Found:
		return d.Plan(), Found, d.nodes - before
	default:
		return nil, outcome, d.nodes - before
	}
}

// beamOrders are the orders that beams do best with.
var beamOrders = []string{"WAT", "TAW", "TWA", "CAT", "TOC", "CTA"}

// Widest is the number of doublings of width that Draw goes up to at most.
const Widest = 6

// Draw draws the order and the parameters of a beam, with a width of at most so
// many doublings. Each doubling gets about the same share of the work: a beam is
// half as likely as one half as wide.
func (p *Problem) Draw(r *rand.Rand, widest int) ([]int32, Beam) {
	octave := min(bits.TrailingZeros64(r.Uint64()), widest)
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
