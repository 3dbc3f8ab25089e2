package csv

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"memplan/model"
)

// A Document is an instance together with the table it was read from.
type Document struct {
	Instance *model.Instance

	text   string
	header header
}

// Read reads buffers. The file's name is used in messages, and for the
// instance's name and capacity (see Name). Cost: O(n log n) for n rows, and
// memory in proportion to what is read.
func Read(r io.Reader, file string) (*Document, error) {
	rd, err := open(r, file)
	if err != nil {
		return nil, err
	}
	d := &Document{Instance: &model.Instance{}, text: rd.text}
	d.Instance.Name, d.Instance.Capacity = Name(file)
	if !rd.header(colID, colLower, colUpper, colSize) {
		return nil, rd.faults.Err()
	}
	d.header = rd.head
	rows := min(strings.Count(rd.text, "\n"), len(rd.text)/8) + 1 // no row is shorter than a,0,1,1 and its end
	d.Instance.Buffers = make([]model.Buffer, 0, rows)
	lines := make([]int, 0, rows)
	var ties, overs []tie
	when := make(map[int]model.When)
	for rd.row() {
		b, w, ok := rd.buffer()
		if !ok {
			continue
		}
		if w.Start != nil || w.Arms != nil {
			when[len(d.Instance.Buffers)] = w
		}
		if text, present := rd.cell(colTie); present && text != "" {
			ties = append(ties, tie{len(d.Instance.Buffers), rd.line, text})
		}
		if text, _ := rd.cell(colOver); strings.TrimSpace(text) != "" {
			overs = append(overs, tie{len(d.Instance.Buffers), rd.line, text})
		}
		d.Instance.Buffers = append(d.Instance.Buffers, b)
		lines = append(lines, rd.line)
	}
	rd.tie(d.Instance, ties)
	rd.over(d.Instance, overs)
	line := func(i int) int { return lines[i] }
	if rd.faults.Coexist(d.Instance, when, line); rd.faults.Empty() || len(when) == 0 {
		rd.faults.Validate(d.Instance, line)
	}
	if err := rd.faults.Err(); err != nil {
		return nil, err
	}
	return d, nil
}

// A reader goes through the rows of one file.
type reader struct {
	*scanner
	head   header
	faults model.Faults
	failed bool // the current row has a fault
}

func open(r io.Reader, file string) (*reader, error) {
	var text strings.Builder
	if _, err := io.Copy(&text, r); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	rd := &reader{scanner: newScanner(text.String()), faults: model.Faults{File: file}}
	if at := invalid(rd.text); at >= 0 {
		rd.faults.At(1+strings.Count(rd.text[:at], "\n"), "not UTF-8")
		return nil, rd.faults.Err()
	}
	return rd, nil
}

// invalid is the index of the first byte that is not UTF-8, -1 without one.
func invalid(text string) int {
	if utf8.ValidString(text) {
		return -1
	}
	for at := 0; ; {
		r, n := utf8.DecodeRuneInString(text[at:])
		if r == utf8.RuneError && n == 1 {
			return at
		}
		at += n
	}
}

// row goes to the next row with as many fields as the header has.
func (rd *reader) row() bool {
	for {
		rd.failed = false
		ok, err := rd.record()
		switch {
		case err != nil:
			rd.faults.At(rd.line, "%v", err)
		case !ok:
			return false
		case len(rd.fields) != len(rd.head.fields):
			rd.fault("%d fields under a header of %d", len(rd.fields), len(rd.head.fields))
		default:
			return true
		}
	}
}

// fault records what is wrong with the current row.
func (rd *reader) fault(format string, args ...any) {
	rd.failed = true
	msg := fmt.Sprintf(format, args...)
	if id, ok := rd.cell(colID); ok {
		msg = fmt.Sprintf("buffer %q: %s", id, msg)
	}
	rd.faults.At(rd.line, "%s", msg)
}

// cell is the text of the current row in a column; false when the header has
// no such column, or the row ends before it.
func (rd *reader) cell(c column) (string, bool) {
	if i := rd.head.at[c]; i >= 0 && i < len(rd.fields) {
		return rd.fields[i].value, true
	}
	return "", false
}

// number is the current row's value in a column. With none there, it is the
// given default; a fault when that is nil.
func (rd *reader) number(c column, missing *int64) int64 {
	text, present := rd.cell(c)
	text = strings.TrimSpace(text)
	if text == "" && missing != nil {
		return *missing
	}
	if !present || text == "" {
		rd.fault("no %v", c)
		return 0
	}
	n, err := parse(text)
	if err != nil {
		rd.fault("%v %v", c, err)
	}
	return n
}

// parse reads an int64, and says why it is none.
func parse(text string) (int64, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if errors.Is(err, strconv.ErrRange) {
		return 0, fmt.Errorf("%s does not fit in int64", text)
	} else if err != nil {
		return 0, fmt.Errorf("%q is not an integer", text)
	}
	return n, nil
}

// buffer reads the current row, of which id, lower, upper or end, and size are
// there; false when it has faults.
func (rd *reader) buffer() (b model.Buffer, w model.When, ok bool) {
	b.ID, _ = rd.cell(colID)
	if b.ID == "" {
		rd.fault("no id")
	}
	rd.lives(&b, &w)
	b.Size = rd.number(colSize, nil)
	b.Align = rd.alignment()
	if text, _ := rd.cell(colOffset); strings.TrimSpace(text) != "" {
		offset := rd.number(colOffset, nil)
		b.Offset = &offset
	}
	return b, w, !rd.failed
}

// upper is the step after the lifetime, from either column.
func (rd *reader) upper() int64 {
	if rd.head.has(colUpper) {
		return rd.number(colUpper, nil)
	}
	return rd.after(rd.number(colEnd, nil))
}

// after is the half-open end of an inclusive one.
func (rd *reader) after(end int64) int64 {
	if end == model.MaxBytes {
		rd.fault("end %d has no step after it that fits in int64", end)
		return end
	}
	return end + 1
}

func (rd *reader) alignment() int64 {
	one := int64(1)
	align := rd.number(colAlignment, &one)
	if align < 1 {
		rd.fault("alignment %d is below 1", align)
	}
	return align
}

// gaps reads space-separated A-B, in any order.
func (rd *reader) gaps() []model.Interval {
	text, _ := rd.cell(colGaps)
	var gaps []model.Interval
	for word := range strings.FieldsSeq(text) {
		if strings.Contains(word, "@") {
			rd.fault("gap %q covers some addresses only; such windows are not supported", word)
			continue
		}
		// The first character may be a sign.
		dash := strings.IndexByte(word[1:], '-') + 1
		if dash == 0 {
			rd.fault("gap %q is not A-B", word)
			continue
		}
		start, err := parse(word[:dash])
		end, err2 := parse(word[dash+1:])
		if err := cmp.Or(err, err2); err != nil {
			rd.fault("gap %q: %v", word, err)
			continue
		}
		if rd.head.has(colEnd) {
			end = rd.after(end)
		}
		gaps = append(gaps, model.Interval{Start: start, End: end})
	}
	slices.SortFunc(gaps, func(a, b model.Interval) int { return cmp.Compare(a.Start, b.Start) })
	return gaps
}

// A tie is the text of a tie, or of pairs, before all ids are known.
type tie struct {
	buffer, line int
	text         string
}

// tie resolves the ties of an instance whose rows have all been read.
func (rd *reader) tie(in *model.Instance, ties []tie) {
	find := model.NewFinder(in)
	for _, t := range ties {
		b := &in.Buffers[t.buffer]
		plus := strings.LastIndexByte(t.text, '+')
		if plus < 0 {
			rd.faults.At(t.line, "buffer %q: tie %q is not ROOT+DELTA", b.ID, t.text)
			continue
		}
		to, known := find.Buffer(t.text[:plus])
		delta, err := parse(t.text[plus+1:])
		switch {
		case err != nil:
			rd.faults.At(t.line, "buffer %q: tie %q: %v", b.ID, t.text, err)
		case !known:
			rd.faults.At(t.line, "buffer %q: tied to %q, which no row without faults has", b.ID, t.text[:plus])
		default:
			b.Tie = &model.Tie{To: to, Delta: delta}
		}
	}
}
