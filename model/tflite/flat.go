package tflite

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// flat reads FlatBuffers: tables, vectors and strings found by offsets that
// cannot be trusted. After the first fault every read gives zero, so callers
// need look at err only before they believe a result.
type flat struct {
	data  []byte
	left  int64  // what may still be built, see charge
	where string // what is being read, for err
	err   error
}

// Charges, in bytes of the file: what a table and a vector's element of the
// kinds read here take at least, so that honest files stay far below the limit.
const (
	tableCharge = 48
	spareCharge = 64 << 10
	maxCharge   = 8 // times the file's length
)

func newFlat(data []byte) *flat {
	return &flat{data: data, left: spareCharge + maxCharge*int64(len(data))}
}

var errTooOften = errors.New("the file refers to the same bytes too often")

func (r *flat) fail(pos int64, format string, args ...any) {
	r.fault(pos, fmt.Errorf(format, args...))
}

func (r *flat) fault(pos int64, err error) {
	if r.err != nil {
		return
	}
	r.err = fmt.Errorf("byte %d: %w", pos, err)
	if r.where != "" {
		r.err = fmt.Errorf("%s: %w", r.where, r.err)
	}
}

// charge accounts for n more bytes built. Offsets that point many times at the
// same bytes would otherwise let a small file fill the memory.
func (r *flat) charge(pos, n int64) {
	if r.left -= n; r.left < 0 {
		r.fault(pos, errTooOften)
	}
}

// bytes returns the n bytes at pos, nil when they are not all in the file.
func (r *flat) bytes(pos, n int64) []byte {
	if r.err != nil {
		return nil
	}
	if pos < 0 || n < 0 || pos > int64(len(r.data)) || n > int64(len(r.data))-pos {
		r.fail(pos, "%d bytes needed, the file ends at %d", n, len(r.data))
		return nil
	}
	return r.data[pos : pos+n : pos+n]
}

func (r *flat) u8(pos int64) uint8 {
	if b := r.bytes(pos, 1); b != nil {
		return b[0]
	}
	return 0
}

func (r *flat) u16(pos int64) uint16 {
	if b := r.bytes(pos, 2); b != nil {
		return binary.LittleEndian.Uint16(b)
	}
	return 0
}

func (r *flat) u32(pos int64) uint32 {
	if b := r.bytes(pos, 4); b != nil {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

func (r *flat) i32(pos int64) int32 { return int32(r.u32(pos)) }

func (r *flat) u64(pos int64) uint64 {
	if b := r.bytes(pos, 8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

// follow returns where the offset at pos points: forward, relative to itself.
func (r *flat) follow(pos int64) int64 { return pos + int64(r.u32(pos)) }

// A table is a FlatBuffers table: fields found through a vtable.
type table struct {
	r      *flat
	pos    int64
	vtable []byte // the fields' offsets from pos, 2 bytes each, 0 = absent
	size   int64  // bytes of the table itself
}

func (r *flat) table(pos int64) table {
	r.charge(pos, tableCharge)
	vt := pos - int64(r.i32(pos))
	n := int64(r.u16(vt))
	if r.err == nil && (n < 4 || n%2 != 0) {
		r.fail(vt, "a vtable of %d bytes", n)
	}
	t := table{r: r, pos: pos, size: int64(r.u16(vt + 2))}
	if r.bytes(pos, t.size); r.err == nil {
		t.vtable = r.bytes(vt+4, n-4)
	}
	return t
}

// has reports whether field i is there.
func (t table) has(i int) bool {
	return len(t.vtable) >= 2*i+2 && binary.LittleEndian.Uint16(t.vtable[2*i:]) != 0
}

// at returns where field i lies, and whether it is there. width is the bytes
// that the field takes in the table.
func (t table) at(i int, width int64) (int64, bool) {
	if t.r.err != nil || !t.has(i) {
		return 0, false
	}
	off := int64(binary.LittleEndian.Uint16(t.vtable[2*i:]))
	if off < 4 || off+width > t.size {
		t.r.fail(t.pos, "field %d lies outside its table", i)
		return 0, false
	}
	return t.pos + off, true
}

func (t table) u8(i int) uint8 {
	if pos, ok := t.at(i, 1); ok {
		return t.r.u8(pos)
	}
	return 0
}

func (t table) u32(i int) uint32 {
	if pos, ok := t.at(i, 4); ok {
		return t.r.u32(pos)
	}
	return 0
}

func (t table) i32(i int) int32 { return int32(t.u32(i)) }

func (t table) u64(i int) uint64 {
	if pos, ok := t.at(i, 8); ok {
		return t.r.u64(pos)
	}
	return 0
}

// table returns the table that field i refers to.
func (t table) table(i int) (table, bool) {
	pos, ok := t.at(i, 4)
	if !ok {
		return table{}, false
	}
	return t.r.table(t.r.follow(pos)), true
}

// A vector is a FlatBuffers vector of elements of the same width.
type vector struct {
	r      *flat
	pos, n int64 // first element, number of elements; n is 0 when absent
	width  int64
}

// vector returns the vector that field i refers to, empty when absent.
func (t table) vector(i int, width int64) vector {
	pos, ok := t.at(i, 4)
	if !ok {
		return vector{r: t.r}
	}
	start := t.r.follow(pos)
	v := vector{t.r, start + 4, int64(t.r.u32(start)), width}
	if v.r.bytes(v.pos, v.n*width); v.r.err != nil {
		v.n = 0
	}
	return v
}

// table returns the table that element i refers to.
func (v vector) table(i int) table { return v.r.table(v.r.follow(v.pos + int64(i)*v.width)) }

// ints returns the elements of a vector of int32.
func (v vector) ints() []int32 {
	v.r.charge(v.pos, v.n*v.width)
	b := v.r.bytes(v.pos, v.n*v.width)
	if len(b) == 0 {
		return nil
	}
	ints := make([]int32, v.n)
	for i := range ints {
		ints[i] = int32(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return ints
}

// text returns the string that field i refers to, "" when absent.
func (t table) text(i int) string {
	v := t.vector(i, 1)
	v.r.charge(v.pos, v.n)
	return string(v.r.bytes(v.pos, v.n))
}
