package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"memplan/internal/shared"
)

// A dump is what is known of a file in a foreign format: in one arena, what its
// maker took, and the proven optimum.
type dump struct {
	path                string
	maker               string
	buffers             int
	load, peak, optimum int64
}

var dumps = []dump{
	{"hlo/inception_infer.hlo.pb", "xla", 54, 3768320, 4145152, 3768320},
	{"hlo/linalg.hlo.pb", "xla", 35, 863012, 941280, 863364},
	{"hlo/transformer_infer.hlo.pb", "xla", 69, 2097152, 2097152, 2097152},
	{"hlo/lstm_scan_train.hlo.pb", "xla", 50, 13377540, 13377540, 13377540},
	{"hlo/unet_infer.hlo.pb", "xla", 18, 4718592, 4718592, 4718592},
	{"hlo/mlp_train.hlo.pb", "xla", 8, 1310720, 1310720, 1310720},
	{"iree/mlp_train.ir.txt", "iree", 18, 1971200, 1986560, 1971200},
	{"iree/squeezenet.ir.txt", "iree", 30, 3928576, 3928576, 3928576},
	{"iree/transformer_infer.ir.txt", "iree", 61, 1572864, 1835008, 1572864},
	{"iree/tiny.sched.mlir", "iree", 7, 57344, 73728, 57344},
	{"pte/densenet_small.pte", "executorch", 71, 229376, 344064, 229376},
	{"pte/slim_decoder.pte", "executorch", 117, 41728, 45264, 41728},
	{"pte/slim_vit.xnnpack.pte", "executorch", 74, 15520, 27520, 15520},
}

// row is a line of bench --format json.
type row struct {
	Instance, Planner, Status string
	Buffers                   int
	Load, Peak, Bound         int64
}

func rows(t *testing.T, out string) (list []row) {
	t.Helper()
	for line := range strings.Lines(out) {
		var r row
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		list = append(list, r)
	}
	return list
}

// What the dumps hold is scored under its maker's name, beside the optimum.
func TestDumps(t *testing.T) {
	for _, d := range dumps {
		path := shared.Path(t, d.path)
		code, out, says := call("import-plans", path, "--format", "json", "--time-limit", "60s")
		list := rows(t, out)
		if code != exitDone || len(list) != 2 {
			t.Fatalf("%s: exit %d: %s%s", d.path, code, out, says)
		}
		exact, theirs := list[0], list[1]
		if theirs.Planner != d.maker || theirs.Buffers != d.buffers || theirs.Load != d.load || theirs.Peak != d.peak {
			t.Errorf("%s: %+v, want %+v", d.path, theirs, d)
		}
		if exact.Status != "optimal" || exact.Peak != d.optimum {
			t.Errorf("%s: %+v, want the optimum %d", d.path, exact, d.optimum)
		}
	}
}

// Every verb takes a dump; a plan of it comes back.
func TestVerbsTakeDumps(t *testing.T) {
	path := shared.Path(t, "hlo/linalg.hlo.pb")
	plan := filepath.Join(t.TempDir(), "p")
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"stat", path, "--format", "json"}, `"load":863012`},
		{[]string{"lower", path}, "copy.49#205,0,2,120000,64"},
		{[]string{"plan", path, "--planner", "xla-choose-best", "--format", "json", "-o", plan + ".json"}, ""},
		{[]string{"verify", path, plan + ".json"}, ""},
		{[]string{"plan", path, "--planner", "birth-first-fit", "-o", plan + ".csv"}, ""},
		{[]string{"verify", path, plan + ".csv"}, ""},
		{[]string{"verify", path}, "941280 bytes, load 863012, linalg"},
		{[]string{"bench", path, "--planner", "xla-spatial"}, "940896"},
		{[]string{"bench", filepath.Dir(path), "--planner", "xla-spatial", "--format", "csv"}, "lstm_scan_train"},
	} {
		if code, out, says := call(c.args...); code != exitDone || !strings.Contains(out, c.want) {
			t.Errorf("%v: exit %d: %s%s", c.args, code, out, says)
		}
	}
	if code, _, says := call("verify", path, "--capacity", "900000"); code != exitNo || !strings.Contains(says, "941280") {
		t.Errorf("exit %d: %s", code, says)
	}
}

// A file of several arenas is planned, and its plan read again, as one.
func TestSeveralArenas(t *testing.T) {
	path := filepath.Join(t.TempDir(), "two.hlo.pb")
	data := "\x1a\x2e" + // the buffer assignment
		"\x0a\x04\x08\x01\x10\x08" + "\x0a\x04\x08\x02\x10\x0c" + // values 1 of 8 bytes, 2 of 12
		"\x22\x0a\x0a\x08\x10\x01\x22\x04\x6c\x65\x66\x74" + // two traces, each of one alloc
		"\x22\x0b\x0a\x09\x10\x02\x22\x05\x72\x69\x67\x68\x74" + "\x1a\x07\x4a\x05\x08\x01\x10\x80\x01"
	if err := os.WriteFile(path, []byte(data), 0o644); err != nil {
		t.Fatal(err)
	}
	plan := filepath.Join(filepath.Dir(path), "p.csv")
	if code, _, says := call("plan", path, "-o", plan); code != exitDone {
		t.Fatalf("exit %d: %s", code, says)
	}
	text, err := os.ReadFile(plan)
	if want := "id,lower,upper,size,alignment,pool,offset\ntwo:0/left#1,0,1,8,64,two:0,0\ntwo:1/right#2,0,1,12,64,two:1,0\n"; err != nil || string(text) != want {
		t.Errorf("%v %s, want %s", err, text, want)
	}
	if code, _, says := call("verify", path, plan); code != exitDone {
		t.Errorf("exit %d: %s", code, says)
	}
	code, out, says := call("import-plans", path, "--format", "json", "--planner", "")
	if list := rows(t, out); code != exitDone || len(list) != 1 || list[0].Peak != 136 || list[0].Buffers != 1 {
		t.Errorf("exit %d: %s%s", code, out, says)
	}
	if code, out, _ := call("stat", path); code != exitDone || !strings.Contains(out, "note        two:1: no plan: no allocation holds all of right#2") {
		t.Errorf("exit %d: %s", code, out)
	}
}

// Traces are told by their content, whatever they are called, and the plan that
// their addresses are is scored.
func TestTraces(t *testing.T) {
	folder := t.TempDir()
	for _, c := range []struct{ name, text, maker string }{
		{"t.csv", "alloc,0x1000,64\nalloc,0x1040,32\nfree,0x1000\nalloc,0x2000,64\n", "recorded"},
		{"t.json", `{"action":"alloc","addr":4096,"size":64}` + "\n" + `{"action":"alloc","addr":4160,"size":32}` + "\n" + `{"action":"free","addr":4096}` + "\n" +
			`{"action":"alloc","addr":8192,"size":64}` + "\n", "recorded"},
		{"t", "\x80\x04}(\x8c\rdevice_traces]](}(\x8c\x06action\x8c\x05alloc\x8c\x04addrM\x00\x10\x8c\x04sizeK@u" +
			"}(\x8c\x06action\x8c\x05alloc\x8c\x04addrM\x00\x14\x8c\x04sizeK\x20u}(\x8c\x06action\x8c\x0efree_completed\x8c\x04addrM\x00\x10\x8c\x04sizeK@u" +
			"}(\x8c\x06action\x8c\x05alloc\x8c\x04addrM\x00\x20\x8c\x04sizeK@uea\x8c\x08segments](}(\x8c\x07addressM\x00\x10\x8c\ntotal_sizeM\x00\x06u" +
			"}(\x8c\x07addressM\x00\x20\x8c\ntotal_sizeM\x00\x02ueu.", "pytorch"},
	} {
		path := filepath.Join(folder, c.name)
		if err := os.WriteFile(path, []byte(c.text), 0o644); err != nil {
			t.Fatal(err)
		}
		code, out, says := call("import-plans", path, "--format", "json")
		list := rows(t, out)
		if code != exitDone || len(list) != 2 {
			t.Fatalf("%s: exit %d: %s%s", c.name, code, out, says)
		}
		if theirs := list[1]; theirs.Planner != c.maker || theirs.Buffers != 3 || theirs.Peak <= theirs.Load || list[0].Peak != theirs.Load {
			t.Errorf("%s: %+v", c.name, list)
		}
	}
	if code, out, says := call("stat", filepath.Join(folder, "t"), "--format", "json"); code != exitDone || !strings.Contains(out, `"load":1024`) {
		t.Errorf("exit %d: %s%s", code, out, says)
	}
	path := filepath.Join(folder, "bad.pickle")
	if err := os.WriteFile(path, []byte("\x80\x04cos\nsystem\n."), 0o644); err != nil {
		t.Fatal(err)
	}
	if code, _, says := call("plan", path); code != exitUsage || !strings.Contains(says, "opcode GLOBAL, which could run something") {
		t.Errorf("exit %d: %s", code, says)
	}
}

// An .onnx model without the sizes of its values is an error with the command
// that fills them in.
func TestONNX(t *testing.T) {
	path := shared.Path(t, "onnx/rapidocr_onnxruntime__ch_ppocr_mobile_v2.0_cls_infer.onnx")
	for _, c := range []struct {
		args []string
		want string
	}{
		{nil, "give the sizes of the inputs x[?,3,?,?] by --dim NAME=SIZE or --shape INPUT=SIZE,SIZE,..."},
		{[]string{"--shape", "x=1,3,48,192"}, `is not known, nor are those of`},
		{[]string{"--shape", "x=1,3,48,192"}, `s={"x": [1, 3, 48, 192]}`},
		{[]string{"--shape", "x=1,4,48,192"}, "shape [1 4 48 192] does not go with the model's [?,3,?,?]"},
		{[]string{"--dim", "N=1"}, `there is no dimension "N": the model names none`},
		{[]string{"--dim", "N"}, `--dim "N": want NAME=SIZE,SIZE,...`},
		{[]string{"--shape", "x=1", "--shape", "x=2"}, "x has its sizes already"},
	} {
		if code, out, says := call(append([]string{"stat", path}, c.args...)...); code != exitUsage || !strings.Contains(says, c.want) {
			t.Errorf("%q: exit %d: %s%s, want %q", c.args, code, out, says, c.want)
		}
	}
	// One Neg of x[N,4] to y[N,4].
	value := func(tag, name string) string {
		return tag + "\x18\x0a\x01" + name + "\x12\x13\x0a\x11\x08\x01\x12\x0d\x0a\x03\x12\x01N\x0a\x02\x08\x04\x0a\x02\x08\x01"
	}
	model := filepath.Join(t.TempDir(), "neg.onnx")
	graph := "\x0a\x0b\x0a\x01x\x12\x01y\x22\x03Neg" + value("\x5a", "x") + value("\x62", "y")
	if err := os.WriteFile(model, []byte("\x08\x08\x3a"+string([]byte{byte(len(graph))})+graph), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"stat", model, "--dim", "N=3", "--format", "json"}, `"load":96`},
		{[]string{"stat", model, "--shape", "x=5,4,1", "--format", "json"}, `"load":160`},
		{[]string{"plan", model, "--dim", "N=3", "--format", "json"}, `"peak":96`},
		{[]string{"plan", model, "--dim", "N=1,3"}, "1,32,32,load,32,optimal,96,66.67"},
		{[]string{"lower", model, "--dim", "N=2"}, "y,0,2,32"},
		{[]string{"bench", model, "--dim", "N=2", "--planner", "exact", "--format", "csv"}, "neg"},
	} {
		if code, out, says := call(c.args...); code != exitDone || !strings.Contains(out, c.want) {
			t.Errorf("%q: exit %d: %s%s, want %q", c.args, code, out, says, c.want)
		}
	}
}

// Every pair of a real instance and its compiler's plan is scored, and none is
// left open.
func TestRealPairs(t *testing.T) {
	plans := shared.Glob(t, "real/plans/*.csv")
	args := append([]string{"import-plans", "--instances", filepath.Dir(filepath.Dir(plans[0])) + "/instances", "--name", "theirs",
		"--time-limit", "60s", "--format", "json"}, plans...)
	code, out, says := call(args...)
	list := rows(t, out)
	if code != exitDone || len(list) != 2*len(plans) {
		t.Fatalf("exit %d, %d rows: %s", code, len(list), says)
	}
	above := 0
	for _, r := range list {
		switch {
		case r.Planner == "exact" && r.Status != "optimal":
			t.Errorf("open: %+v", r)
		case r.Planner == "theirs" && r.Peak < r.Bound:
			t.Errorf("no plan: %+v", r)
		case r.Planner == "theirs" && r.Peak > r.Load:
			above++
		}
	}
	if above == 0 {
		t.Error("all of their plans are at the load: there is nothing to see")
	}
}
