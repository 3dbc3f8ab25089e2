package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"memplan/internal/shared"
	"memplan/model/pte"
)

// From a program to smaller memories in one command: what ExecuTorch's planner
// takes, and the proven optimum.
func TestExecutorch(t *testing.T) {
	for name, want := range map[string][2]int64{
		"densenet_small":   {344064, 229376},
		"slim_resnet":      {114688, 98304},
		"slim_vit.xnnpack": {27584, 15584},
		"slim_decoder":     {45264, 41728},
		"slim_unet":        {65536, 65536},
		"ds_cnn.cortexm":   {20464, 20464},
		"dscnn":            {64000, 64000},
	} {
		in := shared.Path(t, "pte/"+name+".pte")
		out := filepath.Join(t.TempDir(), name+".pte")
		code, text, says := call("executorch", in, "-o", out, "--json")
		if code != exitDone {
			t.Fatalf("%s: exit %d: %s", name, code, says)
		}
		var r executorchReport
		if err := json.Unmarshal([]byte(text), &r); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if m := r.Memories[0]; r.Before != want[0] || r.After != want[1] || r.Bound != want[1] || m.Status != "optimal" || m.Proof != "load" || (m.Planner == "") != (want[0] == want[1]) {
			t.Errorf("%s: want %v: %s", name, want, text)
		}
		if code, text, says := call("verify", out); code != exitDone {
			t.Errorf("%s: exit %d: %s%s", name, code, text, says)
		}
		if same := bytes.Equal(readFile(t, in), readFile(t, out)); same != (want[0] == want[1]) {
			t.Errorf("%s: the same file is %v", name, same)
		}
		again := filepath.Join(t.TempDir(), "again.pte")
		if code, _, says := call("executorch", out, "-o", again); code != exitDone || !bytes.Equal(readFile(t, out), readFile(t, again)) {
			t.Errorf("%s: planned again: exit %d, or another file: %s", name, code, says)
		}
	}
}

// The order of instructions saves a decoder, whose state is written back last,
// a good third.
func TestExecutorchOrder(t *testing.T) {
	in := shared.Path(t, "pte/slim_decoder.pte")
	out := filepath.Join(t.TempDir(), "out.pte")
	code, text, says := call("executorch", in, "-o", out, "--schedule", "optimal")
	if code != exitDone || !strings.Contains(text, "after      25392 bytes, 43.90 % less") || !strings.Contains(text, "the least of any order") {
		t.Fatalf("exit %d: %s%s", code, text, says)
	}
	if code, text, _ := call("verify", out); code != exitDone || !strings.Contains(text, "25392 bytes") {
		t.Errorf("exit %d: %s", code, text)
	}
}

// What is refused: with the reason, and nothing written.
func TestExecutorchRefuses(t *testing.T) {
	example := programFile("example.pte")
	cond := shared.Path(t, "pte/slim_cond.pte")
	zeros := filepath.Join(t.TempDir(), "zeros.pte")
	if err := os.WriteFile(zeros, allZero(t, readFile(t, shared.Path(t, "pte/slim_resnet.pte"))), 0o644); err != nil {
		t.Fatal(err)
	}
	cut := put(t, "cut.pte", string(readFile(t, example)[:900]))
	table := put(t, "table.csv", "id,lower,upper,size\na,0,1,2\n")
	out := filepath.Join(t.TempDir(), "out.pte")
	for _, c := range []struct {
		code int
		says string
		args []string
	}{
		{exitUsage, "instruction 3 jumps", []string{"executorch", cond, "-o", out}},
		{exitUsage, "instruction 3 jumps", []string{"verify", cond}},
		{exitUsage, "instruction 3 jumps", []string{"stat", cond}},
		{exitUsage, "plan does not hold", []string{"executorch", zeros, "-o", out}},
		{exitNo, "needs value 78, over whose bytes [0,32768) of memory 1 instruction 0, aten::convolution.out wrote value 79", []string{"verify", zeros}},
		{exitUsage, "in a file of 900", []string{"executorch", cut}},
		{exitUsage, "not a .pte file", []string{"executorch", table}},
		{exitUsage, "power of two", []string{"executorch", example, "--alignment", "24"}},
		{exitUsage, "schedule", []string{"executorch", example, "--schedule", "best"}},
		{exitUsage, "usage", []string{"executorch"}},
		{exitNo, "overlap", []string{"verify", example, put(t, "p.csv", "id,offset\n4:input,0\n5:mul.out,0\n6:slice_copy.Tensor_out,512\n7:slice_copy.Tensor_out,640\n8:cat.out,0\n9:mul.out,256\n")}},
		{exitNo, "capacity", []string{"verify", example, "--capacity", "700"}},
		{exitDone, "", []string{"verify", example, "--capacity", "768"}},
	} {
		code, text, says := call(c.args...)
		if code != c.code || !strings.Contains(says, c.says) {
			t.Errorf("%v: exit %d, want %d and %q: %s%s", c.args, code, c.code, c.says, text, says)
		}
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("a program was written")
	}
}

// allZero is a program with all offsets 0.
func allZero(t *testing.T, data []byte) []byte {
	t.Helper()
	p, err := pte.Read(data)
	if err != nil {
		t.Fatal(err)
	}
	to := p.Unchanged()
	for i, m := range p.Methods {
		to.Offsets[i] = make([]int64, len(m.Values))
		to.Sizes[i] = make([]int64, len(m.Memories))
		for k := range m.Memories {
			to.Sizes[i][k] = m.Memories[k].Size
		}
		for v := range m.Values {
			if m.Values[v].Memory == 0 {
				to.Offsets[i][v] = -1
			}
		}
	}
	if data, err = p.With(to); err != nil {
		t.Fatal(err)
	}
	return data
}

// Tensors can be aligned to more than the exporter's 16 bytes.
func TestExecutorchAlignment(t *testing.T) {
	in := shared.Path(t, "pte/slim_decoder.pte")
	out := filepath.Join(t.TempDir(), "out.pte")
	if code, _, says := call("executorch", in, "-o", out, "--alignment", "64"); code != exitDone {
		t.Fatalf("exit %d: %s", code, says)
	}
	p, err := pte.Read(readFile(t, out))
	if err != nil {
		t.Fatal(err)
	}
	for v, x := range p.Methods[0].Values {
		if x.Memory > 0 && x.Offset%64 != 0 {
			t.Errorf("value %d lies at %d", v, x.Offset)
		}
	}
}

// Every verb takes a program as it takes a graph.
func TestVerbsTakePrograms(t *testing.T) {
	in := shared.Path(t, "pte/slim_decoder.pte")
	plan := filepath.Join(t.TempDir(), "plan")
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"stat", in, "--format", "json"}, `"buffers":117,"load":41728`},
		{[]string{"stat", in, "--schedule", "optimal"}, "load 25392, the least of any order"},
		{[]string{"lower", in}, "26:state,0,106,4096,16"},
		{[]string{"plan", in, "-o", plan + ".csv"}, ""},
		{[]string{"verify", in, plan + ".csv"}, ""},
		{[]string{"plan", in, "--format", "json", "-o", plan + ".json"}, ""},
		{[]string{"verify", in, plan + ".json"}, ""},
		{[]string{"plot", "plan", in, plan + ".csv"}, "<svg"},
		{[]string{"schedules", in, "--planner", "birth-first-fit"}, "25392*"},
		{[]string{"bench", in, "--planner", "birth-first-fit"}, "slim_decoder"},
		{[]string{"bench", filepath.Dir(in), "--planner", "birth-first-fit", "--format", "csv"}, "slim_vit.xnnpack"},
	} {
		code, text, says := call(c.args...)
		want := exitDone
		if c.args[1] == filepath.Dir(in) {
			want = exitUsage // one of its files cannot be planned, and one is no list of buffers
		}
		if code != want || !strings.Contains(text, c.want) {
			t.Errorf("%v: exit %d: %.2000s%s", c.args, code, text, says)
		}
	}
}

// programFile is a program that the tests of model/pte made.
func programFile(name string) string {
	return filepath.Join("..", "..", "model", "pte", "testdata", name)
}

// A program of several methods: each is planned, what cannot be is named and
// stays, and what a plan of them all says can be verified.
func TestExecutorchMethods(t *testing.T) {
	in, plan, out := programFile("methods.pte"), filepath.Join(t.TempDir(), "plan.csv"), filepath.Join(t.TempDir(), "out.pte")
	for _, c := range []struct {
		code int
		want string // of both outputs
		args []string
	}{
		{exitDone, "decode/2:state,0,13,64,16,decode.1", []string{"plan", in}},
		{exitDone, "", []string{"plan", in, "-o", plan}},
		{exitDone, "", []string{"verify", in, plan}},
		{exitDone, "decode/6:mean.out,9,13,64,16", []string{"lower", in, "--space", "decode.1"}},
		{exitUsage, "encode.1, decode.1", []string{"lower", in}},
		{exitDone, "peak        576 bytes, load 448, methods.decode.1\nnote        left alone: method \"branch\": instruction 3 jumps", []string{"verify", in}},
		{exitDone, "after      96 bytes, 50.00 % less; load 96; optimal", []string{"executorch", in, "-o", out}},
		{exitDone, "peak        448 bytes, load 448, out.decode.1", []string{"verify", out}},
		{exitDone, "after      384 bytes, 62.50 % less; load 384, instructions in another order", []string{"executorch", in, "-o", out, "--schedule", "optimal"}},
		{exitDone, "peak        384 bytes, load 384, out.decode.1", []string{"verify", out}},
		{exitNo, `method "broken": its plan does not hold`, []string{"verify", programFile("broken.pte")}},
		{exitDone, `left       method "broken": its plan does not hold`, []string{"executorch", programFile("broken.pte"), "-o", out}},
		{exitNo, `method "broken": its plan does not hold`, []string{"verify", out}},
	} {
		code, text, says := call(c.args...)
		if code != c.code || !strings.Contains(text+says, c.want) {
			t.Errorf("%v: exit %d, want %d and %q: %s%s", c.args, code, c.code, c.want, text, says)
		}
	}
}
