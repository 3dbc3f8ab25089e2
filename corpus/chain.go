package corpus

import (
	"slices"

	"memplan/model"
)

// chain is meant to break proofs: at every step the live bytes are exactly the
// load, so nothing is slack, and yet the optimum is above the load in a few of
// every hundred: that takes an argument over many steps to see. A random
// non-empty subset dies at each step and a random composition of the freed
// bytes takes its place. Nothing is known of the optimum by construction.
func chain(n, load, seed int64) *model.Instance {
	d := newDraw("chain", n, load, seed)
	live := 2 + load/5
	return grow(n, load, live, d, func(alive int) int {
		return 1 + int(d.below(int64(alive)))
	})
}

// longChain is a chain at whose steps one or two buffers die: lives are long,
// every buffer crosses many others, and a swap has effects far away. The
// hardest family of small instances: the optimum often lies above the load and
// heuristics are 4 to 22 % off. Nothing is known of the optimum by construction.
func longChain(n, load, seed int64) *model.Instance {
	d := newDraw("long-chain", n, load, seed)
	live := 4 + isqrt(load)
	return grow(n, load, live, d, func(alive int) int {
		return min(alive, 1+int(d.below(2)))
	})
}

// grow makes a chain of n buffers with about that many live at once, of which
// dying() die at each step.
func grow(n, load, live int64, d draw, dying func(alive int) int) *model.Instance {
	live = min(live, load, n)
	sizes := d.composition(load, int(live))
	tiles := make([]tile, 0, n)
	alive := make([]int, 0, live)
	birth := func(step int64, sizes []int64) {
		for _, size := range sizes {
			alive = append(alive, len(tiles))
			tiles = append(tiles, tile{model.Interval{Start: step}, 0, size})
		}
	}
	birth(0, sizes)
	step := int64(1)
	for ; int64(len(tiles)) < n; step++ {
		freed, dead := int64(0), d.subset(dying(len(alive)), len(alive))
		for k := len(dead) - 1; k >= 0; k-- {
			t := &tiles[alive[dead[k]]]
			t.life.End = step
			freed += t.size
			alive = slices.Delete(alive, dead[k], dead[k]+1)
		}
		parts := heirs(int64(len(dead)), live-int64(len(alive)), d)
		birth(step, d.composition(freed, int(min(parts, freed, n-int64(len(tiles))))))
	}
	for _, k := range alive {
		tiles[k].life.End = step
	}
	in, _ := assemble(tiles, d)
	return in
}

// heirs is how many buffers replace the dead: about as many, drawn towards the
// number wanted.
func heirs(dead, wanted int64, d draw) int64 {
	return max(1, (dead+wanted)/2+d.between(-1, 1))
}

// isqrt is the integer part of the square root of n >= 0.
func isqrt(n int64) int64 {
	r := int64(0)
	for (r+1)*(r+1) <= n {
		r++
	}
	return r
}
