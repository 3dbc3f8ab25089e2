package pairs

import (
	"bytes"
	"encoding/csv"
	"strconv"
	"testing"

	"memplan/internal/shared"
	mcsv "memplan/model/csv"
)

// The instances of data/overlap have the optimum that its index gives, proven.
func TestIndex(t *testing.T) {
	rows, err := csv.NewReader(bytes.NewReader(shared.Read(t, "overlap/INDEX.csv"))).ReadAll()
	if err != nil || len(rows) < 2 {
		t.Fatal(err, len(rows))
	}
	for _, row := range rows[1:] {
		d, err := mcsv.Read(bytes.NewReader(shared.Read(t, "overlap/"+row[0])), row[0])
		if err != nil {
			t.Fatal(err)
		}
		want, err := strconv.ParseInt(row[4], 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		in := d.Instance
		res := race(t, in, &Engine{Instance: in}, &Finder{Instance: in})
		if res.Plan.Peak(in) != want || res.Bound != want {
			t.Errorf("%s: [%d, %d], want %d", row[0], res.Bound, res.Plan.Peak(in), want)
		}
	}
}
