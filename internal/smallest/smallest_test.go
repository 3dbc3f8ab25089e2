package smallest

import (
	"math/big"
	"slices"
	"testing"
)

// remaining lists the graphs of n intervals that no reduction leaves out.
func remaining(n int) []Graph {
	var rest []Graph
	Intervals(n, func(g Graph) bool {
		if g.Connected() && !g.Universal() && !g.Comparable() {
			rest = append(rest, g)
		}
		return true
	})
	return rest
}

// TestWorst is the search behind the package's results, for every size.
func TestWorst(t *testing.T) {
	for _, want := range []struct {
		n, remain, above int
		ratio            *big.Rat
	}{
		{4, 0, 0, one}, {5, 0, 0, one}, {6, 0, 0, one},
		{7, 5, 2, big.NewRat(5, 4)}, {8, 71, 36, big.NewRat(5, 4)},
	} {
		above, largest := 0, one
		graphs := remaining(want.n)
		for _, g := range graphs {
			sizes, ratio := g.Worst()
			if sizes == nil {
				continue
			}
			above++
			t.Logf("%v: %d, %v", g.Near[:g.N], sizes, ratio)
			load := Load(g.Cliques(), sizes)
			if peak := naive(&g, sizes); ratio.Cmp(big.NewRat(peak, load)) != 0 || peak <= load {
				t.Errorf("%v: sizes %d, load %d, optimum %d, ratio said to be %v", g, sizes, load, peak, ratio)
			}
			if ratio.Cmp(largest) > 0 {
				largest = ratio
			}
		}
		if len(graphs) != want.remain || above != want.above || largest.Cmp(want.ratio) != 0 {
			t.Errorf("n = %d: %d graphs remain, %d above their load, at most %v; want %v", want.n, len(graphs), above, largest, want)
		}
	}
}

// TestLeastTotal is the search for the least total size.
func TestLeastTotal(t *testing.T) {
	for _, want := range []struct {
		n     int
		total int64
		found int
	}{{7, 11, 1}, {8, 12, 6}} {
		graphs := remaining(want.n)
		for total := int64(want.n); total <= want.total; total++ {
			found := map[string]bool{} // up to renaming
			for k := range graphs {
				g := &graphs[k]
				cliques := g.Cliques()
				Sizes(want.n, total, func(sizes []int64) bool {
					load := Load(cliques, sizes)
					if peak, _ := g.Optimum(sizes, load); peak > load {
						var mark marks
						for v, s := range sizes {
							mark[v] = uint16(s)
						}
						found[g.canon(mark)] = true
						if peak != 5 || load != 4 {
							t.Errorf("%v %d: load %d, optimum %d", g, sizes, load, peak)
						}
					}
					return true
				})
			}
			wanted := 0
			if total == want.total {
				wanted = want.found
			}
			if len(found) != wanted {
				t.Errorf("n = %d, total %d: %d instances above their load, want %d", want.n, total, len(found), wanted)
			}
		}
	}
}

// TestSmallestInstance: the documented instance is the one found.
func TestSmallestInstance(t *testing.T) {
	rows := [][3]int64{{0, 1, 2}, {0, 2, 2}, {1, 3, 1}, {1, 4, 1}, {2, 4, 1}, {3, 5, 2}, {4, 5, 2}}
	g := Graph{N: len(rows)}
	var sizes []int64
	for i, a := range rows {
		for j, b := range rows {
			if i != j && a[0] < b[1] && b[0] < a[1] {
				g.Near[i] |= 1 << j
			}
		}
		sizes = append(sizes, a[2])
	}
	if load, peak := Load(g.Cliques(), sizes), naive(&g, sizes); load != 4 || peak != 5 {
		t.Errorf("load %d, optimum %d", load, peak)
	}
	key := g.canon(marks{})
	for _, h := range remaining(7) {
		if h.canon(marks{}) == key {
			return
		}
	}
	t.Error("its graph is not among those that remain")
}

// naive is the optimum by trying every permutation, without any cut.
func naive(g *Graph, sizes []int64) int64 {
	best := int64(1) << 62
	top := make([]int64, g.N)
	var place func(order []int)
	place = func(order []int) {
		if len(order) == g.N {
			best = min(best, slices.Max(top))
			return
		}
		for v := range g.N {
			if slices.Contains(order, v) {
				continue
			}
			low := int64(0)
			for _, u := range order {
				if g.edge(u, v) {
					low = max(low, top[u])
				}
			}
			was := top[v]
			top[v] = low + sizes[v]
			place(append(order, v))
			top[v] = was
		}
	}
	place(nil)
	return best
}

// TestOptimum: the search and the plan it returns against every permutation.
func TestOptimum(t *testing.T) {
	for n := 1; n <= 5; n++ {
		Intervals(n, func(g Graph) bool {
			Sizes(n, int64(n)+3, func(sizes []int64) bool {
				peak, offsets := g.Optimum(sizes, 0)
				if want := naive(&g, sizes); peak != want {
					t.Errorf("%v %d: %d, want %d", g, sizes, peak, want)
				}
				for u := range n {
					if offsets[u] < 0 || offsets[u]+sizes[u] > peak {
						t.Errorf("%v %d: offsets %d, peak %d", g, sizes, offsets, peak)
					}
					for v := range u {
						if g.edge(u, v) && offsets[u] < offsets[v]+sizes[v] && offsets[v] < offsets[u]+sizes[u] {
							t.Errorf("%v %d: offsets %d overlap", g, sizes, offsets)
						}
					}
				}
				return true
			})
			return true
		})
	}
}

// TestReductions: what the reductions leave out is at its load for all small
// sizes, and what Worst says holds for all small sizes.
func TestReductions(t *testing.T) {
	for n := 2; n <= 7; n++ {
		Intervals(n, func(g Graph) bool {
			_, ratio := g.Worst()
			cliques := g.Cliques()
			Sizes(n, int64(n)+4, func(sizes []int64) bool {
				load := Load(cliques, sizes)
				if peak, _ := g.Optimum(sizes, load); big.NewRat(peak, load).Cmp(ratio) > 0 {
					t.Errorf("%v %d: load %d, optimum %d, ratio at most %v", g, sizes, load, peak, ratio)
				}
				return true
			})
			return true
		})
	}
}

// TestWorstOfComparable: without the short cut, the search finds by itself that
// comparability graphs are at their load.
func TestWorstOfComparable(t *testing.T) {
	for n := 2; n <= 5; n++ {
		Intervals(n, func(g Graph) bool {
			s := spoiler{g: &g, cliques: g.Cliques(), best: one}
			if s.search(nil, nil); s.sizes != nil || !g.Comparable() {
				t.Errorf("%v: %d", g, s.sizes)
			}
			return true
		})
	}
}

func TestMaximise(t *testing.T) {
	// x + y <= 4, z <= x, z <= 3y: z = x = 3, y = 1.
	rows := [][]int64{{1, 1, 0}, {-1, 0, 1}, {0, -3, 1}}
	x := maximise(rows, []*big.Rat{big.NewRat(4, 1), new(big.Rat), new(big.Rat)})
	for j, want := range []int64{3, 1, 3} {
		if x[j].Cmp(big.NewRat(want, 1)) != 0 {
			t.Errorf("x%d = %v, want %d", j, x[j], want)
		}
	}
}
