package spill

import (
	"context"
	"math"
	"math/big"
	"slices"

	"memplan/ilp"
	"memplan/model"
)

const (
	maxNodes   = 1 << 12 // of the tree of a proof
	maxOrdered = 1 << 6  // the same, of all orders
	maxRounds  = 30      // that rows are rounded at a node before a column parts the choices
)

// Numbers beyond these are left to the solver's word: what a question has, in bytes, and
// what a rounded row may have.
const (
	maxBytes    = 1 << 40
	maxRounding = 1 << 44
)

// Prove finds why nothing costs less than what was found, in its order of the
// operators: a tree over the program's columns, and at each leaf multiples of the
// rows that add up to more. The solver's floating point says which; what comes back
// holds in integers, by way of PROOFS.md. It is nil where nothing is moved, the
// answer is not known to be the least, or no proof is found within maxNodes and ctx.
// Of what Order found it is that of all orders, within maxOrdered, or else of the order
// that was found.
//
// Measured on 31 models in three ways at 90, 75, 50 and 33 % of their loads: all 270
// costs above 0 that were known to be the least were proven, 20 of them with states that
// are copied. On 26 of them without such, 214 of 217 took one sum and the others three at
// most; files have 4.8 KB in the median, 34 KB at most. Without rounded rows five were
// not, in 4096 nodes. Of all orders, on 21 models in two ways, 118 of 127 were
// proven, 100 of them in one sum and all in 47 nodes at most; the others not in 20 seconds.
func (a *Answer) Prove(ctx context.Context, t Tools) (*model.Certificate, error) {
	p := a.program
	if p == nil || !a.Optimal() || a.Fitted.Cost() <= 0 || p.k.beyond() {
		return nil, nil
	}
	v := &prover{p: p, t: t, most: maxNodes, out: &model.Traffic{Question: *p.k.asked()}}
	if a.ordered {
		if s := p.k.anyOrder(); s != nil {
			all := &prover{p: &s.p, t: t, most: maxOrdered, out: &model.Traffic{Question: v.out.Question}}
			all.out.Question.Before = s.asked
			if c, err := all.prove(ctx, a.Fitted.Cost()); c != nil || err != nil {
				return c, err
			}
		}
	}
	if a.Certificate != nil {
		return a.Certificate, nil
	}
	for _, pieces := range p.cuts {
		res, err := t.Pack(ctx, p.k.together(&v.out.Question, pieces))
		if err != nil || res.Proven == nil || res.Proven.Bound <= p.k.q.Capacity {
			return nil, err // not proven by what the row says alone
		}
		v.out.Cuts = append(v.out.Cuts, model.Cut{Pieces: pieces, Certificate: *res.Proven})
	}
	return v.prove(ctx, a.Fitted.Cost())
}

// prove finds why nothing is below a cost; nil where it does not.
func (v *prover) prove(ctx context.Context, cost int64) (*model.Certificate, error) {
	if cost%v.p.unit != 0 {
		return nil, nil
	}
	v.rows, v.lp, v.below = slices.Clone(v.p.rows), v.p.relaxed(), cost-v.p.unit
	if done, err := v.node(ctx); !done || err != nil {
		return nil, err
	}
	return &model.Certificate{Proof: model.ProofTraffic, Bound: cost, Traffic: v.out}, nil
}

// beyond reports whether a proof would have too large numbers.
func (k *task) beyond() bool {
	large := func(bytes int64) bool { return bytes > maxBytes }
	return large(max(k.q.Capacity, k.q.Read, k.q.Write)) || len(k.values) > 1<<16 || k.steps > 1<<16 || slices.ContainsFunc(k.scratch, large) ||
		slices.ContainsFunc(k.values, func(x value) bool {
			return large(x.size) || slices.ContainsFunc(x.events, func(e event) bool { return large(max(e.reads, e.writes)) })
		})
}

// A prover goes down a tree, column by column.
type prover struct {
	p     *program
	t     Tools
	most  int   // nodes
	below int64 // what each leaf must exceed
	lp    ilp.Program
	rows  []inequality
	out   *model.Traffic
}

// round adds rows that follow from those there are, since columns are integers,
// and that these values break. It reports whether there are any.
func (v *prover) round(values []float64) bool {
	before := len(v.rows)
	for i := range before {
		r, broken := v.rows[i].breaks(values)
		if !broken {
			continue
		}
		row := v.rows[i].rounded(r)
		if row.scale() > maxRounding || slices.ContainsFunc(row.terms, func(t term) bool { return max(t.times, -t.times) > maxRounding }) {
			continue
		}
		r.Row = i
		v.out.Rounded = append(v.out.Rounded, r)
		v.rows, v.lp.Rows = append(v.rows, row), append(v.lp.Rows, row.solvers())
	}
	return len(v.rows) > before
}

// breaks is the rounding of a row that values break most, if any.
func (i *inequality) breaks(values []float64) (best model.Rounding, broken bool) {
	most := 1e-3
	var high []int
	for _, t := range i.terms {
		if values[t.column] > 0.5 {
			high = append(high, t.column)
		}
	}
	for _, turned := range [][]int{nil, high} {
		var tried []int64
		for _, t := range i.terms {
			d := max(t.times, -t.times)
			if d < 2 || slices.Contains(tried, d) {
				continue
			}
			tried = append(tried, d)
			r := model.Rounding{Divisor: d, Turned: turned}
			row := i.rounded(r)
			if short := row.short(values); short > most {
				best, most, broken = r, short, true
			}
		}
	}
	return best, broken
}

// short is how far values are from a row.
func (i *inequality) short(values []float64) float64 {
	sum, norm := float64(i.least), 0.0
	for _, t := range i.terms {
		sum -= float64(t.times) * values[t.column]
		norm += float64(t.times) * float64(t.times)
	}
	return sum / max(math.Sqrt(norm), 1)
}

// rounded is mixed-integer rounding: PROOFS.md, "Traffic".
func (i *inequality) rounded(r model.Rounding) inequality {
	floor := func(x int64) int64 { return (x - ((x%r.Divisor)+r.Divisor)%r.Divisor) / r.Divisor }
	sign := func(c int) int64 {
		if slices.Contains(r.Turned, c) {
			return -1
		}
		return 1
	}
	least := i.least
	for _, t := range i.terms {
		if sign(t.column) < 0 {
			least -= t.times
		}
	}
	up := floor(least-1) + 1
	f := least - (up-1)*r.Divisor
	row := inequality{least: up * f}
	for _, t := range i.terms {
		x := sign(t.column) * t.times
		whole := floor(x)
		x = sign(t.column) * (whole*f + min(x-whole*r.Divisor, f))
		if row.terms = append(row.terms, term{t.column, x}); sign(t.column) < 0 {
			row.least += x
		}
	}
	return row
}

// relaxed is the program without integers, and with all that may be chosen.
func (p *program) relaxed() ilp.Program {
	lp := ilp.Program{Columns: slices.Clone(p.lp.Columns)}
	for k := range p.rows {
		lp.Rows = append(lp.Rows, p.rows[k].solvers())
	}
	for c := range lp.Columns {
		lp.Columns[c].Integer, lp.Columns[c].Upper = false, 1
	}
	return lp
}

// node proves what is below it, and reports whether it could.
func (v *prover) node(ctx context.Context) (done bool, err error) {
	if len(v.out.Tree) >= v.most || ctx.Err() != nil {
		return false, nil
	}
	var out ilp.Outcome
	for again, rounds := true, 0; again; rounds++ {
		if out, err = v.t.Solver.Solve(ctx, &v.lp, ilp.Options{Threads: 1}); err != nil {
			return false, err
		}
		if out.Verdict == ilp.Infeasible {
			return v.contradiction(ctx)
		}
		if out.Values == nil {
			return false, nil
		}
		if v.leaf(out.Duals, []int64{1, 1e3, 1e6, 1e9, 1e12}, float64(v.p.unit)) {
			return true, nil
		}
		again = rounds < maxRounds && v.round(out.Values)
	}
	c := v.open(out.Values)
	if c < 0 {
		return false, nil
	}
	v.out.Tree = append(v.out.Tree, c)
	column := &v.lp.Columns[c]
	defer func(was ilp.Column) { *column = was }(*column)
	for _, value := range []float64{0, 1} {
		column.Lower, column.Upper = value, value
		if done, err := v.node(ctx); !done || err != nil {
			return false, err
		}
	}
	return true, nil
}

// open is the column whose value is furthest from an integer, -1 where all are.
func (v *prover) open(values []float64) int {
	best, most := -1, 1e-6
	for c, x := range values {
		if d := min(x, 1-x); v.p.lp.Columns[c].Integer && d > most+1e-9 {
			best, most = c, d
		}
	}
	return best
}

// contradiction proves a leaf at which nothing holds: of the rows that fall short
// by as little as can be, multiples add up to more than 0.
func (v *prover) contradiction(ctx context.Context) (done bool, err error) {
	lp := ilp.Program{Columns: slices.Clone(v.lp.Columns)}
	for c := range lp.Columns {
		lp.Columns[c].Cost = 0
	}
	short := ilp.Term{Column: len(lp.Columns), Coef: 1}
	lp.Columns = append(lp.Columns, ilp.Column{Cost: 1, Upper: math.Inf(1)})
	for _, r := range v.lp.Rows {
		r.Terms = append(slices.Clone(r.Terms), short)
		lp.Rows = append(lp.Rows, r)
	}
	out, err := v.t.Solver.Solve(ctx, &lp, ilp.Options{Threads: 1})
	if err != nil {
		return false, err
	}
	return v.leaf(out.Duals, []int64{0}, 1e12), nil
}

// leaf takes multiples of the rows near those of the solver, in as few digits as
// prove enough, and reports whether any do.
func (v *prover) leaf(duals []float64, scales []int64, unit float64) bool {
	if duals == nil {
		return false
	}
	for _, scale := range scales {
		l := model.Leaf{Scale: scale}
		for i, dual := range duals {
			y := math.Round(dual * unit * float64(max(scale, 1)) / float64(v.rows[i].scale()))
			if y > 0 && y < 1<<62 {
				l.Rows, l.Weights = append(l.Rows, i), append(l.Weights, int64(y))
			}
		}
		if v.adds(&l) {
			v.out.Tree, v.out.Leaves = append(v.out.Tree, -1), append(v.out.Leaves, l)
			return true
		}
	}
	return false
}

// adds reports whether a leaf's rows add up to more than what is below the bound.
func (v *prover) adds(l *model.Leaf) bool {
	sum, left := new(big.Int), make(map[int]*big.Int)
	times := func(a, b int64) *big.Int { return new(big.Int).Mul(big.NewInt(a), big.NewInt(b)) }
	for c, cost := range v.p.costs {
		left[c] = times(l.Scale, cost)
	}
	for k, i := range l.Rows {
		sum.Add(sum, times(l.Weights[k], v.rows[i].least))
		for _, t := range v.rows[i].terms {
			left[t.column].Sub(left[t.column], times(l.Weights[k], t.times))
		}
	}
	for c, x := range left {
		if v.lp.Columns[c].Lower == 1 || v.lp.Columns[c].Upper == 1 && x.Sign() < 0 {
			sum.Add(sum, x)
		}
	}
	return sum.Cmp(times(l.Scale, v.below)) > 0
}
