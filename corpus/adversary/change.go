package adversary

import (
	"cmp"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strconv"

	"memplan/model"
)

// A row is one buffer of an instance under search.
type row struct{ start, end, size int64 }

func instance(rows []row) *model.Instance {
	in := &model.Instance{Buffers: make([]model.Buffer, len(rows))}
	for i, r := range rows {
		in.Buffers[i] = model.Buffer{ID: "b" + strconv.Itoa(i), Life: model.Interval{Start: r.start, End: r.end}, Size: r.size}
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
	return row{min(a, b), max(a, b) + 1, 1 + c.d.below(c.MaxSize)}
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
	switch c.d.below(8) {
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
	}
}

// reduce leaves out buffers, shortens the sizes by their common divisor, and
// numbers the steps anew, as long as the ratio does not fall.
func (c *climb) reduce(best *Find) error {
	rows := rowsOf(best.Instance)
	for k := 0; k < len(rows) && len(rows) > 1 && c.ctx.Err() == nil; {
		fewer := slices.Delete(slices.Clone(rows), k, k+1)
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

func rowsOf(in *model.Instance) []row {
	rows := make([]row, len(in.Buffers))
	for i, b := range in.Buffers {
		rows[i] = row{b.Life.Start, b.Life.End, b.Size}
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
		divisor = model.GCD(divisor, r.size)
		ends = append(ends, r.start, r.end)
	}
	slices.Sort(ends)
	ends = slices.Compact(ends)
	for i := range rows {
		r := &rows[i]
		r.size /= divisor
		start, _ := slices.BinarySearchFunc(ends, r.start, cmp.Compare[int64])
		end, _ := slices.BinarySearchFunc(ends, r.end, cmp.Compare[int64])
		r.start, r.end = int64(start), int64(end)
	}
	return rows
}
