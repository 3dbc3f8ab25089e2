package corpus

import "memplan/model"

// alwaysFull is meant to break online and offline fits alike: an arena without
// a free byte in which, at each step, a few buffers die and each hole, merged
// with the holes beside it, is refilled at once by a random composition. Not
// cuttable into parts as a guillotine, nor rigid as a pinwheel. Optimum = load
// by construction.
func alwaysFull(n, seed int64) (*model.Instance, model.Plan) {
	d := newDraw("always-full", n, seed)
	load := canvas(n)
	a := arena{wanted: min(n, 4+isqrt(n))}
	at := int64(0)
	for _, size := range d.composition(load, int(a.wanted)) {
		a.alive = append(a.alive, tile{offset: at, size: size})
		at += size
	}
	for left := n - a.wanted; left > 0; {
		most := min(max(1, int64(len(a.alive))/4), left)
		dead := d.subset(int(d.between(1, most)), len(a.alive))
		left -= a.turnOver(dead, left, d)
	}
	a.step++
	for _, t := range a.alive {
		t.life.End = a.step
		a.dead = append(a.dead, t)
	}
	return assemble(a.dead, d)
}

// An arena is full of live tiles, by address, at every step.
type arena struct {
	alive, dead []tile
	step        int64
	wanted      int64 // how many to have alive, about
}

// turnOver goes to the next step, at which the given tiles die, and refills the
// holes with at most budget new ones, at least one a hole. It returns their
// number.
func (a *arena) turnOver(dying []int, budget int64, d draw) int64 {
	a.step++
	var next []tile
	before := int64(len(a.alive))
	born, rest := int64(0), int64(len(dying)) // rest: holes still to come, at most
	for k := 0; k < len(a.alive); {
		if len(dying) == 0 || dying[0] != k {
			next = append(next, a.alive[k])
			k++
			continue
		}
		hole := tile{model.Interval{Start: a.step}, a.alive[k].offset, 0}
		count := int64(0)
		for ; len(dying) > 0 && dying[0] == k; k, dying = k+1, dying[1:] {
			t := a.alive[k]
			t.life.End = a.step
			a.dead = append(a.dead, t)
			hole.size += t.size
			count++
		}
		rest -= count
		parts := min(heirs(count, count+a.wanted-before, d), 2*count+1, hole.size, budget-born-rest)
		for _, size := range d.composition(hole.size, int(parts)) {
			next = append(next, tile{hole.life, hole.offset, size})
			hole.offset += size
		}
		born += parts
	}
	a.alive = next
	return born
}
