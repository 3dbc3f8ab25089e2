package learning

import (
	"fmt"
	"math"
	"math/rand"
	"slices"

	"memplan/model"
)

var always = model.Interval{Start: math.MinInt64, End: math.MaxInt64}

// parts is a random composition of total into at most that many parts.
func parts(r *rand.Rand, total int64, most int) []int64 {
	cuts := r.Perm(int(total) - 1)[:min(most, int(total))-1]
	slices.Sort(cuts)
	var sizes []int64
	last := int64(0)
	for _, c := range cuts {
		sizes = append(sizes, int64(c)+1-last)
		last = int64(c) + 1
	}
	return append(sizes, total-last)
}

// longChain is a chain in which one or two buffers die at a step, about live
// are alive, and load bytes always are.
func longChain(n int, load, seed int64, live int) *model.Instance {
	r := rand.New(rand.NewSource(seed))
	in := &model.Instance{Name: fmt.Sprintf("chain n%d L%d live%d seed%d", n, load, live, seed)}
	var alive []int
	birth := func(step int64, sizes []int64) {
		for _, z := range sizes {
			alive = append(alive, len(in.Buffers))
			in.Buffers = append(in.Buffers, model.Buffer{ID: fmt.Sprint("b", len(in.Buffers)), Life: model.Interval{Start: step}, Size: z})
		}
	}
	birth(0, parts(r, load, min(live, n)))
	step := int64(1)
	for ; len(in.Buffers) < n; step++ {
		freed, dying := int64(0), min(1+r.Intn(2), len(alive))
		for range dying {
			k := r.Intn(len(alive))
			b := &in.Buffers[alive[k]]
			b.Life.End = step
			freed += b.Size
			alive = slices.Delete(alive, k, k+1)
		}
		heirs := max(1, (dying+live-len(alive))/2+r.Intn(3)-1)
		birth(step, parts(r, freed, min(heirs, n-len(in.Buffers))))
	}
	for _, k := range alive {
		in.Buffers[k].Life.End = step
	}
	r.Shuffle(len(in.Buffers), func(i, j int) { in.Buffers[i], in.Buffers[j] = in.Buffers[j], in.Buffers[i] })
	return in
}

// featured is a small instance, half of them chains, with alignments, gaps, pins
// and ties as the seed has it.
func featured(seed int64) *model.Instance {
	r := rand.New(rand.NewSource(seed))
	var in *model.Instance
	for {
		if r.Intn(2) == 0 {
			in = longChain(5+r.Intn(4), 3+r.Int63n(5), r.Int63(), 3)
		} else {
			in = &model.Instance{}
			for i := range 3 + r.Intn(4) {
				s := r.Int63n(5)
				in.Buffers = append(in.Buffers, model.Buffer{ID: fmt.Sprint("b", i), Life: model.Interval{Start: s, End: s + 1 + r.Int63n(5)}, Size: r.Int63n(5)})
			}
		}
		aligned, gapped, pinned, tied := r.Intn(3) == 0, r.Intn(3) == 0, r.Intn(4) == 0, r.Intn(5) == 0
		for i := range in.Buffers {
			b := &in.Buffers[i]
			if aligned {
				b.Align = 1 + r.Int63n(3)
			}
			if gapped && b.Life.End-b.Life.Start > 2 && r.Intn(2) == 0 {
				b.Gaps = []model.Interval{{Start: b.Life.Start + 1, End: b.Life.Start + 2}}
			}
			if pinned && r.Intn(4) == 0 {
				at := r.Int63n(6) * b.Alignment()
				b.Offset = &at
			}
			if k := r.Intn(len(in.Buffers)); tied && k != i && in.Buffers[k].Tie == nil && r.Intn(3) == 0 {
				b.Tie = &model.Tie{To: k, Delta: r.Int63n(4)}
			}
		}
		if in.Validate() == nil {
			return in
		}
	}
}

// fits tries every offset of every body: whether in has a plan in which nothing
// that has bytes ends above height.
func fits(in *model.Instance, height int64) bool {
	bodies := in.Bodies()
	at := make([]int64, len(in.Buffers))
	placed := make([]bool, len(in.Buffers))
	clear := func(i int) bool {
		b := &in.Buffers[i]
		if at[i] < 0 || b.Size > 0 && at[i]+b.Size > height {
			return false
		}
		for j := range in.Buffers {
			if placed[j] && in.Buffers[j].Conflicts(b) && at[i] < at[j]+in.Buffers[j].Size && at[j] < at[i]+b.Size {
				return false
			}
		}
		return true
	}
	var try func(k int) bool
	try = func(k int) bool {
		if k == len(bodies) {
			return true
		}
		root := &in.Buffers[bodies[k][0]]
		for x := int64(0); x <= height; x += root.Alignment() {
			if root.Offset != nil {
				x = *root.Offset
			}
			good := true
			for _, i := range bodies[k] {
				at[i] = x
				if t := in.Buffers[i].Tie; t != nil {
					at[i] += t.Delta
				}
				good = good && clear(i)
			}
			for _, i := range bodies[k] {
				placed[i] = good
			}
			if good && try(k+1) {
				return true
			}
			for _, i := range bodies[k] {
				placed[i] = false
			}
			if root.Offset != nil {
				return false
			}
		}
		return false
	}
	return try(0)
}
