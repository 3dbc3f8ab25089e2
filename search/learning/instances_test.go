package learning

import (
	"fmt"
	"math/rand"

	"memplan/corpus"
	"memplan/model"
)

var always = model.Always

// longChain is the corpus's chain of that name.
func longChain(n int, load, seed int64) *model.Instance {
	in, err := corpus.Generate(fmt.Sprintf("long-chain-%d-%d-%d", n, load, seed))
	if err != nil {
		panic(err)
	}
	return in
}

// featured is a small instance, half of them chains, with alignments, gaps, pins
// and ties as the seed has it.
func featured(seed int64) *model.Instance {
	r := rand.New(rand.NewSource(seed))
	var in *model.Instance
	for {
		if r.Intn(2) == 0 {
			in = longChain(5+r.Intn(4), 3+r.Int63n(5), r.Int63())
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
