package tiling

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// orders lists all orders of the leaves that a tree allows, each as a string.
func orders(n *node) (all map[string]bool) {
	all = make(map[string]bool)
	var rows [][]int32
	switch n.kind {
	case leafNode:
		rows = [][]int32{{n.leaf}}
	case pNode:
		permute(len(n.children), func(p []int) {
			row := make([]*node, len(p))
			for k, c := range p {
				row[k] = n.children[c]
			}
			rows = append(rows, concat(row)...)
		})
	case qNode:
		back := slices.Clone(n.children)
		slices.Reverse(back)
		rows = append(concat(n.children), concat(back)...)
	}
	for _, r := range rows {
		all[fmt.Sprint(r)] = true
	}
	return all
}

// concat lists the orders of nodes in a row.
func concat(row []*node) (out [][]int32) {
	out = [][]int32{nil}
	for _, c := range row {
		var longer [][]int32
		for text := range orders(c) {
			for _, o := range out {
				longer = append(longer, slices.Concat(o, parse(text)))
			}
		}
		out = longer
	}
	return out
}

func parse(text string) (row []int32) {
	for _, r := range text {
		if r >= '0' && r <= '9' {
			row = append(row, r-'0')
		}
	}
	return row
}

func permute(n int, found func(p []int)) {
	p := make([]int, 0, n)
	var add func()
	add = func() {
		if len(p) == n {
			found(p)
		}
		for k := range n {
			if !slices.Contains(p, k) {
				p = append(p, k)
				add()
				p = p[:len(p)-1]
			}
		}
	}
	add()
}

// together reports whether the leaves are neighbours in a row, and gives the row
// with a stand-in for them.
func together(row, leaves []int32, stand int32) (replaced []int32, ok bool) {
	runs := 0
	for k, i := range row {
		switch in := slices.Contains(leaves, i); {
		case !in:
			replaced = append(replaced, i)
		case k == 0 || !slices.Contains(leaves, row[k-1]):
			replaced = append(replaced, stand)
			runs++
		}
	}
	return replaced, runs == 1
}

// Trees allow the orders that brute force finds, with demands one after another
// and stand-ins for those met; their freedom is the number of these orders, and
// trees with the same orders have the same hash.
func TestTreesAgainstBruteForce(t *testing.T) {
	const leaves = 6
	none := 0
	hashes := make(map[uint64]string)
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 0))
		var first []*node
		for i := range int32(leaves) {
			first = append(first, newLeaf(i, mix(uint64(i))))
		}
		tree, live := anyOrder(first...), []int32{0, 1, 2, 3, 4, 5}
		want := orders(tree)
		g := gatherer{marked: make([]bool, 10)}
		for stand := int32(leaves); stand < 9 && len(live) > 2; stand++ {
			set := slices.Clone(live)
			r.Shuffle(len(set), func(a, b int) { set[a], set[b] = set[b], set[a] })
			set = set[:min(2+r.IntN(3), len(set))]
			keep := r.IntN(4) > 0
			gathered, replaced := g.gather(tree, set, newLeaf(stand, mix(uint64(stand))))
			met, after := make(map[string]bool), make(map[string]bool)
			for text := range want {
				if row, ok := together(parse(text), set, stand); ok {
					met[text], after[fmt.Sprint(row)] = true, true
				}
			}
			if (gathered == nil) != (len(met) == 0) {
				t.Fatalf("seed %d: %v gathered: %v, by brute force %d orders", seed, set, gathered != nil, len(met))
			}
			if gathered == nil {
				none++
				break
			}
			if got := orders(gathered); !same(got, met) {
				t.Fatalf("seed %d: %v gathered: %v, want %v", seed, set, got, met)
			}
			if got := orders(replaced); !same(got, after) {
				t.Fatalf("seed %d: %v replaced: %v, want %v", seed, set, got, after)
			}
			tree, want = gathered, met
			if !keep {
				tree, want = replaced, after
				live = slices.DeleteFunc(live, func(i int32) bool { return slices.Contains(set, i) })
				live = append(live, stand)
			}
			if got, want := math.Exp2(float64(tree.freedom)/(1<<16)), float64(len(want)); math.Abs(got-want) > want/1000 {
				t.Fatalf("seed %d: freedom for %g orders, want %g", seed, got, want)
			}
			text := fmt.Sprint(slices.Sorted(maps.Keys(want)))
			if old, known := hashes[tree.hash]; known && old != text {
				t.Fatalf("seed %d: one hash for %s and %s", seed, old, text)
			}
			hashes[tree.hash] = text
			if len(live) == 1 {
				break
			}
			if got, want := orders(tree.restrict(func(i int32) bool { return i != live[0] })), without(want, live[0]); !same(got, want) {
				t.Fatalf("seed %d: without %d: %v, want %v", seed, live[0], got, want)
			}
			for text := range want {
				rank := make([]int32, 10)
				for k, i := range parse(text) {
					rank[i] = int32(k)
				}
				if got := fmt.Sprint(tree.frontier(rank, nil)); got != text {
					t.Fatalf("seed %d: frontier %s, want %s", seed, got, text)
				}
			}
		}
	}
	if none < 50 {
		t.Errorf("only %d demands could not be met: this says little", none)
	}
}

func same(a, b map[string]bool) bool {
	return maps.Equal(a, b)
}

func without(all map[string]bool, gone int32) map[string]bool {
	out := make(map[string]bool)
	for text := range all {
		out[fmt.Sprint(slices.DeleteFunc(parse(text), func(i int32) bool { return i == gone }))] = true
	}
	return out
}

func TestLog2(t *testing.T) {
	for _, x := range []uint64{1, 2, 3, 10, 4095, 4096, 1<<31 - 1} {
		if got, want := float64(log2(x)), math.Log2(float64(x))*(1<<16); got > want+1e-6 || got < want-2 {
			t.Errorf("log2(%d) is %g, want %g", x, got, want)
		}
	}
}
