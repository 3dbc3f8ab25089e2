package trace

import (
	"bytes"
	stdcsv "encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"memplan/model"
)

// A File is what a trace tells of: an arena, or one a device.
type File struct {
	Arenas []model.Found
	Notes  []string
}

// The columns, by the names that they may have.
var names = [...][]string{
	action: {"action", "event", "op"},
	id:     {"id", "address", "addr", "ptr"},
	size:   {"size", "bytes"},
}

const (
	action = iota
	id
	size
	columns
)

// isAlloc tells what an action is; false where it is neither an alloc nor a
// free.
func isAlloc(text string) (alloc, known bool) {
	switch strings.TrimSpace(text) {
	case "alloc", "malloc", "calloc":
		return true, true
	case "free", "dealloc":
		return false, true
	}
	return false, false
}

// columnOf is which column a name is of, and whether it means addresses.
func columnOf(name string) (column int, address, known bool) {
	name = strings.ToLower(strings.TrimSpace(name))
	for c, list := range names {
		if k := slices.Index(list, name); k >= 0 {
			return c, c == id && k > 0, true
		}
	}
	return 0, false, false
}

// Is reports whether data may be a trace in the general form, by its first line.
func Is(data []byte) bool {
	line, _, _ := bytes.Cut(bytes.TrimLeft(data, "\ufeff \t\r\n"), []byte("\n"))
	if bytes.HasPrefix(line, []byte("{")) {
		row, _, err := object(line)
		_, known := isAlloc(string(row[action]))
		return err == nil && known
	}
	cells := strings.Split(string(line), ",")
	if _, known := isAlloc(cells[0]); known {
		return len(cells) > 1
	}
	var h header
	return len(line) < 1<<10 && h.read(cells) == nil
}

// Read reads a trace in the general form. All its faults are reported, by line.
// Cost: O(n log n) for n events, and memory for the buffers: of rows of 25 bytes
// they take twice the data's length.
func Read(data []byte, name string) (*File, error) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	b := newBuilder(name, min(bytes.Count(data, []byte("alloc")), bytes.Count(data, []byte("\n"))+1))
	if bytes.HasPrefix(bytes.TrimLeft(data, " \t\r\n"), []byte("{")) {
		b.objects(data)
	} else {
		b.table(data)
	}
	return b.file(1, nil)
}

// A header says which field of a row is which column.
type header struct {
	at      [columns]int
	address bool
}

// read reads a table's first row.
func (h *header) read(cells []string) error {
	h.at = [columns]int{-1, -1, -1}
	for k, cell := range cells {
		if c, address, known := columnOf(cell); known && h.at[c] < 0 {
			h.at[c] = k
			h.address = h.address || address
		}
	}
	for c, at := range h.at {
		if at < 0 {
			return fmt.Errorf("no column %s", strings.Join(names[c], " or "))
		}
	}
	return nil
}

// table reads rows of comma-separated values.
func (b *builder) table(data []byte) {
	h := header{at: [columns]int{0, 1, 2}}
	first := true
	b.rows(data, func(line int, cells [][]byte) bool {
		if _, known := isAlloc(string(cells[0])); first && !known {
			texts := make([]string, len(cells))
			for k, cell := range cells {
				texts[k] = string(cell)
			}
			if err := h.read(texts); err != nil {
				b.faults.At(1, "%v", err)
				return false
			}
			b.addresses = h.address
		} else {
			var row [columns][]byte
			for c, at := range h.at {
				if at < len(cells) {
					row[c] = bytes.TrimSpace(cells[at])
				}
			}
			b.row(line, row)
		}
		first = false
		return true
	})
}

// rows yields the rows of a table that have anything in them, each until the
// next. What has quotes is left to encoding/csv, which takes memory for each row.
func (b *builder) rows(data []byte, yield func(line int, cells [][]byte) bool) {
	var cells [][]byte
	if bytes.IndexByte(data, '"') < 0 {
		for line := 1; len(data) > 0; line++ {
			var text []byte
			text, data, _ = bytes.Cut(data, []byte("\n"))
			if text = bytes.TrimSuffix(text, []byte("\r")); len(text) == 0 {
				continue
			}
			cells = cells[:0]
			for more := true; more; {
				var cell []byte
				cell, text, more = bytes.Cut(text, []byte(","))
				cells = append(cells, cell)
			}
			if !yield(line, cells) {
				return
			}
		}
		return
	}
	rd := stdcsv.NewReader(bytes.NewReader(data))
	rd.FieldsPerRecord, rd.ReuseRecord, rd.TrimLeadingSpace = -1, true, true
	for {
		texts, err := rd.Read()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			b.faults.At(0, "%v", err)
			return
		}
		cells = cells[:0]
		for _, text := range texts {
			cells = append(cells, []byte(text))
		}
		line, _ := rd.FieldPos(0)
		if !yield(line, cells) {
			return
		}
	}
}

// objects reads objects of JSON, one a line.
func (b *builder) objects(data []byte) {
	for line := 1; len(data) > 0; line++ {
		var text []byte
		text, data, _ = bytes.Cut(data, []byte("\n"))
		if text = bytes.TrimSpace(text); len(text) == 0 {
			continue
		}
		row, address, err := object(text)
		if err != nil {
			b.faults.At(line, "%v", err)
			continue
		}
		b.addresses = address && (b.addresses || len(b.buffers) == 0)
		b.row(line, row)
	}
}

// object reads an object of JSON.
func object(text []byte) (row [columns][]byte, address bool, err error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(text, &fields); err != nil {
		return row, false, err
	}
	for name, raw := range fields {
		c, a, known := columnOf(name)
		if !known {
			continue
		}
		if row[c] != nil {
			return row, false, fmt.Errorf("two keys for %s", strings.Join(names[c], " or "))
		}
		address = address || a
		if row[c] = raw; raw[0] == '"' {
			var text string
			if err := json.Unmarshal(raw, &text); err != nil {
				return row, false, err
			}
			row[c] = []byte(text)
		}
	}
	return row, address, nil
}

// row is an event as it stands in a line.
func (b *builder) row(line int, row [columns][]byte) {
	alloc, known := isAlloc(string(row[action]))
	switch {
	case !known:
		b.faults.At(line, "action %q: want alloc or free", row[action])
		return
	case len(row[id]) == 0:
		b.faults.At(line, "no id")
		return
	}
	length := int64(-1)
	if len(row[size]) > 0 {
		var err error
		if length, err = strconv.ParseInt(string(row[size]), 10, 64); err != nil || length < 0 {
			b.faults.At(line, "%q: size %q is no number of bytes", row[id], row[size])
			return
		}
	}
	if err := b.event(line, alloc, row[id], length); err != nil {
		b.faults.At(line, "%q: %v", row[id], err)
	}
}
