// Package build writes FlatBuffers front to back, each object after the word
// that refers to it. It is what the tests of readers make files with.
package build

import (
	"encoding/binary"
	"math"
)

// An Object appends itself and returns its position.
type Object func(b *Builder) int

// A Builder is a file so far.
type Builder struct{ bytes []byte }

func (b *Builder) pad(n, more int) {
	for (len(b.bytes)+more)%n != 0 {
		b.bytes = append(b.bytes, 0)
	}
}

func (b *Builder) u32(v uint32) { b.bytes = binary.LittleEndian.AppendUint32(b.bytes, v) }

// refer points the word at position at to an object that it appends.
func (b *Builder) refer(at int, o Object) {
	to := o(b)
	binary.LittleEndian.PutUint32(b.bytes[at:], uint32(to-at))
}

// Table is a table with the given fields: nil for none, a number, or an object.
func Table(fields ...any) Object {
	return func(b *Builder) int {
		b.pad(8, 0)
		vtable := len(b.bytes)
		head := make([]byte, 4+2*len(fields))
		b.bytes = append(b.bytes, head...)
		b.pad(8, 4) // an int64 field right behind the first word is aligned
		pos := len(b.bytes)
		b.u32(uint32(pos - vtable))
		refs := make(map[int]Object)
		var order []int
		for i, f := range fields {
			if f == nil {
				continue
			}
			if _, wide := f.(uint64); wide {
				b.pad(8, 0)
			} else {
				b.pad(4, 0)
			}
			at := len(b.bytes)
			binary.LittleEndian.PutUint16(b.bytes[vtable+4+2*i:], uint16(at-pos))
			switch f := f.(type) {
			case Object:
				refs[at] = f
				order = append(order, at)
				b.u32(0)
			case int:
				b.u32(uint32(f))
			case float64:
				b.u32(math.Float32bits(float32(f)))
			case uint64:
				b.bytes = binary.LittleEndian.AppendUint64(b.bytes, f)
			}
		}
		binary.LittleEndian.PutUint16(b.bytes[vtable:], uint16(len(head)))
		binary.LittleEndian.PutUint16(b.bytes[vtable+2:], uint16(len(b.bytes)-pos))
		for _, at := range order {
			b.refer(at, refs[at])
		}
		return pos
	}
}

// Vector is a vector of objects.
func Vector(items ...Object) Object {
	return func(b *Builder) int {
		b.pad(4, 0)
		pos := len(b.bytes)
		b.u32(uint32(len(items)))
		at := len(b.bytes)
		for range items {
			b.u32(0)
		}
		for i, o := range items {
			b.refer(at+4*i, o)
		}
		return pos
	}
}

// Ints is a vector of int32.
func Ints(v ...int) Object {
	return func(b *Builder) int {
		b.pad(4, 0)
		pos := len(b.bytes)
		b.u32(uint32(len(v)))
		for _, x := range v {
			b.u32(uint32(x))
		}
		return pos
	}
}

// Raw is a vector of bytes, the first of them 16-aligned.
func Raw(data []byte) Object {
	return func(b *Builder) int {
		b.pad(16, 4)
		pos := len(b.bytes)
		b.u32(uint32(len(data)))
		b.bytes = append(b.bytes, data...)
		return pos
	}
}

// Text is a string.
func Text(s string) Object {
	return func(b *Builder) int {
		pos := Raw([]byte(s))(b)
		b.bytes = append(b.bytes, 0)
		return pos
	}
}

// Longs is a vector of int64.
func Longs(v ...int64) Object {
	return func(b *Builder) int {
		b.pad(8, 4)
		pos := len(b.bytes)
		b.u32(uint32(len(v)))
		for _, x := range v {
			b.bytes = binary.LittleEndian.AppendUint64(b.bytes, uint64(x))
		}
		return pos
	}
}

// File is a file with that identifier at byte 4.
func File(identifier string, root Object) []byte {
	b := &Builder{bytes: append(make([]byte, 4), identifier...)}
	b.refer(0, root)
	b.pad(16, 0)
	return b.bytes
}
