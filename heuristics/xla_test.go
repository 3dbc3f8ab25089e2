package heuristics

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"memplan/internal/shared"
	"memplan/model/hlo"
)

// xla-choose-best puts every buffer of XLA's own dumps where XLA put it: what
// lies below the heap in the same allocation, as in linalg, is not planned.
func TestXLAsOwnPlans(t *testing.T) {
	for _, path := range shared.Glob(t, "hlo/*.hlo.pb") {
		r, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		f, err := hlo.Read(r, filepath.Base(path))
		if err != nil {
			t.Fatal(err)
		}
		in, theirs := f.Arenas[0].Instance, slices.Clone(f.Arenas[0].Plan.Offsets)
		ours, err := xlaChooseBest.Plan(context.Background(), in)
		if err != nil {
			t.Fatal(err)
		}
		below := slices.Min(theirs)
		for i := range theirs {
			theirs[i] -= below
		}
		if !slices.Equal(ours.Plan.Offsets, theirs) {
			t.Errorf("%s: peak %d, XLA's %d", path, ours.Plan.Peak(in), f.Arenas[0].Plan.Peak(in))
		}
	}
}
