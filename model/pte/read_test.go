package pte

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"memplan/model"
	"memplan/model/graph"
	"memplan/model/internal/build"
)

func mustRead(t *testing.T, data []byte) *Program {
	t.Helper()
	p, err := Read(data)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// lives are the buffers of an arena, as "id [start,end) size".
func lives(in *model.Instance) []string {
	var list []string
	for _, b := range in.Buffers {
		list = append(list, fmt.Sprintf("%s %v %d", b.ID, b.Life, b.Size))
	}
	return list
}

func lower(t *testing.T, a *Arenas, o graph.LowerOptions) *graph.Lowered {
	t.Helper()
	l, err := a.Graph.Lower(o)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// What instructions do to values, and what lifetimes come of it.
func TestLifetimes(t *testing.T) {
	for _, c := range []struct {
		name string
		make func(m *testMethod)
		want []string
	}{
		{"chain", func(m *testMethod) { *m = *chainProgram() },
			[]string{"1:input [0,1) 64", "2:relu.out [0,2) 32", "3:relu.out [1,3) 64", "4:relu.out [2,4) 32"}},
		{"what nobody reads occupies its step, and an output lives to the end", func(m *testMethod) {
			a, b, c := m.bytes(16, 1, 0), m.bytes(16, 1, 16), m.bytes(16, 1, 32)
			m.call("aten::max_pool.out", a, b, c, m.list(b, c))
			m.call("aten::relu.out", b, a, a)
			m.inputs, m.outputs = []int{a}, []int{b}
		}, []string{"1:input [0,2) 16", "2:max_pool.out [0,3) 16", "3:max_pool.out [0,1) 16"}},
		{"an operator ending in _ reads its result, which is state here", func(m *testMethod) {
			a, s, b := m.bytes(16, 1, 0), m.bytes(16, 1, 16), m.bytes(16, 1, 32)
			m.call("aten::relu.out", a, b, b)
			m.call("aten::copy_", s, b, 0, s)
			m.inputs = []int{a}
		}, []string{"1:input [0,1) 16", "2:state [0,3) 16", "3:relu.out [0,2) 16"}},
		{"a value that is never written is a view of what lies there", func(m *testMethod) {
			a, b, view, c := m.bytes(16, 1, 0), m.bytes(16, 1, 16), m.bytes(16, 1, 16), m.bytes(16, 1, 32)
			m.call("aten::relu.out", a, b, b)
			m.call("aten::relu.out", view, c, c)
			m.inputs = []int{a}
		}, []string{"1:input [0,1) 16", "2:relu.out [0,2) 16", "4:relu.out [1,2) 16"}},
		{"part of another, and made of others, likewise", func(m *testMethod) {
			a, b, part, c := m.bytes(16, 1, 0), m.bytes(32, 1, 16), m.bytes(16, 1, 32), m.bytes(16, 1, 48)
			d, whole, e := m.bytes(16, 1, 64), m.bytes(32, 1, 48), m.bytes(16, 1, 0)
			m.call("aten::relu.out", a, b, b)
			m.call("aten::relu.out", part, c, c)
			m.call("aten::relu.out", a, d, d)
			m.call("aten::relu.out", whole, e, e)
			m.inputs = []int{a}
		}, []string{"1:input [0,3) 16", "2:relu.out [0,2) 32", "4:relu.out [1,4) 32", "7:relu.out [3,4) 16"}},
		{"et_view names its operand's bytes, wherever its own place is", func(m *testMethod) {
			a, b, view, c := m.bytes(16, 1, 0), m.bytes(16, 1, 16), m.bytes(16, 1, 0), m.bytes(16, 1, 32)
			m.call("aten::relu.out", a, b, b)
			m.call("executorch_prim::et_view.default", b, 0, view)
			m.call("aten::relu.out", view, c, c)
			m.inputs = []int{a}
		}, []string{"1:input [0,1) 16", "2:relu.out [0,3) 16", "4:relu.out [2,3) 16"}},
		{"a tensor can lose its place to a name", func(m *testMethod) {
			a, b, c := m.bytes(16, 1, 0), m.bytes(16, 1, 16), m.bytes(16, 1, 32)
			m.call("aten::relu.out", a, b, b)
			m.call("executorch_prim::et_view.default", b, 0, a)
			m.call("aten::relu.out", a, c, c)
			m.inputs, m.outputs = []int{a}, []int{a}
		}, []string{"1:input [0,1) 16", "2:relu.out [0,4) 16", "3:relu.out [2,3) 16"}},
		{"a delegate's arguments that have a value are read, the others written", func(m *testMethod) {
			a, b, c := m.bytes(16, 1, 0), m.bytes(16, 1, 16), m.bytes(16, 1, 32)
			m.delegate("SomeBackend", a, b)
			m.call("aten::relu.out", b, c, c)
			m.inputs = []int{a}
		}, []string{"1:input [0,1) 16", "2:SomeBackend [0,2) 16", "3:relu.out [1,2) 16"}},
		{"a delegate may be the only reader of a view", func(m *testMethod) {
			a, b, view, c := m.bytes(16, 1, 0), m.bytes(16, 1, 16), m.bytes(16, 1, 16), m.bytes(16, 1, 32)
			m.call("aten::relu.out", a, b, b)
			m.delegate("SomeBackend", view, c)
			m.inputs = []int{a}
		}, []string{"1:input [0,1) 16", "2:relu.out [0,2) 16", "4:SomeBackend [1,2) 16"}},
		{"a delegate's state is told by the operator that changes it", func(m *testMethod) {
			a, s, b := m.bytes(16, 1, 0), m.bytes(16, 1, 16), m.bytes(16, 1, 32)
			m.delegate("SomeBackend", a, s, b)
			m.call("aten::copy_", s, b, 0, s)
			m.inputs = []int{a}
		}, []string{"1:input [0,1) 16", "2:state [0,3) 16", "3:SomeBackend [0,2) 16"}},
		{"workspace of a kernel holds leftovers", func(m *testMethod) {
			a, b, scratch, c := m.bytes(16, 1, 0), m.bytes(16, 1, 32), m.bytes(48, 1, 48), m.bytes(16, 1, 0)
			d := m.bytes(16, 1, 64)
			m.call("aten::relu.out", a, d, d)
			m.call("aten::relu.out", d, b, b)
			m.call("custom::conv.out", b, scratch, c, c)
			m.inputs = []int{a}
		}, []string{"1:input [0,1) 16", "2:relu.out [1,3) 16", "3:conv.out [2,3) 48", "4:conv.out [2,3) 16", "5:relu.out [0,2) 16"}},
		{"workspace whose bytes are others' later", func(m *testMethod) {
			a, b, scratch, c := m.bytes(16, 1, 0), m.bytes(16, 1, 32), m.bytes(48, 1, 48), m.bytes(16, 1, 64)
			m.call("custom::conv.out", a, scratch, b, b)
			m.call("aten::relu.out", b, c, c)
			m.inputs, m.outputs = []int{a}, []int{c}
		}, []string{"1:input [0,1) 16", "2:conv.out [0,2) 16", "3:conv.out [0,1) 48", "4:relu.out [1,3) 16"}},
		{"workspace whose bytes are never others' may be state", func(m *testMethod) {
			a, b, scratch := m.bytes(16, 1, 0), m.bytes(16, 1, 32), m.bytes(48, 1, 48)
			m.call("custom::conv.out", a, scratch, b, b)
			m.inputs, m.outputs = []int{a}, []int{b}
		}, []string{"1:input [0,1) 16", "2:conv.out [0,2) 16", "3:state [0,2) 48"}},
		{"values without bytes, and those that nothing uses, are no buffers", func(m *testMethod) {
			a, b, empty := m.bytes(16, 1, 0), m.bytes(16, 1, 16), m.bytes(0, 1, 16)
			m.bytes(64, 1, 0)
			m.call("aten::relu.out", m.list(a, empty), b, b)
			m.inputs = []int{a, empty}
		}, []string{"1:input [0,1) 16", "2:relu.out [0,1) 16"}},
		{"sizes are rounded up to the alignment", func(m *testMethod) {
			a, b := m.bytes(5, 1, 0), m.bytes(17, 1, 16)
			m.call("aten::relu.out", a, b, b)
			m.inputs = []int{a}
		}, []string{"1:input [0,1) 16", "2:relu.out [0,1) 32"}},
	} {
		m := newMethod("forward", 1024)
		c.make(m)
		a, err := mustRead(t, file(nil, m)).Arenas(0)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got := lives(lower(t, a, graph.LowerOptions{}).Arenas[0]); !slices.Equal(got, c.want) {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, strings.Join(got, "\n"), strings.Join(c.want, "\n"))
		}
	}
}

// A plan in force that does not hold is refused, with the tensors named.
func TestOverlap(t *testing.T) {
	for _, c := range []struct {
		name string
		make func(m *testMethod)
		says string
	}{
		{"overwritten", func(m *testMethod) {
			a, b, c := m.bytes(16, 1, 0), m.bytes(16, 1, 8), m.bytes(16, 1, 64)
			m.call("aten::relu.out", a, b, b)
			m.call("aten::relu.out", a, c, c)
			m.inputs = []int{a}
		}, "instruction 1, aten::relu.out needs value 1, over whose bytes [8,16) of memory 1 instruction 0, aten::relu.out wrote value 2"},
		{"output", func(m *testMethod) {
			a, b, c := m.bytes(16, 1, 0), m.bytes(16, 1, 16), m.bytes(16, 1, 16)
			m.call("aten::relu.out", a, b, b)
			m.call("aten::relu.out", a, c, c)
			m.inputs, m.outputs = []int{a}, []int{b}
		}, "the end needs value 2, over whose bytes [16,32) of memory 1 instruction 1, aten::relu.out wrote value 3"},
		{"state", func(m *testMethod) {
			a, s, b := m.bytes(16, 1, 0), m.bytes(16, 1, 16), m.bytes(16, 1, 16)
			m.call("aten::relu.out", s, a, a)
			m.call("aten::relu.out", a, b, b)
		}, "the end needs value 2, over whose bytes [16,32) of memory 1 instruction 1, aten::relu.out wrote value 3"},
		{"leftovers", func(m *testMethod) {
			a, b, c := m.bytes(16, 1, 0), m.bytes(16, 1, 24), m.bytes(16, 1, 48)
			m.call("aten::relu.out", b, c, c)
			d := m.bytes(16, 1, 16)
			m.call("aten::relu.out", a, d, d)
			m.inputs = []int{a}
		}, "the end needs value 2, over whose bytes [24,32) of memory 1 instruction 1, aten::relu.out wrote value 4"},
		{"half a view", func(m *testMethod) {
			a, b, c := m.bytes(16, 1, 0), m.bytes(16, 1, 8), m.bytes(16, 1, 48)
			m.call("aten::relu.out", b, c, c)
			m.inputs = []int{a}
		}, "instruction 0, aten::relu.out reads value 2, which nothing writes, and whose bytes [8,16) of memory 1 hold part of value 1, written by the inputs"},
		{"a view of something else", func(m *testMethod) {
			a, b, c, d := m.bytes(16, 1, 0), m.bytes(16, 1, 16), m.bytes(16, 1, 32), m.bytes(16, 1, 48)
			m.call("aten::relu.out", a, b, b)
			m.call("aten::relu.out", a, c, c)
			m.call("aten::add.out", m.bytes(16, 1, 32), c, 0, d, d)
			m.inputs, m.outputs = []int{a}, []int{d}
		}, "instruction 2, aten::add.out reads value 5, which nothing writes, at the bytes of value 3; but it may have been a view of value 2, as large, which nothing reads"},
		{"state taken for a view", func(m *testMethod) {
			a, b, c := m.bytes(16, 1, 0), m.bytes(16, 1, 16), m.bytes(16, 1, 16)
			m.call("aten::relu.out", a, b, b)
			m.call("aten::relu.out", c, a, a)
			m.call("aten::copy_", c, a, 0, c)
			m.inputs = []int{a}
		}, "instruction 1, aten::relu.out reads value 3, which is state, since an operator changes it in place; but instruction 0, aten::relu.out wrote value 2 over its bytes"},
		{"outside", func(m *testMethod) {
			a, b := m.bytes(16, 1, 0), m.bytes(16, 1, 1016)
			m.call("aten::relu.out", a, b, b)
			m.inputs = []int{a}
		}, "value 2 ends at byte 1032, and memory 1 has 1024"},
	} {
		m := newMethod("forward", 1024)
		c.make(m)
		_, err := mustRead(t, file(nil, m)).Arenas(0)
		if o := (*Overlap)(nil); !errors.As(err, &o) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %s", c.name, err, c.says)
		}
	}
}

// What is left alone, and why; the rest is planned.
func TestLeft(t *testing.T) {
	jump := chainProgram()
	jump.name = "jump"
	jump.instruction(Jump, 0, 1)
	move := chainProgram()
	move.name = "move"
	move.instruction(Move, 1, 2)
	unbound := chainProgram()
	unbound.name = "unbound"
	unbound.value(int(kindTensor), build.Table(byteType, nil, build.Ints(4), build.Raw([]byte{0}), nil, nil, allocation(1, 0), nil, dynamicUnbound))
	device := newMethod("device", 64, 64)
	a, b := device.bytes(16, 1, 0), device.bytes(16, 2, 0)
	device.call("aten::relu.out", a, b, b)
	device.inputs = []int{a}
	device.devices = []build.Object{build.Table(2, 1)}
	state := newMethod("state", 64, 64)
	a, b = state.bytes(16, 1, 0), state.bytes(16, 2, 0)
	state.call("aten::relu.out", b, a, a)
	nothing := newMethod("nothing", 64)
	broken := chainProgram()
	broken.name = "broken"
	broken.value(int(kindTensor), tensorObject(byteType, allocation(1, 1024), nil, 16))
	p := mustRead(t, file(nil, jump, move, unbound, device, state, nothing, broken))
	arenas, err := p.Arenas(0)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, l := range arenas.Left {
		got = append(got, l.String())
	}
	want := []string{
		`method "jump": instruction 3 jumps, as cond, map and while do: which instructions run is not known`,
		`method "move": instruction 3 moves a value, as cond, map and while do: whose bytes it names is not known`,
		`method "unbound": value 5 has a shape without bound: its bytes are not known`,
		`method "device", memory 2: it is on device 0 of type 1`,
		`method "state", memory 2: it holds state alone, at places that other methods may rely on`,
		`method "nothing": none of its tensors is planned in a memory`,
		"method \"broken\": its plan does not hold:\nvalue 5 ends at byte 1040, and memory 1 has 192",
	}
	if !slices.Equal(got, want) {
		t.Errorf("left:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	l := lower(t, arenas, graph.LowerOptions{})
	if len(l.Arenas) != 2 || l.Graph.Spaces[0].ID != "device.1" || l.Graph.Spaces[1].ID != "state.1" {
		t.Errorf("spaces %v", l.Graph.Spaces)
	}
	for i := range p.Methods {
		if _, err := p.Arenas(0, i); (err == nil) != (i == 3 || i == 4) {
			t.Errorf("method %d alone: %v", i, err)
		}
	}
}

// Several methods in one graph: the lifetimes of each are as if it were alone.
func TestMethodsTogether(t *testing.T) {
	first, second := chainProgram(), chainProgram()
	first.name, second.name = "a", "b"
	a, err := mustRead(t, file(nil, first, second)).Arenas(0)
	if err != nil {
		t.Fatal(err)
	}
	l := lower(t, a, graph.LowerOptions{})
	for k, plan := range a.InForce(l) {
		if in := l.Arenas[k]; in.Load() != 96 || plan.Peak(in) != 192 || len(in.Buffers) != 4 || in.Conflicts() != 3 {
			t.Errorf("arena %d: %v, load %d, peak %d", k, lives(in), in.Load(), plan.Peak(in))
		}
	}
}

// Files that are none.
func TestReadRefuses(t *testing.T) {
	good := file([]byte("segment"), chainProgram())
	bundled := slices.Clone(good)
	copy(bundled[4:], bundle)
	for _, c := range []struct {
		data []byte
		says string
	}{
		{nil, "not a .pte file"},
		{[]byte("0000TFL3"), "not a .pte file"},
		{bundled, "bundled"},
		{good[:100], "in a file of 100"},
		{file(nil), "no method"},
	} {
		if _, err := Read(c.data); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%v, want %s", err, c.says)
		}
	}
	for name, spoil := range map[string]func(m *testMethod){
		"value 99, there are":           func(m *testMethod) { m.inputs = []int{99} },
		"memory 2, there are 1 to 1":    func(m *testMethod) { m.bytes(16, 2, 0) },
		"memory 0, there are 1 to 1":    func(m *testMethod) { m.bytes(16, 0, 0) },
		"operator or delegate 7, there": func(m *testMethod) { m.instruction(Kernel, 7, build.Ints(1)) },
		"instruction of type 9":         func(m *testMethod) { m.instruction(9, 0) },
		"does not fit in int64":         func(m *testMethod) { m.value(int(kindTensor), tensorObject(float, nil, nil, 1<<30, 1<<30, 1<<30)) },
		"the dimension -1":              func(m *testMethod) { m.value(int(kindTensor), tensorObject(float, nil, nil, -1)) },
		"elements of type 19":           func(m *testMethod) { m.value(int(kindTensor), tensorObject(19, nil, nil, 1)) },
		"a value of type 12":            func(m *testMethod) { m.value(12, build.Table()) },
	} {
		m := chainProgram()
		spoil(m)
		if _, err := Read(file(nil, m)); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%v, want %s", err, name)
		}
	}
}

// A tensor that is written again after it was made is found; one that is state, or
// written once, is none.
func TestRewritten(t *testing.T) {
	m := newMethod("forward", 64)
	x, y, z := m.bytes(16, 1, 0), m.bytes(16, 1, 16), m.bytes(16, 1, 32)
	m.call("aten::relu.out", x, y, y)
	m.call("aten::relu_", y, y)
	m.call("aten::relu.out", y, z, z)
	m.inputs, m.outputs = []int{x}, []int{z}
	a, err := mustRead(t, file(nil, m)).Arenas(0)
	if err != nil {
		t.Fatal(err)
	}
	if got := a.Rewritten(); len(got) != 1 || got[0] != "2:relu.out" {
		t.Errorf("%q", got)
	}
	if a, err = mustRead(t, file(nil, exampleProgram())).Arenas(0); err != nil || len(a.Rewritten()) > 0 {
		t.Errorf("%v, %q", err, a.Rewritten())
	}
}
