package tflite

import (
	"encoding/binary"
	"math"
	"slices"

	"memplan/model/internal/build"
)

// Names that the tests use all the time.
type (
	object  = build.Object
	builder = build.Builder
)

var (
	tableOf, vectorOf, ints, longs, raw, text = build.Table, build.Vector, build.Ints, build.Longs, build.Raw, build.Text
)

func file(root object) []byte { return build.File("TFL3", root) }

// A testModel is a model to build.
type testModel struct {
	buffers  [][]byte // of constants; number 0 is the empty one
	subs     []testSub
	metadata map[string][]byte // at most one entry
	extra    object            // one more buffer's table
}

type testSub struct {
	name    string
	tensors []testTensor
	in, out []int
	ops     []testOp
}

type testTensor struct {
	name     string
	kind     Type
	shape    []int
	buffer   int
	variable bool
	scale    float64
	zero     int64 // zero point
	scales   int   // how many scales and zero points, if not one
}

type testOp struct {
	kind    Kind
	custom  string
	in, out []int
	union   int    // which options table
	options object // the table
	extra   []byte // custom options
}

// constant adds a buffer and returns its number.
func (m *testModel) constant(data ...byte) int {
	m.buffers = append(m.buffers, data)
	return len(m.buffers)
}

func words(v ...int32) []byte {
	var b []byte
	for _, x := range v {
		b = binary.LittleEndian.AppendUint32(b, uint32(x))
	}
	return b
}

// build writes the model.
func (m *testModel) build() []byte {
	type key struct {
		kind   Kind
		custom string
	}
	index := map[key]int{}
	var codes, subs []object
	for _, s := range m.subs {
		for _, op := range s.ops {
			k := key{op.kind, op.custom}
			if _, seen := index[k]; !seen {
				index[k] = len(codes)
				var name any
				if op.custom != "" {
					name = text(op.custom)
				}
				codes = append(codes, tableOf(min(int(op.kind), 127), name, 1, int(op.kind)))
			}
		}
	}
	for _, s := range m.subs {
		var tensors, ops []object
		for _, t := range s.tensors {
			tensors = append(tensors, t.object())
		}
		for _, op := range s.ops {
			ops = append(ops, op.object(index[key{op.kind, op.custom}]))
		}
		subs = append(subs, tableOf(vectorOf(tensors...), ints(s.in...), ints(s.out...), vectorOf(ops...), text(s.name)))
	}
	buffers := []object{tableOf()}
	for _, data := range m.buffers {
		buffers = append(buffers, tableOf(raw(data)))
	}
	if m.extra != nil {
		buffers = append(buffers, m.extra)
	}
	var metadata any
	for name, data := range m.metadata {
		metadata = vectorOf(tableOf(text(name), len(buffers)))
		buffers = append(buffers, tableOf(raw(data)))
	}
	return file(tableOf(3, vectorOf(codes...), vectorOf(subs...), text("self-made"), vectorOf(buffers...), nil, metadata))
}

func (t testTensor) object() object {
	var name, variable, quantization any
	if t.name != "" {
		name = text(t.name)
	}
	if t.variable {
		variable = 1
	}
	if t.scale != 0 {
		n := max(t.scales, 1)
		scale := int(math.Float32bits(float32(t.scale)))
		quantization = tableOf(nil, nil, ints(slices.Repeat([]int{scale}, n)...), longs(slices.Repeat([]int64{t.zero}, n)...))
	}
	return tableOf(ints(t.shape...), int(t.kind), t.buffer, name, quantization, variable)
}

func (op testOp) object(code int) object {
	var union, options, extra any
	if op.options != nil {
		union, options = op.union, op.options
	}
	if op.extra != nil {
		extra = raw(op.extra)
	}
	return tableOf(code, ints(op.in...), ints(op.out...), union, options, extra)
}
