package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"memplan/internal/shared"
	"memplan/model"
	"memplan/model/iree"
)

// The plan is written, and proven; what is written has no pack left.
func TestIREE(t *testing.T) {
	path := shared.Path(t, "iree/tiny.sched.mlir")
	out := filepath.Join(t.TempDir(), "planned.mlir")
	code, text, says := call("iree", path, "-o", out, "--json")
	var r ireeReport
	if err := json.Unmarshal([]byte(text), &r); code != exitDone || err != nil {
		t.Fatalf("exit %d, %v: %s%s", code, err, text, says)
	}
	want := ireePack{Function: "@main", Line: 119, Kind: "transient", Slices: 7, Load: 57344, Before: 73728, After: 57344, Bound: 57344,
		Status: "optimal", Proof: "load", Planner: "exact"}
	if len(r.Packs) != 1 || r.Packs[0] != want || r.Before != 73728 || r.After != 57344 || r.Alignment != 64 {
		t.Errorf("%+v, want %+v", r, want)
	}
	if code, text, says := call("iree", out); code != exitUsage || !strings.Contains(says, "no stream.resource.pack in it") {
		t.Errorf("the written module, again: exit %d: %s%s", code, text, says)
	}
	if code, text, _ := call("iree", path, "--alignment", "4096"); code != exitDone || !strings.Contains(text, "now          57344 bytes") {
		t.Errorf("exit %d: %s", code, text)
	}
	if code, text, _ := call("iree", path, "--alignment", "32KiB"); code != exitDone || !strings.Contains(text, "now          98304 bytes") {
		t.Errorf("exit %d: %s", code, text)
	}
	early := filepath.Join(t.TempDir(), "early.mlir")
	const module = "util.func @f() {\n  %c64 = arith.constant 64 : index\n  use %5#1 : index\n  %5:2 = stream.resource.pack slices({[0, 1] = %c64}) : index\n}\n"
	if err := os.WriteFile(early, []byte(module), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{path, "--alignment", "48"}, {shared.Path(t, "iree/mlp_train.ir.txt")}, {shared.Path(t, "iree/tiny.mlir")}, {early}} {
		if code, text, says := call(append([]string{"iree", "-o", out}, args...)...); code != exitUsage || text != "" {
			t.Errorf("%v: exit %d: %s%s", args, code, text, says)
		}
	}
}

// IREE compiles any plan, and what it makes of a wrong one computes garbage:
// here it is refused before it is written.
func TestWrongPlanIsNotWritten(t *testing.T) {
	f, err := iree.Read(shared.Open(t, "iree/tiny.sched.mlir"), "tiny")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		offsets []int64
		size    int64
		want    string
	}{
		{make([]int64, 7), 57344, "overlap"},
		{[]int64{0, 40960, 0, 40960, 0, 40960, 0}, 57343, "capacity"},
		{[]int64{0, 40960, 0, 40960, 0, 40960, 0}, 57344, ""},
		{[]int64{0, 40960, 0, 40960, 0, 40960, 32}, 65536, "32"},
	} {
		plans := []iree.Written{{Plan: &model.Plan{Offsets: c.offsets}, Size: c.size}}
		text, err := f.Planned(plans)
		if err != nil {
			t.Fatal(err)
		}
		if err := written(f, text, plans); (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v in %d: %v, want %q", c.offsets, c.size, err, c.want)
		}
	}
}

// Slabs that cannot be planned are left, and said to be; IREE's plan stays where
// ours is no better.
func TestIREELeavesPacks(t *testing.T) {
	const module = `util.func @f(%n: index) {
  %c64 = arith.constant 64 : index
  %1:2 = stream.resource.pack slices({[0, 1] = %n}) : index
  %2:3 = stream.resource.pack slices({[0, 1] = %c64, [1, 2] = %c64}) : index
  use %1#1, %2#1, %2#2 : !stream.resource<transient>{%1#0}, !stream.resource<external>{%2#0}
}
`
	path := filepath.Join(t.TempDir(), "m.mlir")
	if err := os.WriteFile(path, []byte(module), 0o644); err != nil {
		t.Fatal(err)
	}
	code, text, says := call("iree", path, "-o", path+".planned")
	want := `@f, line 3: 1 slices of transient memory, left as it is: slice 1 has the size %n, which is no constant
@f, line 4: 2 slices of external memory
  IREE's own   128 bytes
  now          128 bytes, IREE's plan, for there is none better known; load 128; optimal (proof: load)
alignment 64; tried with iree-base-compiler 3.13.0
`
	if code != exitDone || text != want {
		t.Errorf("exit %d: %s\n%s", code, says, text)
	}
	data, err := os.ReadFile(path + ".planned")
	if want := strings.NewReplacer("%2:3 = stream.resource.pack slices({[0, 1] = %c64, [1, 2] = %c64}) : index",
		"%memplan1_0 = arith.constant 128 : index\n  %memplan1_1 = arith.constant 0 : index\n  %memplan1_2 = arith.constant 64 : index",
		"%2#", "%memplan1_").Replace(module); err != nil || string(data) != want {
		t.Errorf("%v\n%s", err, data)
	}
}
