package pte

import (
	"encoding/binary"

	"memplan/model/internal/build"
)

// A testMethod is a method to build. Its values are numbered as they are added;
// number 0 is an integer 1, for operators that want one.
type testMethod struct {
	name            string
	values          []build.Object
	planned         map[int][3]int64 // memory, offset and bytes of those that are planned
	inputs, outputs []int
	code            []build.Object
	operators       []string
	delegates       []build.Object
	sizes           []int64
	devices         []build.Object
}

func newMethod(name string, sizes ...int64) *testMethod {
	m := &testMethod{name: name, sizes: append([]int64{0}, sizes...), planned: make(map[int][3]int64)}
	m.value(int(kindInt), build.Table(uint64(1)))
	return m
}

func (m *testMethod) value(kind int, of build.Object) int {
	m.values = append(m.values, build.Table(kind, of))
	return len(m.values) - 1
}

const float, byteType = 6, 0

// bytes is a planned tensor of so many bytes.
func (m *testMethod) bytes(n, memory int, offset int64) int {
	v := m.value(int(kindTensor), tensorObject(byteType, allocation(memory, offset), nil, n))
	m.planned[v] = [3]int64{int64(memory), offset, int64(n)}
	return v
}

// tensorObject is a tensor; data is its initial value's number, and extra its
// name, where it has any.
func tensorObject(kind int, place, extra any, dims ...int) build.Object {
	order := make([]byte, len(dims))
	for i := range order {
		order[i] = byte(i)
	}
	return build.Table(kind, nil, build.Ints(dims...), build.Raw(order), nil, nil, place, nil, nil, extra)
}

// allocation leaves out fields that are zero, as the exporter's builder does.
func allocation(memory int, offset int64) build.Object {
	fields := []any{memory, nil, nil}
	if low := offset & 0xffffffff; low != 0 {
		fields[1] = int(low)
	}
	if high := offset >> 32; high != 0 {
		fields[2] = int(high)
	}
	return build.Table(fields...)
}

func (m *testMethod) list(items ...int) int {
	return m.value(int(kindTensors), build.Table(build.Ints(items...)))
}

func (m *testMethod) instruction(kind Call, fields ...any) {
	m.code = append(m.code, build.Table(int(kind), build.Table(fields...)))
}

func (m *testMethod) call(operator string, args ...int) {
	for i, name := range m.operators {
		if name == operator {
			m.instruction(Kernel, i, build.Ints(args...))
			return
		}
	}
	m.operators = append(m.operators, operator)
	m.instruction(Kernel, len(m.operators)-1, build.Ints(args...))
}

// delegate calls a delegate of its own.
func (m *testMethod) delegate(name string, args ...int) {
	m.delegates = append(m.delegates, build.Table(build.Text(name)))
	m.instruction(Delegate, len(m.delegates)-1, build.Ints(args...))
}

func (m *testMethod) object() build.Object {
	var operators []build.Object
	for _, full := range m.operators {
		name, overload := full, ""
		for i := range full {
			if full[i] == '.' {
				name, overload = full[:i], full[i+1:]
			}
		}
		operators = append(operators, build.Table(build.Text(name), build.Text(overload)))
	}
	chain := build.Table(build.Ints(), build.Ints(), build.Vector(m.code...))
	return build.Table(build.Text(m.name), nil, build.Vector(m.values...), build.Ints(m.inputs...), build.Ints(m.outputs...),
		build.Vector(chain), build.Vector(operators...), build.Vector(m.delegates...), build.Longs(m.sizes...), build.Vector(m.devices...))
}

// file is a program of methods, with an extended header, and a segment where
// there are bytes for it.
func file(segment []byte, methods ...*testMethod) []byte {
	var plans, segments []build.Object
	for _, m := range methods {
		plans = append(plans, m.object())
	}
	if segment != nil {
		segments = append(segments, build.Table(nil, uint64(len(segment))))
	}
	header := append([]byte(identifier+headerName), 32, 0, 0, 0)
	data := build.File(string(header)+string(make([]byte, 24)), build.Table(0, build.Vector(plans...), build.Vector(), build.Vector(), build.Vector(segments...),
		build.Table(nil, build.Longs(0)))) // no constants
	binary.LittleEndian.PutUint64(data[sizePos:], uint64(len(data)))
	if segment == nil {
		return data
	}
	for len(data)%128 != 0 {
		data = append(data, 0)
	}
	binary.LittleEndian.PutUint64(data[basePos:], uint64(len(data)))
	binary.LittleEndian.PutUint64(data[basePos+8:], uint64(len(segment)))
	return append(data, segment...)
}

// chainProgram is a -> b -> c -> d, of which a is given and d is the result: two of
// 64 bytes, two of 32. The plan stacks three of them.
func chainProgram() *testMethod {
	m := newMethod("forward", 192)
	a, b := m.bytes(64, 1, 0), m.bytes(32, 1, 64)
	c, d := m.bytes(64, 1, 96), m.bytes(32, 1, 160)
	m.call("aten::relu.out", a, b, b)
	m.call("aten::relu.out", b, c, c)
	m.call("aten::relu.out", c, d, d)
	m.inputs, m.outputs = []int{a}, []int{d}
	return m
}
