package corpus

import "memplan/model"

// uniform is what everybody tests with, and it tells planners apart by speed
// alone: random lifetimes, about live of them at once, random sizes. Its optimum
// is the load almost always (1 exception in 7.8 million for n from 4 to 18), and
// a proof is never needed. Made in O(n), so that a million buffers take a second.
func uniform(n, live, seed int64) *model.Instance {
	d := newDraw("uniform", n, live, seed)
	in := &model.Instance{Buffers: make([]model.Buffer, n)}
	for i := range in.Buffers {
		start := d.below(n)
		life := model.Interval{Start: start, End: start + d.between(1, max(1, 2*live-1))}
		in.Buffers[i] = model.Buffer{ID: rowID(i), Life: life, Size: d.between(1, 1024)}
	}
	return in
}
