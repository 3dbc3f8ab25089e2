package corpus

import (
	"slices"

	"memplan/model"
)

// overlaid is meant to break planners that keep outputs off their inputs, and
// bounds that take the load for one: a network of n operators, each of which reads
// one value or two, rather late ones, of which some die there; its output may lie
// over most of those, from a lead on that is often 0. The optimum is often below
// what is live at once, and sometimes above what each step by itself could do
// with. Nothing is known of it by construction.
func overlaid(n, seed int64) *model.Instance {
	d := newDraw("overlaid", n, seed)
	in := &model.Instance{Buffers: make([]model.Buffer, 0, n)}
	var live []int
	for y := range int(n) {
		step := int64(y)
		in.Buffers = append(in.Buffers, model.Buffer{ID: rowID(y), Life: model.Interval{Start: step, End: step + 1}, Size: d.between(1, 24)})
		for range min(int64(len(live)), d.between(1, 2)) {
			k := len(live) - 1 - int(min(d.below(int64(len(live))), d.below(int64(len(live)))))
			x := live[k]
			if in.Buffers[x].Life.End = step + 1; d.coin(4) {
				continue // it is read again
			}
			live = slices.Delete(live, k, k+1)
			if !d.coin(4) {
				lead := max(0, d.between(-8, in.Buffers[y].Size-1))
				in.Pairs = append(in.Pairs, model.Pair{Over: y, Under: x, Distance: lead})
			}
		}
		live = append(live, y)
	}
	for _, x := range live {
		in.Buffers[x].Life.End = n
	}
	return in
}
