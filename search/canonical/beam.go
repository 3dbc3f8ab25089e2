package canonical

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"

	"memplan/model"
)

// A Beam holds the parameters of a beam search of the canonical tree.
//
// Approximate: it finds plans, and its silence proves nothing. Offset by offset
// it decides which buffers lie there, and keeps the Width states that cost
// least; of states that are the same but for their past it keeps one. A state
// costs the sum over the sections of
//
//	waste / (slack + 3)^Power           slack: capacity - live bytes
//	(slack - waste + Margin)^-Power     with Barrier
//
// in thousandths of the capacity, waste being the bytes below the least
// effective offset of a section's unplaced buffers that nobody uses; plus Weight
// times the share, still unplaced, of the sum of lifetime^LifePower *
// sqrt(size); all times 1 + Noise times a normal random number. When all states
// have died, the last ones kept, and those some way below, are searched depth
// first, Tail placements each. Success is heavy-tailed: many draws of the
// parameters do more than a wide beam.
//
// Cost: about Width times the placements possible at each offset, each O(
// conflicts of a buffer). Source: beam search (Ow and Morton, Filtered beam search
// in scheduling, Int. J. Production Research 26 (1988), doi 10.1080/00207548808947840) on the canonical tree of
// MiniMalloc (see the package's comment); the two costs are this project's.
type Beam struct {
	Order             string // in which buffers at one offset are taken
	Width             int
	Barrier           bool
	Power, Margin     float64
	Weight, LifePower float64
	Noise             float64
	Seed              uint64
	Tail              int64
	Limit             int64 // of work before the tails; 0: none
}

// A beam is a beam search at work.
type beam struct {
	Beam
	*tree
	gauge
	rand  *rand.Rand
	bufs  []int32 // buffers of the piece in hand
	cand  []int32
	free  []*state // for use again
	kept  [][]*state
	level int64 // that the piece in hand came to
	tried int64
	dived int64
}

// Beam searches for a plan of at most the given capacity; nil if it finds none. far
// is the share of the capacity that it came to decide.
func (p *Problem) Beam(ctx context.Context, capacity int64, with Beam) (plan *model.Plan, far float64, e Effort) {
	t := p.grow(p.Order(with.Order), capacity)
	if !t.begin() {
		return nil, 0, Effort{}
	}
	t.bySize = make([][]int32, len(t.size)) // beams pass over much
	b := &beam{Beam: with, tree: t, rand: rand.New(rand.NewPCG(with.Seed, 0))}
	b.gauge.begin(t, with)
	var left []int32
	for r, e := range t.eff[:len(t.size)] {
		if e != placed {
			left = append(left, int32(r))
		}
	}
	for _, b.bufs = range pieces(left, t.spans) {
		b.kept = b.kept[:0]
		if !b.run(ctx) && !b.endgame(ctx) {
			return nil, float64(b.level) / float64(capacity+1), b.effort()
		}
	}
	return t.plan(), 1, b.effort()
}

// effort counts a change in a beam, with the costs that follow it, double.
func (b *beam) effort() Effort { return Effort{b.tried + b.dived, 2 * b.work()} }

// run places the piece in hand. It reports whether it could; the offsets are in off.
func (b *beam) run(ctx context.Context) bool {
	states := []*state{b.save(nil)}
	for len(states) > 0 && ctx.Err() == nil && (b.Limit == 0 || b.effort().Work < b.Limit) {
		level := int64(placed)
		for _, s := range states {
			level = min(level, s.low)
		}
		if level == placed {
			b.restore(states[0])
			return true
		}
		b.level = level
		b.keep(states, level)
		var open, closed []*state
		for _, s := range states {
			if s.low == level {
				open = append(open, s)
			} else {
				closed = append(closed, s)
			}
		}
		for len(open) > 0 && ctx.Err() == nil {
			next, done := b.round(ctx, open, level)
			b.recycle(open)
			open, closed = next, append(closed, done...)
		}
		states = b.best(closed)
	}
	return false
}

// keep puts states aside for the tails.
func (b *beam) keep(states []*state, level int64) {
	step := b.capacity/tuned.keepEvery + 1
	if b.Tail == 0 || len(b.kept) > 0 && level/step == b.kept[len(b.kept)-1][0].low/step {
		return
	}
	slices.SortStableFunc(states, func(x, y *state) int { return cmp.Compare(x.low, y.low) })
	for _, s := range states {
		s.kept = true
	}
	b.kept = append(b.kept, slices.Clone(states))
}

// recycle takes the memory of states that are done with.
func (b *beam) recycle(states []*state) {
	for _, s := range states {
		if !s.kept {
			b.free = append(b.free, s)
		}
	}
}

// best returns the states that cost least, no two alike.
func (b *beam) best(states []*state) []*state {
	slices.SortStableFunc(states, func(x, y *state) int { return cmp.Compare(x.score, y.score) })
	seen := make(map[uint64]bool, b.Width)
	var best []*state
	for k, s := range states {
		if seen[s.key] || len(best) >= b.Width {
			b.recycle(states[k : k+1])
			continue
		}
		seen[s.key] = true
		best = append(best, s)
	}
	return best
}

// A move is a way on from a state: pass over its first candidates, then place
// the next, or none.
type move struct {
	from, passed int
	buf          int32 // -1: none
	score        float64
	key          uint64
	low          int64
}

// round makes one placement more at the level from each of the states, or none.
// It returns the best states that have more to decide there, and the best that
// have not.
func (b *beam) round(ctx context.Context, states []*state, level int64) (open, done []*state) {
	var moves []move
	for from, s := range states {
		b.load(s)
		moves = b.moves(ctx, moves, from, level)
	}
	slices.SortStableFunc(moves, func(x, y move) int { return cmp.Compare(x.score, y.score) })
	seen := make(map[uint64]bool, 2*b.Width)
	for _, m := range moves {
		to := &done
		if m.low == level {
			to = &open
		}
		if len(*to) >= b.Width || seen[m.key] {
			continue
		}
		seen[m.key] = true
		b.load(states[m.from])
		*to = append(*to, b.follow(m, states[m.from], level))
	}
	return open, done
}

// moves adds the moves from the state that is loaded; not all when ctx ends.
func (b *beam) moves(ctx context.Context, moves []move, from int, level int64) []move {
	b.candidates(level)
	for k, c := range b.cand {
		if b.eff[c] != level {
			continue // no longer, with the others passed over
		}
		if ctx.Err() != nil {
			return moves
		}
		b.tried++
		mark, held, key := len(b.trail), b.held, b.key
		if b.place(c) && b.settle() {
			score := b.score(b.assess(b.tree, mark), b.left-b.potential[c])
			moves = append(moves, move{from, k, c, score, b.key, b.lowest()})
		}
		b.undo(mark)
		b.held, b.key = held, key
		if !b.pass(c) {
			b.undo(mark)
			return moves
		}
		b.commit(b.assess(b.tree, mark))
	}
	return append(moves, move{from, len(b.cand), -1, b.score(b.sum, b.left), b.key, b.lowest()})
}

func (b *beam) candidates(level int64) {
	b.cand = b.cand[:0]
	for _, i := range b.bufs {
		if b.eff[i] == level {
			b.cand = append(b.cand, i)
		}
	}
}

func (b *beam) score(costs, left float64) float64 {
	return (costs + b.Weight*left) * (1 + b.Noise*b.rand.NormFloat64())
}

// follow makes a move from the state that is loaded.
func (b *beam) follow(m move, from *state, level int64) *state {
	b.candidates(level)
	for _, c := range b.cand[:m.passed] {
		if b.eff[c] == level {
			mark := len(b.trail)
			b.pass(c)
			b.commit(b.assess(b.tree, mark))
		}
	}
	path := from.path
	if m.buf >= 0 {
		mark := len(b.trail)
		b.place(m.buf)
		b.settle()
		b.commit(b.assess(b.tree, mark))
		b.left -= b.potential[m.buf]
		path = &step{m.buf, level, path}
	}
	s := b.save(path)
	s.score = m.score
	return s
}

// endgame searches on from the states kept last, depth first.
func (b *beam) endgame(ctx context.Context) bool {
	for k := len(b.kept) - 1; k >= max(0, len(b.kept)-tuned.tails); k-- {
		for _, s := range b.kept[k] {
			if ctx.Err() != nil {
				return false
			}
			b.restore(s)
			var left []int32
			clear(b.cross)
			for _, i := range b.bufs {
				if b.eff[i] != placed {
					left = append(left, i)
					b.uncross(i, 1)
				}
			}
			d := b.dive(left, Never)
			outcome := d.Run(b.Tail)
			b.dived += d.nodes
			if outcome == Found {
				return true
			}
		}
	}
	return false
}
