package model

import (
	"math/rand"
	"testing"
)

// Sections, load, conflicts and neighbours against their definitions, step by
// step, on random instances with gaps and empty buffers.
func TestSweepAgainstDefinition(t *testing.T) {
	for seed := range int64(2000) {
		r := rand.New(rand.NewSource(seed))
		in := &Instance{}
		for i := range r.Intn(8) {
			s := r.Int63n(8)
			b := Buffer{ID: string(rune('a' + i)), Life: Interval{s, s + 1 + r.Int63n(6)}, Size: r.Int63n(4)}
			if n := b.Life.End - b.Life.Start; n > 2 && r.Intn(2) == 0 {
				b.Gaps = []Interval{{b.Life.Start + 1, b.Life.Start + 2}}
			}
			in.Buffers = append(in.Buffers, b)
		}
		if err := in.Validate(); err != nil {
			t.Fatal(err)
		}
		live := func(i int, step int64) bool {
			for part := range in.Buffers[i].Live() {
				if part.Start <= step && step < part.End {
					return in.Buffers[i].Size > 0
				}
			}
			return false
		}
		bytes := map[int64]int64{}
		pairs := map[[2]int]bool{}
		var load, sections int64
		last := uint(0)
		for step := range int64(20) {
			set := uint(0)
			for i := range in.Buffers {
				if !live(i, step) {
					continue
				}
				set |= 1 << i
				bytes[step] += in.Buffers[i].Size
				for j := range i {
					if live(j, step) {
						pairs[[2]int{j, i}] = true
					}
				}
			}
			load = max(load, bytes[step])
			if set != last && set != 0 {
				sections++
			}
			last = set
		}
		if got := in.Load(); got != load {
			t.Fatalf("seed %d: load %d, want %d", seed, got, load)
		}
		if got := in.Conflicts(); got != int64(len(pairs)) {
			t.Fatalf("seed %d: conflicts %d, want %d", seed, got, len(pairs))
		}
		for i := range in.Buffers {
			for j := range i {
				if got := in.Buffers[i].Conflicts(&in.Buffers[j]); got != pairs[[2]int{j, i}] {
					t.Fatalf("seed %d: Conflicts(%d,%d) = %v", seed, j, i, got)
				}
			}
		}
		var n int64
		for s := range in.Sections() {
			n++
			for step := s.Steps.Start; step < s.Steps.End; step++ {
				if bytes[step] != s.Bytes {
					t.Fatalf("seed %d: section %v has %d bytes at %d, want %d", seed, s.Steps, s.Bytes, step, bytes[step])
				}
			}
		}
		if n != sections {
			t.Fatalf("seed %d: %d sections, want %d", seed, n, sections)
		}
	}
}
