package smallest

import "math/big"

// maximise returns the largest value of the last variable, and the values at
// which it is reached, for variables that are not negative and satisfy
// rows[i] . x <= bounds[i], where no bound is negative. The largest value is
// bounded. Exact: the simplex method in rationals, with Bland's rule.
func maximise(rows [][]int64, bounds []*big.Rat) []*big.Rat {
	t := tableau{vars: len(rows[0])}
	for i, row := range rows {
		r := make([]*big.Rat, t.vars+1)
		for j, a := range row {
			r[j] = big.NewRat(a, 1)
		}
		r[t.vars] = new(big.Rat).Set(bounds[i])
		t.rows = append(t.rows, r)
		t.basic = append(t.basic, t.vars+i)
	}
	t.goal = make([]*big.Rat, t.vars+1)
	for j := range t.goal {
		t.goal[j] = new(big.Rat)
	}
	t.goal[t.vars-1].SetInt64(1)
	for j := range t.vars {
		t.free = append(t.free, j)
	}
	for t.step() {
	}
	x := make([]*big.Rat, t.vars)
	for j := range x {
		x[j] = new(big.Rat)
	}
	for i, v := range t.basic {
		if v < t.vars {
			x[v] = t.rows[i][t.vars]
		}
	}
	return x
}

// A tableau is a dictionary: each basic variable plus its row of free ones is
// the row's last entry; the goal is to raise.
type tableau struct {
	vars        int
	rows        [][]*big.Rat
	goal        []*big.Rat
	basic, free []int // names of variables
}

// step exchanges two variables, unless the goal cannot rise.
func (t *tableau) step() bool {
	in := -1
	for j := range t.vars {
		if t.goal[j].Sign() > 0 && (in < 0 || t.free[j] < t.free[in]) {
			in = j
		}
	}
	if in < 0 {
		return false
	}
	out := -1
	var least *big.Rat
	for i, row := range t.rows {
		if row[in].Sign() <= 0 {
			continue
		}
		ratio := new(big.Rat).Quo(row[t.vars], row[in])
		if out >= 0 {
			if c := ratio.Cmp(least); c > 0 || c == 0 && t.basic[i] > t.basic[out] {
				continue
			}
		}
		out, least = i, ratio
	}
	t.pivot(out, in)
	return true
}

func (t *tableau) pivot(out, in int) {
	row := t.rows[out]
	t.basic[out], t.free[in] = t.free[in], t.basic[out]
	inverse := new(big.Rat).Inv(row[in])
	row[in] = big.NewRat(1, 1)
	for j := range row {
		row[j] = new(big.Rat).Mul(row[j], inverse)
	}
	for i, other := range append(t.rows, t.goal) {
		if i == out || other[in].Sign() == 0 {
			continue
		}
		factor := other[in]
		other[in] = new(big.Rat)
		for j := range other {
			other[j] = new(big.Rat).Sub(other[j], new(big.Rat).Mul(factor, row[j]))
		}
	}
}
