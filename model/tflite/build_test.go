package tflite

import (
	"encoding/binary"
	"math"
)

// What the tests build models from: FlatBuffers objects, written front to back,
// each after the word that refers to it.

// An object appends itself and returns its position.
type object func(b *builder) int

type builder struct{ bytes []byte }

func (b *builder) pad(n, more int) {
	for (len(b.bytes)+more)%n != 0 {
		b.bytes = append(b.bytes, 0)
	}
}

func (b *builder) u32(v uint32) { b.bytes = binary.LittleEndian.AppendUint32(b.bytes, v) }

// refer points the word at position at to an object that it appends.
func (b *builder) refer(at int, o object) {
	to := o(b)
	binary.LittleEndian.PutUint32(b.bytes[at:], uint32(to-at))
}

// table is a table with the given fields: nil for none, a number, or an object.
func tableOf(fields ...any) object {
	return func(b *builder) int {
		b.pad(8, 0)
		vtable := len(b.bytes)
		head := make([]byte, 4+2*len(fields))
		b.bytes = append(b.bytes, head...)
		b.pad(8, 4) // an int64 field right behind the first word is aligned
		pos := len(b.bytes)
		b.u32(uint32(pos - vtable))
		refs := make(map[int]object)
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
			case object:
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

func vectorOf(items ...object) object {
	return func(b *builder) int {
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

func ints(v ...int) object {
	return func(b *builder) int {
		b.pad(4, 0)
		pos := len(b.bytes)
		b.u32(uint32(len(v)))
		for _, x := range v {
			b.u32(uint32(x))
		}
		return pos
	}
}

// raw is a vector of bytes, the first of them 16-aligned.
func raw(data []byte) object {
	return func(b *builder) int {
		b.pad(16, 4)
		pos := len(b.bytes)
		b.u32(uint32(len(data)))
		b.bytes = append(b.bytes, data...)
		return pos
	}
}

func text(s string) object {
	return func(b *builder) int {
		pos := raw([]byte(s))(b)
		b.bytes = append(b.bytes, 0)
		return pos
	}
}

// longs is a vector of int64.
func longs(v ...int64) object {
	return func(b *builder) int {
		b.pad(8, 4)
		pos := len(b.bytes)
		b.u32(uint32(len(v)))
		for _, x := range v {
			b.bytes = binary.LittleEndian.AppendUint64(b.bytes, uint64(x))
		}
		return pos
	}
}

func file(root object) []byte {
	b := &builder{bytes: []byte("\x00\x00\x00\x00TFL3")}
	b.refer(0, root)
	b.pad(16, 0)
	return b.bytes
}

// A testModel is a model to build.
type testModel struct {
	buffers  [][]byte // of constants; number 0 is the empty one
	subs     []testSub
	metadata map[string][]byte // at most one entry
	extra    object            // one more buffer's table
}

type testSub struct {
	name    string
	tensors []testTensor
	in, out []int
	ops     []testOp
}

type testTensor struct {
	name     string
	kind     Type
	shape    []int
	buffer   int
	variable bool
	scale    float64
}

type testOp struct {
	kind    Kind
	custom  string
	in, out []int
	union   int    // which options table
	options object // the table
	extra   []byte // custom options
}

// constant adds a buffer and returns its number.
func (m *testModel) constant(data ...byte) int {
	m.buffers = append(m.buffers, data)
	return len(m.buffers)
}

func words(v ...int32) []byte {
	var b []byte
	for _, x := range v {
		b = binary.LittleEndian.AppendUint32(b, uint32(x))
	}
	return b
}

// build writes the model.
func (m *testModel) build() []byte {
	type key struct {
		kind   Kind
		custom string
	}
	index := map[key]int{}
	var codes, subs []object
	for _, s := range m.subs {
		for _, op := range s.ops {
			k := key{op.kind, op.custom}
			if _, seen := index[k]; !seen {
				index[k] = len(codes)
				var name any
				if op.custom != "" {
					name = text(op.custom)
				}
				codes = append(codes, tableOf(min(int(op.kind), 127), name, 1, int(op.kind)))
			}
		}
	}
	for _, s := range m.subs {
		var tensors, ops []object
		for _, t := range s.tensors {
			tensors = append(tensors, t.object())
		}
		for _, op := range s.ops {
			ops = append(ops, op.object(index[key{op.kind, op.custom}]))
		}
		subs = append(subs, tableOf(vectorOf(tensors...), ints(s.in...), ints(s.out...), vectorOf(ops...), text(s.name)))
	}
	buffers := []object{tableOf()}
	for _, data := range m.buffers {
		buffers = append(buffers, tableOf(raw(data)))
	}
	if m.extra != nil {
		buffers = append(buffers, m.extra)
	}
	var metadata any
	for name, data := range m.metadata {
		metadata = vectorOf(tableOf(text(name), len(buffers)))
		buffers = append(buffers, tableOf(raw(data)))
	}
	return file(tableOf(3, vectorOf(codes...), vectorOf(subs...), text("self-made"), vectorOf(buffers...), nil, metadata))
}

func (t testTensor) object() object {
	var name, variable, quantization any
	if t.name != "" {
		name = text(t.name)
	}
	if t.variable {
		variable = 1
	}
	if t.scale != 0 {
		scale := int(math.Float32bits(float32(t.scale)))
		quantization = tableOf(nil, nil, ints(scale), longs(0))
	}
	return tableOf(ints(t.shape...), int(t.kind), t.buffer, name, quantization, variable)
}

func (op testOp) object(code int) object {
	var union, options, extra any
	if op.options != nil {
		union, options = op.union, op.options
	}
	if op.extra != nil {
		extra = raw(op.extra)
	}
	return tableOf(code, ints(op.in...), ints(op.out...), union, options, extra)
}
