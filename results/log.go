package results

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"memplan/model"
)

// A Log is a file of records, one a line, that is only ever appended to.
//
// Each record is one write to a file opened for appending, so that several
// processes may share a log. A process that dies in the middle of a write
// leaves a torn line: readers pass over it, and the next record begins a line
// of its own.
type Log struct{ f *os.File }

// OpenLog opens a log, and makes it where there is none. A file that is marked
// as read-only is not written to, not even by those who could.
func OpenLog(path string) (*Log, error) {
	if info, err := os.Stat(path); err == nil && info.Mode().Perm()&0o222 == 0 {
		return nil, &fs.PathError{Op: "append to", Path: path, Err: errors.New("the file is read-only")}
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	return &Log{f}, nil
}

// Append adds a record.
func (l *Log) Append(r *Record) error {
	line, err := r.Line()
	if err != nil {
		return err
	}
	if l.torn() {
		line = append([]byte{'\n'}, line...)
	}
	_, err = l.f.Write(line)
	return err
}

// WriteLog writes records as a log holds them.
func WriteLog(w io.Writer, records []Record) error {
	for i := range records {
		line, err := records[i].Line()
		if err != nil {
			return err
		}
		if _, err := w.Write(line); err != nil {
			return err
		}
	}
	return nil
}

// torn reports whether the last line lacks its end.
func (l *Log) torn() bool {
	info, err := l.f.Stat()
	if err != nil || !info.Mode().IsRegular() || info.Size() == 0 {
		return false
	}
	last := make([]byte, 1)
	_, err = l.f.ReadAt(last, info.Size()-1)
	return err == nil && last[0] != '\n'
}

// Close makes sure that the records are on the disk.
func (l *Log) Close() error {
	err := l.f.Sync()
	if info, e := l.f.Stat(); e == nil && !info.Mode().IsRegular() {
		err = nil // a pipe or a device cannot be synced
	}
	return errors.Join(err, l.f.Close())
}

// maxLine is the longest line that ReadLog takes, in bytes: that of a plan of a
// million buffers fits.
const maxLine = 1 << 28

// ReadLog reads records. Lines that are not whole, as a killed run leaves them,
// are counted and passed over; a whole line that is no record is an error.
func ReadLog(r io.Reader, name string) (records []Record, torn int, err error) {
	share := newSharing()
	s := bufio.NewScanner(r)
	s.Buffer(make([]byte, 1<<16), maxLine)
	for line := 1; s.Scan(); line++ {
		if len(s.Bytes()) == 0 {
			continue
		}
		var rec Record
		err := json.Unmarshal(s.Bytes(), &rec)
		if fault := (*json.SyntaxError)(nil); errors.As(err, &fault) {
			torn++
			continue
		}
		if err != nil || rec.Schema != 1 || rec.Planner == "" {
			return nil, torn, fmt.Errorf("%s:%d: not a record of schema 1", name, line)
		}
		records = append(records, share.record(rec))
	}
	if err := s.Err(); err != nil {
		return nil, torn, fmt.Errorf("%s: %w", name, err)
	}
	return records, torn, nil
}

// A sharing keeps one copy of the texts that many records repeat.
type sharing struct {
	texts map[string]string
	from  map[Provenance]*Provenance
	hard  map[Hardness]*Hardness
}

func newSharing() *sharing {
	return &sharing{make(map[string]string), make(map[Provenance]*Provenance), make(map[Hardness]*Hardness)}
}

func (s *sharing) text(t string) string {
	if kept, ok := s.texts[t]; ok {
		return kept
	}
	s.texts[t] = t
	return t
}

func (s *sharing) record(r Record) Record {
	for _, t := range []*string{&r.Instance, &r.Family, &r.Hash, &r.Status, &r.Planner, &r.Error, &r.Certificate} {
		*t = s.text(*t)
	}
	r.Proof = model.Proof(s.text(string(r.Proof)))
	r.Provenance = one(s.from, r.Provenance)
	r.Hardness = one(s.hard, r.Hardness)
	return r
}

// one is the first of the values equal to v.
func one[T comparable](seen map[T]*T, v *T) *T {
	if v == nil {
		return nil
	}
	if seen[*v] == nil {
		seen[*v] = v
	}
	return seen[*v]
}
