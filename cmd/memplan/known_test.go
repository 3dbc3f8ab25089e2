package main

import (
	"testing"

	"memplan/internal/shared"
)

// The best known plans of MiniMalloc's D and J hold, and are proven optimal.
func TestKnownPlans(t *testing.T) {
	for letter, peak := range map[string]string{"D": "986112", "J": "989184"} {
		file := shared.Path(t, "minimalloc/challenging/"+letter+".1048576.csv")
		known := "../../corpus/known/" + letter
		for capacity, want := range map[string]int{peak: exitDone, "986111": exitNo} {
			code, _, says := call("verify", file, known+".json", "--capacity", capacity, "--certificate", known+".certificate.json", "--require-optimal")
			if code != want {
				t.Errorf("%s within %s: exit %d, %s", letter, capacity, code, says)
			}
		}
	}
}
