package ilp

import (
	"cmp"
	"context"
	"slices"

	"memplan/model"
	"memplan/model/reduce"
)

// A sharing is the program of an instance with pairs. As in Tight a binary says
// which of two buffers in conflict lies below the other; what changes is by how
// much at least. Where j may lie over i from a lead on,
//
//	o_i - o_j >= lead  in place of  o_i - o_j >= z_j,
//
// and the other direction is as ever. An equal pair has a binary of its own, which
// voids both rows and brings o_over = o_under + distance. Nothing that follows
// from buffers being disjoint is used: no sums over cliques, no windows, no order
// of twins.
type sharing struct {
	*layout
	leads  map[reduce.Order]int64 // bytes, of pairs whose Lower lies over Upper
	equals []equality
}

// An equality is an equal pair by its index, and its column.
type equality struct{ index, column int }

// newSharing makes the program for the best of the plans within a height, whose
// peak is at least that; false when not even one buffer fits. In a coarse form
// the distance of an equal pair may be one more, where slack says so.
func newSharing(in *model.Instance, height, least int64, slack func(pair int) int64) (*sharing, bool) {
	room, ok := reduce.Open(in, height, nil)
	if !ok {
		return nil, false
	}
	s := &sharing{&layout{in: in, room: room, grain: grain(in), pairs: map[[2]int32]int{}}, leads(in), nil}
	s.bodies()
	s.peak = len(s.Columns)
	s.Columns = append(s.Columns, Column{Cost: 1, Lower: float64(least), Upper: float64(height), Integer: true})
	s.tops()
	equal := make(map[[2]int32][]int)
	for k, p := range in.Pairs {
		if key := both(p); p.Equal {
			equal[key] = append(equal[key], k)
		}
	}
	for i, near := range in.Neighbours() {
		for _, j := range near {
			if a := int32(i); a < j && s.body[a] != s.body[j] {
				s.order(a, j, equal[[2]int32{a, j}], slack)
			}
		}
	}
	return s, true
}

// both are a pair's buffers, the lower index first.
func both(p model.Pair) [2]int32 {
	return [2]int32{int32(min(p.Over, p.Under)), int32(max(p.Over, p.Under))}
}

func leads(in *model.Instance) map[reduce.Order]int64 {
	of := make(map[reduce.Order]int64)
	for _, p := range in.Pairs {
		if !p.Equal {
			of[reduce.Order{Lower: int32(p.Over), Upper: int32(p.Under)}] = p.Distance
		}
	}
	return of
}

// order makes the columns and rows of two buffers in conflict.
func (s *sharing) order(i, j int32, equal []int, slack func(int) int64) {
	column := len(s.Columns)
	s.pairs[[2]int32{i, j}] = column
	s.Columns = append(s.Columns, Column{Upper: 1, Integer: true})
	var lifted []int
	for _, k := range equal {
		p, more := s.in.Pairs[k], slack(k)
		if p.Distance%s.grain != 0 && more == 0 {
			continue // no offsets are that far apart
		}
		e := equality{k, len(s.Columns)}
		s.Columns = append(s.Columns, Column{Upper: 1, Integer: true})
		lifted, s.equals = append(lifted, e.column), append(s.equals, e)
		d := p.Distance / s.grain
		s.unless(p.Over, p.Under, d, e.column)
		s.unless(p.Under, p.Over, -d-more, e.column)
	}
	s.above(j, i, column, true, lifted)
	s.above(i, j, column, false, lifted)
}

// unless makes the row o_i - o_j >= d, void unless the column is 1.
func (s *sharing) unless(i, j int, d int64, column int) {
	most := float64(d + s.high(j) - s.low(i))
	r := line{terms: []Term{{column, -most}}, shift: most - float64(d)}
	s.offset(&r, i, 1)
	s.offset(&r, j, -1)
	s.atLeast(r)
}

// above makes the row that i lies above j, void unless the column is 1, or 0, and
// if any of others is 1.
func (s *sharing) above(i, j int32, column int, when bool, others []int) {
	d := s.size[j]
	if lead, shares := s.leads[reduce.Order{Lower: j, Upper: i}]; shares {
		d = min(d, ceil(lead, s.grain))
	}
	most := float64(d + s.high(int(j)) - s.low(int(i)))
	if most <= 0 {
		return
	}
	r := line{shift: -float64(d)}
	if when {
		r.terms, r.shift = append(r.terms, Term{column, -most}), r.shift+most
	} else {
		r.terms = append(r.terms, Term{column, most})
	}
	for _, c := range others {
		r.terms = append(r.terms, Term{c, most})
	}
	s.offset(&r, int(i), 1)
	s.offset(&r, int(j), -1)
	s.atLeast(r)
}

// decode makes a plan of an instance of a solution of its program, or of that of
// its coarse form: of its values only the orders and equalities are read.
func (s *sharing) decode(in *model.Instance, values []float64) (model.Plan, bool) {
	if len(values) != len(s.Columns) {
		return model.Plan{}, false
	}
	var rules []rule
	equal := make(map[[2]int32]bool)
	for _, e := range s.equals {
		p := in.Pairs[e.index]
		if key := both(p); values[e.column] > 0.5 && !equal[key] {
			equal[key] = true
			rules = append(rules, rule{p.Over, p.Under, p.Distance}, rule{p.Under, p.Over, -p.Distance})
		}
	}
	between := leads(in)
	for pair, column := range s.pairs {
		if equal[pair] {
			continue
		}
		o := reduce.Order{Lower: pair[1], Upper: pair[0]}
		if values[column] > 0.5 {
			o = reduce.Order{Lower: pair[0], Upper: pair[1]}
		}
		d := in.Buffers[o.Lower].Size
		if lead, shares := between[o]; shares {
			d = min(d, lead)
		}
		rules = append(rules, rule{int(o.Upper), int(o.Lower), d})
	}
	slices.SortFunc(rules, func(a, b rule) int {
		return cmp.Or(cmp.Compare(a.under, b.under), cmp.Compare(a.over, b.over), cmp.Compare(a.least, b.least))
	})
	plan, ok := settle(in, rules)
	return plan, ok && in.Check(plan) == nil
}

// A rule says that a buffer lies so many bytes above another at least, or, if that
// is negative, no more than so many below.
type rule struct {
	over, under int
	least       int64
}

// settle gives every body its least offset under the rules, aligned upwards, and
// reports false when there is no such plan, or none after many rounds.
func settle(in *model.Instance, rules []rule) (model.Plan, bool) {
	root, above, at := make([]int, len(in.Buffers)), make([]int64, len(in.Buffers)), make([]int64, len(in.Buffers))
	for _, body := range in.Bodies() {
		for _, i := range body {
			if root[i] = body[0]; in.Buffers[i].Tie != nil {
				above[i] = in.Buffers[i].Tie.Delta
			}
		}
		if pin := in.Buffers[body[0]].Offset; pin != nil {
			at[body[0]] = *pin
		}
	}
	changed := true
	for round := 0; changed; round++ {
		if changed = false; round > 4*len(in.Buffers)+16 {
			return model.Plan{}, false
		}
		for _, r := range rules {
			i := root[r.over]
			least, fits := model.Add(at[root[r.under]], above[r.under])
			if r.least > 0 && fits {
				least, fits = model.Add(least, r.least)
			} else {
				least += r.least
			}
			if least -= above[r.over]; fits && least <= at[i] {
				continue
			}
			up, aligned := model.AlignUp(least, in.Buffers[i].Alignment())
			if !fits || !aligned || in.Buffers[i].Offset != nil {
				return model.Plan{}, false
			}
			at[i], changed = up, true
		}
	}
	for i := range at {
		if root[i] != i {
			at[i] = model.SaturatingAdd(at[root[i]], above[i])
		}
	}
	return model.Plan{Offsets: at}, true
}

// encode makes a start of a plan.
func (s *sharing) encode(plan model.Plan) []float64 {
	values := s.layout.encode(plan)
	for pair, column := range s.pairs {
		i, j := pair[0], pair[1]
		lead, over := s.leads[reduce.Order{Lower: i, Upper: j}]
		if d := plan.Offsets[j] - plan.Offsets[i]; d == 0 && over && lead == 0 {
			values[column] = 1
		}
	}
	for _, e := range s.equals {
		if p := s.in.Pairs[e.index]; p.Allows(plan.Offsets[p.Over], plan.Offsets[p.Under]) {
			values[e.column] = 1
		}
	}
	return values
}

// share asks for the best plan of an instance with pairs, in one program.
func (c *climb) share(ctx context.Context) error {
	if err := c.raise(c.in.Load(), c.in); err != nil || c.met() || 6*c.in.Conflicts() > maxTerms {
		return err
	}
	roof, known := c.peak, c.best
	if known == nil {
		var ok bool
		if roof, ok = roomy(c.in); !ok {
			return nil
		}
	}
	in, q := c.in, quantum(c.in, roof)
	slack := func(int) int64 { return 0 }
	if q > 1 {
		in = coarse(c.in, q)
		for _, p := range c.in.Pairs {
			p.Distance /= q
			in.Pairs = append(in.Pairs, p)
		}
		slack = func(k int) int64 { return min(1, c.in.Pairs[k].Distance%q) }
	}
	s, ok := newSharing(in, roof/q, c.bound/q, slack)
	if !ok {
		return nil
	}
	var start []float64
	if known != nil && q == 1 {
		start = s.encode(*known)
	}
	found := func(values []float64) error {
		if plan, ok := s.decode(c.in, values); ok {
			return c.offer(plan, c.in)
		}
		return nil
	}
	out, err := c.solve(ctx, s.layout, Options{Gap: 0.9, Start: start}, question{moot: c.met, found: found})
	if err == nil {
		err = found(out.Values)
	}
	if err != nil || out.Verdict == Infeasible && known == nil {
		return err
	}
	bound := min(roundUp(out.Dual, s.room.Height), s.room.Height+1)
	if out.Verdict == Infeasible {
		bound = s.room.Height + 1
	}
	return c.raise(max(c.bound, reach(c.in, q*bound)), c.in)
}
