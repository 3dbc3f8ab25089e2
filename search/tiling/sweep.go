package tiling

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"

	"memplan/model"
)

// A Sweep is a beam search along time. It keeps its place between runs.
//
// A state is the tree of the orders still open. At each event every state is
// followed by those that its holes leave (holes.go), and of all that
// follow the best are kept: those that leave the most frontiers, and in which
// the demands already known of later events are the most likely to be met by a
// frontier drawn at random.
//
// Cost: for each event and state, the size of the tree for each way to fill the
// holes.
type Sweep struct {
	Options
	in     *model.Instance
	events []event
	until  []int32  // by buffer: the event at which it dies
	kin    []uint64 // by buffer: the same for those alike in size and death
	gatherer

	demands []demand
	places  []places // by event

	at     int // the next event
	states []state
	lossy  bool // something was left out
}

// A state is a tree and how it came about.
type state struct {
	tree  *node
	past  *past
	score int64
}

// A past is a hole that was filled, and those before it.
type past struct {
	before     *past
	tree       *node // in which the dead of the hole are neighbours
	dead, born []int32
}

// Options are how a sweep is done.
type Options struct {
	Width     int        // states that are kept
	Backwards bool       // against time
	Noise     int64      // bits of freedom: scores are raised at random by up to so much
	Rand      *rand.Rand // for that; nil where there is none
}

// Sweep begins a search.
func (p *Problem) Sweep(o Options) *Sweep {
	n := len(p.in.Buffers)
	s := &Sweep{Options: o, in: p.in, events: p.seen(o.Backwards), until: make([]int32, n), kin: make([]uint64, n)}
	s.marked = make([]bool, n)
	for k, e := range s.events {
		for _, i := range e.dead {
			s.until[i] = int32(k)
			s.kin[i] = mix(mix(uint64(k)) + uint64(p.in.Buffers[i].Size))
		}
	}
	s.foresee()
	s.states = []state{{tree: s.births(s.events[0].born)}}
	s.at = 1
	return s
}

// births is the tree of buffers that may lie in any order.
func (s *Sweep) births(born []int32) *node {
	if len(born) == 0 {
		return nil
	}
	leaves := make([]*node, len(born))
	for k, i := range born {
		leaves[k] = newLeaf(i, s.kin[i])
	}
	return anyOrder(leaves...)
}

// Work is what has been done, in units of about a microsecond.
func (s *Sweep) Work() int64 { return s.visits / tuned.visitsPerUnit }

// Run goes on for about so many units of work, at least one event unless ctx
// ends, and reports whether the sweep is over: with a plan, or without.
func (s *Sweep) Run(ctx context.Context, work int64) (over bool) {
	for end := s.Work() + work; len(s.states) > 0 && s.at < len(s.events) && s.Work() < end && ctx.Err() == nil; {
		s.step(ctx)
	}
	return len(s.states) == 0 || s.at == len(s.events)
}

// Plan is the plan found; nil: none.
func (s *Sweep) Plan() *model.Plan {
	if len(s.states) == 0 || s.at < len(s.events) {
		return nil
	}
	return s.states[0].past.plan(s.in)
}

// Hopeless reports whether there is no plan at the load: nothing was left out,
// and nothing is left. Trees are told apart by 64 bits.
func (s *Sweep) Hopeless() bool { return len(s.states) == 0 && !s.lossy }

// Far is how many of the events are behind, and of how many.
func (s *Sweep) Far() (events, of int) { return s.at, len(s.events) }

// step goes on to the next event, unless ctx ends.
func (s *Sweep) step(ctx context.Context) {
	var next []state
	seen := make(map[uint64]bool)
	s.forget()
	for _, old := range s.states {
		if ctx.Err() != nil {
			return
		}
		s.fill(old, s.events[s.at], func(t state) {
			if t.tree != nil { // not the end
				if seen[t.tree.hash] {
					return
				}
				seen[t.tree.hash] = true
				t.score += s.noise()
			}
			next = append(next, t)
		})
	}
	slices.SortStableFunc(next, func(a, b state) int { return cmp.Compare(b.score, a.score) })
	s.states = slices.Clone(next[:s.limit(len(next), s.Width)])
	s.at++
}

// noise is what chance adds to a score.
func (s *Sweep) noise() int64 {
	if s.Noise == 0 {
		return 0
	}
	return s.Rand.Int64N(s.Noise * log2(2))
}

// plan works out offsets, from the last order backwards.
func (p *past) plan(in *model.Instance) *model.Plan {
	plan := &model.Plan{Offsets: make([]int64, len(in.Buffers))}
	rank := make([]int32, len(in.Buffers))
	var order []int32
	for ; p != nil; p = p.before {
		for k, i := range order {
			rank[i] = int32(k)
		}
		hole := int32(0)
		if len(p.born) > 0 {
			hole = rank[p.born[0]]
		}
		for _, i := range p.dead {
			rank[i] = hole
		}
		order = p.tree.frontier(rank, order[:0])
		var at int64
		for _, i := range order {
			plan.Offsets[i] = at
			at += in.Buffers[i].Size
		}
	}
	return plan
}
