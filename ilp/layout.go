package ilp

import (
	"cmp"
	"math"
	"slices"

	"memplan/model"
	"memplan/model/reduce"
)

// Formulation says which rows the program of an instance has. A binary is 1
// when one buffer of a conflicting pair lies below the other.
type Formulation int

const (
	// Csum is Tight and, for each maximal clique C and each j in C,
	//
	//	o_j >= sum of z_i x_ij over the others    (what lies below j is disjoint)
	//	H - o_j - z_j >= sum of z_k x_jk          (and so is what lies above)
	//
	// and for neighbouring cliques C, C' and each j in both the sum of the first
	// row of C and the second of C', in which the offset and what they share
	// cancel: what is below j and dies is replaced by about as much below j
	// (balance in verify/PROOFS.md). Linear relaxations are as good without it,
	// but these rows are short and of binaries alone, so that presolve refutes most
	// heights by itself. Asked from the load upwards: see climb.
	Csum Formulation = iota
	// CsumPeak has the same rows in one program that minimises the peak.
	CsumPeak
	// Tight minimises the peak with a big-M for each pair from the rooms that
	// the best known peak leaves, the load as a bound, a start, and an order
	// among twins.
	Tight
	// Raw is the textbook's program: big-M is the sum of all sizes, with no
	// bound, no start, and no order of twins. It is there for comparison.
	Raw
)

var formulations = [...]string{"csum", "csum-peak", "tight", "raw"}

func (f Formulation) String() string { return formulations[f] }

// ParseFormulation finds a formulation by name.
func ParseFormulation(name string) (Formulation, bool) {
	k := slices.Index(formulations[:], name)
	return Formulation(max(0, k)), k >= 0
}

// A layout is the program of an instance whose peak is to be at most a height.
//
// Offsets are measured in grains, a common divisor of all offsets that can
// occur, so that sizes may be rounded up to grains between buffers; what lies
// on top is held down by its own size. A body has one column: its root's
// offset, in multiples of its alignment. Floating point is exact here as long
// as the height is below 2^52; how far the solver is to be believed is another
// matter, see maxUnits.
type layout struct {
	Program
	in       *model.Instance
	room     *reduce.Room
	grain    int64
	body     []int            // the column of each buffer's body
	step     []int64          // grains that one unit of the column moves the buffer
	above    []int64          // grains between the body's root and the buffer
	size     []int64          // grains, rounded up
	pairs    map[[2]int32]int // column of a pair {i, j}, i < j: 1 when i lies below j
	forced   []reduce.Order   // pairs whose order is known
	peak     int              // the column of the peak, in bytes; -1 in decision form
	infinite float64          // the one big-M, or 0: one for each pair
}

// newLayout makes the program that asks for a plan within room, or, unless it
// is Csum's, for the best of them, whose peak is at least that.
func newLayout(in *model.Instance, room *reduce.Room, f Formulation, least int64) *layout {
	l := &layout{in: in, room: room, grain: grain(in), peak: -1, pairs: map[[2]int32]int{}}
	if f == Raw {
		l.infinite = float64(room.Height / l.grain)
	}
	l.bodies()
	if f != Csum {
		l.peak = len(l.Columns)
		l.Columns = append(l.Columns, Column{Cost: 1, Lower: float64(least), Upper: float64(room.Height), Integer: true})
		l.tops()
	}
	l.orders()
	if f == Csum || f == CsumPeak {
		l.sums(reduce.Cliques(in))
	}
	return l
}

// grain is the greatest common divisor of all offsets that can occur.
func grain(in *model.Instance) int64 {
	g := int64(0)
	for i := range in.Buffers {
		b := &in.Buffers[i]
		switch {
		case b.Offset != nil:
			g = model.GCD(g, *b.Offset)
		case b.Tie != nil:
			g = model.GCD(g, b.Tie.Delta)
		default:
			g = model.GCD(g, b.Alignment())
		}
	}
	return max(g, 1)
}

// bodies makes the columns of offsets.
func (l *layout) bodies() {
	n := len(l.in.Buffers)
	l.body, l.step, l.above, l.size = make([]int, n), make([]int64, n), make([]int64, n), make([]int64, n)
	for _, body := range l.in.Bodies() {
		root := &l.in.Buffers[body[0]]
		step := root.Alignment() / l.grain
		if root.Offset != nil {
			step = 1
		}
		for _, i := range body {
			b := &l.in.Buffers[i]
			l.body[i], l.step[i] = len(l.Columns), step
			l.size[i] = ceil(b.Size, l.grain)
			if b.Tie != nil {
				l.above[i] = b.Tie.Delta / l.grain
			}
		}
		l.Columns = append(l.Columns, Column{
			Lower:   float64(ceil(l.low(body[0]), step)),
			Upper:   float64(l.high(body[0]) / step),
			Integer: step > 1,
		})
	}
}

func ceil(a, b int64) int64 {
	if r := a % b; r > 0 {
		return a/b + 1
	}
	return a / b
}

// low and high are a buffer's least and greatest offset, in grains.
func (l *layout) low(i int) int64  { return ceil(l.room.Low[i], l.grain) }
func (l *layout) high(i int) int64 { return l.room.High[i] / l.grain }

// A line is a row under way: coefficients and a constant, by column.
type line struct {
	terms []Term
	shift float64
}

// offset adds a buffer's offset, in grains, times k.
func (l *layout) offset(r *line, i int, k float64) {
	r.terms = append(r.terms, Term{l.body[i], k * float64(l.step[i])})
	r.shift += k * float64(l.above[i])
}

// below adds k where i lies below j.
func (l *layout) below(r *line, i, j int32, k float64) {
	if col, open := l.pairs[[2]int32{min(i, j), max(i, j)}]; !open {
		if l.known(i, j) {
			r.shift += k
		}
	} else if i < j {
		r.terms = append(r.terms, Term{col, k})
	} else {
		r.terms = append(r.terms, Term{col, -k})
		r.shift += k
	}
}

// known reports whether i is known to lie below j, within a body or by room.
func (l *layout) known(i, j int32) bool {
	if l.body[i] == l.body[j] {
		return l.above[i] < l.above[j]
	}
	return l.room.Below(int(i), int(j))
}

// atLeast makes the row r >= 0.
func (l *layout) atLeast(r line) {
	l.Rows = append(l.Rows, Row{Lower: -r.shift, Upper: math.Inf(1), Terms: r.terms})
}

// tops keeps the peak at or above every buffer's end, in bytes.
func (l *layout) tops() {
	for i := range l.in.Buffers {
		r := line{terms: []Term{{l.peak, 1}}, shift: -float64(l.in.Buffers[i].Size)}
		l.offset(&r, i, -float64(l.grain))
		l.atLeast(r)
	}
}

// orders makes the columns and rows of the conflicting pairs: one row where
// the order is known, else a binary x and two,
//
//	o_j - o_i >= z_i - M (1-x),  o_i - o_j >= z_j - M' x
//
// with M the least that makes a row void: z_i + high_i - low_j.
func (l *layout) orders() {
	for i, near := range l.in.Neighbours() {
		for _, j := range near {
			a, b := int32(i), j
			if a > b || l.body[a] == l.body[b] {
				continue
			}
			if l.known(b, a) {
				a, b = b, a
			}
			if l.known(a, b) {
				l.forced = append(l.forced, reduce.Order{Lower: a, Upper: b})
				l.apart(int(a), int(b), nil)
				continue
			}
			l.pairs[[2]int32{a, b}] = len(l.Columns)
			l.Columns = append(l.Columns, Column{Upper: 1, Integer: true})
			l.apart(int(a), int(b), &reduce.Order{Lower: a, Upper: b})
			l.apart(int(b), int(a), &reduce.Order{Lower: b, Upper: a})
		}
	}
}

// apart makes the row o_j - o_i >= z_i, void unless the order holds.
func (l *layout) apart(i, j int, when *reduce.Order) {
	most := l.size[i] + l.high(i) - l.low(j)
	if when == nil && most <= 0 {
		return // the rooms say as much
	}
	r := line{shift: -float64(l.size[i])}
	l.offset(&r, j, 1)
	l.offset(&r, i, -1)
	if when != nil {
		m := float64(most)
		if l.infinite > 0 {
			m = l.infinite
		}
		r.shift += m
		l.below(&r, when.Lower, when.Upper, -m)
	}
	l.atLeast(r)
}

// sums makes the csum rows of the cliques, and the balances of neighbours.
func (l *layout) sums(cliques [][]int32) {
	var before map[int32]sides
	for _, c := range cliques {
		now := l.sides(c)
		for _, j := range c {
			s := now[j]
			l.bounds(s.under, 1)
			l.bounds(s.over, 1)
			if t, both := before[j]; both {
				l.bounds(sum(t.under, s.over), 0)
				l.bounds(sum(s.under, t.over), 0)
			}
		}
		before = now
	}
}

// sides are a buffer's csum rows in a clique, as expressions that are not negative:
// its offset less what lies below it, and the room above it less what lies there.
type sides struct{ under, over line }

func (l *layout) sides(c []int32) map[int32]sides {
	var roof, slack int64 // in grains; in bytes
	for _, k := range c {
		roof = max(roof, l.high(int(k))+l.size[k])
		slack = max(slack, l.size[k]*l.grain-l.in.Buffers[k].Size)
	}
	all := make(map[int32]sides)
	for _, j := range c {
		var s sides
		for _, i := range c {
			if i != j {
				l.below(&s.under, i, j, -float64(l.size[i]))
				l.below(&s.over, j, i, -float64(l.size[i]))
			}
		}
		l.offset(&s.under, int(j), 1)
		l.offset(&s.over, int(j), -1)
		s.over.shift -= float64(l.size[j])
		if l.peak < 0 {
			s.over.shift += float64(roof)
		} else {
			s.under, s.over = scaled(s.under, float64(l.grain)), scaled(s.over, float64(l.grain))
			s.over.terms = append(s.over.terms, Term{l.peak, 1})
			s.over.shift += float64(slack)
		}
		all[j] = s
	}
	return all
}

// bounds makes the row r >= 0, unless the height is fixed and there is no more in it
// than so many columns: the rooms say as much then.
func (l *layout) bounds(r line, columns int) {
	if l.peak >= 0 {
		columns = 0
	}
	if len(r.terms) > columns {
		l.atLeast(r)
	}
}

// sum adds two expressions; columns that cancel are gone.
func sum(a, b line) line {
	r := line{shift: a.shift + b.shift}
	terms := append(slices.Clone(a.terms), b.terms...)
	slices.SortFunc(terms, func(a, b Term) int { return cmp.Compare(a.Column, b.Column) })
	for _, t := range terms {
		if last := len(r.terms) - 1; last < 0 || r.terms[last].Column != t.Column {
			r.terms = append(r.terms, t)
		} else if r.terms[last].Coef += t.Coef; r.terms[last].Coef == 0 {
			r.terms = r.terms[:last]
		}
	}
	return r
}

func scaled(r line, k float64) line {
	for t := range r.terms {
		r.terms[t].Coef *= k
	}
	r.shift *= k
	return r
}

// terms is the number of non-zeros, the size of a program.
func (l *layout) terms() (n int) {
	for _, r := range l.Rows {
		n += len(r.Terms)
	}
	return n
}

// decode makes a plan of a solution: of its values only the orders are read,
// each as 0 or 1, and the offsets are stacked anew in integers. It reports
// false when the orders are no plan's.
func (l *layout) decode(values []float64) (model.Plan, bool) {
	if len(values) != len(l.Columns) {
		return model.Plan{}, false
	}
	orders := slices.Clone(l.forced)
	for pair, col := range l.pairs {
		o := reduce.Order{Lower: pair[1], Upper: pair[0]}
		if values[col] > 0.5 {
			o = reduce.Order{Lower: pair[0], Upper: pair[1]}
		}
		orders = append(orders, o)
	}
	slices.SortFunc(orders, func(a, b reduce.Order) int {
		return cmp.Or(cmp.Compare(a.Lower, b.Lower), cmp.Compare(a.Upper, b.Upper))
	})
	plan, ok := reduce.Stack(l.in, orders)
	return plan, ok && l.in.Check(plan) == nil
}

// encode makes a start of a plan within the room.
func (l *layout) encode(plan model.Plan) []float64 {
	values := make([]float64, len(l.Columns))
	for i, b := range l.in.Buffers {
		if b.Tie == nil {
			values[l.body[i]] = float64(plan.Offsets[i] / (l.grain * l.step[i]))
		}
	}
	for pair, col := range l.pairs {
		if plan.Offsets[pair[0]] < plan.Offsets[pair[1]] {
			values[col] = 1
		}
	}
	if l.peak >= 0 {
		values[l.peak] = float64(plan.Peak(l.in))
	}
	return values
}
