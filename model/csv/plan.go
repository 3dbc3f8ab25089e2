package csv

import (
	"io"
	"slices"

	"memplan/model"
)

// ReadPlan reads a plan of in, whose ids differ: a row a buffer, in any order, with id and
// offset. Where lower, upper (or end), size, alignment or gaps are there too,
// they must be the instance's, and so must exclusive and clocks. What the offsets are worth is not looked at.
// Where there is a column pool, pools holds its cells; nil otherwise.
func ReadPlan(r io.Reader, file string, in *model.Instance) (p model.Plan, pools []string, err error) {
	rd, err := open(r, file)
	if err != nil {
		return model.Plan{}, nil, err
	}
	if !rd.header(colID, colOffset) {
		return model.Plan{}, nil, rd.faults.Err()
	}
	if rd.head.has(colPool) {
		pools = make([]string, len(in.Buffers))
	}
	p = model.Plan{Offsets: make([]int64, len(in.Buffers))}
	seen := make([]int, len(in.Buffers)) // the line of each buffer's row
	find := model.NewFinder(in)
	own := &model.Instance{} // as the table has it, where that is more than steps
	when := make(map[int]model.When)
	for rd.row() {
		id, _ := rd.cell(colID)
		i, known := find.Buffer(id)
		switch {
		case !known:
			rd.fault("the instance has no such buffer")
			continue
		case seen[i] > 0:
			rd.fault("row twice; line %d has it too", seen[i])
			continue
		}
		seen[i] = rd.line
		if pools != nil {
			pools[i], _ = rd.cell(colPool)
		}
		p.Offsets[i] = rd.number(colOffset, nil)
		rd.agree(&in.Buffers[i])
		if rd.together() {
			if own.Buffers == nil {
				own.Buffers = slices.Clone(in.Buffers)
			}
			var w model.When
			if rd.lives(&own.Buffers[i], &w); w.Start != nil || w.Arms != nil {
				when[i] = w
			}
		}
	}
	for i, line := range seen {
		if line == 0 {
			rd.faults.At(0, "buffer %q: no row", in.Buffers[i].ID)
		}
	}
	line := func(i int) int { return seen[i] }
	if rd.faults.Coexist(own, when, line); rd.faults.Empty() {
		rd.alive(own, in, line)
	}
	return p, pools, rd.faults.Err()
}

// together reports whether the current row says when its buffer is live by more
// than steps: what that comes to is known when all rows are.
func (rd *reader) together() bool {
	return rd.clocked() || rd.head.has(colExclusive) && rd.head.has(colLower) && (rd.head.has(colUpper) || rd.head.has(colEnd))
}

// alive checks the lives of the table's own buffers against the instance's.
func (rd *reader) alive(own, in *model.Instance, line func(buffer int) int) {
	for i := range own.Buffers {
		a, b := &own.Buffers[i], &in.Buffers[i]
		if a.Life != b.Life || !slices.Equal(a.Gaps, b.Gaps) {
			rd.faults.At(line(i), "buffer %q: lives together with others than in the instance", b.ID)
		}
	}
}

// agree checks the current row against the instance's buffer.
func (rd *reader) agree(b *model.Buffer) {
	same := func(c column, got, want int64) {
		if got != want && !rd.failed {
			rd.fault("%v %d, where the instance has %d", c, got, want)
		}
	}
	if rd.head.has(colSize) {
		same(colSize, rd.number(colSize, nil), b.Size)
	}
	if rd.head.has(colAlignment) {
		same(colAlignment, rd.alignment(), b.Alignment())
	}
	if rd.together() {
		return
	}
	if rd.head.has(colLower) {
		same(colLower, rd.number(colLower, nil), b.Life.Start)
	}
	if rd.head.has(colUpper) || rd.head.has(colEnd) {
		same(colUpper, rd.upper(), b.Life.End)
	}
	if rd.head.has(colGaps) {
		if gaps := rd.gaps(); !slices.Equal(gaps, b.Gaps) && !rd.failed {
			rd.fault("gaps %v, where the instance has %v", gaps, b.Gaps)
		}
	}
}

// ReadPlaces reads where a plan of any instance has its buffers: id, offset and
// perhaps pool. Other columns are not looked at.
func ReadPlaces(r io.Reader, file string) ([]model.Place, error) {
	rd, err := open(r, file)
	if err != nil {
		return nil, err
	}
	if !rd.header(colID, colOffset) {
		return nil, rd.faults.Err()
	}
	var places []model.Place
	lines := make(map[string]int)
	for rd.row() {
		id, _ := rd.cell(colID)
		if lines[id] > 0 {
			rd.fault("row twice; line %d has it too", lines[id])
			continue
		}
		lines[id] = rd.line
		pool, _ := rd.cell(colPool)
		places = append(places, model.Place{ID: id, Pool: pool, Offset: rd.number(colOffset, nil)})
	}
	return places, rd.faults.Err()
}
