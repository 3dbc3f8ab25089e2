package pte

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"maps"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"memplan/model"
	"memplan/model/graph"
	"memplan/model/internal/build"
	"memplan/model/schedule"
	"memplan/verify"
)

// planned places a program's arenas by a function of the tensor's number.
func planned(t *testing.T, p *Program, at func(arena, i int, b *model.Buffer) int64) Placement {
	t.Helper()
	to := p.Unchanged()
	for i := range p.Methods {
		a, err := p.Arenas(0, i)
		if err != nil {
			continue
		}
		l := lower(t, a, graph.LowerOptions{})
		plans := make([]model.Plan, len(l.Arenas))
		for k, in := range l.Arenas {
			for b := range in.Buffers {
				plans[k].Offsets = append(plans[k].Offsets, at(k, b, &in.Buffers[b]))
			}
		}
		a.Place(&to, l, plans)
	}
	return to
}

// with writes a placement, and reads the result back.
func with(t *testing.T, p *Program, to Placement) *Program {
	t.Helper()
	data, err := p.With(to)
	if err != nil {
		t.Fatal(err)
	}
	return mustRead(t, data)
}

// An offset that has a field is changed in place; one that has none, since it
// was zero, gets a table behind the FlatBuffer, and segments move by a multiple
// of their alignment.
func TestWith(t *testing.T) {
	segment := []byte("the weights")
	old := mustRead(t, file(segment, chainProgram()))
	inPlace := []int64{0, 64, 128, 32} // of values 1 to 4: b lies where d was, and d below c
	grown := []int64{32, 0, 64, 128}   // value 1, at 0 before, has no field
	far := []int64{1 << 33, 64, 0, 0}
	for _, c := range []struct {
		offsets []int64
		grows   bool
	}{{inPlace, false}, {grown, true}, {far, true}} {
		next := 0
		p := with(t, old, planned(t, old, func(int, int, *model.Buffer) int64 { next++; return c.offsets[next-1] }))
		m := p.Methods[0]
		var peak int64
		for v, want := range c.offsets {
			if got := m.Values[v+1].Offset; got != want {
				t.Errorf("%v: value %d at %d", c.offsets, v+1, got)
			}
			peak = max(peak, want+m.Values[v+1].Bytes)
		}
		if m.Memories[1].Size != peak {
			t.Errorf("%v: %d bytes, want %d", c.offsets, m.Memories[1].Size, peak)
		}
		if (p.flat > old.flat) != c.grows || p.base%128 != 0 || !bytes.Equal(p.data[p.base:], segment) {
			t.Errorf("%v: the FlatBuffer has %d bytes, the segments begin at %d and hold %q", c.offsets, p.flat, p.base, p.data[p.base:])
		}
		if err := p.unchanged(old, old.Unchanged()); err != nil {
			t.Errorf("%v: %v", c.offsets, err)
		}
	}
}

// sharedTable lets the field of one value refer to what the field of a later one
// refers to: the place of tensors, or whole tensors.
func sharedTable(t *testing.T, data []byte, from, to [2]int, whole bool) []byte {
	t.Helper()
	data = slices.Clone(data)
	p := mustRead(t, data)
	at := func(of [2]int) (pos, target int64) {
		m := p.Methods[of[0]]
		pos, _ = m.Values[of[1]].table.At(tensorAllocation, 4)
		if whole {
			pos, _ = m.table.Vector(planValues, 4).Table(of[1]).At(valueOf, 4)
		}
		return pos, p.reader().Follow(pos)
	}
	pos, _ := at(from)
	_, target := at(to)
	binary.LittleEndian.PutUint32(data[pos:], uint32(target-pos))
	return data
}

// Tensors that are one table are moved together or not at all; those that share
// only where they lie are told apart.
func TestSharedTables(t *testing.T) {
	m := newMethod("forward", 192)
	a, b, c := m.bytes(64, 1, 0), m.bytes(32, 1, 64), m.bytes(32, 1, 96)
	d, e := m.bytes(32, 1, 128), m.bytes(32, 1, 64)
	m.call("aten::relu.out", a, b, b)
	m.call("aten::relu.out", b, c, c)
	m.call("aten::relu.out", c, d, d)
	m.call("aten::relu.out", d, e, e)
	m.inputs, m.outputs = []int{a}, []int{e}
	apart := func(_, i int, _ *model.Buffer) int64 { return int64(64 * i) }

	old := mustRead(t, sharedTable(t, file(nil, m), [2]int{0, b}, [2]int{0, e}, false))
	p := with(t, old, planned(t, old, apart))
	if p.Methods[0].Values[b].Offset == p.Methods[0].Values[e].Offset {
		t.Error("two tensors whose places are one table were not told apart")
	}
	if err := p.Same(old, old.Unchanged()); err != nil {
		t.Error(err)
	}
	old = mustRead(t, sharedTable(t, file(nil, m), [2]int{0, b}, [2]int{0, e}, true))
	if _, err := old.With(planned(t, old, apart)); err == nil || !strings.Contains(err.Error(), "two tensors are one table") {
		t.Errorf("two tensors in one table: %v", err)
	}
}

// A value that is left alone keeps its place though another has the same table.
func TestWithKeeps(t *testing.T) {
	m, other := newMethod("forward", 192), newMethod("other", 192)
	a, b := m.bytes(32, 1, 0), m.bytes(32, 1, 64)
	m.call("aten::relu.out", a, b, b)
	m.inputs, m.outputs = []int{a}, []int{b}
	x, y := other.bytes(32, 1, 0), other.bytes(32, 1, 64)
	other.call("aten::relu.out", x, y, y)
	other.instruction(Jump, 0, 1)
	other.inputs, other.outputs = []int{x}, []int{y}
	old := mustRead(t, sharedTable(t, file(nil, m, other), [2]int{0, b}, [2]int{1, y}, false))
	p := with(t, old, planned(t, old, func(_, i int, _ *model.Buffer) int64 { return int64(32 - 32*i) }))
	if p.Methods[0].Values[b].Offset != 0 || p.Methods[1].Values[y].Offset != 64 {
		t.Errorf("value %d at %d, and that of the other method at %d", b, p.Methods[0].Values[b].Offset, p.Methods[1].Values[y].Offset)
	}
	if err := p.Same(old, old.Unchanged()); err != nil {
		t.Error(err)
	}
}

// stateProgram is a method that reads its state, computes from it and from the input,
// and writes it back last, as exporters do; the state can be written earlier.
func stateProgram() *testMethod {
	m := newMethod("forward", 1024)
	x, s := m.bytes(64, 1, 0), m.bytes(64, 1, 64)
	sum, wide := m.bytes(64, 1, 128), m.bytes(256, 1, 192)
	back, out := m.bytes(64, 1, 448), m.bytes(64, 1, 512)
	m.call("aten::add.out", x, s, 0, sum, sum)
	m.call("aten::relu.out", x, back, back)
	m.call("aten::repeat.out", sum, 0, wide, wide)
	m.call("aten::mean.out", wide, 0, out, out)
	m.call("aten::copy_", s, back, 0, s)
	m.inputs, m.outputs = []int{x}, []int{out}
	return m
}

// Instructions may run in another order where no value is read or written in
// another: the state is written after it was read.
func TestOrder(t *testing.T) {
	old := mustRead(t, file(nil, stateProgram()))
	a, err := old.Arenas(0)
	if err != nil {
		t.Fatal(err)
	}
	before := lower(t, a, graph.LowerOptions{}).Arenas[0].Load()
	l := lower(t, a, graph.LowerOptions{Schedule: schedule.Optimal})
	if in := l.Arenas[0]; in.Load() >= before {
		t.Fatalf("load %d in the best order, %d as given", in.Load(), before)
	}
	to := old.Unchanged()
	plan := model.Plan{}
	next := int64(0)
	for _, b := range l.Arenas[0].Buffers {
		plan.Offsets = append(plan.Offsets, next)
		next += b.Size
	}
	a.Place(&to, l, []model.Plan{plan})
	p := with(t, old, to)
	if !a.Reordered(l) || slices.Equal(to.Order[0], []int{0, 1, 2, 3, 4}) {
		t.Fatalf("order %v", to.Order[0])
	}
	if err := p.Same(old, to); err != nil {
		t.Error(err)
	}
	if err := p.Same(old, old.Unchanged()); err == nil {
		t.Error("another order passes for the one given")
	}
	// Every other order that is given: Same takes those in which the copy comes
	// after what it copies and after the last read of the state.
	orders, right := 0, 0
	permute(5, func(order []int) {
		orders++
		to := old.Unchanged()
		to.Order[0] = slices.Clone(order)
		to.Offsets[0] = slices.Repeat([]int64{absent}, len(old.Methods[0].Values))
		to.Sizes[0] = []int64{absent, absent}
		place := make([]int, 5)
		for k, i := range order {
			place[i] = k
		}
		safe := place[0] < place[2] && place[2] < place[3] && place[1] < place[4] && place[0] < place[4]
		err := with(t, old, to).Same(old, to)
		if (err == nil) != safe {
			t.Errorf("order %v: %v", order, err)
		}
		if safe {
			right++
		}
	})
	if orders != 120 || right != 9 {
		t.Errorf("%d orders, %d right", orders, right)
	}
}

func permute(n int, f func([]int)) {
	list := make([]int, 0, n)
	used := make([]bool, n)
	var more func()
	more = func() {
		if len(list) == n {
			f(list)
			return
		}
		for i := range n {
			if !used[i] {
				used[i], list = true, append(list, i)
				more()
				used[i], list = false, list[:len(list)-1]
			}
		}
	}
	more()
}

// Same finds a program that reads other bytes, or that differs in anything but
// its plan.
func TestSameObjects(t *testing.T) {
	data := file([]byte("weights"), chainProgram())
	old := mustRead(t, data)
	for _, c := range []struct {
		says    string
		offsets []int64
	}{
		{"", []int64{0, 64, 96, 160}},
		{"", []int64{64, 0, 32, 0}},
		{"does not hold", []int64{0, 32, 96, 160}},
	} {
		next := 0
		p := with(t, old, planned(t, old, func(int, int, *model.Buffer) int64 { next++; return c.offsets[next-1] }))
		if err := p.Same(old, old.Unchanged()); (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%v: %v, want %q", c.offsets, err, c.says)
		}
	}
	allowed := make(map[int64]bool)
	for _, at := range old.places(old.Unchanged()) {
		for i := at.start; i < at.end; i++ {
			allowed[i] = true
		}
	}
	changed, found := 0, 0
	for i := range data {
		spoilt := slices.Clone(data)
		spoilt[i] ^= 1
		p, err := Read(spoilt)
		if err != nil || allowed[int64(i)] {
			continue
		}
		changed++
		if i < int(old.flat) || i >= int(old.base) {
			if p.Same(old, old.Unchanged()) != nil {
				found++
			}
		} else {
			found++ // the gap before the segments means nothing
		}
	}
	if changed < 500 || found != changed {
		t.Errorf("%d bytes were changed, %d found", changed, found)
	}
}

// Random programs under random plans: what verify accepts, Same accepts.
func TestPlansKeepSources(t *testing.T) {
	accepted, rejected, caught := 0, 0, 0
	for seed := range int64(300) {
		r := rand.New(rand.NewSource(seed))
		old := mustRead(t, file(nil, randomMethod(r)))
		a, err := old.Arenas(0)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		l := lower(t, a, graph.LowerOptions{})
		in := l.Arenas[0]
		if err := verify.Plan(in, a.InForce(l)[0]); err != nil {
			t.Fatalf("seed %d: the plan in force: %v", seed, err)
		}
		for range 10 {
			plan := randomPlan(r, in)
			holds := verify.Plan(in, plan) == nil
			to := old.Unchanged()
			a.Place(&to, l, []model.Plan{plan})
			q := with(t, old, to)
			same := q.Same(old, old.Unchanged()) == nil
			if holds {
				again, err := q.Arenas(0)
				if err != nil {
					t.Fatalf("seed %d: of a plan that holds: %v", seed, err)
				}
				l := lower(t, again, graph.LowerOptions{})
				if err := verify.Plan(l.Arenas[0], again.InForce(l)[0]); err != nil {
					t.Fatalf("seed %d: read again, a plan that holds: %v", seed, err)
				}
			}
			switch {
			case holds && !same:
				t.Fatalf("seed %d: a plan that holds changes what is read: %v\n%v", seed, plan.Offsets, lives(in))
			case holds:
				accepted++
			default:
				rejected++
				if !same {
					caught++
				}
			}
		}
	}
	if accepted < 500 || rejected < 500 || caught < rejected/2 {
		t.Errorf("%d plans accepted, %d rejected of which %d change what is read: the test does not test", accepted, rejected, caught)
	}
}

// randomMethod is a method of up to a dozen instructions, planned without reuse.
func randomMethod(r *rand.Rand) *testMethod {
	m := newMethod("forward", 1<<20)
	var offset int64
	value := func() int {
		n := 16 * (1 + r.Intn(8))
		offset += int64(n)
		return m.bytes(n, 1, offset-int64(n))
	}
	live := []int{value()}
	m.inputs = []int{live[0]}
	if r.Intn(2) == 0 {
		live = append(live, value()) // state
	}
	unread := make(map[int]bool)
	for k := range 3 + r.Intn(10) {
		out := value()
		a, b := live[r.Intn(len(live))], live[r.Intn(len(live))]
		delete(unread, a)
		delete(unread, b)
		unread[out] = true
		if r.Intn(5) == 0 { // with workspace
			m.call(fmt.Sprintf("custom::op%d.out", k), a, b, value(), out, out)
		} else {
			m.call(fmt.Sprintf("aten::op%d.out", k), a, b, out, out)
		}
		if r.Intn(4) == 0 { // read by another name
			at := m.planned[out]
			view := m.bytes(int(at[2]), 1, at[1])
			live = append(live, view)
			read := value()
			m.call("aten::relu.out", view, read, read)
			live = append(live, read)
			delete(unread, out)
			unread[read] = true
		}
		live = append(live, out)
	}
	m.outputs = slices.Sorted(maps.Keys(unread)) // exporters leave out what nobody reads
	return m
}

// randomPlan puts buffers, one after another in random order, at the lowest
// place or at a random one, which may be taken.
func randomPlan(r *rand.Rand, in *model.Instance) model.Plan {
	plan := model.Plan{Offsets: make([]int64, len(in.Buffers))}
	careful := r.Intn(2) == 0
	var done []int
	for _, i := range r.Perm(len(in.Buffers)) {
		at := int64(16 * r.Intn(8))
		if !careful {
			at = int64(16 * r.Intn(64))
		}
		for moved := careful; moved; {
			moved = false
			for _, j := range done {
				if in.Buffers[i].Conflicts(&in.Buffers[j]) && at < plan.Offsets[j]+in.Buffers[j].Size && plan.Offsets[j] < at+in.Buffers[i].Size {
					at, moved = plan.Offsets[j]+in.Buffers[j].Size, true
				}
			}
		}
		plan.Offsets[i], done = at, append(done, i)
	}
	return plan
}

// The segments' alignment is the largest power of two that their places allow.
func TestSegmentAlignment(t *testing.T) {
	for _, c := range []struct {
		base     int64
		segments []segment
		want     int64
	}{
		{128, []segment{{0, 10}, {128, 5}}, 128},
		{1280, []segment{{0, 10}, {512, 5}}, 256},
		{1 << 20, []segment{{0, 10}}, 4096},
		{64, []segment{{0, 8}, {24, 8}}, 8},
		{4096, []segment{{0, 8}, {3, 0}}, 4096},
	} {
		p := &Program{base: c.base, segments: c.segments}
		if got := p.alignment(); got != c.want {
			t.Errorf("base %d, %v: %d, want %d", c.base, c.segments, got, c.want)
		}
	}
}

// XNNPACK's payload says how many inputs it has.
func TestXNNPACKInputs(t *testing.T) {
	inner := build.File("XN01", build.Table(build.Text("0"), nil, nil, 3, build.Ints(0, 1), build.Ints(2)))
	header := make([]byte, 32)
	copy(header[4:], xnnHeader)
	binary.LittleEndian.PutUint32(header[xnnFlat:], uint32(len(header)))
	binary.LittleEndian.PutUint32(header[xnnSize:], uint32(len(inner)))
	for _, payload := range [][]byte{inner, append(header, inner...)} {
		if n, ok := xnnInputCount(payload); !ok || n != 2 {
			t.Errorf("%d inputs, %v", n, ok)
		}
		if _, ok := xnnInputCount(payload[:len(payload)/2]); ok {
			t.Error("half a payload was read")
		}
	}
}
