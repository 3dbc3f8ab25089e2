package hlo

import (
	"errors"
	"fmt"
	"io"

	"google.golang.org/protobuf/encoding/protowire"

	"memplan/model"
	"memplan/model/internal/wire"
)

// A File is what a dump holds: an arena a trace of the heap simulator, and what
// whoever reads the figures should know.
type File struct {
	Arenas []model.Found
	Notes  []string
}

// Is reports whether data may be a dump. Cost: O(fields of the outer message).
func Is(data []byte) bool {
	return wire.Holds(data, map[int32]protowire.Type{1: protowire.BytesType, 3: protowire.BytesType})
}

// Read reads a dump; name is the instance's, and stands in messages. It never
// panics, and its memory is in proportion to the buffer assignment.
// Cost: O(n log n) for n values.
func Read(r io.Reader, name string) (*File, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	var a assignment
	if err := a.module(data); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return a.file(name)
}

var errNoTrace = errors.New("the dump holds no trace of the heap simulator: take the file *after_optimizations.hlo.pb of a run with --xla_dump_hlo_as_proto")

// A value is a logical buffer.
type value struct {
	size, color int64
	offset      int64
	placed      bool
}

// An event is one line of a trace.
type event struct {
	kind, value, with int64
	instruction       string
}

const (
	alloc     = 0
	free      = 1
	shareWith = 2
)

// An assignment is XLA's buffer assignment, as far as it is needed.
type assignment struct {
	values map[int64]*value
	places [][]byte // buffer allocations
	traces [][]byte
}

func (a *assignment) module(data []byte) error {
	a.values = make(map[int64]*value)
	err := wire.Each(data, func(f wire.Field) error {
		if f.Number != 3 {
			return nil
		}
		b, err := f.Message()
		if err != nil {
			return err
		}
		return wire.Each(b, a.part)
	})
	if err != nil {
		return fmt.Errorf("not a dump of XLA's: %w", err)
	}
	if len(a.traces) == 0 {
		return errNoTrace
	}
	for _, b := range a.places {
		if err := wire.Each(b, a.assigned); err != nil {
			return fmt.Errorf("a buffer allocation: %w", err)
		}
	}
	return nil
}

// part is a field of the buffer assignment.
func (a *assignment) part(f wire.Field) error {
	b, err := f.Message()
	if err != nil {
		return err
	}
	switch f.Number {
	case 1:
		return a.logical(b)
	case 3:
		a.places = append(a.places, b)
	case 4:
		a.traces = append(a.traces, b)
	}
	return nil
}

func (a *assignment) logical(b []byte) error {
	var id int64
	var v value
	err := wire.Each(b, func(f wire.Field) (err error) {
		switch f.Number {
		case 1:
			id, err = f.Number64()
		case 2:
			v.size, err = f.Size()
		case 4:
			v.color, err = f.Number64()
		}
		return err
	})
	if err == nil && a.values[id] != nil {
		err = errors.New("it is there twice")
	}
	if err != nil {
		return fmt.Errorf("logical buffer %d: %w", id, err)
	}
	a.values[id] = &v
	return nil
}

// assigned is a field of a buffer allocation: where a value is.
func (a *assignment) assigned(f wire.Field) error {
	if f.Number != 9 {
		return nil
	}
	b, err := f.Message()
	if err != nil {
		return err
	}
	var id, offset int64
	err = wire.Each(b, func(f wire.Field) (err error) {
		switch f.Number {
		case 1:
			id, err = f.Number64()
		case 2:
			offset, err = f.Size()
		}
		return err
	})
	if v := a.values[id]; v != nil && err == nil {
		v.offset, v.placed = offset, true
	}
	return err
}

func eventOf(f wire.Field) (e event, err error) {
	b, err := f.Message()
	if err != nil {
		return e, err
	}
	return e, wire.Each(b, func(f wire.Field) (err error) {
		switch f.Number {
		case 1:
			e.kind, err = f.Number64()
		case 2:
			e.value, err = f.Number64()
		case 4:
			e.instruction, err = f.Text()
		case 5:
			e.with, err = f.Number64()
		}
		return err
	})
}
