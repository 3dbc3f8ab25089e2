package main

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	"memplan/model"
)

// columns are buffers that a request of serve gives as arrays. A buffer's id is
// its number, from 0, where the request does not name them.
type columns struct {
	in     *model.Instance
	plan   []int64 // the offsets that verify is to check; nil: none were given
	placed []int64 // the offsets that plan found
}

// columnNames are the columns there are: those of a table, and a plan. A pin
// below 0 is none.
var columnNames = []string{"lower", "upper", "size", "alignment", "offset", "plan"}

// maxCount is up to how many buffers columns are read.
const maxCount = 1 << 28

// A columnFault is why columns are refused; ends, that the input ended in them.
type columnFault struct {
	err  error
	ends bool
}

// readColumns reads count numbers for each name, or as many as there are: of
// what is merely announced nothing is allocated. No names are no columns.
// Columns that are refused are read, unless there are too many.
func readColumns(in io.Reader, r *request) (*columns, *columnFault) {
	count, names := r.Count, r.Columns
	if len(names) == 0 && count == 0 {
		return nil, nil
	}
	if count < 0 || count > maxCount || len(names) > len(columnNames) {
		return nil, &columnFault{err: fmt.Errorf("%d columns of %d buffers: nothing of it is read", len(names), count)}
	}
	of := make(map[string][]int64)
	var fault error
	for _, name := range names {
		if _, twice := of[name]; twice || !slices.Contains(columnNames, name) {
			fault = errors.Join(fault, fmt.Errorf("column %q: want each of %q at most once", name, columnNames))
		}
		numbers, err := readNumbers(in, count)
		if err != nil {
			return nil, &columnFault{fmt.Errorf("column %q: %w", name, err), true}
		}
		of[name] = numbers
	}
	for _, name := range columnNames[:3] {
		if _, there := of[name]; !there {
			fault = errors.Join(fault, fmt.Errorf("column %q is missing", name))
		}
	}
	if r.IDs != nil && int64(len(r.IDs)) != count {
		fault = errors.Join(fault, fmt.Errorf("%d ids of %d buffers", len(r.IDs), count))
	}
	if fault != nil {
		return nil, &columnFault{err: fault}
	}
	return &columns{in: instance(r, of), plan: of["plan"]}, nil
}

func instance(r *request, of map[string][]int64) *model.Instance {
	in := &model.Instance{Name: cmp.Or(r.Name, "request"), Buffers: make([]model.Buffer, r.Count)}
	for i := range in.Buffers {
		b := &in.Buffers[i]
		if b.ID = strconv.Itoa(i); r.IDs != nil {
			b.ID = r.IDs[i]
		}
		b.Life = model.Interval{Start: of["lower"][i], End: of["upper"][i]}
		b.Size = of["size"][i]
		if align := of["alignment"]; align != nil {
			b.Align = align[i]
			if align[i] == 0 {
				b.Align = -1 // of a table's column an error too
			}
		}
		if at := of["offset"]; at != nil && at[i] >= 0 {
			b.Offset = &at[i]
		}
	}
	return in
}

const chunk = 1 << 13 // numbers

func readNumbers(r io.Reader, count int64) ([]int64, error) {
	numbers := make([]int64, 0, min(count, chunk))
	data := make([]byte, 8*min(count, chunk))
	for left := count; left > 0; {
		n := min(left, chunk)
		if _, err := io.ReadFull(r, data[:8*n]); err != nil {
			return nil, io.ErrUnexpectedEOF
		}
		for k := range n {
			numbers = append(numbers, int64(binary.LittleEndian.Uint64(data[8*k:])))
		}
		left -= n
	}
	return numbers, nil
}

func writeNumbers(w io.Writer, numbers []int64) error {
	data := make([]byte, 0, 8*min(len(numbers), chunk))
	for part := range slices.Chunk(numbers, chunk) {
		data = data[:0]
		for _, v := range part {
			data = binary.LittleEndian.AppendUint64(data, uint64(v))
		}
		if _, err := w.Write(data); err != nil {
			return err
		}
	}
	return nil
}
