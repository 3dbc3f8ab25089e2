package verify

import (
	"fmt"
	"math"
	"strings"

	"memplan/model"
)

// Kind says what is wrong with a plan.
type Kind int

const (
	Count    Kind = iota // not one offset a buffer
	Range                // negative offset, or an end that leaves int64
	Capacity             // an end beyond the instance's capacity
	Align                // not a multiple of the alignment
	Pin                  // not at the pinned offset
	Tie                  // not at the tied distance from its root
	Overlap              // shares a byte and a step with another buffer
)

func (k Kind) String() string {
	return [...]string{"count", "range", "capacity", "alignment", "pin", "tie", "overlap"}[k]
}

// A Fault is one thing wrong with a plan.
type Fault struct {
	Kind   Kind
	Buffer int            // index of the buffer; -1 for Count
	Other  int            // Overlap: the second buffer; Tie: the root; else -1
	Steps  model.Interval // Overlap: the first steps that both are live at
	Msg    string         // one line that names the buffers
}

// Limit is the number of faults that Plan lists at most.
const Limit = 100

// Faults is the error of a plan that does not hold.
type Faults struct {
	List []Fault
	More bool // there are faults beyond those listed
}

func (f *Faults) Error() string {
	lines := make([]string, len(f.List), len(f.List)+1)
	for i := range f.List {
		lines[i] = f.List[i].Msg
	}
	if f.More {
		lines = append(lines, fmt.Sprintf("and more than these %d faults", len(lines)))
	}
	return strings.Join(lines, "\n")
}

// add appends a fault and reports whether there is room for another.
func (f *Faults) add(fault Fault) bool {
	if len(f.List) == Limit {
		f.More = true
		return false
	}
	f.List = append(f.List, fault)
	return true
}

// Plan checks that p places the buffers of in: one offset a buffer, no offset
// negative and no end beyond int64 or the capacity, every alignment, pin and
// tie held, and no two buffers that share both a byte and a step. Sizes,
// alignments and lifetimes are the instance's. It returns nil or a *Faults:
// first the faults of single buffers, by index, then the overlaps, by the step
// at which they begin. Buffers out of range are not looked at for overlaps.
// A buffer of size 0 overlaps nothing.
//
// Exact, whatever the numbers. Cost: O(n log n), and O(log n) a fault.
func Plan(in *model.Instance, p model.Plan) error {
	var f Faults
	if len(p.Offsets) != len(in.Buffers) {
		f.add(Fault{Count, -1, -1, model.Interval{}, fmt.Sprintf("%d offsets for %d buffers", len(p.Offsets), len(in.Buffers))})
		return &f
	}
	inRange := make([]bool, len(in.Buffers))
	for i := range in.Buffers {
		inRange[i] = single(&f, in, p, i)
	}
	overlaps(&f, in, p, inRange)
	if len(f.List) > 0 {
		return &f
	}
	return nil
}

// single checks what concerns buffer i alone, and reports whether its
// addresses are in range.
func single(f *Faults, in *model.Instance, p model.Plan, i int) bool {
	b, at := &in.Buffers[i], p.Offsets[i]
	fault := func(k Kind, format string, args ...any) {
		f.add(Fault{k, i, -1, model.Interval{}, fmt.Sprintf("buffer %q at %d: ", b.ID, at) + fmt.Sprintf(format, args...)})
	}
	if b.Align > 1 && at%b.Align != 0 {
		fault(Align, "the offset is not a multiple of the alignment %d", b.Align)
	}
	if b.Offset != nil && at != *b.Offset {
		fault(Pin, "the buffer is pinned at %d", *b.Offset)
	}
	if b.Tie != nil {
		tie(f, in, p, i)
	}
	switch {
	case b.Size < 0:
		fault(Range, "the size %d is negative", b.Size)
		return false
	case at < 0:
		fault(Range, "the offset is negative")
		return false
	case at > math.MaxInt64-b.Size:
		fault(Range, "offset plus size %d does not fit in int64", b.Size)
		return false
	case in.Capacity > 0 && b.Size > 0 && at+b.Size > in.Capacity:
		fault(Capacity, "its end %d is beyond the capacity %d", at+b.Size, in.Capacity)
	}
	return true
}

// tie checks that buffer i, which is tied, is at its distance from its root.
func tie(f *Faults, in *model.Instance, p model.Plan, i int) {
	t := in.Buffers[i].Tie
	if t.To < 0 || t.To >= len(in.Buffers) {
		f.add(Fault{Tie, i, -1, model.Interval{}, fmt.Sprintf("buffer %q is tied to buffer number %d, which does not exist", in.Buffers[i].ID, t.To+1)})
		return
	}
	at, root := p.Offsets[i], p.Offsets[t.To]
	// With root and Delta non-negative, at-root cannot wrap where at >= root.
	if root < 0 || t.Delta < 0 || at < root || at-root != t.Delta {
		f.add(Fault{Tie, i, t.To, model.Interval{}, fmt.Sprintf("buffer %q at %d: it is tied %d above %q, which is at %d",
			in.Buffers[i].ID, at, t.Delta, in.Buffers[t.To].ID, root)})
	}
}
