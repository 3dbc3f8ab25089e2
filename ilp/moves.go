package ilp

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"

	"memplan/model"
	"memplan/model/reduce"
)

// Moves finds a plan of at most a given peak that has the fewest bytes elsewhere
// than an old plan. Exact, where the solver ends; that no plan moves fewer is its
// word. The plan itself is stacked in integers, with what stays pinned.
//
// The program is that of formulation Csum, with a binary k for each buffer that
// may stay, worth its size, and two rows,
//
//	o >= low + (old - low) k,  o <= high - (high - old) k
//
// Numbers too large for the solver are made coarse: a plan in which some buffers
// stay is, rounded down, one of the coarse instance in which they stay, so that the
// bound holds. Orders of twins are left open: they are no longer alike.
type Moves struct {
	Solver  Solver
	Threads int // of the solver; 0 = 1
}

// Moved is what is known of the bytes that must move.
type Moved struct {
	Plan  model.Plan // the start, or one that moves fewer bytes
	Bytes int64      // that it moves
	Least int64      // no plan within the peak moves fewer: the solver's word, but for what cannot stay by itself
}

// ErrPairs says that the program knows nothing of buffers that may share bytes.
var ErrPairs = errors.New("ilp: which of the buffers may stay is not known where some may share bytes")

// Fewest begins with a plan within the peak. old has the offset of each buffer, -1
// where it has none.
func (m Moves) Fewest(ctx context.Context, in *model.Instance, old []int64, peak int64, start model.Plan) (Moved, error) {
	best := Moved{Plan: start, Bytes: start.Moved(in, old)}
	if len(in.Pairs) > 0 {
		return best, ErrPairs
	}
	red := whole(in, old)
	if len(red.Parts) == 0 { // all is pinned, or has no bytes
		best.Least = best.Bytes
		return best, nil
	}
	part := &red.Parts[0]
	own, height := part.Instance, part.Height(peak)
	room, ok := reduce.Force(own, height, nil)
	q := quantum(own, height)
	if q > 1 && ok {
		own = coarse(own, q)
		room, ok = reduce.Force(own, height/q, room.Orders())
	}
	if !ok {
		return best, errors.New("ilp: a plan within the peak is denied")
	}
	l := newLayout(own, room, Csum, 0)
	was, now := inUnits(part, q, old), inUnits(part, q, start.Offsets)
	stays := l.keepsakes(was, part.Instance.Buffers)
	for k, i := range part.Index {
		if _, may := stays[k]; old[i] >= 0 && !may {
			best.Least += in.Buffers[i].Size
		}
	}
	if best.Bytes == best.Least || tooLarge(own, Csum) {
		return best, nil
	}
	out, err := m.Solver.Solve(ctx, &l.Program, Options{Threads: m.Threads, Start: l.remembering(was, now, stays)})
	if err == nil && out.Verdict == Infeasible {
		err = errors.New("ilp: the solver denies a plan that there is")
	}
	if err != nil {
		return best, err
	}
	if len(out.Values) == len(l.Columns) {
		if plan, ok := l.staying(part.Instance, inUnits(part, 1, old), stays, out.Values); ok {
			best.take(in, old, peak, red, plan)
		}
	}
	best.Least += least(part.Instance.Buffers, stays, out.Dual, (best.Bytes-best.Least)/part.Unit) * part.Unit
	if best.Least > best.Bytes {
		return best, fmt.Errorf("ilp: the solver claims that at least %d bytes must move, but %d are enough", best.Least, best.Bytes)
	}
	return best, nil
}

// whole is an instance as one part: without what has no bytes, and in small numbers
// where the old offsets are in these too.
func whole(in *model.Instance, old []int64) *reduce.Reduction {
	const off = reduce.Compress | reduce.Cut | reduce.Universal | reduce.Last
	red := reduce.Reduce(in, off)
	for k := range red.Parts {
		for _, i := range red.Parts[k].Index {
			if old[i] > 0 && old[i]%red.Parts[k].Unit != 0 {
				return reduce.Reduce(in, off|reduce.Scale)
			}
		}
	}
	return red
}

// inUnits are offsets in q units of a part, rounded down; -1 stays what it is.
func inUnits(p *reduce.Part, q int64, offsets []int64) []int64 {
	list := make([]int64, len(p.Index))
	for k, i := range p.Index {
		list[k] = max(-1, offsets[i])
		if list[k] > 0 {
			list[k] /= p.Unit * q
		}
	}
	return list
}

// remembering is a start of the program: a plan, and which buffers stay in it.
func (l *layout) remembering(was, now []int64, stays map[int]int) []float64 {
	values := l.encode(model.Plan{Offsets: now})
	for i, col := range stays {
		if now[i] == was[i] {
			values[col] = 1
		}
	}
	return values
}

// keepsakes adds the columns and rows of the buffers that may stay, and returns
// their columns; worth has their sizes.
func (l *layout) keepsakes(old []int64, worth []model.Buffer) map[int]int {
	stays := make(map[int]int)
	for i, at := range old {
		low, high := l.low(i), l.high(i)
		was := at / l.grain
		if at < 0 || at%l.grain != 0 || was < low || was > high || (was-l.above[i])%l.step[i] != 0 {
			continue
		}
		stays[i] = len(l.Columns)
		l.Columns = append(l.Columns, Column{Cost: -float64(worth[i].Size), Upper: 1, Integer: true})
		least, most := line{shift: -float64(low)}, line{shift: float64(high)}
		l.offset(&least, i, 1)
		l.offset(&most, i, -1)
		least.terms = append(least.terms, Term{stays[i], -float64(was - low)})
		most.terms = append(most.terms, Term{stays[i], -float64(high - was)})
		l.atLeast(least)
		l.atLeast(most)
	}
	return stays
}

// least is the units, of those that may stay, that move by a bound on the
// objective, which is in floating point: the next sum of sizes, as far as the units
// that are known to be enough.
func least(worth []model.Buffer, stays map[int]int, dual float64, enough int64) int64 {
	var all, unit int64
	for i := range stays {
		all += worth[i].Size
		unit = model.GCD(unit, worth[i].Size)
	}
	if unit == 0 || all/unit > 1<<50 {
		return 0
	}
	units := math.Ceil(float64(all/unit) + dual/float64(unit) - 1e-6*float64(max(1, all/unit)))
	if !(units > 0) {
		return 0
	}
	low := int64(min(units, float64(all/unit)))
	if enough /= unit; low < enough && enough <= maxSum {
		sums := big.NewInt(1) // bit k: k is a sum
		upTo := new(big.Int).Lsh(big.NewInt(1), uint(enough+1))
		upTo.Sub(upTo, big.NewInt(1))
		for i := range stays {
			if size := worth[i].Size / unit; size <= enough {
				sums.Or(sums, new(big.Int).Lsh(sums, uint(size)))
				sums.And(sums, upTo)
			}
		}
		for low < enough && sums.Bit(int(low)) == 0 {
			low++
		}
	}
	return low * unit
}

// maxSum is up to which number sums of sizes are looked for.
const maxSum = 1 << 20

// staying makes a plan of an instance by a solution of its program, or of its
// coarse form's: what is to stay is pinned, and the others are stacked in the order
// that it gives.
func (l *layout) staying(in *model.Instance, old []int64, stays map[int]int, values []float64) (model.Plan, bool) {
	pinned := &model.Instance{Buffers: slices.Clone(in.Buffers)}
	for i, col := range stays {
		if values[col] <= 0.5 {
			continue
		}
		root, at := i, old[i]
		if tie := in.Buffers[i].Tie; tie != nil {
			root, at = tie.To, at-tie.Delta
		}
		pinned.Buffers[root].Offset = &at
	}
	l.in = pinned
	return l.decode(values)
}

// take keeps a plan of the part, if it moves fewer bytes. What has no bytes, and is
// in no part, lies where it did.
func (m *Moved) take(in *model.Instance, old []int64, peak int64, red *reduce.Reduction, part model.Plan) {
	plan, err := red.Lift([]model.Plan{part})
	if err != nil {
		return
	}
	for i := range in.Buffers {
		if b := &in.Buffers[i]; b.Size == 0 && b.Tie == nil && b.Offset == nil && !slices.Contains(red.Parts[0].Index, i) {
			plan.Offsets[i] = m.Plan.Offsets[i]
		}
	}
	if bytes := plan.Moved(in, old); bytes < m.Bytes && plan.Peak(in) <= peak && in.Check(plan) == nil {
		m.Plan, m.Bytes = plan, bytes
	}
}
