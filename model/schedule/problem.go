package schedule

import (
	"slices"

	"memplan/model"
)

// A Problem is what orders of units are measured by: the bytes live at each
// step, as a function of which units have run, not of their order. Where the
// real sharing depends on the order (in-place pairs of different sizes, pairs
// over parts of a buffer, operands of several concats) it counts no more than
// the real bytes, so that its minimum bounds every schedule's load.
type Problem struct {
	DAG     *DAG
	Items   []Item   // numbered in the order of the list
	touched [][]int  // items that each unit reads or writes, ascending
	born    [][]int  // items that each unit may be the first to write
	Scratch []int64  // of each unit
	Pairs   [][]Pair // in-place pairs of each unit
	Leads   [][]Pair // outputs of each unit that may lie over inputs
	Lays    [][]int  // items that each unit, a concat, lays into its result
	Result  []int    // the item that they are laid into
	atStart int64    // bytes live at the first step alone
	movable bool     // no operand is laid into several results
}

// An Item is a buffer as far as it is known before the schedule: a value and
// its views.
type Item struct {
	Bytes   int64 // live while the item is
	Firsts  []int // units that write it, whichever is the first; none: there from the start
	Users   []int // units that read or write it, ascending
	Forever bool  // live to the end
	Laid    []int // concats that make it part of their result
}

// A Pair is two items that a unit may make one, or lay over another: the second
// takes the place of the first, or of a part of it, if nobody else reads that any
// more.
type Pair struct {
	X, Y  int
	Bytes int64 // saved at that step, at most
}

// New is a problem of that many units, to be filled with items: their users and
// firsts, the units' scratch, pairs and lays. Then call Finish.
func New(units int) *Problem {
	return &Problem{
		DAG:     &DAG{Before: make([][]int, units), After: make([][]int, units)},
		touched: make([][]int, units), born: make([][]int, units), Scratch: make([]int64, units),
		Pairs: make([][]Pair, units), Leads: make([][]Pair, units), Lays: make([][]int, units), Result: make([]int, units),
	}
}

// Finish sorts, and indexes the items by unit. What one concat lays into its
// result lives on as that.
func (c *Problem) Finish() {
	c.movable = true
	c.DAG.Run(func(u int) {
		for _, i := range c.Lays[u] {
			if p := &c.Items[i]; len(p.Laid) == 1 {
				z := &c.Items[c.Result[u]]
				for _, user := range p.Users {
					if user != u && !slices.Contains(p.Firsts, user) { // those run before
						z.Users = append(z.Users, user)
					}
				}
				z.Forever = z.Forever || p.Forever
			} else {
				c.movable = false
			}
		}
	})
	for i := range c.Items {
		it := &c.Items[i]
		slices.Sort(it.Users)
		it.Users = slices.Compact(it.Users)
		for _, u := range it.Users {
			c.touched[u] = append(c.touched[u], i)
		}
		for _, u := range it.Firsts {
			c.born[u] = append(c.born[u], i)
		}
		switch {
		case len(it.Firsts) > 0:
		case len(it.Users) == 0 && !it.Forever:
			c.atStart = model.SaturatingAdd(c.atStart, it.Bytes)
		}
	}
}
