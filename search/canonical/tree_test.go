package canonical

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// Whatever is placed, passed over and taken back, what is kept up to date is what
// working it out anew gives: who is in how many watches, the key, and of each
// section the floor, who has it, and the cost.
func TestTreeKeepsCount(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, err := Prepare(small(t))
		if err != nil {
			t.Fatal(err)
		}
		tr := p.grow(rapid.Permutation(seq(p.Len())).Draw(t, "order"), p.Least()+rapid.Int64Range(0, 3).Draw(t, "slack"))
		if !tr.begin() {
			return
		}
		var g gauge
		g.begin(tr, Beam{Power: 1, Margin: 1, LifePower: 1})
		for range rapid.IntRange(1, 12).Draw(t, "decisions") {
			low := slices.Min(tr.eff)
			if low == placed {
				break
			}
			c := int32(slices.Index(tr.eff, low))
			mark, held, key := len(tr.trail), tr.held, tr.key
			ok := rapid.Bool().Draw(t, "place") && tr.place(c) && tr.settle()
			if !ok || rapid.Bool().Draw(t, "take back") {
				tr.undo(mark)
				tr.held, tr.key = held, key
				if ok = tr.pass(c); !ok {
					tr.undo(mark)
					tr.held, tr.key = held, key
				}
			}
			sum := g.assess(tr, mark)
			g.commit(sum)
			counted(t, tr, &g)
			if !ok {
				break
			}
		}
	})
}

// counted fails unless the tree's and the gauge's counts are right.
func counted(t *rapid.T, tr *tree, g *gauge) {
	guards, bears := make([]int32, len(tr.eff)), make([]int32, len(tr.eff))
	for s, w := range tr.watch {
		guards[w[0]]++
		guards[w[1]]++
		bears[g.rests[s]]++
		floor := int64(placed)
		for _, j := range tr.members[s] {
			floor = min(floor, tr.eff[j])
		}
		if g.floor[s] != floor || tr.eff[g.rests[s]] != floor {
			t.Fatalf("section %d: floor %d of %d at %d, want %d", s, g.floor[s], g.rests[s], tr.eff[g.rests[s]], floor)
		}
		if _, _, cost := g.measure(tr, int32(s), floor); cost != g.cost[s] {
			t.Fatalf("section %d: cost %v, want %v", s, g.cost[s], cost)
		}
	}
	var key uint64
	for j, e := range tr.eff[:len(tr.size)] {
		if e != placed {
			key ^= hash(int32(j), e)
		}
	}
	start := uint64(0)
	for j := range tr.size {
		start ^= hash(int32(j), 0)
	}
	if !slices.Equal(guards, tr.guards) || !slices.Equal(bears, g.bears) {
		t.Fatalf("guards %v, want %v; bears %v, want %v", tr.guards, guards, g.bears, bears)
	}
	if tr.key^start != key {
		t.Fatalf("key %x, want %x", tr.key^start, key)
	}
}
