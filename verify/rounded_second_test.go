package verify_test

import (
	"bytes"
	"fmt"
	"testing"

	"memplan/internal/shared"
	"memplan/model"
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

// Both checkers put the steps of many meetings into the order of first deaths: of
// two camps of a hundred, where each meets all of the other, there are 10,000.
func TestSecondCheckerOrdersManyMeetings(t *testing.T) {
	text := []byte("id,lower,upper,size\n")
	for i := range int64(100) {
		text = fmt.Appendf(text, "a%d,%d:0,%d:0,%d\nb%d,0:%d,0:%d,%d\n", i, i, i+1, 1+i*7%13, i, i, i+1, 1+i*5%11)
	}
	d, err := csv.Read(bytes.NewReader(text), "camps.csv")
	if err != nil {
		t.Fatal(err)
	}
	var list []*model.Certificate
	for s := range d.Instance.Sections() {
		if s.Steps.Start%1000 == 0 {
			c := model.Certificate{Proof: model.ProofLoad, Bound: s.Bytes, Step: s.Steps.Start}
			more := c
			more.Bound++
			list = append(list, &c, &more)
		}
	}
	if got := agree(t, text, written(t, list...)); len(list) != 20 || got != 10 {
		t.Errorf("accepted %d of %d, want half of 20", got, len(list))
	}
}
