package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Memory spaces are chosen until plans fit, not only live bytes; the plan says
// which, and is checked with that; and that nothing fits is said only where it
// is so.
func TestSpacesAreChosenUntilPlansFit(t *testing.T) {
	dir := t.TempDir()
	graph := func(near, far int) string {
		path := filepath.Join(dir, fmt.Sprintf("%d-%d.json", near, far))
		text := fmt.Sprintf(`{"tensors": [{"id": "x", "bytes": 4, "pool": ["near", "far"]}, {"id": "y", "bytes": 4, "pool": ["near", "far"], "alignment": 8}],
 "ops": [{"id": "f", "inputs": ["x"], "outputs": ["y"]}], "inputs": ["x"], "outputs": ["y"],
 "pools": [{"id": "near", "capacity": %d, "reserved": [[0, 1]]}, {"id": "far", "capacity": %d}]}`, near, far)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	// Nine bytes are live at once beside the byte reserved, so near would do by
	// its live bytes; but y can only begin at 8 there.
	for _, c := range []struct {
		near, far, code int
		want            string
	}{
		{12, 64, exitDone, "x,0,1,4,,near,1\ny,0,2,4,8,near,8\n"},
		{9, 64, exitDone, "x,0,1,4,,near,1\ny,0,2,4,8,far,0\n"},
		{4, 64, exitDone, "x,0,1,4,,far,4\ny,0,2,4,8,far,0\n"},
		{9, 3, exitLimit, ""}, // that no choice fits is HiGHS's word
	} {
		file := graph(c.near, c.far)
		code, out, says := call("plan", file)
		if code != c.code || c.want != "" && !strings.HasSuffix(out, c.want) {
			t.Errorf("%d, %d: exit %d, %s%s, want %d, %s", c.near, c.far, code, out, says, c.code, c.want)
		}
		if code != exitDone {
			continue
		}
		for _, ext := range []string{".csv", ".json"} {
			plan := filepath.Join(dir, "plan"+ext)
			if code, _, says := call("plan", file, "-o", plan); code != exitDone {
				t.Error(says)
			}
			if code, _, says := call("verify", file, plan); code != exitDone {
				t.Errorf("%d, %d: the plan in %s is refused: %s", c.near, c.far, ext, says)
			}
		}
	}
	if code, _, says := call("plan", graph(9, 3), "--accept-solver"); code != exitNo {
		t.Errorf("exit %d, %s, want %d", code, says, exitNo)
	}
	plan := filepath.Join(dir, "plan.csv")
	if err := os.WriteFile(plan, []byte("id,pool,offset\nx,near,1\ny,near,0\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if code, _, says := call("verify", graph(9, 64), plan); code != exitNo || !strings.Contains(says, `"x" at [1,5) and "y" at [0,4)`) {
		t.Errorf("exit %d, %s", code, says)
	}
}

// A comparison of planners is made on the spaces that plan chooses: those in
// which plans fit, not only live bytes. Near alone would need 12 bytes. The byte
// reserved there is no tensor's, so it is in the peak and not in the load.
func TestBenchSettlesSpaces(t *testing.T) {
	file := filepath.Join(t.TempDir(), "two.json")
	text := `{"tensors": [{"id": "x", "bytes": 4, "pool": ["near", "far"]}, {"id": "y", "bytes": 4, "pool": ["near", "far"], "alignment": 8}],
 "ops": [{"id": "f", "inputs": ["x"], "outputs": ["y"]}], "inputs": ["x"], "outputs": ["y"],
 "pools": [{"id": "near", "capacity": 9, "reserved": [[0, 1]]}, {"id": "far", "capacity": 64}]}`
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, planner := range []string{"exact", "first-fit-decreasing"} {
		code, out, says := call("bench", file, "--planner", planner, "--format", "json")
		want := `"spaces":[{"id":"near","capacity":0,"load":4,"peak":5,"bound":5,"status":"optimal"},{"id":"far","capacity":0,"load":4,"peak":4,"bound":4,"status":"optimal"}]`
		if code != exitDone || !strings.Contains(out, want) {
			t.Errorf("exit %d, %s%s\nwant %s", code, out, says, want)
		}
	}
}
