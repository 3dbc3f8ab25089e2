package verify_test

import (
	"testing"

	"memplan/internal/shared"
	"memplan/model/csv"
)

// The second checker takes the bound of rounded sizes too.
func TestSecondCheckerTakesRoundedLoad(t *testing.T) {
	const name = "real/instances/xla-linalg.csv"
	d, err := csv.Read(shared.Open(t, name), name)
	if err != nil {
		t.Fatal(err)
	}
	c := d.Instance.RoundedLoad()
	if got := agree(t, table(d.Instance), written(t, c)); got != 1 {
		t.Errorf("accepted %d of 1", got)
	}
	c.Bound, c.Refutation.Height = c.Bound+64, c.Refutation.Height+64
	if got := agree(t, table(d.Instance), written(t, c)); got != 0 {
		t.Errorf("64 bytes more: accepted %d of 1", got)
	}
}
