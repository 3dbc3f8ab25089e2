package adversary

import (
	"cmp"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strconv"

	"memplan/model"
)

// A row is one buffer of an instance under search. It may lie over row under-1,
// if that dies at its first step, from a distance of lead on.
type row struct {
	start, end, size int64
	under, lead      int64
}

func instance(rows []row) *model.Instance {
	in := &model.Instance{Buffers: make([]model.Buffer, len(rows))}
	for i, r := range rows {
		in.Buffers[i] = model.Buffer{ID: "b" + strconv.Itoa(i), Life: model.Interval{Start: r.start, End: r.end}, Size: r.size}
		if x := int(r.under) - 1; x >= 0 && x != i && rows[x].end == r.start+1 && rows[x].start < r.start {
			in.Pairs = append(in.Pairs, model.Pair{Over: i, Under: x, Distance: r.lead})
		}
	}
	return in
}

// dice are seeded choices, the same in every Go release.
type dice struct{ src *rand.PCG }

func newDice(seed uint64) dice { return dice{rand.NewPCG(seed, 0)} }

// below is nearly uniform in [0, n): n is far below 2^64.
func (d dice) below(n int64) int64 {
	hi, _ := bits.Mul64(d.src.Uint64(), uint64(n))
	return int64(hi)
}

// random is an instance of as many buffers as allowed.
func (c *climb) random() []row {
	rows := make([]row, c.Buffers)
	for i := range rows {
		rows[i] = c.buffer()
	}
	return rows
}

func (c *climb) buffer() row {
	a, b := c.d.below(c.Steps), c.d.below(c.Steps)
	r := row{start: min(a, b), end: max(a, b) + 1, size: 1 + c.d.below(c.MaxSize)}
	if c.Overlaps {
		c.pair(&r)
	}
	return r
}

// pair has a row perhaps lie over another.
func (c *climb) pair(r *row) {
	r.under, r.lead = c.d.below(int64(c.Buffers)+1), max(0, c.d.below(2*r.size)-r.size)
}

// changed is a copy of rows with one to three changes.
func (c *climb) changed(rows []row) []row {
	rows = slices.Clone(rows)
	for again := true; again; again = c.d.below(3) == 0 {
		c.change(rows)
	}
	return rows
}

// change alters one buffer, or two.
func (c *climb) change(rows []row) {
	i, j := c.d.below(int64(len(rows))), c.d.below(int64(len(rows)))
	r := &rows[i]
	kinds := int64(8)
	if c.Overlaps {
		kinds = 11
	}
	switch c.d.below(kinds) {
	case 0:
		*r = c.buffer()
	case 1:
		r.size = 1 + c.d.below(c.MaxSize)
	case 2:
		r.size = min(max(r.size+c.d.below(5)-2, 1), c.MaxSize)
	case 3:
		r.size = rows[j].size
	case 4:
		r.start = c.d.below(r.end)
	case 5:
		r.end = r.start + 1 + c.d.below(c.Steps-r.start)
	case 6:
		rows[i].size, rows[j].size = rows[j].size, rows[i].size
	case 7:
		rows[i], rows[j] = rows[j], rows[i]
	case 8, 9: // j begins where i ends, perhaps over it
		if r.end < c.Steps {
			rows[j].start, rows[j].end = r.end-1, max(r.end, rows[j].end)
			c.pair(&rows[j])
			rows[j].under = i + 1
		}
	case 10:
		c.pair(r)
	}
}

// reduce leaves out buffers, shortens the sizes by their common divisor, and
// numbers the steps anew, as long as the ratio does not fall.
func (c *climb) reduce(best *Find) error {
	rows := rowsOf(best.Instance)
	for k := 0; k < len(rows) && len(rows) > 1 && c.ctx.Err() == nil; {
		fewer := without(rows, k)
		find, err := c.judge(fewer, best)
		if err != nil {
			return err
		}
		if find == nil {
			k++
			continue
		}
		*best, rows, k = *find, fewer, 0
	}
	find, err := c.judge(tidy(rows), best)
	if find != nil {
		*best = *find
	}
	return err
}

// without is the rows but for row k.
func without(rows []row, k int) []row {
	fewer := slices.Delete(slices.Clone(rows), k, k+1)
	for i := range fewer {
		switch under := int(fewer[i].under) - 1; {
		case under == k:
			fewer[i].under = 0
		case under > k:
			fewer[i].under--
		}
	}
	return fewer
}

func rowsOf(in *model.Instance) []row {
	rows := make([]row, len(in.Buffers))
	for i, b := range in.Buffers {
		rows[i] = row{start: b.Life.Start, end: b.Life.End, size: b.Size}
	}
	for _, p := range in.Pairs {
		rows[p.Over].under, rows[p.Over].lead = int64(p.Under)+1, p.Distance
	}
	return rows
}

// tidy is the same instance with its sizes divided by what divides them all,
// and steps at which nothing new is live left out.
func tidy(rows []row) []row {
	rows = slices.Clone(rows)
	var divisor int64
	var ends []int64
	for _, r := range rows {
		divisor = model.GCD(divisor, model.GCD(r.size, r.lead))
		ends = append(ends, r.start, r.end)
	}
	slices.Sort(ends)
	ends = slices.Compact(ends)
	for i := range rows {
		r := &rows[i]
		r.size, r.lead = r.size/divisor, r.lead/divisor
		start, _ := slices.BinarySearchFunc(ends, r.start, cmp.Compare[int64])
		end, _ := slices.BinarySearchFunc(ends, r.end, cmp.Compare[int64])
		r.start, r.end = int64(start), int64(end)
	}
	return rows
}
