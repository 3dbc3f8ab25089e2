package tflite

import (
	"fmt"
	"strings"
	"testing"

	"memplan/model/graph"
)

// lives lists the buffers of a model's arena: id, size, lifetime.
func lives(t *testing.T, m *testModel, opt Options) string {
	t.Helper()
	f, err := Read(m.build())
	if err != nil {
		t.Fatal(err)
	}
	g, _, err := f.Graph(opt)
	if err != nil {
		t.Fatal(err)
	}
	l, err := g.Lower(graph.LowerOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, b := range l.Merged().Arenas[0].Buffers {
		list = append(list, fmt.Sprintf("%s %d %v", b.ID, b.Size, b.Life))
	}
	return strings.Join(list, ", ")
}

// The conventions of the three runtimes, by what each makes of one model.
func TestConventions(t *testing.T) {
	chain := func() *testModel {
		return &testModel{subs: []testSub{{
			tensors: []testTensor{
				floats("x", 3), floats("unread input", 3), floats("a", 5), floats("unread", 5), floats("y", 5), {name: "state", shape: []int{5}, variable: true},
			},
			in: []int{0, 1}, out: []int{2, 4},
			ops: []testOp{unary(relu, 0, 2), unary(relu, 2, 3), binaryOp(add, addOptions, 2, 5, 4)},
		}}}
	}
	unread := branches()
	unread.subs[0].ops[2] = unary(relu, 2, 4)
	for _, c := range []struct {
		name string
		m    *testModel
		opt  Options
		want string
	}{
		{"tflm", chain(), Options{}, "x 16 [0,2), unread input 16 [0,1), a 32 [1,5), unread 32 [2,3), y 32 [3,5)"},
		{"litert", chain(), Options{Runtime: LiteRT}, "x 12 [0,4), unread input 12 [0,4), a 20 [0,4), unread 20 [1,4), y 20 [2,4)"},
		{"generic", chain(), Options{Runtime: Generic}, "x 12 [0,1), unread input 12 [0,1), a 20 [0,4), unread 20 [1,2), y 20 [2,4), state 20 [0,4)"},
		// IF at step 2, its bodies from 3 and 6 on: what it reads and writes is live until the last.
		{"bodies", branches(), Options{},
			"c 16 [0,9), x 160 [0,2), h 160 [1,10), y 160 [2,10), z 160 [9,11), i 160 [3,5), t 160 [4,6), o 160 [5,6), i#9 160 [6,9), t#10 160 [7,9), o#11 160 [8,9)"},
		{"bodies whose result is not read", unread, Options{},
			"c 16 [0,9), x 160 [0,2), h 160 [1,10), y 160 [2,9), z 160 [9,11), i 160 [3,5), t 160 [4,6), o 160 [5,6), i#9 160 [6,9), t#10 160 [7,9), o#11 160 [8,9)"},
		{"bodies elsewhere", branches(), Options{Runtime: LiteRT}, "c 1 [0,4), x 160 [0,4), h 160 [0,3), y 160 [1,3), z 160 [2,4)"},
		{"scratch", scratchModels()["mean float"], Options{}, "x 432 [0,2), v 32 [1,3), scratch 0 of 0:MEAN 16 [1,2), scratch 1 of 0:MEAN 16 [1,2)"},
		{"no scratch", scratchModels()["mean float"], Options{Runtime: Generic}, "x 420 [0,1), v 28 [0,2)"},
		{"views", views(), Options{AliasViews: true}, "x 800 [0,2), a 800 [1,7), b 800 [3,7), y 800 [5,9), w 800 [6,9), z 800 [8,11)"},
		{"views by themselves", views(), Options{Runtime: Generic}, "x 800 [0,1), a 800 [0,6), b 800 [2,6), y 800 [4,8), w 800 [5,8), z 800 [7,10)"},
	} {
		if got := lives(t, c.m, c.opt); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
	}
}

func TestParseRuntime(t *testing.T) {
	for _, rt := range []Runtime{TFLM, LiteRT, Generic} {
		if got, err := ParseRuntime(rt.String()); got != rt || err != nil {
			t.Errorf("%v: %v, %v", rt, got, err)
		}
	}
	if _, err := ParseRuntime("tf"); err == nil {
		t.Error("a runtime tf")
	}
}
