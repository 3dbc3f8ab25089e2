package verify

import (
	"errors"
	"fmt"
	"math/big"

	"memplan/model"
)

// Traffic checks that c proves what it says of the question in it: that nothing
// costs less than c.Bound. Whose question that is, is not looked at: package
// verify/traffic makes it from a graph.
//
// Exact. The program of PROOFS.md, "Traffic", is laid out anew, each cut's
// certificate replayed, and each leaf added up in integers without end. Cost:
// that of the cuts, and for each leaf the terms of the rows it names and the
// columns.
func Traffic(c *model.Certificate) error {
	switch {
	case c.Proof != model.ProofTraffic || c.Traffic == nil:
		return fmt.Errorf("a proof of kind %q is none of what is moved", c.Proof)
	case c.Bound <= 0:
		return fmt.Errorf("the bound %d is not above 0", c.Bound)
	}
	r, err := newResidence(&c.Traffic.Question)
	if err != nil {
		return err
	}
	for k := range c.Traffic.Cuts {
		if err := r.cut(&c.Traffic.Cuts[k]); err != nil {
			return fmt.Errorf("cut %d: %w", k, err)
		}
	}
	for k, x := range c.Traffic.Rounded {
		if x.Row < 0 || x.Row >= len(r.rows) || x.Divisor < 1 || x.Divisor > maxAsked {
			return fmt.Errorf("rounding %d is of row %d by %d", k, x.Row, x.Divisor)
		}
		row, err := r.rows[x.Row].rounded(x.Divisor, x.Turned)
		if err != nil {
			return fmt.Errorf("rounding %d: %w", k, err)
		}
		r.rows = append(r.rows, row)
	}
	unit := r.unit()
	if c.Bound%unit != 0 {
		return fmt.Errorf("the bound %d is no multiple of %d, of which all costs are", c.Bound, unit)
	}
	t := parting{r, c.Traffic, c.Bound - unit, make([]int8, len(r.costs)), 0, 0}
	if err := t.node(); err != nil {
		return err
	}
	if t.at < len(c.Traffic.Tree) || t.leaf < len(c.Traffic.Leaves) {
		return errors.New("nodes or leaves are left over")
	}
	return nil
}

// A parting goes through a tree.
type parting struct {
	r        *residence
	of       *model.Traffic
	below    int64  // what each leaf must exceed
	fixed    []int8 // of each column: what its value is plus 1, 0 = open
	at, leaf int    // the next
}

func (t *parting) node() error {
	if t.at == len(t.of.Tree) {
		return errors.New("the tree ends too soon")
	}
	c := t.of.Tree[t.at]
	t.at++
	if c == -1 {
		if t.leaf == len(t.of.Leaves) {
			return errors.New("a leaf is missing")
		}
		t.leaf++
		return t.adds(t.leaf - 1)
	}
	if c < 0 || c >= len(t.fixed) || t.fixed[c] != 0 {
		return fmt.Errorf("node %d parts by column %d", t.at-1, c)
	}
	for _, value := range []int8{1, 2} {
		t.fixed[c] = value
		if err := t.node(); err != nil {
			return err
		}
	}
	t.fixed[c] = 0
	return nil
}

// adds checks that the rows of a leaf add up to more than what is below the bound.
func (t *parting) adds(leaf int) error {
	l := &t.of.Leaves[leaf]
	if l.Scale < 0 || len(l.Rows) != len(l.Weights) {
		return fmt.Errorf("leaf %d: scale %d, %d rows, %d weights", leaf, l.Scale, len(l.Rows), len(l.Weights))
	}
	left := make([]big.Int, len(t.fixed)) // of each column's cost
	for c := range left {
		left[c].Mul(big.NewInt(l.Scale), big.NewInt(t.r.costs[c]))
	}
	var sum, product big.Int
	for k, row := range l.Rows {
		if row < 0 || row >= len(t.r.rows) || l.Weights[k] < 0 {
			return fmt.Errorf("leaf %d: %d times row %d", leaf, l.Weights[k], row)
		}
		weight := big.NewInt(l.Weights[k])
		for _, x := range t.r.rows[row].terms {
			left[x.column].Sub(&left[x.column], product.Mul(weight, big.NewInt(x.times)))
		}
		sum.Add(&sum, product.Mul(weight, big.NewInt(t.r.rows[row].least)))
	}
	for c := range left {
		if t.fixed[c] == 2 || t.fixed[c] == 0 && left[c].Sign() < 0 {
			sum.Add(&sum, &left[c])
		}
	}
	if need := product.Mul(big.NewInt(l.Scale), big.NewInt(t.below)); sum.Cmp(need) <= 0 {
		return fmt.Errorf("leaf %d adds up to %v, and must be above %v", leaf, &sum, need)
	}
	return nil
}
