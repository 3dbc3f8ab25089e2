package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// An old plan is read from tables and JSON, with or without what else stands in
// them; what stays is said, and flags that mean nothing are errors.
func TestPlanFrom(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	file := write("new.csv", "id,lower,upper,size\na,0,2,4\nb,0,2,2\nc,1,3,3\nd,2,3,6\n")
	shares := write("shares.csv", "id,lower,upper,size,over\na,0,2,4,\nb,1,3,4,a=0\n")
	table := write("old.csv", "id,offset\nb,0\na,2\nc,6\ngone,0\n")
	object := write("old.json", `{"schema": 1, "instance": "x", "moved": {"kept": 1}, "offsets": {"b": 0, "a": 2, "c": 6, "gone": 0}}`)
	const kept = "a,0,2,4,2\nb,0,2,2,0\nc,1,3,3,6\nd,2,3,6,0\n"
	for _, old := range []string{table, object} {
		code, out, says := call("plan", file, "--from", old)
		if code != exitDone || !strings.HasSuffix(out, kept) || says != "memplan: moved: 0 of 3 buffers, 0 bytes; 1 are new\n" {
			t.Errorf("%s: exit %d, %s%s", old, code, out, says)
		}
	}
	if code, out, says := call("plan", file, "--from", table, "--format", "json", "--fewest-moved"); code != exitDone ||
		!strings.Contains(out, `"moved":{"kept":3,"moved":0,"new":1,"bytes":0,"least_bytes":0}`) {
		t.Errorf("exit %d, %s%s", code, out, says)
	}
	for want, args := range map[string][]string{
		"--fewest-moved is for --from":      {file, "--fewest-moved"},
		"--from is for one FILE":            {file, shares, "--from", table, "--format", "json"},
		"where some may share bytes":        {shares, "--from", table, "--fewest-moved"},
		"row twice":                         {file, "--from", write("twice.csv", "id,offset\na,0\na,1\n")},
		`twice.json: buffer "a": no offset`: {file, "--from", write("twice.json", `{"pools": {"a": "x"}}`)},
		"--certificate " + table + " would take the place of what is read":  {file, "--from", table, "--certificate", table},
		"--from means nothing beside --dim, which prints a table of shapes": {write("graph.json", `{"tensors": [{"id": "x", "bytes": 4}], "dims": {"n": [1, 2]}, "ops": [], "inputs": ["x"], "outputs": ["x"]}`), "--dim", "n=1,2", "--from", table},
	} {
		if code, _, says := call(append([]string{"plan"}, args...)...); code != exitUsage || !strings.Contains(says, want) {
			t.Errorf("%v: exit %d, %s, want %s", args, code, says, want)
		}
	}
}
