// Package flat reads FlatBuffers whose bytes cannot be trusted: each offset is
// checked against the data, and what is built is charged against their length,
// so that a hostile file costs no more memory than a small multiple of its own.
package flat

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// A Reader reads tables, vectors and strings found by offsets that cannot be
// trusted. After the first fault every read gives zero, so callers need look at
// Err only before they believe a result.
type Reader struct {
	Data  []byte
	Where string // what is being read, for Err
	Err   error  // the first fault

	left int64 // what may still be built, see Charge
}

// Charges, in bytes of the file: what a table and a vector's element of the
// kinds read here take at least, so that honest files stay far below the limit.
const (
	tableCharge = 48
	spareCharge = 64 << 10
	maxCharge   = 8 // times the file's length
)

// New reads data, which must not change meanwhile.
func New(data []byte) *Reader {
	return &Reader{Data: data, left: spareCharge + maxCharge*int64(len(data))}
}

// ErrTooOften is the fault of a file that has more built than its length pays for.
var ErrTooOften = errors.New("the file refers to the same bytes too often")

// Fail records a fault at pos, unless there is one already.
func (r *Reader) Fail(pos int64, format string, args ...any) {
	r.fault(pos, fmt.Errorf(format, args...))
}

func (r *Reader) fault(pos int64, err error) {
	if r.Err != nil {
		return
	}
	r.Err = fmt.Errorf("byte %d: %w", pos, err)
	if r.Where != "" {
		r.Err = fmt.Errorf("%s: %w", r.Where, r.Err)
	}
}

// Charge accounts for n more bytes built. Offsets that point many times at the
// same bytes would otherwise let a small file fill the memory.
func (r *Reader) Charge(pos, n int64) {
	if r.left -= n; r.left < 0 {
		r.fault(pos, ErrTooOften)
	}
}

// Bytes returns the n bytes at pos, nil when they are not all in the file.
func (r *Reader) Bytes(pos, n int64) []byte {
	if r.Err != nil {
		return nil
	}
	if pos < 0 || n < 0 || pos > int64(len(r.Data)) || n > int64(len(r.Data))-pos {
		r.Fail(pos, "%d bytes needed, the file ends at %d", n, len(r.Data))
		return nil
	}
	return r.Data[pos : pos+n : pos+n]
}

func (r *Reader) U8(pos int64) uint8 {
	if b := r.Bytes(pos, 1); b != nil {
		return b[0]
	}
	return 0
}

func (r *Reader) U16(pos int64) uint16 {
	if b := r.Bytes(pos, 2); b != nil {
		return binary.LittleEndian.Uint16(b)
	}
	return 0
}

func (r *Reader) U32(pos int64) uint32 {
	if b := r.Bytes(pos, 4); b != nil {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

func (r *Reader) I32(pos int64) int32 { return int32(r.U32(pos)) }

func (r *Reader) U64(pos int64) uint64 {
	if b := r.Bytes(pos, 8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

// Follow returns where the offset at pos points: forward, relative to itself.
func (r *Reader) Follow(pos int64) int64 { return pos + int64(r.U32(pos)) }

// A Table is a FlatBuffers table: fields found through a vtable.
type Table struct {
	R      *Reader
	Pos    int64
	vtable []byte // the fields' offsets from Pos, 2 bytes each, 0 = absent
}

// Table is the table at pos.
func (r *Reader) Table(pos int64) Table {
	r.Charge(pos, tableCharge)
	vt := pos - int64(r.I32(pos))
	n := int64(r.U16(vt))
	if r.Err == nil && (n < 4 || n%2 != 0) {
		r.Fail(vt, "a vtable of %d bytes", n)
	}
	if r.Err != nil {
		return Table{R: r, Pos: pos}
	}
	return Table{r, pos, r.Bytes(vt+4, n-4)}
}

// Has reports whether field i is there.
func (t Table) Has(i int) bool {
	return len(t.vtable) >= 2*i+2 && binary.LittleEndian.Uint16(t.vtable[2*i:]) != 0
}

// At returns where field i lies, and whether it is there. width is its bytes.
// The table's length in the vtable is not looked at: writers share vtables
// between tables of different lengths.
func (t Table) At(i int, width int64) (int64, bool) {
	if t.R.Err != nil || !t.Has(i) {
		return 0, false
	}
	off := int64(binary.LittleEndian.Uint16(t.vtable[2*i:]))
	if off < 4 {
		t.R.Fail(t.Pos, "field %d lies outside its table", i)
		return 0, false
	}
	return t.Pos + off, t.R.Bytes(t.Pos+off, width) != nil
}

// Fields is the number of fields that the table might have by its vtable.
func (t Table) Fields() int { return len(t.vtable) / 2 }

func (t Table) U8(i int) uint8 {
	if pos, ok := t.At(i, 1); ok {
		return t.R.U8(pos)
	}
	return 0
}

func (t Table) U32(i int) uint32 {
	if pos, ok := t.At(i, 4); ok {
		return t.R.U32(pos)
	}
	return 0
}

func (t Table) I32(i int) int32 { return int32(t.U32(i)) }

func (t Table) U64(i int) uint64 {
	if pos, ok := t.At(i, 8); ok {
		return t.R.U64(pos)
	}
	return 0
}

// Table returns the table that field i refers to.
func (t Table) Table(i int) (Table, bool) {
	pos, ok := t.At(i, 4)
	if !ok {
		return Table{}, false
	}
	return t.R.Table(t.R.Follow(pos)), true
}

// A Vector is a FlatBuffers vector of elements of the same width.
type Vector struct {
	R      *Reader
	Pos, N int64 // first element, number of elements; N is 0 when absent
	width  int64
}

// Vector returns the vector that field i refers to, empty when absent.
func (t Table) Vector(i int, width int64) Vector {
	pos, ok := t.At(i, 4)
	if !ok {
		return Vector{R: t.R}
	}
	start := t.R.Follow(pos)
	v := Vector{t.R, start + 4, int64(t.R.U32(start)), width}
	if v.R.Bytes(v.Pos, v.N*width); v.R.Err != nil {
		v.N = 0
	}
	return v
}

// Table returns the table that element i refers to.
func (v Vector) Table(i int) Table { return v.R.Table(v.R.Follow(v.Pos + int64(i)*v.width)) }

// Data returns the bytes of a vector.
func (v Vector) Data() []byte { return v.R.Bytes(v.Pos, v.N*v.width) }

// Ints returns the elements of a vector of int32.
func (v Vector) Ints() []int32 {
	v.R.Charge(v.Pos, v.N*v.width)
	b := v.Data()
	if len(b) == 0 {
		return nil
	}
	ints := make([]int32, v.N)
	for i := range ints {
		ints[i] = int32(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return ints
}

// Text returns the string that field i refers to, "" when absent.
func (t Table) Text(i int) string {
	v := t.Vector(i, 1)
	v.R.Charge(v.Pos, v.N)
	return string(v.R.Bytes(v.Pos, v.N))
}
