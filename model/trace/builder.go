package trace

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"memplan/model"
)

// A builder makes an arena of events.
type builder struct {
	faults    model.Faults
	name      string
	buffers   []model.Buffer
	lines     []int32          // that the buffers begin on
	live      map[string]int32 // the buffer of each id that is live
	step      int64
	freed     bool // something was freed at this step
	addresses bool // ids are addresses
	early     int  // blocks that live from before the trace
}

func newBuilder(name string, buffers int) *builder {
	return &builder{name: name, faults: model.Faults{File: name}, live: make(map[string]int32), buffers: make([]model.Buffer, 0, buffers), lines: make([]int32, 0, buffers)}
}

// event is an alloc or a free; size is below 0 where it is not known.
func (b *builder) event(line int, alloc bool, id []byte, size int64) error {
	at, live := b.live[string(id)]
	switch {
	case alloc && size < 0:
		return errors.New("allocated with no size")
	case alloc && live:
		return fmt.Errorf("allocated while it is live, since line %d", b.lines[at])
	case alloc:
		if b.freed {
			b.step, b.freed = b.step+1, false
		}
		at = b.add(line, string(id), size, b.step)
		b.live[b.buffers[at].ID] = at
		return nil
	case !live && size < 0:
		return errors.New("freed while it is not live, and with no size that it might have had before the trace")
	case !live:
		b.early++
		at = b.add(line, string(id), size, fromBefore)
	}
	b.buffers[at].Life.End, b.freed = b.step+1, true
	delete(b.live, string(id))
	return nil
}

// fromBefore is the step at which blocks begin that are older than the trace,
// until it is read.
const fromBefore = -1

// add adds a block that lives from a step to the end.
func (b *builder) add(line int, id string, size, step int64) int32 {
	b.buffers = append(b.buffers, model.Buffer{ID: id, Size: size, Life: model.Interval{Start: step, End: model.MaxBytes}})
	b.lines = append(b.lines, int32(min(line, math.MaxInt32)))
	return int32(len(b.buffers) - 1)
}

// file ends the trace. Where ids are addresses, the plan in force leaves out
// the bytes that none of the ranges has; nil: that no block ever had.
func (b *builder) file(align int64, ranges []model.Interval) (*File, error) {
	b.live = nil
	order := b.order()
	for i := range b.buffers {
		life := &b.buffers[i].Life
		*life = model.Interval{Start: max(life.Start, 0), End: min(life.End, b.step+1)}
		b.buffers[i].Align = align
	}
	var plan *model.Plan
	if b.addressed() {
		plan = b.squeezed(ranges)
	}
	b.apart(order)
	in := &model.Instance{Name: b.name, Buffers: b.buffers}
	b.faults.Validate(in, func(i int) int { return int(b.lines[i]) })
	if err := b.faults.Err(); err != nil {
		return nil, err
	}
	if len(b.buffers) == 0 {
		return nil, fmt.Errorf("%s: no event in it", b.name)
	}
	f := &File{Arenas: []model.Found{{Instance: in, Plan: plan}}}
	if b.early > 0 {
		f.Notes = append(f.Notes, fmt.Sprintf("%s: %d blocks were allocated before the trace begins: they live from its start", b.name, b.early))
	}
	return f, nil
}

// order is the blocks by id, those of one id by time. A block that is older than
// the trace comes first of its id; another is live a second time with no second alloc.
func (b *builder) order() []int32 {
	order := make([]int32, len(b.buffers))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(i, j int32) int {
		return cmp.Or(strings.Compare(b.buffers[i].ID, b.buffers[j].ID), cmp.Compare(i, j))
	})
	for k, i := range order {
		if k > 0 && b.buffers[i].Life.Start == fromBefore && b.buffers[order[k-1]].ID == b.buffers[i].ID {
			b.faults.At(int(b.lines[i]), "%q: live a second time with no second alloc; the first is on line %d", b.buffers[i].ID, b.lines[order[k-1]])
		}
	}
	return order
}

// apart tells blocks of the same id apart: the second is called id#2, unless
// another is called that.
func (b *builder) apart(order []int32) {
	var taken map[string]bool // names with a number, where any are needed
	times := 1
	for k := 1; k < len(order); k++ {
		name := b.buffers[order[k]].ID
		if name != b.buffers[order[k-times]].ID {
			times = 1
			continue
		}
		if taken == nil {
			taken = b.numbered()
		}
		id := fmt.Sprintf("%s#%d", name, times+1)
		for n := times + 2; taken[id]; n++ {
			id = fmt.Sprintf("%s#%d", name, n)
		}
		taken[id] = true
		b.buffers[order[k]].ID = id
		times++
	}
}

// numbered are the ids that have a # in them.
func (b *builder) numbered() map[string]bool {
	taken := make(map[string]bool)
	for i := range b.buffers {
		if strings.Contains(b.buffers[i].ID, "#") {
			taken[b.buffers[i].ID] = true
		}
	}
	return taken
}

// addressed reports whether the ids are addresses.
func (b *builder) addressed() bool {
	for i := range b.buffers {
		if !b.addresses && !strings.HasPrefix(b.buffers[i].ID, "0x") {
			return false
		}
		if _, ok := address(b.buffers[i].ID); !ok {
			return false
		}
	}
	return true
}

func address(text string) (int64, bool) {
	n, err := strconv.ParseInt(text, 0, 64)
	return n, err == nil && n >= 0
}

// squeezed is where the addresses put the blocks, without the bytes that lie
// outside the ranges. Nil where a block does.
func (b *builder) squeezed(ranges []model.Interval) *model.Plan {
	block := func(i int) (v model.Interval, ok bool) {
		v.Start, _ = address(b.buffers[i].ID)
		v.End, ok = model.Add(v.Start, b.buffers[i].Size)
		return v, ok
	}
	every := ranges == nil // what any block ever had
	if every {
		ranges = make([]model.Interval, 0, len(b.buffers))
	}
	for i := range b.buffers {
		v, ok := block(i)
		if !ok {
			return nil
		}
		if every {
			ranges = append(ranges, v)
		}
	}
	kept := union(ranges)
	below := make([]int64, len(kept)) // kept bytes below each range
	for k := 1; k < len(kept); k++ {
		below[k] = below[k-1] + kept[k-1].End - kept[k-1].Start
	}
	p := &model.Plan{Offsets: make([]int64, len(b.buffers))}
	for i := range b.buffers {
		v, _ := block(i)
		if v.Empty() {
			continue
		}
		k, exact := slices.BinarySearchFunc(kept, v.Start, func(r model.Interval, at int64) int { return cmp.Compare(r.Start, at) })
		if !exact {
			k--
		}
		if k < 0 || !kept[k].Contains(v) {
			return nil
		}
		p.Offsets[i] = below[k] + v.Start - kept[k].Start
	}
	return p
}

// union is the ranges in order, those that touch as one.
func union(ranges []model.Interval) []model.Interval {
	slices.SortFunc(ranges, func(a, b model.Interval) int { return cmp.Compare(a.Start, b.Start) })
	kept := ranges[:0]
	for _, r := range ranges {
		switch k := len(kept) - 1; {
		case r.Empty():
		case k >= 0 && r.Start <= kept[k].End:
			kept[k].End = max(kept[k].End, r.End)
		default:
			kept = append(kept, r)
		}
	}
	return kept
}
