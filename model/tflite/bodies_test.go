package tflite

import (
	"fmt"
	"math"
	"math/rand"
	"slices"
	"testing"

	"memplan/internal/shared"
	"memplan/model"
	"memplan/model/graph"
	"memplan/model/schedule"
)

// A brancher draws models in which operators run bodies: IF, WHILE and CALL_ONCE,
// whose bodies read and assign variables of a few names.
type brancher struct {
	*rand.Rand
	m     *testModel
	names []string
}

// branching is such a model that TFLM runs, with so many operators that are drawn.
func branching(r *rand.Rand, ops int) *testModel {
	b := brancher{r, &testModel{}, []string{"a", "b", "c"}[:1+r.Intn(3)]}
	b.m.subs = make([]testSub, 1)
	main := testSub{name: "main", tensors: []testTensor{{name: "if", kind: bools, shape: []int{1}}, floats("x", 4*(1+r.Intn(8)))}, in: []int{0, 1}}
	first := b.body(0, func(s *testSub) {
		for _, name := range b.names { // TFLM has no other variables than those that are assigned
			b.assign(s, name, b.constant(s, 4))
		}
	})
	main.ops = append(main.ops, testOp{kind: CallOnce, union: optionsCallOnce, options: tableOf(first)})
	values := []int{1}
	for range ops {
		x := values[r.Intn(len(values))]
		n := main.tensors[x].shape[0]
		switch kind := r.Intn(8); kind {
		case 0, 1:
			then := b.branch(n)
			options := tableOf(then, b.branch(n))
			if twice := slices.IndexFunc(main.ops, func(op testOp) bool { return op.kind == If && main.tensors[op.out[0]].shape[0] == n }); twice >= 0 && r.Intn(6) == 0 {
				options = main.ops[twice].options
			}
			values = append(values, main.add(n))
			main.ops = append(main.ops, testOp{kind: If, in: []int{0, x}, out: values[len(values)-1:], union: optionsIf, options: options})
		case 2:
			values = append(values, main.add(n))
			main.ops = append(main.ops, testOp{kind: While, in: []int{x}, out: values[len(values)-1:], union: optionsWhile, options: tableOf(b.condition(n), b.grows(n))})
		case 3:
			again := b.body(0, func(s *testSub) { b.assign(s, b.name(), b.constant(s, 4)) })
			main.ops = append(main.ops, testOp{kind: CallOnce, union: optionsCallOnce, options: tableOf(again)})
		case 4:
			b.assign(&main, b.name(), b.cut(&main, x, 4))
		case 5:
			values = append(values, b.read(&main, b.name()))
		default:
			values = append(values, b.some(&main, x))
		}
	}
	main.out = values[max(0, len(values)-2):]
	b.m.subs[0] = main
	return b.m
}

func (b *brancher) name() string { return b.names[b.Intn(len(b.names))] }

// add adds a tensor of n floats to a subgraph.
func (s *testSub) add(n int) int {
	s.tensors = append(s.tensors, floats(fmt.Sprint("t", len(s.tensors)), n))
	return len(s.tensors) - 1
}

// body adds a subgraph with an input of n floats, or with none, and says its number.
func (b *brancher) body(n int, fill func(*testSub)) int {
	s := testSub{name: fmt.Sprint("body ", len(b.m.subs))}
	if n > 0 {
		s.in = []int{s.add(n)}
	}
	fill(&s)
	b.m.subs = append(b.m.subs, s)
	return len(b.m.subs) - 1
}

// branch is a body of IF: from n floats to n.
func (b *brancher) branch(n int) int {
	return b.body(n, func(s *testSub) {
		x := b.some(s, 0)
		for range b.Intn(3) {
			switch b.Intn(4) {
			case 0:
				b.assign(s, b.name(), b.cut(s, x, 4))
			case 1:
				x = b.read(s, b.name())
			default:
				x = b.some(s, x)
			}
		}
		s.out = []int{b.cut(s, x, n)}
	})
}

// condition and grows are the bodies of a WHILE that ends when the first of n floats
// is large.
func (b *brancher) condition(n int) int {
	return b.body(n, func(s *testSub) {
		s.tensors = append(s.tensors, testTensor{name: "small", kind: bools, shape: []int{1}})
		s.out = []int{len(s.tensors) - 1}
		one := b.cut(s, 0, 1)
		s.ops = append(s.ops, binaryOp(less, lessOptions, one, b.constant(s, 1), s.out[0]))
	})
}

func (b *brancher) grows(n int) int {
	return b.body(n, func(s *testSub) {
		positive, y := s.add(n), s.add(n)
		if b.Intn(2) == 0 {
			b.assign(s, b.name(), b.cut(s, 0, 4))
		} else if b.Intn(2) == 0 {
			b.read(s, b.name())
		}
		s.ops = append(s.ops, unary(absolute, 0, positive), binaryOp(add, addOptions, positive, b.constant(s, n), y))
		s.out = []int{y}
	})
}

// constant adds one of n floats.
func (b *brancher) constant(s *testSub, n int) int {
	var data []byte
	for range n {
		data = append(data, words(int32(math.Float32bits(float32(50+b.Intn(50)))))...)
	}
	s.tensors = append(s.tensors, testTensor{name: "constant", shape: []int{n}, buffer: b.m.constant(data...)})
	return len(s.tensors) - 1
}

func (b *brancher) number(s *testSub, n int) int {
	s.tensors = append(s.tensors, testTensor{name: "number", kind: int32s, shape: []int{1}, buffer: b.m.constant(words(int32(n))...)})
	return len(s.tensors) - 1
}

// maxJoined is how many inputs TFLM's CONCATENATION has at most.
const maxJoined = 10

// cut makes n floats of those of a tensor, by CONCATENATION and SLICE.
func (b *brancher) cut(s *testSub, x, n int) int {
	for have := s.tensors[x].shape[0]; have < n; {
		parts := slices.Repeat([]int{x}, min((n+have-1)/have, maxJoined))
		have *= len(parts)
		y := s.add(have)
		s.ops = append(s.ops, joined(y, parts...))
		x = y
	}
	zero, length, y := b.number(s, 0), b.number(s, n), s.add(n)
	s.ops = append(s.ops, testOp{kind: slice, in: []int{x, zero, length}, out: []int{y}})
	return y
}

// some is an operator on a tensor.
func (b *brancher) some(s *testSub, x int) int {
	n := s.tensors[x].shape[0]
	if b.Intn(3) == 0 && n < 64 {
		y := s.add(2 * n)
		s.ops = append(s.ops, joined(y, x, x))
		return y
	}
	y := s.add(n)
	s.ops = append(s.ops, unary([]Kind{relu, absolute}[b.Intn(2)], x, y))
	return y
}

func (b *brancher) handle(s *testSub, name string) int {
	s.tensors = append(s.tensors, testTensor{name: "handle", kind: int32s, shape: []int{1}})
	s.ops = append(s.ops, testOp{kind: varHandle, out: []int{len(s.tensors) - 1}, union: optionsVarHandle, options: tableOf(text(""), text(name))})
	return len(s.tensors) - 1
}

func (b *brancher) assign(s *testSub, name string, x int) {
	s.ops = append(s.ops, testOp{kind: assignVariable, in: []int{b.handle(s, name), x}})
}

func (b *brancher) read(s *testSub, name string) int {
	handle, y := b.handle(s, name), s.add(4)
	s.ops = append(s.ops, testOp{kind: readVariable, in: []int{handle}, out: []int{y}})
	return y
}

// allOrders calls visit with each order in which every operator of the main subgraph
// finds what it finds in the file's.
func allOrders(f *File, visit func(order []int)) {
	start := model.Identity(len(f.Subgraphs[0].Ops))
	want := f.seen(start)
	seen := map[string]bool{fmt.Sprint(start): true}
	for queue := [][]int{start}; len(queue) > 0; queue = queue[1:] {
		visit(queue[0])
		for k := range len(start) - 1 {
			next := slices.Clone(queue[0])
			next[k], next[k+1] = next[k+1], next[k]
			if name := fmt.Sprint(next); !seen[name] && slices.Equal(f.seen(next), want) {
				seen[name] = true
				queue = append(queue, next)
			}
		}
	}
}

// loadOf is the load of the file with its operators in an order.
func loadOf(t *testing.T, f *File, order []int) int64 {
	t.Helper()
	g, err := f.Reordered(order)
	if err != nil {
		t.Fatal(err)
	}
	a, err := g.Arena(Options{})
	if err != nil {
		t.Fatal(err)
	}
	return a.Instance.Load()
}

// The best order of operators that run bodies is the best of all in which every
// operator finds what it found, and takes what is said.
func TestOrdersOfBodies(t *testing.T) {
	proven, better, crossed := 0, 0, 0
	for seed := range int64(shared.Many(60)) {
		r := rand.New(rand.NewSource(seed))
		f, err := Read(branching(r, 2+r.Intn(3)).build())
		if err != nil {
			t.Fatal(err)
		}
		order, bound, err := f.Order(Options{}, graph.LowerOptions{Schedule: schedule.Optimal})
		if err != nil {
			t.Fatal(err)
		}
		least, orders := int64(math.MaxInt64), 0
		allOrders(f, func(order []int) {
			if orders++; orders <= 60 {
				least = min(least, loadOf(t, f, order))
			}
		})
		if orders > 60 {
			continue
		}
		if load := loadOf(t, f, order); bound > least || bound > 0 && (load != bound || load != least) {
			t.Errorf("seed %d: the order found takes %d, bound %d; the best of %d takes %d", seed, load, bound, orders, least)
		}
		if bound > 0 {
			proven++
		}
		if least < loadOf(t, f, model.Identity(len(order))) {
			better++
		}
		if orders > 1 {
			crossed++
		}
	}
	t.Log(proven, better, crossed)
	if proven < 30 || better < 5 || crossed < 30 {
		t.Errorf("%d proven, %d better than the file's, %d with several orders: too few to tell", proven, better, crossed)
	}
}

// In any order in which every operator finds what it found, whatever bodies it runs,
// the real interpreter gives the same outputs over several runs, and TFLM's own head
// and that of the plan are predicted; so it is in the best order.
func TestRealOrdersOfBodies(t *testing.T) {
	i := startInterpreter(t)
	moved, best := 0, 0
	for seed := range int64(shared.Many(16)) {
		r := rand.New(rand.NewSource(1000 + seed))
		f, err := Read(branching(r, 5+r.Intn(8)).build())
		if err != nil {
			t.Fatal(err)
		}
		before := i.run(f.data, roomy)
		if before.Error != "" {
			t.Fatalf("seed %d: %s", seed, before.Error)
		}
		order, _, err := f.Order(Options{}, graph.LowerOptions{Schedule: schedule.Optimal})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.IsSorted(order) {
			best++
		}
		random, _ := shuffled(r, f)
		for _, order := range [][]int{order, random} {
			if slices.IsSorted(order) {
				continue
			}
			moved++
			g, err := f.Reordered(order)
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			_, c, out := planned(t, g.data, Options{})
			own, after := i.run(g.data, roomy), i.run(out, roomy)
			if own.Outputs != before.Outputs || own.Head != c.Own || after.Outputs != before.Outputs || after.Head != c.Head {
				t.Errorf("seed %d: order %v: predicted %d and %d: %+v, %+v; %+v in the file's", seed, order, c.Own, c.Head, own, after, before)
			}
		}
	}
	if t.Log(moved, best); moved < 15 || best < 6 {
		t.Errorf("%d orders, %d of them the best: too few to tell", moved, best)
	}
}

// What operators use that is no tensor, their bodies included.
func TestUses(t *testing.T) {
	b := brancher{rand.New(rand.NewSource(1)), &testModel{subs: make([]testSub, 1)}, nil}
	reads := b.body(4, func(s *testSub) { b.read(s, "a"); b.read(s, "b"); s.out = []int{0} })
	assigns := b.body(4, func(s *testSub) { b.assign(s, "b", 0); b.read(s, "c"); s.out = []int{0} })
	nested := b.body(4, func(s *testSub) {
		s.ops = append(s.ops, testOp{kind: CallOnce, union: optionsCallOnce, options: tableOf(b.body(0, func(s *testSub) { b.assign(s, "d", b.constant(s, 4)) }))})
		s.out = []int{0}
	})
	hidden := b.body(4, func(s *testSub) {
		s.ops = append(s.ops, testOp{kind: randomUniform, in: []int{0}, out: []int{s.add(4)}})
		s.out = []int{0}
	})
	custom := b.body(4, func(s *testSub) {
		s.ops = append(s.ops, testOp{kind: Custom, custom: "Own", in: []int{0}, out: []int{s.add(4)}})
		s.out = []int{0}
	})
	given := b.body(4, func(s *testSub) {
		s.ops = append(s.ops, testOp{kind: readVariable, in: []int{0}, out: []int{s.add(4)}})
		s.out = []int{0}
	})
	plain := b.body(4, func(s *testSub) { s.out = []int{b.some(s, 0)} })
	a, bb, c, d := usage{"variable a", false}, usage{"variable b", false}, usage{"variable c", false}, usage{"variable d", true}
	assigned := usage{"variable b", true}
	for _, x := range []struct {
		then, other int
		want        []usage
		anything    bool
	}{
		{plain, plain, nil, false}, {reads, plain, []usage{a, bb}, false}, {assigns, plain, []usage{assigned, c}, false},
		{reads, assigns, []usage{a, assigned, c}, false}, {plain, nested, []usage{d}, false}, {hidden, plain, []usage{{"hidden", true}}, false},
		{plain, custom, nil, true}, {given, plain, nil, true},
	} {
		b.m.subs[0] = testSub{tensors: []testTensor{{name: "if", kind: bools, shape: []int{1}}, floats("x", 4), floats("y", 4)}, in: []int{0, 1}, out: []int{2},
			ops: []testOp{{kind: If, in: []int{0, 1}, out: []int{2}, union: optionsIf, options: tableOf(x.then, x.other)}}}
		f, err := Read(b.m.build())
		if err != nil {
			t.Fatal(err)
		}
		got, anything := f.uses(&f.Subgraphs[0].Ops[0])
		if anything != x.anything || !anything && !slices.Equal(got, x.want) {
			t.Errorf("bodies %d and %d use %v, anything: %v; want %v, %v", x.then, x.other, got, anything, x.want, x.anything)
		}
	}
}
