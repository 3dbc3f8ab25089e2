package verify

import (
	"fmt"
	"testing"

	"memplan/model"
)

// Checking a plan allocates a number of times that does not depend on the buffers.
func TestBuffersAllocateNothing(t *testing.T) {
	in, p := &model.Instance{}, model.Plan{}
	for i := range 4000 {
		in.Buffers = append(in.Buffers, model.Buffer{ID: fmt.Sprint(i), Life: model.Interval{Start: int64(i), End: int64(i + 4)}, Size: 8})
		p.Offsets = append(p.Offsets, int64(i%4*8))
	}
	if n := testing.AllocsPerRun(2, func() {
		if err := Plan(in, p); err != nil {
			t.Fatal(err)
		}
	}); n > 100 {
		t.Errorf("%.0f times for %d buffers", n, len(in.Buffers))
	}
}

// The tree of ends knows the highest end below each node, whatever is set in whatever order.
func TestEnds(t *testing.T) {
	for _, n := range []int{0, 1, 8, 9, 64, 65, 600} {
		e := newEnds(n)
		if n == 0 {
			continue
		}
		for k := range 4 * n {
			e.set(k*7919%n, int64(k*31%17))
			for row := range e.rows[1:] {
				for i, end := range e.rows[row+1] {
					most := int64(0)
					for j := i * broad; j < min((i+1)*broad, len(e.rows[row])); j++ {
						most = max(most, e.rows[row][j])
					}
					if end != most {
						t.Fatalf("%d ranks, change %d: node %d of row %d has %d, want %d", n, k, i, row+1, end, most)
					}
				}
			}
		}
	}
}

// A list by keys is a stable sort, also where keys are far apart or negative.
func TestSorted(t *testing.T) {
	keys := []int64{3, -1, 3, 0, 1<<63 - 1, -1 << 63, 256, -1, 255, 65536, 3}
	type pair struct {
		key int64
		at  int
	}
	var list []pair
	for at, key := range keys {
		list = append(list, pair{key, at})
	}
	list = sorted(list, func(p *pair) int64 { return p.key })
	for k := range list[1:] {
		if a, b := list[k], list[k+1]; a.key > b.key || a.key == b.key && a.at > b.at {
			t.Fatalf("%v", list)
		}
	}
}
