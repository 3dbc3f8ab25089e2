package pte

import (
	"context"
	"math/rand"
	"os"
	"testing"

	"memplan/heuristics"
	"memplan/internal/shared"
	"memplan/model"
	"memplan/model/graph"
	"memplan/model/internal/build"
)

// seeds are programs with everything in them.
func seeds() [][]byte {
	several := newMethod("several", 256, 128)
	a, b, c := several.bytes(16, 1, 0), several.bytes(32, 1, 16), several.bytes(16, 2, 0)
	d, e, view := several.bytes(32, 2, 16), several.bytes(16, 1, 48), several.bytes(32, 1, 16)
	several.delegate("SomeBackend", a, b, c)
	several.delegate(xnnpack, b, c)
	several.call("executorch_prim::et_view.default", view, 0, d)
	several.call("executorch_prim::et_copy_index.tensor", d, c, 0)
	several.call("custom::split.out", several.list(view, c, absent), d, e, several.list(d, e))
	several.call("aten::copy_", a, e, 0, a)
	several.instruction(Free, b)
	several.inputs, several.outputs = []int{a}, []int{e, d}
	several.devices = []build.Object{build.Table(2, 1)}
	jump := chainProgram()
	jump.name = "jump"
	jump.instruction(Jump, 0, 1)
	list := [][]byte{
		file(nil, chainProgram()), file([]byte("weights"), stateProgram()), file(nil, several), file(nil, several, jump, chainProgram()), file(nil, exampleProgram()),
	}
	for seed := range int64(4) {
		list = append(list, file(nil, randomMethod(rand.New(rand.NewSource(seed)))))
	}
	return list
}

// use does with a program all that memplan does, and reports whether it could
// be read. What can be planned is planned, written and read back.
func use(t *testing.T, data []byte) bool {
	p, err := Read(data)
	if err != nil {
		return false
	}
	to := p.Unchanged()
	for i := range p.Methods {
		a, err := p.Arenas(0, i)
		if err != nil {
			continue
		}
		l, err := a.Graph.Lower(graph.LowerOptions{})
		if err != nil {
			continue // sizes that do not fit in int64 together
		}
		plans := make([]model.Plan, len(l.Arenas))
		a.InForce(l)
		for k, in := range l.Arenas {
			if len(in.Buffers) < 200 {
				if res, err := (heuristics.TFLMGreedy{}).Plan(context.Background(), in); err == nil && res.Plan != nil {
					plans[k] = *res.Plan
				}
			}
		}
		a.Place(&to, l, plans)
	}
	_, _ = p.Arenas(0)
	out, err := p.With(to)
	if err != nil {
		return true
	}
	q, err := Read(out)
	if err != nil {
		t.Fatalf("the written program: %v", err)
	}
	if err := q.Same(p, p.Unchanged()); err != nil {
		t.Fatalf("the written program is another one: %v", err)
	}
	return true
}

func FuzzRead(f *testing.F) {
	for _, data := range seeds() {
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) < 1<<14 {
			use(t, data)
		}
	})
}

// A hostile file is an error or a program, and costs memory in proportion to
// itself.
func TestCutAndSpoilt(t *testing.T) {
	list := seeds()
	if data, err := os.ReadFile("../../../shared/data/pte/slim_decoder.pte"); err == nil {
		list = append(list, data)
	}
	for name, data := range list {
		r := rand.New(rand.NewSource(6))
		read := 0
		try := func(data []byte) {
			if got, most := shared.Allotted(func() { _, _ = Read(data) }), 256<<10+24*len(data); got > most {
				t.Errorf("%d: reading %d bytes allots %d", name, len(data), got)
			}
			if got, most := shared.Allotted(func() {
				if use(t, data) {
					read++
				}
			}), 1<<20+300*len(data); got > most {
				t.Errorf("%d: all uses of %d bytes allot %d", name, len(data), got)
			}
		}
		try(data)
		if read != 1 {
			t.Fatalf("%d could not be read", name)
		}
		for range 25 {
			try(data[:r.Intn(len(data))])
		}
		for range 100 {
			try(shared.Spoil(r, data))
		}
		if read <= 1 || read > 100 {
			t.Errorf("%d: %d of 100 spoilt programs were read: the test does not test", name, read)
		}
	}
}

// Spoilt programs by count.
func TestSpoilt(t *testing.T) {
	many := shared.Many(2000)
	list, r, read := seeds(), rand.New(rand.NewSource(15)), 0
	for k := range many {
		if use(t, shared.Spoil(r, list[k%len(list)])) {
			read++
		}
	}
	if read < many/4 || read == many {
		t.Errorf("%d of %d spoilt programs were read: the test does not test", read, many)
	}
	t.Logf("%d of %d spoilt programs were read", read, many)
}
