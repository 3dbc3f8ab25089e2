package csv

import (
	"fmt"
	"strconv"
	"strings"
)

// A column is one that has a meaning.
type column int

const (
	colID column = iota
	colLower
	colUpper // half-open
	colEnd   // inclusive
	colSize
	colAlignment
	colOffset
	colGaps
	colTie
	colOver
	colExclusive
	colPool
	colHint
	columns // their number
)

// names gives the columns' names, the one to write first.
var names = [columns][]string{
	colID:        {"id", "buffer", "buffer_id"},
	colLower:     {"lower", "start", "begin"},
	colUpper:     {"upper"},
	colEnd:       {"end"},
	colSize:      {"size"},
	colAlignment: {"alignment"},
	colOffset:    {"offset"},
	colGaps:      {"gaps"},
	colTie:       {"tie"},
	colOver:      {"over"},
	colExclusive: {"exclusive"},
	colPool:      {"pool"},
	colHint:      {"hint"},
}

func (c column) String() string { return names[c][0] }

// columnOf finds the meaning of a header's field.
func columnOf(name string) (column, bool) {
	name = strings.ToLower(strings.TrimSpace(name))
	for c := range columns {
		for _, n := range names[c] {
			if n == name {
				return c, true
			}
		}
	}
	return 0, false
}

// A header says which field of a record holds which column.
type header struct {
	fields []field
	at     [columns]int // index of the field, -1 when there is none
}

func (h *header) has(c column) bool { return h.at[c] >= 0 }

// header reads the first record. False when nothing can be read under it.
func (rd *reader) header(need ...column) bool {
	ok, err := rd.record()
	switch {
	case err != nil:
		rd.faults.At(rd.line, "%v", err)
		return false
	case !ok:
		rd.faults.At(1, "no header: the file is empty")
		return false
	}
	rd.head.fields = append([]field(nil), rd.fields...)
	for c := range rd.head.at {
		rd.head.at[c] = -1
	}
	for i, f := range rd.fields {
		c, known := columnOf(f.value)
		if known && rd.head.has(c) {
			rd.faults.At(rd.line, "column %q has the same meaning as column %q", f.value, rd.fields[rd.head.at[c]].value)
		} else if known {
			rd.head.at[c] = i
		}
	}
	if rd.head.has(colUpper) && rd.head.has(colEnd) {
		rd.faults.At(rd.line, "both upper and end: which one holds?")
	}
	missing := false
	for _, c := range need {
		if !rd.head.has(c) && (c != colUpper || !rd.head.has(colEnd)) {
			rd.faults.At(rd.line, "no column %s", strings.Join(accepted(c), " or "))
			missing = true
		}
	}
	if missing {
		rd.faults.At(rd.line, "%s", rd.instead())
	}
	return rd.faults.Empty()
}

// instead says what the first record is, where it is no header with the columns
// that are needed.
func (rd *reader) instead() string {
	const most = 12
	var given []string
	for _, f := range rd.fields {
		if _, err := strconv.ParseInt(f.value, 10, 64); err == nil {
			return "the first line holds numbers; it is to name the columns, as in id,lower,upper,size"
		}
		given = append(given, fmt.Sprintf("%.40q", f.value))
	}
	if len(given) == 1 && strings.ContainsAny(rd.fields[0].value, ";\t|") {
		return "its fields are not apart by commas"
	}
	if len(given) > most {
		given = append(given[:most], fmt.Sprintf("%d more", len(given)-most))
	}
	return "its columns are " + strings.Join(given, ", ")
}

// accepted lists the names under which a needed column is found.
func accepted(c column) []string {
	if c == colUpper {
		return []string{"upper", "end"}
	}
	return names[c]
}
