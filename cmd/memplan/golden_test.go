package main

import (
	"encoding/csv"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"memplan/internal/shared"
)

// golden holds the loads of MiniMalloc's A..K, and peaks that other programs
// publish, or were measured to give.
var golden = map[string][4]int64{ // load; size, then: longer life first fit, earlier birth first fit, longer life best fit
	"A": {1048576, 1352704, 1352704, 1374208},
	"B": {1048576, 1412096, 1412096, 1412096},
	"C": {1039360, 1417216, 1417216, 1417216},
	"D": {986112, 1291264, 1291264, 1304576},
	"E": {1048576, 1435648, 1435648, 1469440},
	"F": {1048576, 1433600, 1441792, 1433600},
	"G": {1048576, 1428480, 1396736, 1428480},
	"H": {1048576, 1426432, 1421312, 1405952},
	"I": {1048576, 1478656, 1478656, 1478656},
	"J": {989184, 1298432, 1303552, 1333248},
	"K": {1048576, 1339392, 1352704, 1397760},
}

// The bench's table has the 33 golden peaks, to the byte, and the loads.
func TestGoldenPeaks(t *testing.T) {
	folder := shared.Path(t, "minimalloc/challenging")
	files, err := filepath.Glob(filepath.Join(folder, "*.csv"))
	if err != nil || len(files) != 11 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	planners := []string{"first-fit-decreasing", "first-fit-decreasing-birth", "best-fit-decreasing"}
	args := append([]string{"bench", "--format", "csv", "--planner", strings.Join(planners, ",")}, files...)
	code, out, says := call(args...)
	if code != exitDone {
		t.Fatalf("exit %d: %s", code, says)
	}
	rows, err := csv.NewReader(strings.NewReader(out)).ReadAll()
	if err != nil || len(rows) != 1+33 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	column := make(map[string]int)
	for k, name := range rows[0] {
		column[name] = k
	}
	for k, row := range rows[1:] {
		want := golden[row[column["instance"]]]
		if row[column["load"]] != strconv.FormatInt(want[0], 10) || row[column["peak"]] != strconv.FormatInt(want[1+k%3], 10) || row[column["planner"]] != planners[k%3] {
			t.Errorf("%v: want load %d, and of %s the peak %d", row, want[0], planners[k%3], want[1+k%3])
		}
	}
	code, text, _ := call(append([]string{"bench", "--planner", strings.Join(planners, ",")}, files...)...)
	if code != exitDone {
		t.Fatalf("exit %d", code)
	}
	for name, want := range golden {
		for _, v := range want {
			if !strings.Contains(text, strconv.FormatInt(v, 10)) {
				t.Errorf("the table of text lacks %s's %d", name, v)
			}
		}
	}
}
