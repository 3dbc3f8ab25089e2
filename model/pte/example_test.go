package pte

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"memplan/model/internal/build"
	"memplan/model/schedule"
)

// examples are the programs in testdata, which other tests read.
func examples() map[string][]byte {
	first, second, jump := chainProgram(), stateProgram(), chainProgram()
	first.name, second.name, jump.name = "encode", "decode", "branch"
	jump.instruction(Jump, 0, 1)
	broken := newMethod("broken", 64)
	a, b, c := broken.bytes(32, 1, 0), broken.bytes(32, 1, 16), broken.bytes(16, 1, 48)
	broken.call("aten::relu.out", a, b, b)
	broken.call("aten::relu.out", a, c, c)
	broken.inputs, broken.outputs = []int{a}, []int{c}
	return map[string][]byte{
		"example.pte": file(nil, exampleProgram()),
		"methods.pte": file([]byte("weights"), first, second, jump),
		"broken.pte":  file(nil, chainProgram(), broken),
	}
}

// exampleProgram squares 64 numbers, swaps their halves, and squares again. Its
// plan is that of the exporter's rule: the largest tensor first, each in the
// first of the objects on the stack that has room at its steps.
func exampleProgram() *testMethod {
	m := newMethod("forward", 768)
	number := func(v uint64) int { return m.value(int(kindInt), build.Table(v)) }
	tensor := func(n int, offset int64) int {
		return m.value(int(kindTensor), tensorObject(float, allocation(1, offset), nil, n))
	}
	zero, half, whole := number(0), number(32), number(64)
	const one = 0
	x, y := tensor(64, 0), tensor(64, 256)
	low, high := tensor(32, 512), tensor(32, 640)
	swapped, out := tensor(64, 0), tensor(64, 256)
	m.call("aten::mul.out", x, x, y, y)
	m.call("aten::slice_copy.Tensor_out", y, zero, zero, half, one, low, low)
	m.call("aten::slice_copy.Tensor_out", y, zero, half, whole, one, high, high)
	m.call("aten::cat.out", m.list(high, low), zero, swapped, swapped)
	m.call("aten::mul.out", swapped, swapped, out, out)
	m.inputs, m.outputs = []int{x}, []int{out}
	return m
}

// The programs in testdata are those of this package's tests. UPDATE=1 in the
// environment writes them anew.
func TestExamples(t *testing.T) {
	for name, data := range examples() {
		name = filepath.Join("testdata", name)
		if os.Getenv("UPDATE") != "" {
			if err := os.WriteFile(name, data, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if kept, err := os.ReadFile(name); err != nil || !bytes.Equal(kept, data) {
			t.Errorf("%s is not the program of this test: %v", name, err)
		}
	}
}

// The example of docs/executorch.md is a program that the runtime runs, before
// and after.
func TestExample(t *testing.T) {
	data := file(nil, exampleProgram())
	p := mustRead(t, data)
	planned, _ := optimal(t, p, schedule.Given)
	if size := mustRead(t, planned).Methods[0].Memories[1].Size; size != 512 {
		t.Errorf("%d bytes, want 512", size)
	}
	m, j := startMachine(t), job{0xff, 10, 1, 0}
	if want, got := m.run(data, j), m.run(planned, j); got != want || want[:2] != "ok" {
		t.Errorf("%s, the original %s", got, want)
	}
}
