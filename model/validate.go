package model

import (
	"errors"
	"fmt"
	"hash/maphash"
	"math/bits"
	"slices"
)

// A Fault is one thing wrong with one buffer of an instance. Readers add the
// file and the line that the buffer came from.
type Fault struct {
	Buffer int // index in Instance.Buffers
	ID     string
	Msg    string
}

func (f *Fault) Error() string { return fmt.Sprintf("buffer %q: %s", f.ID, f.Msg) }

// Validate reports every fault of the instance, joined; those that concern one
// buffer are *Fault. Cost: O(n), and O(n log n) where the sizes add up to more
// than int64 holds or there are pins or ties; and the number of clashing pins.
func (in *Instance) Validate() error {
	var v validation
	v.in = in
	if in.Capacity < 0 {
		v.errs = append(v.errs, fmt.Errorf("capacity %d is negative", in.Capacity))
	}
	v.ids()
	for i := range in.Buffers {
		v.shape(i, &in.Buffers[i])
		v.gaps(i, &in.Buffers[i])
	}
	for i := range in.Buffers {
		v.tie(i, &in.Buffers[i])
	}
	v.pairs()
	if len(v.errs) > 0 {
		return errors.Join(v.errs...)
	}
	v.bodies()
	v.pins()
	v.crowded()
	v.load()
	return errors.Join(v.errs...)
}

// validation collects the faults of one instance.
type validation struct {
	in   *Instance
	errs []error
}

func (v *validation) fault(i int, format string, args ...any) {
	v.errs = append(v.errs, &Fault{i, v.in.Buffers[i].ID, fmt.Sprintf(format, args...)})
}

// ids checks that no two are the same. Those that rise, as numbered ones do, are
// not; else by a hash table that holds indexes alone: a map of strings takes ten
// times the memory.
func (v *validation) ids() {
	if v.numbered() {
		return
	}
	seed := maphash.MakeSeed()
	slots := make([]int32, 2<<bits.Len(uint(len(v.in.Buffers)))) // buffers' numbers, from 1; 0: none
	for i := range v.in.Buffers {
		id := v.in.Buffers[i].ID
		at := maphash.String(seed, id)
		for ; ; at++ {
			slot := &slots[at%uint64(len(slots))]
			if *slot == 0 {
				*slot = int32(i + 1)
				break
			}
			if v.in.Buffers[*slot-1].ID == id {
				v.fault(i, "duplicate id; buffer number %d has it too", *slot)
				break
			}
		}
	}
}

// numbered reports whether each id is longer than the one before, or as long and
// behind it in the order of bytes.
func (v *validation) numbered() bool {
	for i := range v.in.Buffers[min(1, len(v.in.Buffers)):] {
		a, b := v.in.Buffers[i].ID, v.in.Buffers[i+1].ID
		if len(a) > len(b) || len(a) == len(b) && a >= b {
			return false
		}
	}
	return true
}

func (v *validation) shape(i int, b *Buffer) {
	switch {
	case b.Life.End < b.Life.Start:
		v.fault(i, "lifetime %v is reversed", b.Life)
	case b.Life.Empty():
		v.fault(i, "lifetime %v is empty", b.Life)
	}
	if b.Size < 0 {
		v.fault(i, "size %d is negative", b.Size)
	}
	if b.Align < 0 {
		v.fault(i, "alignment %d is below 1", b.Align)
	}
	if b.Offset == nil {
		return
	}
	if off := *b.Offset; off < 0 {
		v.fault(i, "pinned offset %d is negative", off)
	} else if off%b.Alignment() != 0 {
		v.fault(i, "pinned offset %d is not a multiple of the alignment %d", off, b.Align)
	} else if _, ok := Add(off, max(b.Size, 0)); !ok {
		v.fault(i, "pinned offset %d plus size %d does not fit in int64", off, b.Size)
	}
}

func (v *validation) gaps(i int, b *Buffer) {
	end := b.Life.Start
	for _, g := range b.Gaps {
		switch {
		case g.Empty():
			v.fault(i, "gap %v is empty or reversed", g)
		case !b.Life.Contains(g):
			v.fault(i, "gap %v lies outside the lifetime %v", g, b.Life)
		case g.Start < end:
			v.fault(i, "gap %v is out of order or overlaps the gap before", g)
		}
		end = max(end, g.End)
	}
	if !b.Life.Empty() && len(b.Gaps) > 0 {
		for range b.Live() {
			return
		}
		v.fault(i, "its gaps cover the whole lifetime %v", b.Life)
	}
}

func (v *validation) tie(i int, b *Buffer) {
	t := b.Tie
	if t == nil {
		return
	}
	if t.To < 0 || t.To >= len(v.in.Buffers) || t.To == i || v.in.Buffers[t.To].Tie != nil {
		v.fault(i, "tied to buffer number %d, which is not an untied other buffer", t.To+1)
		return
	}
	root := &v.in.Buffers[t.To]
	if b.Offset != nil {
		v.fault(i, "both tied and pinned; pin %q instead", root.ID)
	}
	if t.Delta < 0 {
		v.fault(i, "tied at the negative distance %d", t.Delta)
	} else if a := b.Alignment(); t.Delta%a != 0 || root.Alignment()%a != 0 {
		v.fault(i, "alignment %d does not divide the tie's distance %d and the alignment %d of %q", a, t.Delta, root.Alignment(), root.ID)
	} else if _, ok := Add(t.Delta, max(b.Size, 0)); !ok {
		v.fault(i, "the tie's distance %d plus size %d does not fit in int64", t.Delta, b.Size)
	}
}

// bodies checks that no body overlaps itself.
func (v *validation) bodies() {
	if !slices.ContainsFunc(v.in.Buffers, func(b Buffer) bool { return b.Tie != nil }) {
		return
	}
	for _, body := range v.in.Bodies() {
		if len(body) < 2 {
			continue
		}
		at := make([]int64, len(body))
		for k, i := range body[1:] {
			at[k+1] = v.in.Buffers[i].Tie.Delta
		}
		for _, c := range v.in.clashes(body, at) {
			v.fault(c[1], "tied so that it overlaps %q while both are live", v.in.Buffers[c[0]].ID)
		}
	}
}

// crowded checks that no two buffers live together whose alignments are so large
// that either fits in int64 at the bottom alone.
func (v *validation) crowded() {
	var low []int
	for i := range v.in.Buffers {
		b := &v.in.Buffers[i]
		if _, fits := Add(b.Alignment(), b.Size); !fits && b.Size > 0 && b.Offset == nil && b.Tie == nil {
			low = append(low, i)
		}
	}
	for _, c := range v.in.clashes(low, make([]int64, len(low))) {
		v.fault(c[1], "alignment %d: above %q, which is live with it and fits at the bottom alone too, %v", v.in.Buffers[c[1]].Align, v.in.Buffers[c[0]].ID, ErrOverflow)
	}
}

// pins checks that no two pinned buffers, or buffers tied to them, overlap.
func (v *validation) pins() {
	var fixed []int
	var at []int64
	for i := range v.in.Buffers {
		b := &v.in.Buffers[i]
		switch {
		case b.Offset != nil:
			fixed, at = append(fixed, i), append(at, *b.Offset)
		case b.Tie != nil && v.in.Buffers[b.Tie.To].Offset != nil:
			off, ok := Add(*v.in.Buffers[b.Tie.To].Offset, b.Tie.Delta)
			if end, fits := Add(off, b.Size); !ok || !fits || end < 0 {
				v.fault(i, "tied beyond int64")
				continue
			}
			fixed, at = append(fixed, i), append(at, off)
		}
	}
	for _, c := range v.in.clashes(fixed, at) {
		v.fault(c[1], "pinned onto %q while both are live", v.in.Buffers[c[0]].ID)
	}
}

// load checks that the live bytes of every step fit in int64.
func (v *validation) load() {
	if _, fits := v.in.Sum(); fits {
		return // all buffers together do
	}
	if _, _, ok := v.in.peakLoad(); !ok {
		v.errs = append(v.errs, errors.New("the live bytes at one step do not fit in int64"))
	}
}
