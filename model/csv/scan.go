package csv

import (
	"errors"
	"strings"
)

// A field is one cell: as it is written, and what it means.
type field struct{ raw, value string }

// A scanner splits text into records after RFC 4180, with LF or CRLF between
// them. Unlike encoding/csv it keeps CR LF inside quotes, remembers how a cell
// was written, and goes on after a fault. Values are parts of the text, so
// that a record costs no allocation unless it has doubled quotes.
type scanner struct {
	text   string
	pos    int
	next   int // line of pos, from 1
	start  int // where the current record begins
	line   int // the line on which it does
	fields []field
}

// newScanner drops a byte order mark.
func newScanner(text string) *scanner {
	return &scanner{text: strings.TrimPrefix(text, "\ufeff"), next: 1}
}

// record reads the next record into fields, skipping blank lines; ok is false
// at the end. After an error the rest of the line has been skipped.
func (s *scanner) record() (ok bool, err error) {
	for s.pos < len(s.text) {
		s.start, s.line = s.pos, s.next
		s.fields = s.fields[:0]
		for more := true; more; {
			if more, err = s.field(); err != nil {
				s.skipLine()
				return true, err
			}
		}
		if len(s.fields) > 1 || strings.TrimSpace(s.text[s.start:s.pos]) != "" {
			return true, nil
		}
	}
	return false, nil
}

// field reads one field and what ends it; more is true when that is a comma.
func (s *scanner) field() (more bool, err error) {
	if s.pos < len(s.text) && s.text[s.pos] == '"' {
		return s.quoted()
	}
	start := s.pos
	for s.pos < len(s.text) && s.text[s.pos] != ',' && s.text[s.pos] != '\n' {
		if s.text[s.pos] == '"' {
			return false, errors.New(`a quote inside a field that does not begin with one`)
		}
		s.pos++
	}
	raw := s.text[start:s.pos]
	if s.pos == len(s.text) || s.text[s.pos] == '\n' {
		raw = strings.TrimSuffix(raw, "\r")
	}
	s.fields = append(s.fields, field{raw, raw})
	return s.ended(), nil
}

// quoted reads a field that begins with a quote.
func (s *scanner) quoted() (more bool, err error) {
	start, line, doubled := s.pos, s.next, false
	for {
		s.pos++
		end := strings.IndexByte(s.text[s.pos:], '"')
		if end < 0 {
			s.pos, s.next = start, line
			return false, errors.New("a quote that is never closed")
		}
		s.next += strings.Count(s.text[s.pos:s.pos+end], "\n")
		s.pos += end + 1
		if s.pos == len(s.text) || s.text[s.pos] != '"' {
			break
		}
		doubled = true
	}
	raw := s.text[start:s.pos]
	value := raw[1 : len(raw)-1]
	if doubled {
		value = strings.ReplaceAll(value, `""`, `"`)
	}
	s.fields = append(s.fields, field{raw, value})
	if s.pos < len(s.text) && s.text[s.pos] == '\r' && (s.pos+1 == len(s.text) || s.text[s.pos+1] == '\n') {
		s.pos++
	}
	if s.pos < len(s.text) && s.text[s.pos] != ',' && s.text[s.pos] != '\n' {
		return false, errors.New("text after a closing quote")
	}
	return s.ended(), nil
}

// ended steps over the comma or line feed that ends a field.
func (s *scanner) ended() (comma bool) {
	if s.pos == len(s.text) {
		return false
	}
	comma = s.text[s.pos] == ','
	if !comma {
		s.next++
	}
	s.pos++
	return comma
}

// skipLine goes to the next line, to resume after a fault.
func (s *scanner) skipLine() {
	end := strings.IndexByte(s.text[s.pos:], '\n')
	if end < 0 {
		s.pos = len(s.text)
		return
	}
	s.pos += end + 1
	s.next++
}
