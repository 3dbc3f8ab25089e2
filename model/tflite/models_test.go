package tflite

// Models made for the tests: small, and each with one property.

// Option tables of the schema, by their number in its union.
const (
	concatOptions, addOptions, reducerOptions, lessOptions, mirrorOptions = 10, 11, 27, 41, 77
	convOptions, depthwiseOptions, fullOptions, transposeOptions          = 1, 2, 8, 49
	squeezeOptions                                                        = 30
	bools                                                                 = Type(6)
	int32s                                                                = Type(2)
	relu, add, concat, less, slice, absolute                              = Kind(19), Kind(0), Kind(2), Kind(58), Kind(65), Kind(101)
	assignVariable, randomUniform                                         = Kind(144), Kind(148)
)

func floats(name string, shape ...int) testTensor { return testTensor{name: name, shape: shape} }

func unary(kind Kind, in, out int) testOp { return testOp{kind: kind, in: []int{in}, out: []int{out}} }

func binaryOp(kind Kind, union int, in ...int) testOp {
	return testOp{kind: kind, in: in[:len(in)-1], out: in[len(in)-1:], union: union, options: tableOf()}
}

// joined is a concatenation of vectors.
func joined(out int, in ...int) testOp {
	return testOp{kind: concat, in: in, out: []int{out}, union: concatOptions, options: tableOf(0, 0)}
}

// uneven is a chain on which TFLM's greedy is not optimal: it puts both large
// values at 0, the second largest on top of the first, and then finds no room
// for the small one but above all.
func uneven() *testModel {
	m := &testModel{}
	zero := m.constant(words(0)...)
	hundred, forty := m.constant(words(100)...), m.constant(words(40)...)
	number := func(name string, buffer int) testTensor {
		return testTensor{name: name, kind: int32s, shape: []int{1}, buffer: buffer}
	}
	m.subs = []testSub{{
		name: "main",
		tensors: []testTensor{
			floats("x", 120), floats("a", 100), floats("b", 40), floats("c", 120),
			number("zero", zero), number("hundred", hundred), number("forty", forty),
		},
		in: []int{0}, out: []int{3},
		ops: []testOp{
			{kind: slice, in: []int{0, 4, 5}, out: []int{1}},
			{kind: slice, in: []int{1, 4, 6}, out: []int{2}},
			joined(3, 2, 2, 2),
		},
	}}
	return m
}

// branches is an IF on a sum of its input; both bodies have values of their
// own.
func branches() *testModel {
	body := func(name string, ops ...testOp) testSub {
		return testSub{name: name, tensors: []testTensor{floats("i", 40), floats("t", 40), floats("o", 40)}, in: []int{0}, out: []int{2}, ops: ops}
	}
	return &testModel{subs: []testSub{
		{
			name:    "main",
			tensors: []testTensor{{name: "c", kind: bools, shape: []int{1}}, floats("x", 40), floats("h", 40), floats("y", 40), floats("z", 40)},
			in:      []int{0, 1}, out: []int{4},
			ops: []testOp{
				unary(relu, 1, 2),
				{kind: If, in: []int{0, 2}, out: []int{3}, union: optionsIf, options: tableOf(1, 2)},
				binaryOp(add, addOptions, 3, 2, 4),
			},
		},
		body("then", binaryOp(add, addOptions, 0, 0, 1), unary(relu, 1, 2)),
		body("else", unary(relu, 0, 1), binaryOp(add, addOptions, 1, 0, 2)),
	}}
}

// loop doubles its input until its first element is above 100.
func loop() *testModel {
	m := &testModel{}
	hundred := m.constant(words(0x42c80000)...)
	m.subs = []testSub{
		{
			name:    "main",
			tensors: []testTensor{floats("x", 1), floats("h", 1), floats("y", 1), floats("z", 1)},
			in:      []int{0}, out: []int{3},
			ops: []testOp{
				unary(absolute, 0, 1),
				{kind: While, in: []int{1}, out: []int{2}, union: optionsWhile, options: tableOf(1, 2)},
				binaryOp(add, addOptions, 2, 1, 3),
			},
		},
		{
			name:    "cond",
			tensors: []testTensor{floats("i", 1), {name: "k", shape: []int{1}, buffer: hundred}, {name: "b", kind: bools, shape: []int{1}}},
			in:      []int{0}, out: []int{2},
			ops: []testOp{binaryOp(less, lessOptions, 0, 1, 2)},
		},
		{
			name:    "body",
			tensors: []testTensor{floats("i", 1), floats("t", 1), floats("o", 1), {name: "k", shape: []int{1}, buffer: hundred}},
			in:      []int{0}, out: []int{2},
			ops: []testOp{binaryOp(add, addOptions, 0, 0, 1), binaryOp(add, addOptions, 1, 3, 2)},
		},
	}
	return m
}

// views has each kind of reshape, of values that are used again, so that
// sharing bytes saves a fifth of the arena.
func views() *testModel {
	m := &testModel{}
	shape := m.constant(words(1, 20, 10)...)
	axis := m.constant(words(0)...)
	flat := func(name string) testTensor { return floats(name, 20, 10) }
	deep := func(name string) testTensor { return floats(name, 1, 20, 10) }
	m.subs = []testSub{{
		name: "main",
		tensors: []testTensor{
			flat("x"), flat("a"), deep("expanded a"), flat("b"), deep("reshaped b"), deep("y"), flat("w"), deep("expanded w"), deep("z"), flat("squeezed z"),
			{name: "shape", kind: int32s, shape: []int{3}, buffer: shape}, {name: "axis", kind: int32s, shape: []int{1}, buffer: axis},
		},
		in: []int{0}, out: []int{9},
		ops: []testOp{
			unary(relu, 0, 1),
			{kind: expandDims, in: []int{1, 11}, out: []int{2}},
			unary(absolute, 1, 3),
			{kind: reshape, in: []int{3, 10}, out: []int{4}},
			binaryOp(add, addOptions, 2, 4, 5),
			binaryOp(add, addOptions, 1, 3, 6),
			{kind: expandDims, in: []int{6, 11}, out: []int{7}},
			binaryOp(add, addOptions, 5, 7, 8),
			{kind: squeeze, in: []int{8}, out: []int{9}, union: squeezeOptions, options: tableOf()},
		},
	}}
	return m
}

// once runs a body once that main does not look at, has a subgraph that nothing
// runs, and a tensor that nothing uses.
func once() *testModel {
	m := uneven()
	main := &m.subs[0]
	main.ops = append([]testOp{{kind: CallOnce, union: optionsCallOnce, options: tableOf(1)}}, main.ops...)
	main.tensors = append(main.tensors, floats("unused", 100))
	m.subs = append(m.subs,
		testSub{name: "init", tensors: []testTensor{floats("p", 10), floats("q", 20)}, in: []int{0}, ops: []testOp{joined(1, 0, 0)}},
		testSub{name: "other", tensors: []testTensor{floats("i", 700), floats("o", 700)}, in: []int{0}, out: []int{1}, ops: []testOp{unary(relu, 0, 1)}},
	)
	return m
}

// wide is a convolution to so many channels, each with a scale of its own: TFLM needs
// more bytes to prepare it than its operands have.
func wide() *testModel {
	const channels = 1000
	m := &testModel{}
	filter, bias := m.constant(make([]byte, 4*channels)...), m.constant(make([]byte, 4*channels)...)
	in := func(name string, n int) testTensor {
		return testTensor{name: name, kind: int8Type, shape: []int{1, 1, 1, n}, scale: 1}
	}
	m.subs = []testSub{{
		name: "main", in: []int{0}, out: []int{3},
		tensors: []testTensor{
			in("x", 4),
			{name: "filter", kind: int8Type, shape: []int{channels, 1, 1, 4}, scale: 1, scales: channels, buffer: filter},
			{name: "bias", kind: int32s, shape: []int{channels}, scale: 1, scales: channels, buffer: bias},
			in("y", channels),
		},
		ops: []testOp{{kind: conv2D, in: []int{0, 1, 2}, out: []int{3}, union: convOptions, options: tableOf(0, 1, 1, 0, 1, 1)}},
	}}
	return m
}

// selfMade are all of them, by name.
func selfMade() map[string]*testModel {
	return map[string]*testModel{"wide": wide(), "uneven": uneven(), "branches": branches(), "loop": loop(), "views": views(), "once": once()}
}
