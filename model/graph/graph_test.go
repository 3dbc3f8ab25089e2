package graph_test

import (
	"math"
	"testing"

	"memplan/model/graph"
)

// What is accessed is rounded up to whole bytes, exactly, and saturates.
func TestAccessed(t *testing.T) {
	for _, c := range []struct{ bytes, times, of, want int64 }{
		{10, 3, 1, 30}, {10, 9, 4, 23}, {8, 9, 4, 18}, {1, 1, 3, 1}, {7, 0, 1, 0}, {0, 5, 2, 0},
		{math.MaxInt64, math.MaxInt64, math.MaxInt64, math.MaxInt64}, {math.MaxInt64, 2, 1, math.MaxInt64}, {math.MaxInt64, 2, 3, 6148914691236517205},
		{math.MaxInt64, math.MaxInt64, 1, math.MaxInt64}, {math.MaxInt64, 1, math.MaxInt64, 1},
	} {
		g := graph.Graph{Tensors: []graph.Tensor{{Bytes: c.bytes}, {Bytes: 5}}, Ops: []graph.Op{{Inputs: []int{0, 1}, Accesses: []graph.Access{{Operand: 0, Times: c.times, Of: c.of}}}}}
		if got := g.Accessed(0, 0); got != c.want {
			t.Errorf("%d bytes, %d/%d times: %d, want %d", c.bytes, c.times, c.of, got, c.want)
		}
		if got := g.Accessed(0, 1); got != 5 {
			t.Errorf("an operand of which nothing is said: %d bytes", got)
		}
	}
}
