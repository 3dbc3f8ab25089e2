package tflite

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
)

// PlanName is the name of the metadata entry that TFLM takes a plan from.
const PlanName = "OfflineMemoryAllocation"

// online marks a tensor that TFLM places itself.
const online = -1

// planHeader is the int32s before a plan's offsets: version, subgraphs, tensors.
const planHeader = 3

// Tensors is the number of tensors over all subgraphs, the length of a plan.
func (f *File) Tensors() int {
	n := 0
	for i := range f.Subgraphs {
		n += len(f.Subgraphs[i].Tensors)
	}
	return n
}

// Plan returns the plan that the file holds: an offset from the head's start
// for each tensor, subgraph by subgraph, -1 where TFLM is to choose. It is nil
// when there is none. Of several TFLM takes the last. A plan that TFLM would
// refuse, or read beyond its end, is an error.
func (f *File) Plan() ([]int32, error) {
	var offsets []int32
	for _, m := range f.metadata {
		if m.name != PlanName {
			continue
		}
		b := f.buffers[m.buffer]
		data := f.data[b.pos : b.pos+b.size]
		if b.outside {
			return nil, errors.New("the plan lies outside the FlatBuffer, where TFLM does not look")
		}
		if len(data) < 4*planHeader {
			return nil, fmt.Errorf("the plan has %d bytes, its header takes %d", len(data), 4*planHeader)
		}
		n := binary.LittleEndian.Uint32(data[8:])
		if int64(n) != int64(f.Tensors()) {
			return nil, fmt.Errorf("the plan is for %d tensors, the model has %d: TFLM would not load it", n, f.Tensors())
		}
		if data = data[4*planHeader:]; int64(len(data)) < 4*int64(n) {
			return nil, fmt.Errorf("the plan ends before the last of its %d offsets", n)
		}
		offsets = make([]int32, n)
		for i := range offsets {
			offsets[i] = int32(binary.LittleEndian.Uint32(data[4*i:]))
		}
	}
	return offsets, nil
}

// WithPlan returns the file with the plan in it, in place of one that may be
// there: a block that an earlier WithPlan put in front goes. FlatBuffers offsets are relative and point forward only, so a new root
// is put in front: a Model table that refers to the old tables, but has one
// buffer and one metadata entry of its own. The old bytes follow, unchanged and
// moved by a multiple of 16. It refuses files that refer to bytes by absolute
// position, and those whose Model table has fields it does not know.
//
// Overlaps that the plan makes use of are declared beside it, nil for none.
func (f *File) WithPlan(offsets []int32, d *Declaration) ([]byte, error) {
	if len(offsets) != f.Tensors() {
		return nil, fmt.Errorf("%d offsets for %d tensors", len(offsets), f.Tensors())
	}
	for before := f.unplanned(); before != nil; before = f.unplanned() {
		f = before
	}
	entries := []entry{{PlanName, f.encode(offsets)}}
	if d != nil {
		entries = append([]entry{{KernelsName, d.encode()}}, entries...)
	}
	return f.with(entries...)
}

// encode is a plan as the file holds it.
func (f *File) encode(offsets []int32) []byte {
	var data []byte
	for _, v := range []int{0, len(f.Subgraphs), len(offsets)} {
		data = binary.LittleEndian.AppendUint32(data, uint32(v))
	}
	for _, v := range offsets {
		data = binary.LittleEndian.AppendUint32(data, uint32(v))
	}
	return data
}

// An entry is a piece of metadata with a buffer of its own.
type entry struct {
	name string
	data []byte
}

// entry is the data of the last metadata entry of a name.
func (f *File) entry(name string) (data []byte, there bool) {
	for _, m := range f.metadata {
		if m.name == name {
			b := f.buffers[m.buffer]
			data, there = f.data[b.pos:b.pos+b.size], true
		}
	}
	return data, there
}

// unplanned is the file as it was before WithPlan put a block in front; nil where
// it did not. The last buffer's data ends that block, so it is known where the
// old bytes would begin, and that they are those is certain where the same
// entries put before them give the same file.
func (f *File) unplanned() *File {
	if len(f.buffers) == 0 {
		return nil
	}
	last := f.buffers[len(f.buffers)-1]
	end := last.pos + last.size
	end += -end & 15 // as lay does
	if last.outside || end > int64(len(f.data)) {
		return nil
	}
	var entries []entry
	for _, m := range f.metadata {
		if m.table >= end {
			continue
		}
		if m.name != PlanName && m.name != KernelsName || f.buffers[m.buffer].outside {
			return nil
		}
		b := f.buffers[m.buffer]
		entries = append(entries, entry{m.name, f.data[b.pos : b.pos+b.size]})
	}
	if entries == nil {
		return nil
	}
	before, err := Read(f.data[end:])
	if err != nil || before.Tensors() != f.Tensors() {
		return nil
	}
	if again, err := before.with(entries...); err != nil || !bytes.Equal(again, f.data) {
		return nil
	}
	return before
}

// with is the file with a block of entries in front, which take the place of
// those of the same names; what is said of kernels goes with the plan it was said
// of.
func (f *File) with(entries ...entry) ([]byte, error) {
	if err := f.movable(); err != nil {
		return nil, err
	}
	p := patch{f: f}
	p.lay(entries)
	size := int64(len(p.front))
	if size+int64(len(f.data)) > math.MaxInt32 {
		return nil, errors.New("with the plan the file would be above 2 GiB, the limit of FlatBuffers")
	}
	for _, ref := range p.old {
		binary.LittleEndian.PutUint32(p.front[ref.at:], uint32(size+ref.to-ref.at))
	}
	return append(p.front, f.data...), nil
}

// modelFields is the number of fields that the schema's Model has; field 0, the
// version, is a number, and all others are offsets.
const modelFields = 10

// movable reports why bytes cannot be put in front of the file.
func (f *File) movable() error {
	for i := range f.buffers {
		if f.buffers[i].outside {
			return fmt.Errorf("buffer %d is outside the FlatBuffer, by absolute position, which a plan in front would move", i)
		}
	}
	for s := range f.Subgraphs {
		for k := range f.Subgraphs[s].Ops {
			if f.Subgraphs[s].Ops[k].absolute {
				return fmt.Errorf("operator %d of subgraph %d has options by absolute position, which a plan in front would move", k, s)
			}
		}
	}
	for i := modelFields; i < f.model.Fields(); i++ {
		if f.model.Has(i) {
			return fmt.Errorf("the model table has a field %d, which is not known", i)
		}
	}
	return nil
}

// A patch is the block in front.
type patch struct {
	f     *File
	front []byte
	old   []reference // to bytes of the old file
}

// A reference says that the word at position at of the block refers to
// position to of the old file.
type reference struct{ at, to int64 }

func (p *patch) pos() int64 { return int64(len(p.front)) }

func (p *patch) u16(v uint16) { p.front = binary.LittleEndian.AppendUint16(p.front, v) }
func (p *patch) u32(v uint32) { p.front = binary.LittleEndian.AppendUint32(p.front, v) }

// here points the word at position at to the block's end.
func (p *patch) here(at int64) { binary.LittleEndian.PutUint32(p.front[at:], uint32(p.pos()-at)) }

// toOld appends a word that refers to the old file.
func (p *patch) toOld(to int64) {
	p.old = append(p.old, reference{p.pos(), to})
	p.u32(0)
}

// pad appends zeros until the length plus more is a multiple of n.
func (p *patch) pad(n, more int64) {
	for (p.pos()+more)%n != 0 {
		p.front = append(p.front, 0)
	}
}

// open appends a vtable and the beginning of its table, to which the word at
// position from then refers. Its fields are words, which the caller appends:
// those that there reports, in order.
func (p *patch) open(from int64, fields int, there func(int) bool) {
	p.pad(4, 2*int64(fields))
	vtable, end := p.pos(), uint16(4)
	p.u16(uint16(4 + 2*fields))
	p.u16(0)
	for i := range fields {
		if !there(i) {
			p.u16(0)
			continue
		}
		p.u16(end)
		end += 4
	}
	binary.LittleEndian.PutUint16(p.front[vtable+2:], end)
	p.here(from)
	p.u32(uint32(p.pos() - vtable))
}

func all(int) bool { return true }

// lay builds the block: the root, and what it refers to after it.
func (p *patch) lay(entries []entry) {
	p.u32(0)
	p.front = append(p.front, "TFL3"...)
	buffers, list := p.model()

	p.here(buffers)
	p.u32(uint32(len(p.f.buffers) + len(entries)))
	for i := range p.f.buffers {
		p.toOld(p.f.buffers[i].table)
	}
	own := p.words(len(entries))

	kept := slices.DeleteFunc(slices.Clone(p.f.metadata), func(m metadata) bool {
		return slices.ContainsFunc(entries, func(e entry) bool { return e.name == m.name || e.name == PlanName && m.name == KernelsName })
	})
	p.here(list)
	p.u32(uint32(len(kept) + len(entries)))
	for i := range kept {
		p.toOld(kept[i].table)
	}
	for k, at := range p.words(len(entries)) {
		p.open(at, 2, all)
		name := p.word()
		p.u32(uint32(len(p.f.buffers) + k))
		p.here(name)
		p.u32(uint32(len(entries[k].name)))
		p.front = append(append(p.front, entries[k].name...), 0)
	}
	for k, at := range own {
		p.open(at, 1, all)
		data := p.word()
		p.pad(16, 4) // the data's first byte, behind its length, is 16-aligned
		p.here(data)
		p.u32(uint32(len(entries[k].data)))
		p.front = append(p.front, entries[k].data...)
	}
	p.pad(16, 0)
}

// words appends n words to be set by here, and returns their positions.
func (p *patch) words(n int) []int64 {
	list := make([]int64, n)
	for k := range list {
		list[k] = p.word()
	}
	return list
}

// word appends a word to be set by here, and returns its position.
func (p *patch) word() int64 {
	p.u32(0)
	return p.pos() - 4
}

// model appends the new Model table: the old one's fields, but for the buffers
// and the metadata, whose words it returns.
func (p *patch) model() (buffers, entries int64) {
	there := func(i int) bool {
		return p.f.model.Has(i) || i == modelBuffers || i == modelMetadata
	}
	p.open(0, modelFields, there)
	for i := range modelFields {
		at, _ := p.f.model.At(i, 4)
		switch {
		case !there(i):
		case i == modelVersion:
			p.u32(p.f.model.U32(i))
		case i == modelBuffers:
			buffers = p.word()
		case i == modelMetadata:
			entries = p.word()
		default:
			p.toOld(p.f.model.R.Follow(at))
		}
	}
	return buffers, entries
}
