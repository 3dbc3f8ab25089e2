package verify_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"memplan/internal/shared"
	"memplan/model"
	"memplan/model/csv"
	"memplan/verify"
)

// The shared plans: those named ok hold, the others are rejected, by the reader
// or by the verifier, and what is wrong is named.
func TestSharedPlans(t *testing.T) {
	const folder = "cases/37-verifier-plans/"
	doc, err := csv.Read(shared.Open(t, folder+"input.csv"), "input.csv")
	if err != nil {
		t.Fatal(err)
	}
	files := shared.Glob(t, folder+"plans/*.csv")
	if len(files) != 15 {
		t.Fatalf("%d plans", len(files))
	}
	names := map[string]string{"bad-overlap-one-byte": `"a"`, "bad-overlap-contained": `"b"`, "bad-same-offset": `"b"`,
		"bad-misaligned": `"c"`, "bad-negative": `"d"`, "bad-end-overflows": `"d"`, "bad-missing-row": `"d"`, "bad-unknown-row": `"q"`, "bad-row-twice": `"d"`}
	peaks := map[string]int64{"ok": 138, "ok-zero-inside": 138, "ok-loose": 1010}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".csv")
		plan, err := readPlan(file, doc.Instance)
		if err == nil {
			err = verify.Plan(doc.Instance, plan)
		}
		peak, ok := peaks[name]
		switch {
		case ok && (err != nil || plan.Peak(doc.Instance) != peak):
			t.Errorf("%s: peak %d, %v", name, plan.Peak(doc.Instance), err)
		case !ok && (err == nil || !strings.Contains(err.Error(), names[name])):
			t.Errorf("%s: %v, want one that names %s", name, err, names[name])
		}
	}
}

func readPlan(file string, in *model.Instance) (model.Plan, error) {
	f, err := os.Open(file)
	if err != nil {
		return model.Plan{}, err
	}
	defer f.Close()
	plan, _, err := csv.ReadPlan(f, file, in)
	return plan, err
}
