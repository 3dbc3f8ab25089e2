package pte

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"memplan/model/internal/flat"
)

// With returns the file with the placement in it. Offsets and sizes that have
// a field are changed in place. A tensor at offset 0 has none, since that is
// the default: it gets a new table behind the FlatBuffer, and where there is no
// room before the segments they move up by a multiple of their alignment.
// Offsets inside a FlatBuffer are relative, and segments are counted from their
// base, so nothing else changes. Tables that tensors share are told apart.
func (p *Program) With(to Placement) ([]byte, error) {
	w := &patch{p: p, front: append([]byte(nil), p.data[:p.flat]...), set: make(map[int64]uint64), tensors: make(map[int64]place), appended: make(map[place]int64)}
	w.keep(to)
	for i, m := range p.Methods {
		if to.Offsets[i] == nil {
			continue
		}
		w.sizes(m, to.Sizes[i])
		for v, offset := range to.Offsets[i] {
			if offset != absent {
				w.tensor(&m.Values[v], place{uint32(to.memory(i, m, v)), uint64(offset)})
			}
		}
		if to.Order != nil && to.Order[i] != nil {
			w.order(m, to.Order[i])
		}
	}
	if err := errors.Join(w.faults...); err != nil {
		return nil, err
	}
	out, err := w.file()
	if err == nil {
		err = p.wrote(out, to)
	}
	if err != nil {
		return nil, err
	}
	return out, nil
}

// wrote reads a file back: all is where it was placed, and nothing else has
// changed, as it would in a file whose tables lie over one another.
func (p *Program) wrote(data []byte, to Placement) error {
	written, err := Read(data)
	if err == nil {
		err = written.alike(p, to)
	}
	if err != nil {
		return fmt.Errorf("tables of the file lie over one another: what is written is not what is read: %w", err)
	}
	for i, m := range written.Methods {
		for v, x := range m.Values {
			if want := placed(to.Offsets[i], v, p.Methods[i].Values[v].Offset); x.Memory > 0 && x.Offset != want {
				return fmt.Errorf("tables of the file lie over one another: %s of method %q is at %d, and not at %d", m.Label(v), m.Name, x.Offset, want)
			}
		}
		was := slices.Clone(p.Methods[i].Memories)
		for len(was) < len(to.Sizes[i]) {
			was = append(was, Memory{})
		}
		if len(m.Memories) != len(was) {
			return fmt.Errorf("tables of the file lie over one another: method %q has %d memories, and not %d", m.Name, len(m.Memories), len(was))
		}
		for k, x := range m.Memories {
			if want := placed(to.Sizes[i], k, was[k].Size); x.Size != want {
				return fmt.Errorf("tables of the file lie over one another: memory %d of method %q takes %d bytes, and not %d", k, m.Name, x.Size, want)
			}
		}
	}
	return nil
}

// placed is what a placement asks for: number i of a list, or what was there.
func placed(list []int64, i int, was int64) int64 {
	if list == nil || list[i] == absent {
		return was
	}
	return list[i]
}

// memory is the memory that a placement has for value v of a method, number i.
func (to *Placement) memory(i int, m *Method, v int) int {
	if to.Memories[i] == nil {
		return m.Values[v].Memory
	}
	return to.Memories[i][v]
}

// A patch is a FlatBuffer that is being changed.
type patch struct {
	p        *Program
	front    []byte           // the FlatBuffer; what is appended follows
	set      map[int64]uint64 // positions that were set, and to what
	tensors  map[int64]place  // positions of tensors' tables, and where they go
	vtable   int64            // of the tables that were appended; 0: none yet
	appended map[place]int64  // positions of those tables
	faults   []error
}

// A place is what an allocation's table says.
type place struct {
	memory uint32
	offset uint64
}

func (p place) String() string { return fmt.Sprintf("%d of memory %d", p.offset, p.memory) }

// put sets a number of so many bytes, unless another value was put there.
func (w *patch) put(at, width int64, v uint64) bool {
	if was, done := w.set[at]; done && was != v {
		return false
	}
	w.set[at] = v
	if width == 8 {
		binary.LittleEndian.PutUint64(w.front[at:], v)
	} else {
		binary.LittleEndian.PutUint32(w.front[at:], uint32(v))
	}
	return true
}

// keep marks what is left alone, so that nothing that shares a table or a vector
// with it changes it.
func (w *patch) keep(to Placement) {
	for i, m := range w.p.Methods {
		for k := range m.Memories {
			if to.Sizes[i] == nil || to.Sizes[i][k] == absent {
				w.set[m.sizes+8*int64(k)] = uint64(m.Memories[k].Size)
			}
		}
		for v := range m.Values {
			x := &m.Values[v]
			if x.Memory == 0 || to.Offsets[i] != nil && to.Offsets[i][v] != absent {
				continue
			}
			w.tensors[x.table.Pos] = place{uint32(x.Memory), uint64(x.Offset)}
			for _, field := range []int{allocationMemory, allocationLow, allocationHigh} {
				if at, there := x.location.At(field, 4); there {
					w.set[at] = uint64(binary.LittleEndian.Uint32(w.front[at:]))
				}
			}
		}
	}
}

// sizes gives a method's memories their sizes: in place, or where there are more
// than before in a list of their own.
func (w *patch) sizes(m *Method, sizes []int64) {
	if len(sizes) <= len(m.Memories) {
		for k, size := range sizes {
			if size != absent && !w.put(m.sizes+8*int64(k), 8, uint64(size)) {
				w.faults = append(w.faults, fmt.Errorf("method %q: its memories' sizes are those of another method, too", m.Name))
			}
		}
		return
	}
	for (len(w.front)+4)%8 != 0 {
		w.front = append(w.front, 0)
	}
	field, _ := m.table.At(planSizes, 4)
	w.put(field, 4, uint64(int64(len(w.front))-field))
	w.front = binary.LittleEndian.AppendUint32(w.front, uint32(len(sizes)))
	for k, size := range sizes {
		if size == absent {
			size = m.Memories[k].Size
		}
		w.front = binary.LittleEndian.AppendUint64(w.front, uint64(size))
	}
}

// tensor gives a tensor its place.
func (w *patch) tensor(x *Value, to place) {
	if was, done := w.tensors[x.table.Pos]; done && was != to {
		w.faults = append(w.faults, fmt.Errorf("byte %d: two tensors are one table, and the plan puts them at %v and %v", x.table.Pos, was, to))
		return
	}
	w.tensors[x.table.Pos] = to
	fields := []struct {
		number int
		is     uint32
	}{{allocationMemory, to.memory}, {allocationLow, uint32(to.offset)}, {allocationHigh, uint32(to.offset >> 32)}}
	inPlace := true
	for _, f := range fields {
		at, there := x.location.At(f.number, 4)
		inPlace = inPlace && (there || f.is == 0) && !w.taken(at, there, f.is)
	}
	if !inPlace {
		field, _ := x.table.At(tensorAllocation, 4)
		w.put(field, 4, uint64(w.append(to)-field))
		return
	}
	for _, f := range fields {
		if at, there := x.location.At(f.number, 4); there {
			w.put(at, 4, uint64(f.is))
		}
	}
}

// taken reports whether a field has been given another number, since another
// tensor has the same table; a field that is absent says 0 to all.
func (w *patch) taken(at int64, there bool, v uint32) bool {
	was, done := w.set[at]
	return there && done && was != uint64(v)
}

// append appends a table that says so, unless it is there.
func (w *patch) append(to place) int64 {
	if at, done := w.appended[to]; done {
		return at
	}
	u16 := func(v ...uint16) {
		for _, v := range v {
			w.front = binary.LittleEndian.AppendUint16(w.front, v)
		}
	}
	for len(w.front)%4 != 0 {
		w.front = append(w.front, 0)
	}
	if w.vtable == 0 {
		w.vtable = int64(len(w.front))
		u16(10, 16, 4, 8, 12, 0)
	}
	at := int64(len(w.front))
	for _, v := range []uint32{uint32(at - w.vtable), to.memory, uint32(to.offset), uint32(to.offset >> 32)} {
		w.front = binary.LittleEndian.AppendUint32(w.front, v)
	}
	w.appended[to] = at
	return at
}

// file puts what follows the FlatBuffer behind it.
func (w *patch) file() ([]byte, error) {
	p := w.p
	if len(w.front) == int(p.flat) {
		return append(w.front, p.data[p.flat:]...), nil
	}
	size := int64(len(w.front))
	if size > math.MaxInt32 {
		return nil, errors.New("the FlatBuffer would be above 2 GiB, its limit")
	}
	if !p.header {
		if size > p.flat && len(p.segments) > 0 {
			return nil, errors.New("there is no header that says where the segments begin")
		}
		return w.front, nil
	}
	binary.LittleEndian.PutUint64(w.front[sizePos:], uint64(size))
	if p.base == 0 {
		return append(w.front, p.data[p.flat:]...), nil
	}
	base := p.base
	for align := p.alignment(); base < size; {
		base += align
	}
	binary.LittleEndian.PutUint64(w.front[basePos:], uint64(base))
	out := append(w.front, make([]byte, base-size)...)
	return append(out, p.data[p.base:]...), nil
}

// Segments are aligned by a power of two that the file does not say: the
// exporter's default is 128, and none is above a page.
const maxAlignment = 4096

// alignment is the largest power of two that the segments' places allow.
func (p *Program) alignment() int64 {
	align := int64(maxAlignment)
	for align > 1 && !p.aligned(align) {
		align /= 2
	}
	return align
}

func (p *Program) aligned(align int64) bool {
	for _, s := range p.segments {
		if s.size > 0 && (p.base+s.offset)%align != 0 {
			return false
		}
	}
	return p.base%align == 0
}

// order puts a method's instructions into another order: the place of each
// takes the reference of the one that is to run there.
func (w *patch) order(m *Method, order []int) {
	c := m.chains[0]
	for _, v := range []flat.Vector{c.code, c.trace} {
		if v.N != c.code.N {
			continue // there are no stack traces
		}
		for k, from := range order {
			at, was := v.Pos+4*int64(k), v.Pos+4*int64(from)
			target := was + int64(binary.LittleEndian.Uint32(w.p.data[was:]))
			if target <= at {
				w.faults = append(w.faults, fmt.Errorf("method %q: instruction %d lies before its place in the new order", m.Name, from))
				return
			}
			w.put(at, 4, uint64(target-at))
		}
	}
}
