// Package wire goes through messages of Protocol Buffers without their schema:
// what the readers of .hlo.pb and .onnx have in common. Nothing is copied, and
// nothing is allocated that a length merely claims.
package wire

import (
	"fmt"
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

// A Field is one field of a message.
type Field struct {
	Number int32
	Int    uint64 // of a varint, or of 4 or 8 bytes
	Bytes  []byte // of a message, a string or a packed list; nil for numbers
	Is     protowire.Type
}

// Each calls f with every field of a message, in the order of the bytes, until
// one of them or f is in error. Groups are skipped. Cost: O(fields).
func Each(message []byte, f func(Field) error) error {
	for at := 0; at < len(message); {
		number, kind, n := protowire.ConsumeTag(message[at:])
		if n < 0 {
			return fmt.Errorf("byte %d of a message: %w", at, protowire.ParseError(n))
		}
		field := Field{Number: int32(number), Is: kind}
		size := field.read(message[at+n:])
		if size < 0 {
			return fmt.Errorf("field %d at byte %d of a message: %w", number, at, protowire.ParseError(size))
		}
		if kind != protowire.StartGroupType {
			if err := f(field); err != nil {
				return err
			}
		}
		at += n + size
	}
	return nil
}

// read takes the value that b begins with, and gives its length, below 0 where
// there is none.
func (f *Field) read(b []byte) (n int) {
	switch f.Is {
	case protowire.VarintType:
		f.Int, n = protowire.ConsumeVarint(b)
	case protowire.Fixed64Type:
		f.Int, n = protowire.ConsumeFixed64(b)
	case protowire.Fixed32Type:
		var v uint32
		v, n = protowire.ConsumeFixed32(b)
		f.Int = uint64(v)
	case protowire.BytesType:
		f.Bytes, n = protowire.ConsumeBytes(b)
	default:
		n = protowire.ConsumeFieldValue(protowire.Number(f.Number), f.Is, b)
	}
	return n
}

// Message is the field as a message or a list; an error where it is a number.
func (f Field) Message() ([]byte, error) {
	if f.Is != protowire.BytesType {
		return nil, fmt.Errorf("field %d is a number, where a message belongs", f.Number)
	}
	return f.Bytes, nil
}

// Text is the field as a string.
func (f Field) Text() (string, error) {
	b, err := f.Message()
	return string(b), err
}

// Number64 is the field as an int64.
func (f Field) Number64() (int64, error) {
	if f.Is != protowire.VarintType {
		return 0, fmt.Errorf("field %d is no integer", f.Number)
	}
	return int64(f.Int), nil
}

// Size is the field as a number of bytes.
func (f Field) Size() (int64, error) {
	n, err := f.Number64()
	if err == nil && (n < 0 || n == math.MaxInt64) {
		err = fmt.Errorf("field %d, %d, is no number of bytes", f.Number, f.Int)
	}
	return n, err
}

// Numbers adds the field's numbers to a list: one, or a packed list of them.
func (f Field) Numbers(list []int64) ([]int64, error) {
	if f.Is != protowire.BytesType {
		n, err := f.Number64()
		return append(list, n), err
	}
	for b := f.Bytes; len(b) > 0; {
		v, n := protowire.ConsumeVarint(b)
		if n < 0 {
			return list, fmt.Errorf("field %d, a list of numbers: %w", f.Number, protowire.ParseError(n))
		}
		list, b = append(list, int64(v)), b[n:]
	}
	return list, nil
}

// Holds reports whether data may be a message whose fields are all among those
// listed, with the wire type given for each, and at least one: a guess at what
// a file is, without looking into its messages.
func Holds(data []byte, fields map[int32]protowire.Type) bool {
	any := false
	err := Each(data, func(f Field) error {
		if kind, known := fields[f.Number]; !known || kind != f.Is {
			return fmt.Errorf("field %d", f.Number)
		}
		any = true
		return nil
	})
	return err == nil && any
}
