package model

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Faults collects everything wrong with one input file; readers go on after a
// fault and report all of them, by line. The zero value with a File is ready.
type Faults struct {
	File string
	list []lineFault
}

type lineFault struct {
	line int
	msg  string
}

// At records a fault of a line; line 0 means the file as a whole.
func (f *Faults) At(line int, format string, args ...any) {
	msg := fmt.Sprintf(format, args...)
	if len(msg) > maxBytes {
		msg = strings.ToValidUTF8(msg[:maxBytes], "") + " ..."
	}
	f.list = append(f.list, lineFault{line, msg})
}

// Empty reports whether nothing was recorded.
func (f *Faults) Empty() bool { return len(f.list) == 0 }

// Validate records the faults of an instance; line tells where a buffer came
// from.
func (f *Faults) Validate(in *Instance, line func(buffer int) int) {
	f.Record(in.Validate(), ofBuffer(line))
}

// Coexist is Instance.Coexist, unless there is nothing for it to do or faults
// are known; it records its own.
func (f *Faults) Coexist(in *Instance, when map[int]When, line func(buffer int) int) {
	if len(when) > 0 && f.Empty() {
		f.Record(in.Coexist(when), ofBuffer(line))
	}
}

// ofBuffer is the line of an error: that of the buffer that it is about, or 0.
func ofBuffer(line func(buffer int) int) func(error) int {
	return func(err error) int {
		var fault *Fault
		if errors.As(err, &fault) {
			return line(fault.Buffer)
		}
		return 0
	}
}

// Record records each of the errors that were joined into err, if any, at the
// line that it came from.
func (f *Faults) Record(err error, line func(error) int) {
	for _, err := range parts(err) {
		f.At(line(err), "%s", err.Error())
	}
}

// parts lists the errors that were joined into err.
func parts(err error) []error {
	if err == nil {
		return nil
	}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		return joined.Unwrap()
	}
	return []error{err}
}

// Faults of one file are told up to so many, each in so many bytes.
const (
	maxFaults = 100
	maxBytes  = 2000
)

// Err is nil without faults, else all of them as "file:line: message", one a
// line, in order of lines; of very many the first hundred, and how many more.
func (f *Faults) Err() error {
	if f.Empty() {
		return nil
	}
	slices.SortStableFunc(f.list, func(a, b lineFault) int { return cmp.Compare(a.line, b.line) })
	var text strings.Builder
	for i, l := range f.list {
		if i > 0 {
			text.WriteByte('\n')
		}
		if i == maxFaults {
			fmt.Fprintf(&text, "%s: and %d faults more", f.File, len(f.list)-i)
			break
		}
		text.WriteString(f.File)
		if l.line > 0 {
			fmt.Fprintf(&text, ":%d", l.line)
		}
		text.WriteString(": " + l.msg)
	}
	return errors.New(text.String())
}
