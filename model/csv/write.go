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
	others := func(fields []field) {
		for i, f := range fields {
			if i != offset {
				out.WriteString(f.raw)
				out.WriteByte(',')
			}
		}
	}
	others(d.header.fields)
	out.WriteString("offset\n")
	for i, at := range d.rows {
		s := scanner{text: d.text[at.start:at.end]}
		if _, err := s.record(); err != nil {
			return fmt.Errorf("row %d changed since it was read: %w", i+1, err)
		}
		others(s.fields)
		out.WriteString(offsetOf(d.Instance, p, i))
		out.WriteByte('\n')
	}
	return out.Flush()
}

// Write writes an instance that was not read from a table: id, lower, upper
// and size, alignment, gaps, tie, over and pool where any buffer has one, and the
// plan's offsets last; without a plan, the pinned ones if there are any. pools
// names the memory space of each buffer; nil where there is only one.
func Write(w io.Writer, in *model.Instance, p *model.Plan, pools []string) error {
	over := oversOf(in)
	cells := []struct {
		column
		of func(i int, b *model.Buffer) string // empty: the default
	}{
		{colID, func(_ int, b *model.Buffer) string { return b.ID }},
		{colLower, func(_ int, b *model.Buffer) string { return strconv.FormatInt(b.Life.Start, 10) }},
		{colUpper, func(_ int, b *model.Buffer) string { return strconv.FormatInt(b.Life.End, 10) }},
		{colSize, func(_ int, b *model.Buffer) string { return strconv.FormatInt(b.Size, 10) }},
		{colAlignment, func(_ int, b *model.Buffer) string { return alignmentOf(b) }},
		{colGaps, func(_ int, b *model.Buffer) string { return gapsOf(b) }},
		{colTie, func(_ int, b *model.Buffer) string { return tieOf(in, b) }},
		{colOver, func(i int, _ *model.Buffer) string { return over[i] }},
		{colPool, func(i int, _ *model.Buffer) string { return poolOf(pools, i) }},
		{colOffset, func(i int, _ *model.Buffer) string { return offsetOf(in, p, i) }},
	}
	used := cells[:0:0]
	for _, c := range cells {
		any := c.column <= colSize || c.column == colOffset && p != nil
		for i := 0; i < len(in.Buffers) && !any; i++ {
			any = c.of(i, &in.Buffers[i]) != ""
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
			out.WriteString(quote(c.of(i, &in.Buffers[i])))
		}
		out.WriteByte('\n')
	}
	return out.Flush()
}

func alignmentOf(b *model.Buffer) string {
	if b.Alignment() == 1 {
		return ""
	}
	return strconv.FormatInt(b.Align, 10)
}

func gapsOf(b *model.Buffer) string {
	words := make([]string, len(b.Gaps))
	for i, g := range b.Gaps {
		words[i] = fmt.Sprintf("%d-%d", g.Start, g.End)
	}
	return strings.Join(words, " ")
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

// offsetOf is buffer i's offset in the plan, else its pin, else empty.
func offsetOf(in *model.Instance, p *model.Plan, i int) string {
	switch {
	case p != nil:
		return strconv.FormatInt(p.Offsets[i], 10)
	case in.Buffers[i].Offset != nil:
		return strconv.FormatInt(*in.Buffers[i].Offset, 10)
	}
	return ""
}

// quote writes a field so that RFC 4180 readers, and those that trim, get it
// back as it is.
func quote(text string) string {
	if !strings.ContainsAny(text, "\",\r\n") && strings.TrimSpace(text) == text {
		return text
	}
	return `"` + strings.ReplaceAll(text, `"`, `""`) + `"`
}
