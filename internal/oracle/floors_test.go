package oracle_test

import (
	"fmt"
	"testing"

	"memplan/corpus"
	"memplan/internal/oracle"
)

// Two oracles agree on what corpus is full of, so that a mistake would have to
// be in both.
func TestByFloorsAndByOrders(t *testing.T) {
	names := []string{"six-fits", "seven-above", "seven-twins", "eight-above"}
	for seed := range 1000 {
		names = append(names, fmt.Sprintf("chain-8-6-%d", seed))
	}
	above := 0
	for _, name := range names {
		in, err := corpus.Generate(name)
		if err != nil {
			t.Fatal(err)
		}
		a, b := oracle.ByOrders(in), oracle.ByFloors(in)
		if a != b {
			t.Fatalf("%s: %d by orders, %d by floors", name, a, b)
		}
		if a > in.Load() {
			above++
		}
	}
	if above < 3 {
		t.Errorf("%d instances above their load: too few to try the search on", above)
	}
}
