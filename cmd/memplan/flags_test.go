package main

import (
	"strings"
	"testing"

	"memplan/internal/shared"
)

// One word of a graph: two operators, two tensors.
const smallGraph = `{"schema": 1, "tensors": [{"id": "x", "bytes": 4}, {"id": "y", "bytes": 8}],
"ops": [{"id": "f", "inputs": ["x"], "outputs": ["y"]}], "inputs": ["x"], "outputs": ["y"]}`

// Values that mean nothing, and flags that cannot apply, are errors that name
// them, whatever the file holds.
func TestBogusFlags(t *testing.T) {
	table, graph := put(t, "x.csv", eightAbove), put(t, "g.json", smallGraph)
	records := put(t, "r.jsonl", "")
	if code, _, says := call("bench", "six-fits", "--planner", "no-reuse", "--records", records, "-o", "/dev/null"); code != exitDone {
		t.Fatal(says)
	}
	for _, c := range []struct{ says, line string }{
		{`"bogus"`, "plan " + table + " --schedule bogus"},
		{`"bogus"`, "plan " + table + " --fuse bogus"},
		{`"xyz"`, "plan " + table + " --runtime xyz"},
		{`"xyz"`, "bench " + table + " --runtime xyz"},
		{`"-3"`, "plan " + table + " --threads -3"},
		{`"-1"`, "plan " + table + " --rounds -1"},
		{`"-1"`, "bench " + table + " --jobs -1"},
		{`"0"`, "adversary --buffers 0"},
		{`"-5"`, "adversary --tries -5"},
		{`"-1"`, "regress " + records + " " + records + " --tolerance -1"},
		{`"nan"`, "regress " + records + " " + records + " --tolerance nan"},
		{`"inf"`, "regress " + records + " " + records + " --tolerance inf"},
		{"--schedule means nothing to " + table, "plan " + table + " --schedule optimal"},
		{"--copy-views means nothing to " + table, "stat " + table + " --copy-views"},
		{"--runtime means nothing to " + graph, "plan " + graph + " --runtime tflm"},
		{"--concat means nothing to " + table, "bench " + table + " --concat in-place"},
		{"--fuse means nothing to six-fits", "corpus six-fits seven-above --fuse none"},
		{"--cache", "plan " + graph + " --cache folder"},
		{"--certificate", "plan " + graph + " --dim n=2 --certificate c.json"},
		{"--formulation", "plan " + table + " --formulation tight"},
		{"--formulation", "bench " + table + " --planner exact,skyline --formulation tight"},
		{"--certificate", "adversary --against skyline --certificate c.json"},
		{"--planner", "report " + records + " --planner skyline"},
		{"--seconds", "plot profile " + records + " --seconds"},
		{"--granularity", "plot profile " + records + " --granularity 4"},
		{"--planner", "plot plan " + table + " " + table + " --planner exact"},
	} {
		code, out, says := call(strings.Fields(c.line)...)
		if code != exitUsage || out != "" || !strings.Contains(says, c.says) {
			t.Errorf("memplan %s: exit %d, %q, %q; want exit 2 and %s", c.line, code, out, says, c.says)
		}
	}
	// What means something to one of several is taken.
	for _, line := range []string{
		"bench " + table + " " + graph + " --schedule optimal --planner skyline",
		"bench " + table + " --planner skyline,ilp --formulation tight --time-limit 5s",
		"plan " + graph + " --schedule optimal",
		"plan " + table + " --granularity 4",
		"plan seven-above",
	} {
		if code, _, says := call(strings.Fields(line)...); code != exitDone {
			t.Errorf("memplan %s: exit %d, %q", line, code, says)
		}
	}
}

// A dimension's sizes stand in one list.
func TestDimensionTwice(t *testing.T) {
	graph := put(t, "g.json", `{"schema": 1, "dims": {"m": [1, 8]}, "tensors": [{"id": "x", "dtype": "int8", "shape": ["m"]}], "ops": [{"id": "f", "inputs": [], "outputs": ["x"]}], "outputs": ["x"]}`)
	if code, _, says := call("plan", graph, "--dim", "m=2", "--dim", "m=3"); code != exitUsage || !strings.Contains(says, `--dim "m=3"`) {
		t.Errorf("exit %d, %q", code, says)
	}
	if code, out, says := call("plan", graph, "--dim", "m=2,3"); code != exitDone || strings.Count(out, "\n") != 3 {
		t.Errorf("exit %d, %q, %q", code, out, says)
	}
}

// Scratch takes sizes as every flag does.
func TestScratchTakesUnits(t *testing.T) {
	model := shared.Path(t, "tflite/mlperftiny__vww_96_int8.tflite")
	code, plain, says := call("tflm", model, "--json", "--scratch", "CONV_2D=2048")
	if code != exitDone {
		t.Fatal(says)
	}
	if code, out, says := call("tflm", model, "--json", "--scratch", "CONV_2D=2KiB"); code != exitDone || out != plain {
		t.Errorf("exit %d, %q", code, says)
	}
	if code, _, says := call("tflm", model, "--scratch", "CONV_2D=much"); code != exitUsage || !strings.Contains(says, `"CONV_2D=much"`) {
		t.Errorf("exit %d, %q", code, says)
	}
}
