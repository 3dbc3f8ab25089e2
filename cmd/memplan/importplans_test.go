package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Plans of several allocators, each in a folder of its own, stand in the rows of
// their instances, with the time that their tables give.
func TestImportSeveralAllocators(t *testing.T) {
	root := t.TempDir()
	at := func(parts ...string) string { return filepath.Join(append([]string{root}, parts...)...) }
	records := at("records.jsonl")
	for _, name := range []string{"six-fits", "seven-above"} {
		if code, _, says := call("corpus", name, "-o", at("instances", "small")); code != exitDone {
			t.Fatal(says)
		}
		for allocator, planner := range map[string]string{"ours": "online-first-fit", "theirs": "best-fit-decreasing"} {
			if err := os.MkdirAll(at(allocator), 0o755); err != nil {
				t.Fatal(err)
			}
			file := at(allocator, name+".csv")
			if code, _, says := call("plan", name, "--planner", planner, "-o", file); code != exitDone {
				t.Fatal(says)
			}
			timed := strings.Replace(strings.ReplaceAll(string(readFile(t, file)), "\n", ",0.25\n"), "offset,0.25", "offset,Time", 1)
			if err := os.WriteFile(file, []byte(timed), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, args := range [][]string{{at("ours")}, {at("theirs"), "--instances", at("instances")}} {
		args = append([]string{"import-plans", "--name", filepath.Base(args[0]), "--records", records, "-o", os.DevNull}, args...)
		if code, _, says := call(args...); code != exitDone {
			t.Fatalf("%v: exit %d, %s", args, code, says)
		}
	}
	code, out, says := call("table", records, "--format", "csv", "--timing")
	if code != exitDone {
		t.Fatal(says)
	}
	rows := strings.Split(strings.TrimSpace(out), "\n")
	var seen []string
	for _, row := range rows[1:] {
		cells := strings.Split(row, ",")
		seen = append(seen, cells[0]+" "+cells[7]+" "+cells[9])
		if cells[7] != "exact" && cells[len(cells)-1] != "250000000" {
			t.Errorf("the time of %v is not a quarter of a second", cells)
		}
	}
	want := []string{"seven-above exact 5", "seven-above ours 5", "seven-above theirs 5", "six-fits exact 10", "six-fits ours 15", "six-fits theirs 15"}
	if strings.Join(seen, "\n") != strings.Join(want, "\n") {
		t.Errorf("records are\n%s\nwant\n%s", strings.Join(seen, "\n"), strings.Join(want, "\n"))
	}
	if _, text, _ := call("table", records); strings.Count(text, "\nsix-fits ") != 1 || strings.Count(text, "\nseven-above ") != 1 {
		t.Errorf("an instance has more than one row:\n%s", text)
	}
}

// What cannot be read is told, all of it, and leaves no record.
func TestFailedImportLeavesNothing(t *testing.T) {
	root := t.TempDir()
	records := filepath.Join(root, "records.jsonl")
	good := put(t, "good.csv", "id,lower,upper,size,offset\na,0,2,3,0\n")
	bad := put(t, "bad.csv", "id,lower,upper,size,offset\na,0,2,3,x\n")
	late := put(t, "late.csv", "id,lower,upper,size,offset,seconds\na,0,2,3,0,soon\n")
	for _, args := range [][]string{
		{good, bad}, {good, late}, {good, filepath.Join(root, "none.csv")}, {good, "--instances", root}, {root}, {good, "--instances", "small"},
	} {
		code, out, says := call(append([]string{"import-plans", "--records", records}, args...)...)
		if code != exitUsage || out != "" || says == "" {
			t.Errorf("%v: exit %d, %q, %q", args, code, out, says)
		}
	}
	if _, err := os.Stat(records); err == nil {
		t.Error("a try that failed left records")
	}
	if _, _, says := call("import-plans", bad, late); !strings.Contains(says, "bad.csv:2") || !strings.Contains(says, `column seconds: "soon"`) {
		t.Errorf("not all faults are told: %s", says)
	}
}
