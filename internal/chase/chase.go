package chase

import (
	"cmp"
	"context"
	"encoding/binary"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strconv"

	"memplan/model"
)

// A Chase looks for an instance of that load whose optimum is above the height.
// The zero value of the other fields is their default. Everything is counted and
// in integers: the same fields give the same instance.
type Chase struct {
	Load, Height int64  // bytes; at most 31
	Width        int    // states kept after each move, 200
	Moves        int    // deaths and births at most, 80
	Weight       int64  // per cent of the possible arrangements' logarithm that counts, 60
	Noise        int64  // of the score, in 1/1024 of a bit, 0
	Seed         uint64 // of the noise
}

// A state is a set and the moves that led to it.
type state struct {
	set
	from  *state
	died  int   // which live buffer died, or -1
	born  int64 // the size of what was born
	score int64
}

// Run returns the instance found, with no buffer that could be left out; nil
// when there is none within the moves, or ctx ended. An error names a field
// that is out of range.
func (c Chase) Run(ctx context.Context) (*model.Instance, error) {
	if _, err := Fits(&model.Instance{}, max(c.Load, c.Height)); err != nil {
		return nil, err
	}
	c.defaults()
	noise := rand.NewPCG(c.Seed, 0)
	beam := []*state{{set: start(), died: -1}}
	for range c.Moves {
		var next []*state
		seen := map[string]bool{}
		for _, s := range beam {
			if ctx.Err() != nil {
				return nil, nil
			}
			for _, t := range c.moves(s) {
				if len(t.ways) == 0 {
					return reduced(t.instance(), c.Height)
				}
				key := t.key()
				if seen[key] {
					continue
				}
				seen[key] = true
				t.score = c.score(&t.set)
				if c.Noise > 0 {
					t.score += int64(noise.Uint64() % uint64(c.Noise))
				}
				next = append(next, t)
			}
		}
		slices.SortStableFunc(next, func(a, b *state) int { return cmp.Compare(a.score, b.score) })
		beam = next[:min(len(next), c.Width)]
	}
	return nil, nil
}

func (c *Chase) defaults() {
	if c.Width <= 0 {
		c.Width = 200
	}
	if c.Moves <= 0 {
		c.Moves = 80
	}
	if c.Weight <= 0 {
		c.Weight = 60
	}
}

// widest is the largest set that is followed: others are too far from empty.
const widest = 100_000

// moves lists what can come next: any death, and a birth of any size that the
// load leaves room for.
func (c *Chase) moves(s *state) []*state {
	var list []*state
	for i := range s.sizes {
		list = append(list, &state{set: s.die(i), from: s, died: i})
	}
	for size := int64(1); size <= c.Load-s.bytes && len(s.sizes) < most; size++ {
		t := &state{set: s.bear(size, c.Height), from: s, died: -1, born: size}
		if len(t.ways) <= widest {
			list = append(list, t)
		}
	}
	return list
}

// score is the logarithm of the number of arrangements left, less its share of
// that of all possible ones: those are the orders of the live buffers and the
// free bytes. Smaller is better.
func (c *Chase) score(s *set) int64 {
	possible := int64(0)
	for i := range s.sizes {
		possible += log(uint64(c.Height-s.bytes) + uint64(i) + 1)
	}
	return log(uint64(len(s.ways))) - c.Weight*possible/100
}

// log is the logarithm to base 2 of x > 0, in 1/1024, rounded down.
func log(x uint64) int64 {
	whole := bits.Len64(x) - 1
	x <<= 63 - whole // in [1, 2), as a fixed-point number with 63 bits
	result := int64(whole)
	for range 10 {
		square, _ := bits.Mul64(x, x) // in [1, 4), with 62 bits
		result <<= 1
		if square>>63 != 0 {
			result++
			x = square
		} else {
			x = square << 1
		}
	}
	return result
}

// key is the same for equal sets.
func (s *set) key() string {
	key := slices.Grow(keyOf(s.sizes), 8*len(s.ways))
	for _, way := range s.ways {
		key = binary.LittleEndian.AppendUint64(key, way)
	}
	return string(key)
}

// instance replays the moves: deaths in a row are one step.
func (s *state) instance() *model.Instance {
	var moves []*state
	for ; s.from != nil; s = s.from {
		moves = append(moves, s)
	}
	slices.Reverse(moves)
	in := &model.Instance{}
	var live []int
	step, dying := int64(0), false
	for _, m := range moves {
		if m.died < 0 {
			live = append(live, len(in.Buffers))
			in.Buffers = append(in.Buffers, model.Buffer{ID: "b" + strconv.Itoa(len(in.Buffers)), Life: model.Interval{Start: step}, Size: m.born})
			dying = false
			continue
		}
		if !dying {
			step++
		}
		in.Buffers[live[m.died]].Life.End = step
		live, dying = slices.Delete(live, m.died, m.died+1), true
	}
	for _, i := range live {
		in.Buffers[i].Life.End = step + 1
	}
	return in
}

// reduced is the instance without buffers that can be left out, one after the
// other, with the optimum still above the height.
func reduced(in *model.Instance, height int64) (*model.Instance, error) {
	for k := 0; k < len(in.Buffers); {
		fewer := &model.Instance{Buffers: slices.Delete(slices.Clone(in.Buffers), k, k+1)}
		fits, err := Fits(fewer, height)
		if err != nil {
			return nil, err
		}
		if fits {
			k++
		} else {
			in = fewer
		}
	}
	for i := range in.Buffers {
		in.Buffers[i].ID = "b" + strconv.Itoa(i)
	}
	return in, nil
}
