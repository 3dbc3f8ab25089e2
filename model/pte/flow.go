package pte

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// A flow is what is found out by replaying a method: which instruction reads
// the bytes that which other one wrote, under the plan in force. Values that
// are never written are names for what lies at their bytes: views that the
// exporter left no instruction for.
type flow struct {
	m      *Method
	arenas []memory // by memory
	access []access // of each instruction

	parent []int  // by value: rigid groups, the root is its own parent
	named  []int  // by value: the one whose bytes it is a name for, by et_view; else itself
	known  []bool // something wrote the value, it is given, or it is a view or state
	state  []bool // the bytes are read before anything writes them
	first  []int  // by value: the instruction that first writes it; before: given or state
	last   []int  // by value: the last that touches it

	uses    []int  // by value: how often instructions and the caller name it
	wanted  []int  // by value: how many reads are still to come
	changed []bool // an operator changes the value in place
	spent   []bool // workspace of an instruction
	maybe   []bool // state, or workspace whose bytes nothing has written before

	views []view

	seen   func(step, value int, from []piece) // told of each read; may be nil
	faults []error
	more   int // faults that are not listed
}

const (
	before    = -1 // the step at which inputs are given
	never     = math.MaxInt
	maxFaults = 10
)

// An Overlap says that a method's own plan does not hold.
type Overlap struct {
	Method string
	faults error
}

func (o *Overlap) Error() string {
	return fmt.Sprintf("method %q: its plan does not hold:\n%v", o.Method, o.faults)
}

func (o *Overlap) Unwrap() error { return o.faults }

// replay runs a method's instructions on arenas whose bytes remember who wrote
// them. The error is an *Overlap. Cost: linear in the operands, times the
// pieces that their bytes fall into.
func (m *Method) replay(seen func(step, value int, from []piece)) (*flow, error) {
	f := newFlow(m, seen)
	f.inputs()
	for k := range m.Code {
		f.run(k)
	}
	f.end()
	f.lost()
	f.inside()
	if f.more > 0 {
		f.faults = append(f.faults, fmt.Errorf("and %d more", f.more))
	}
	if err := errors.Join(f.faults...); err != nil {
		return f, &Overlap{m.Name, err}
	}
	return f, nil
}

func newFlow(m *Method, seen func(step, value int, from []piece)) *flow {
	n := len(m.Values)
	f := &flow{m: m, arenas: make([]memory, len(m.Memories)), seen: seen}
	f.known, f.state, f.changed = make([]bool, n), make([]bool, n), make([]bool, n)
	f.spent, f.maybe = make([]bool, n), make([]bool, n)
	f.parent, f.named, f.wanted, f.uses = make([]int, n), make([]int, n), make([]int, n), make([]int, n)
	f.first, f.last = make([]int, n), make([]int, n)
	for v := range n {
		f.parent[v], f.named[v] = v, v
		f.first[v], f.last[v] = never, before
	}
	for _, v := range m.expand(slices.Concat(m.Inputs, m.Outputs)...) {
		f.uses[v]++
	}
	for k := range m.Code {
		a := m.accesses(&m.Code[k])
		f.access = append(f.access, a)
		for _, v := range a.reads {
			f.wanted[v]++
			f.uses[v]++
		}
		for _, v := range a.writes {
			f.uses[v]++
		}
		if x := &m.Code[k]; x.Call == Kernel && len(x.Args) > 0 && changes(x.operator()) {
			f.changed[x.Args[len(x.Args)-1]] = true
		}
	}
	return f
}

func (f *flow) fault(format string, args ...any) {
	if len(f.faults) == maxFaults {
		f.more++
		return
	}
	f.faults = append(f.faults, fmt.Errorf(format, args...))
}

// inputs gives the inputs, and what arenas hold before the first run.
func (f *flow) inputs() {
	for v := range f.m.Values {
		if f.m.planned(v) && f.m.Values[v].Initial {
			f.state[v] = true
			f.write(v, before)
		}
	}
	for _, v := range f.m.expand(f.m.Inputs...) {
		f.write(v, before)
	}
}

// run replays one instruction.
func (f *flow) run(k int) {
	a := &f.access[k]
	if x := &f.m.Code[k]; x.Call == Delegate && (x.inputs < 0 || x.inputs > len(x.Args)) {
		*a = f.guess(a.reads)
	}
	a.from, a.to = f.bytesOf(a.reads), f.bytesOf(a.writes)
	for i, v := range a.reads {
		f.wanted[v]--
		f.read(a.from[i], k)
	}
	if a.view && len(a.reads) > 0 {
		f.named[a.writes[0]], a.to[0] = a.from[0], a.from[0]
		return
	}
	for _, v := range a.to {
		f.write(v, k)
	}
	f.apart(k)
}

// apart checks that what an instruction writes lies over nothing else that it
// reads or writes: kernels write while they read.
func (f *flow) apart(k int) {
	for _, list := range [][]int{f.access[k].from, f.access[k].to} {
		for _, v := range list {
			if f.m.planned(v) && f.known[v] {
				x := &f.m.Values[v]
				f.intact(v, k, k, f.arenas[x.Memory].read(x.Offset, x.Offset+x.Bytes))
			}
		}
	}
}

// guess divides the arguments of a delegate that does not say how many it
// reads. What has a value is read; so is what an operator changes in place,
// which is state. What covers exactly the bytes of a value that is still
// wanted, or that nobody has read, is a view of that. All else is written.
func (f *flow) guess(args []int) access {
	var a access
	for i, bytes := range f.bytesOf(args) {
		v := args[i]
		switch {
		case f.m.planned(bytes) && (f.known[bytes] || f.changed[v]):
			a.reads = append(a.reads, v)
		case !f.m.planned(bytes) || f.live(bytes):
			a.reads, a.writes = append(a.reads, v), append(a.writes, v)
		default:
			f.wanted[v]--
			a.writes = append(a.writes, v)
		}
	}
	return a
}

// live reports whether a value's bytes are, exactly and intact, those of another
// that is still to be read, or that nobody has read since it was written.
func (f *flow) live(v int) bool {
	x := &f.m.Values[v]
	at := f.arenas[x.Memory].read(x.Offset, x.Offset+x.Bytes)
	if len(at) != 1 || !covers(at, x.Offset, x.Offset+x.Bytes) {
		return false
	}
	w := at[0].value
	y := &f.m.Values[w]
	return y.Offset == x.Offset && y.Bytes == x.Bytes && (f.wanted[w] > 0 || f.last[w] <= at[0].step && !f.spent[w])
}

// root is the value that stands for a rigid group.
func (f *flow) root(v int) int {
	for f.parent[v] != v {
		f.parent[v] = f.parent[f.parent[v]]
		v = f.parent[v]
	}
	return v
}

// bytesOf lists the values whose bytes values name.
func (f *flow) bytesOf(values []int) []int {
	list := make([]int, len(values))
	for i, v := range values {
		list[i] = f.named[v]
	}
	return list
}

func (f *flow) touch(v, k int) { f.last[v] = max(f.last[v], k) }

func (f *flow) write(v, k int) {
	if !f.m.planned(v) {
		return
	}
	f.touch(v, k)
	f.known[v], f.first[v] = true, min(f.first[v], k)
	x := &f.m.Values[v]
	f.arenas[x.Memory].write(piece{x.Offset, x.Offset + x.Bytes, v, k})
}

// read finds out whose bytes an instruction reads.
func (f *flow) read(v, k int) {
	if !f.m.planned(v) {
		return
	}
	f.touch(v, k)
	x := &f.m.Values[v]
	if x.Bytes == 0 {
		return
	}
	from := f.arenas[x.Memory].read(x.Offset, x.Offset+x.Bytes)
	if f.seen != nil {
		f.seen(k, v, from)
	}
	switch {
	case f.known[v]:
		f.intact(v, k, before, from)
	case len(from) == 0:
		f.known[v], f.state[v], f.maybe[v] = true, true, f.scratch(v, k)
		f.first[v] = before
		f.arenas[x.Memory].write(piece{x.Offset, x.Offset + x.Bytes, v, before})
	case f.scratch(v, k) && !f.live(v):
		f.spent[v] = true
		f.write(v, k)
	case f.changed[v]:
		f.known[v] = true
		f.fault("%s reads %s, which is state, since an operator changes it in place; but %s wrote %s over its bytes", f.m.Step(k), f.m.Label(v),
			f.m.Step(from[0].step), f.m.Label(from[0].value))
	default:
		f.known[v] = true
		f.join(v, k, from)
	}
}

// intact checks that a value's bytes are still its own, where they were written
// since some step.
func (f *flow) intact(v, k, since int, from []piece) {
	told := v
	for _, p := range from {
		if p.step >= since && f.root(p.value) != f.root(v) && p.value != told {
			told = p.value
			f.fault("%s needs %s, over whose bytes [%d,%d) of memory %d %s wrote %s", f.m.Step(k), f.m.Label(v),
				p.start, p.end, f.m.Values[v].Memory, f.m.Step(p.step), f.m.Label(p.value))
		}
	}
}

// join makes a value that is never written a view of those whose bytes it names.
func (f *flow) join(v, k int, from []piece) {
	x := &f.m.Values[v]
	whole := covers(from, x.Offset, x.Offset+x.Bytes)
	for _, p := range from {
		y := &f.m.Values[p.value]
		part := p.start == y.Offset && p.end == y.Offset+y.Bytes               // all of the other, inside this one
		around := y.Offset <= x.Offset && x.Offset+x.Bytes <= y.Offset+y.Bytes // this one, inside the other
		if whole && (part || around) && !f.spent[p.value] {
			continue
		}
		f.fault("%s reads %s, which nothing writes, and whose bytes [%d,%d) of memory %d hold part of %s, written by %s", f.m.Step(k), f.m.Label(v),
			p.start, p.end, x.Memory, f.m.Label(p.value), f.m.Step(p.step))
		return
	}
	for _, p := range from {
		f.parent[f.root(v)] = f.root(p.value)
		f.maybe[p.value] = false // there is another reader: it is state
	}
	f.first[v] = min(f.first[v], k)
	f.views = append(f.views, view{v, from[0].value, k})
}

// A view is a value that is never written, the one that its bytes are of, and
// the instruction that first reads it.
type view struct{ value, of, step int }

// lost finds views whose source is in doubt: it may have been another value, as
// large, that one of PyTorch's own operators computed before and that nothing
// reads, which exporters leave out.
func (f *flow) lost() {
	viewed := make(map[int]bool)
	for _, v := range f.views {
		viewed[v.of] = true
	}
	unread := make(map[int64]int) // by bytes, the first
	for k := range f.m.Code {
		a := &f.access[k]
		if len(a.writes) != 1 || a.view || effects(&f.m.Code[k]) {
			continue
		}
		w := a.writes[0]
		_, seen := unread[f.m.Values[w].Bytes]
		if f.m.planned(w) && f.first[w] == k && f.last[w] == k && !viewed[w] && !seen {
			unread[f.m.Values[w].Bytes] = w
		}
	}
	for _, v := range f.views {
		if w, there := unread[f.m.Values[v.value].Bytes]; there && f.first[w] < v.step {
			f.fault("%s reads %s, which nothing writes, at the bytes of %s; but it may have been a view of %s, as large, which nothing reads",
				f.m.Step(v.step), f.m.Label(v.value), f.m.Label(v.of), f.m.Label(w))
		}
	}
}

// scratch reports whether a value without a writer can be workspace of
// instruction k: the last operand of an operator that is none of PyTorch's own,
// and named nowhere else. It is, where its bytes are leftovers, or are others'
// later.
func (f *flow) scratch(v, k int) bool {
	if k >= len(f.m.Code) || f.uses[v] != 1 || !effects(&f.m.Code[k]) {
		return false
	}
	reads := f.access[k].reads
	return f.m.Code[k].Call == Kernel && f.access[k].from[len(reads)-1] == v
}

// end has the caller read the outputs, and the next run the state.
func (f *flow) end() {
	n := len(f.m.Code)
	for _, v := range f.m.Outputs {
		for _, v := range f.bytesOf(f.m.expand(v)) {
			f.read(v, n)
		}
	}
	for v, state := range f.state {
		switch {
		case !state:
		case f.maybe[v] && !f.whole(v): // the next run does without it
			f.state[v], f.spent[v], f.first[v] = false, true, f.last[v]
		default:
			f.read(v, n)
		}
	}
}

// whole reports whether a value's bytes are its own.
func (f *flow) whole(v int) bool {
	x := &f.m.Values[v]
	for _, p := range f.arenas[x.Memory].read(x.Offset, x.Offset+x.Bytes) {
		if p.value != v {
			return false
		}
	}
	return true
}

// inside checks that every tensor lies in its arena: the runtime loads no
// program where one does not, used or not.
func (f *flow) inside() {
	for v := range f.m.Values {
		x := &f.m.Values[v]
		if x.Memory > 0 && x.Offset+x.Bytes > f.m.Memories[x.Memory].Size {
			f.fault("%s ends at byte %d, and memory %d has %d", f.m.Label(v), x.Offset+x.Bytes, x.Memory, f.m.Memories[x.Memory].Size)
		}
	}
}
