package schedule

import (
	"cmp"
	"encoding/binary"
	"slices"
)

// beamWork is how many units' runs the beam may replay, which sets its width.
const beamWork = 1 << 20

// beam improves the order before the search: unit by unit, of the states
// reached, those that needed the least load are kept, with the fewest bytes
// live among equals. Approximate; it only makes the search's upper bound
// better. Cost: O(units^2 width operands).
func (p *partSearch) beam() {
	n := len(p.order)
	width := min(beamWork/(n*n), 256)
	level := []beamState{{set: make([]uint64, p.words), load: p.target, live: p.from.live}}
	var nodes []beamNode // how each state was reached
	for range n {
		var next []beamState
		index := make(map[string]int)
		for _, s := range level {
			p.extend(s, func(u int, load, live int64) {
				set := slices.Clone(s.set)
				set[u/64] |= 1 << (u % 64)
				after := beamState{set, load, live, beamNode{s.node, u}, 0}
				key := keyOf(set)
				if k, seen := index[key]; !seen {
					index[key] = len(next)
					next = append(next, after)
				} else if load < next[k].load {
					next[k] = after
				}
			})
		}
		slices.SortStableFunc(next, func(a, b beamState) int {
			return cmp.Or(cmp.Compare(a.load, b.load), cmp.Compare(a.live, b.live))
		})
		level = next[:min(len(next), width)]
		if len(level) == 0 {
			return
		}
		for k := range level {
			nodes = append(nodes, level[k].by)
			level[k].node = len(nodes)
		}
	}
	p.load = level[0].load
	p.order = p.order[:0]
	for at := level[0].node; at > 0; at = nodes[at-1].from {
		p.order = append(p.order, nodes[at-1].unit)
	}
	slices.Reverse(p.order)
}

type beamState struct {
	set        []uint64
	load, live int64
	by         beamNode
	node       int // index of by in the nodes, plus 1; 0 at the start
}

type beamNode struct{ from, unit int }

// extend calls f for each unit that can run after a state within the load of
// the order known.
func (p *partSearch) extend(s beamState, f func(u int, load, live int64)) {
	r := p.replay(s.set)
	for u := range r.ran {
		if r.ran[u] || !p.ready(s.set, u) {
			continue
		}
		if load := max(s.load, r.at(u)); load < p.load {
			f(u, load, s.live+r.change(u))
		}
	}
}

func keyOf(set []uint64) string {
	key := make([]byte, 0, 8*len(set))
	for _, w := range set {
		key = binary.LittleEndian.AppendUint64(key, w)
	}
	return string(key)
}
