package chase

import (
	"slices"
	"testing"

	"memplan/model"
)

// TestLadder: what all instances known of load 3k+1 and optimum 4k+1, k at least 4,
// begin with. The only live buffer, of k+1 bytes, comes nearer to an end of the memory
// byte by byte, until it is less than half of k from it.
func TestLadder(t *testing.T) {
	for k := int64(4); k <= 12; k++ {
		m := ofRatio(k, 3)
		n := m.ladder(t, k)
		if fewer := m.rung(t, n, k, k/2); len(places(fewer)) < len(places(n)) {
			t.Errorf("k = %d: another rung helps, after all", k)
		}
	}
}

// TestBetween: where the ladder ends, a few moves more have an instance with k up to 7,
// even and odd, as the ladder can be gone down from the other end of time too. With 8
// they leave something in common, with 9 they are above the load.
func TestBetween(t *testing.T) {
	for k := int64(4); k <= 7; k++ {
		m, h := ofRatio(k, 4), k/2
		a := m.ladder(t, k)
		b := a
		if k%2 == 0 {
			a = m.play(t, a, h, h, h, -1, -2, k, -3, -4, h+1, h, h, -5, k+1, -6, k-1, -9, k, -8, -10, k, -11, k+1, h,
				-12, h+1, -13, k, -15, k, -16, h, -17, k+1, -7, -14, -18)
		} else {
			a = m.play(t, a, h, h+1, h, -1, k, -2, -3, h+2, k, -5, h+2, -7, h+2, -8, 3*h, -9, h, -6)
			b = m.play(t, b, h, h, k, -1, k, -4, 3*h, -5)
		}
		names, words := a.in.renamings[a.in.compared-1], make([]uint64, len(a.words))
		names.of(a.words, words)
		if _, _, apart := compare(words, b.words); !apart {
			t.Errorf("k = %d: something in common", k)
		}
		if k > 5 {
			continue // as above, at more cost
		}
		in := m.joined(a, b, names)
		if fits, err := Fits(in, m.Height); fits || err != nil || in.Load() != m.Load {
			t.Errorf("k = %d: load %d, fits is %v, %v", k, in.Load(), fits, err)
		}
	}
}

// ofRatio looks for an optimum of 4k+1 at load 3k+1.
func ofRatio(k int64, live int) *meeting {
	return &meeting{Meeting: Meeting{Load: 3*k + 1, Height: 4 * k, Live: live}, universes: map[string]*universe{}}
}

// ladder checks each rung.
func (m *meeting) ladder(t *testing.T, k int64) *node {
	n := &node{in: m.universe(nil), words: []uint64{1}}
	n = m.play(t, n, k, k, k, -1, k+1, -2, k-1, -4, k, -5, k+1, -3, -6)
	checkNear(t, k, n, k-3)
	for b := k - 2; 2*b > k; b-- {
		n = m.rung(t, n, k, b)
		checkNear(t, k, n, b-2)
	}
	return n
}

func (m *meeting) rung(t *testing.T, n *node, k, b int64) *node {
	return m.play(t, n, b, k, -1, k, -2, k+1, -4, -3)
}

// play follows moves: births by their sizes and deaths, less than 0, by how many
// buffers there have been up to the one that dies.
func (m *meeting) play(t *testing.T, n *node, moves ...int64) *node {
	live := model.Identity(len(n.in.sizes))
	been := len(live)
	for _, v := range moves {
		var by *move
		if v > 0 {
			by = m.birth(n.in, v)
			live, been = slices.Insert(live, by.at, been), been+1
		} else {
			i := slices.Index(live, int(-v)-1)
			by, live = m.death(n.in, i), slices.Delete(live, i, i+1)
		}
		if by.into.bytes > m.Load {
			t.Fatalf("%d: above the load %d", by.into.sizes, m.Load)
		}
		next := &node{in: by.into, words: by.into.none(), from: n, by: by, as: by.into.renamings[0]}
		by.of(n.words, next.words)
		n = next
	}
	return n
}

// checkNear: a buffer of k+1 bytes alone, at most so far from an end.
func checkNear(t *testing.T, k int64, n *node, far int64) {
	t.Helper()
	if at := places(n); !slices.Equal(n.in.sizes, []int64{k + 1}) || len(at) != int(far)+1 || slices.Max(at) != far {
		t.Errorf("k = %d: %d at %d, want 0 to %d", k, n.in.sizes, at, far)
	}
}

// places lists where the only buffer can be.
func places(n *node) (at []int64) {
	for i := range members(n.words) {
		at = append(at, offset(n.in.ways[i], 0))
	}
	return at
}
