package pte

import (
	"bytes"
	"os"
	"testing"

	"memplan/model/internal/build"
	"memplan/model/schedule"
)

const exampleFile = "testdata/example.pte"

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

// The example of docs/executorch.md is a program that the runtime runs, before
// and after. UPDATE=1 in the environment writes it anew.
func TestExample(t *testing.T) {
	data := file(nil, exampleProgram())
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile(exampleFile, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if kept, err := os.ReadFile(exampleFile); err != nil || !bytes.Equal(kept, data) {
		t.Fatalf("%s is not the program of this test: %v", exampleFile, err)
	}
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
