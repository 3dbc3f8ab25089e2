package csv

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"

	"memplan/model"
)

// Write writes the rows and columns that were read, with the plan's offsets
// last; without a plan, the pinned offsets.
func (d *Document) Write(w io.Writer, p *model.Plan) error {
	out := bufio.NewWriter(w)
	offset := d.header.at[colOffset]
	for s, row := newScanner(d.text), 0; ; row++ {
		ok, err := s.record()
		if err != nil {
			return fmt.Errorf("row %d changed since it was read: %w", row, err)
		} else if !ok {
			return out.Flush()
		}
		for i, f := range s.fields {
			if i != offset {
				out.WriteString(f.raw)
				out.WriteByte(',')
			}
		}
		if row == 0 {
			out.WriteString("offset")
		} else {
			out.Write(addOffset(out.AvailableBuffer(), d.Instance, p, row-1))
		}
		out.WriteByte('\n')
	}
}

// Write writes an instance that was not read from a table: id, lower, upper
// and size, alignment, gaps, tie, over and pool where any buffer has one, and the
// plan's offsets last; without a plan, the pinned ones if there are any. pools
// names the memory space of each buffer; nil where there is only one.
func Write(w io.Writer, in *model.Instance, p *model.Plan, pools []string) error {
	over := oversOf(in)
	cells := []struct {
		column
		add func(text []byte, i int, b *model.Buffer) []byte // nothing: the default
	}{
		{colID, func(text []byte, _ int, b *model.Buffer) []byte { return append(text, quote(b.ID)...) }},
		{colLower, func(text []byte, _ int, b *model.Buffer) []byte { return strconv.AppendInt(text, b.Life.Start, 10) }},
		{colUpper, func(text []byte, _ int, b *model.Buffer) []byte { return strconv.AppendInt(text, b.Life.End, 10) }},
		{colSize, func(text []byte, _ int, b *model.Buffer) []byte { return strconv.AppendInt(text, b.Size, 10) }},
		{colAlignment, func(text []byte, _ int, b *model.Buffer) []byte { return addAlignment(text, b) }},
		{colGaps, func(text []byte, _ int, b *model.Buffer) []byte { return addGaps(text, b) }},
		{colTie, func(text []byte, _ int, b *model.Buffer) []byte { return append(text, quote(tieOf(in, b))...) }},
		{colOver, func(text []byte, i int, _ *model.Buffer) []byte { return append(text, quote(over[i])...) }},
		{colPool, func(text []byte, i int, _ *model.Buffer) []byte { return append(text, quote(poolOf(pools, i))...) }},
		{colOffset, func(text []byte, i int, _ *model.Buffer) []byte { return addOffset(text, in, p, i) }},
	}
	used := cells[:0:0]
	for _, c := range cells {
		any := c.column <= colSize || c.column == colOffset && p != nil
		for i := 0; i < len(in.Buffers) && !any; i++ {
			any = len(c.add(nil, i, &in.Buffers[i])) > 0
		}
		if any {
			used = append(used, c)
		}
	}
	out := bufio.NewWriter(w)
	separator := func(k int) {
		if k > 0 {
			out.WriteByte(',')
		}
	}
	for k, c := range used {
		separator(k)
		out.WriteString(c.column.String())
	}
	out.WriteByte('\n')
	for i := range in.Buffers {
		for k, c := range used {
			separator(k)
			out.Write(c.add(out.AvailableBuffer(), i, &in.Buffers[i]))
		}
		out.WriteByte('\n')
	}
	return out.Flush()
}

func addAlignment(text []byte, b *model.Buffer) []byte {
	if b.Alignment() == 1 {
		return text
	}
	return strconv.AppendInt(text, b.Align, 10)
}

func addGaps(text []byte, b *model.Buffer) []byte {
	for i, g := range b.Gaps {
		if i > 0 {
			text = append(text, ' ')
		}
		text = fmt.Appendf(text, "%d-%d", g.Start, g.End)
	}
	return text
}

func tieOf(in *model.Instance, b *model.Buffer) string {
	if b.Tie == nil {
		return ""
	}
	return fmt.Sprintf("%s+%d", in.Buffers[b.Tie.To].ID, b.Tie.Delta)
}

func poolOf(pools []string, i int) string {
	if pools == nil {
		return ""
	}
	return pools[i]
}

// addOffset adds buffer i's offset in the plan, else its pin, else nothing.
func addOffset(text []byte, in *model.Instance, p *model.Plan, i int) []byte {
	switch {
	case p != nil:
		return strconv.AppendInt(text, p.Offsets[i], 10)
	case in.Buffers[i].Offset != nil:
		return strconv.AppendInt(text, *in.Buffers[i].Offset, 10)
	}
	return text
}

// quote writes a field so that RFC 4180 readers, and those that trim, get it
// back as it is.
func quote(text string) string {
	if !strings.ContainsAny(text, "\",\r\n") && strings.TrimSpace(text) == text {
		return text
	}
	return `"` + strings.ReplaceAll(text, `"`, `""`) + `"`
}
