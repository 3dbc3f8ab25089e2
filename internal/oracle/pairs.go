package oracle

import (
	"math/rand"
	"testing"

	"memplan/model"
)

// WithPairs is a plan of least peak of an instance whose buffers may share
// bytes as its pairs allow, by trying every offset of every body at every
// height; false when the peak is beyond Highest. It compares buffers two by
// two, and knows of a pair only what model.Pair says. For about seven buffers
// of a few bytes.
func WithPairs(in *model.Instance) (plan model.Plan, ok bool) {
	g := grid{in: in, bodies: in.Bodies(), at: make([]int64, len(in.Buffers)), placed: make([]bool, len(in.Buffers))}
	g.may = make([][]model.Pair, len(in.Buffers))
	for _, p := range in.Pairs {
		g.may[p.Over] = append(g.may[p.Over], p)
		g.may[p.Under] = append(g.may[p.Under], p)
	}
	for g.height = 0; g.height <= Highest; g.height++ {
		if g.fits(0) {
			return model.Plan{Offsets: g.at}, true
		}
	}
	return model.Plan{}, false
}

type grid struct {
	in     *model.Instance
	bodies [][]int
	may    [][]model.Pair // by buffer
	at     []int64
	placed []bool
	height int64
}

// fits places the bodies from the k-th on.
func (g *grid) fits(k int) bool {
	if k == len(g.bodies) {
		return true
	}
	root := &g.in.Buffers[g.bodies[k][0]]
	first, last := int64(0), g.height
	if root.Offset != nil {
		first, last = *root.Offset, *root.Offset
	}
	for off := first; off <= last; off += root.Alignment() {
		if g.put(g.bodies[k], off) && g.fits(k+1) {
			return true
		}
		for _, i := range g.bodies[k] {
			g.placed[i] = false
		}
	}
	return false
}

// put places a body, and reports whether it lies where it may.
func (g *grid) put(body []int, off int64) bool {
	for _, i := range body {
		g.at[i], g.placed[i] = at(&g.in.Buffers[i], off), true
		if g.in.Buffers[i].Size > 0 && g.at[i]+g.in.Buffers[i].Size > g.height {
			return false
		}
		for j := range g.placed {
			if j != i && g.placed[j] && !g.agree(i, j) {
				return false
			}
		}
	}
	return true
}

func (g *grid) agree(i, j int) bool {
	a, b := &g.in.Buffers[i], &g.in.Buffers[j]
	if !a.Conflicts(b) || g.at[i]+a.Size <= g.at[j] || g.at[j]+b.Size <= g.at[i] {
		return true
	}
	for _, p := range g.may[i] {
		if (p.Over == j || p.Under == j) && p.Allows(g.at[p.Over], g.at[p.Under]) {
			return true
		}
	}
	return false
}

// RandomPairs makes a valid instance with pairs of both kinds: an instance of
// Random, and a chain of buffers of which each is born as another dies.
func RandomPairs(r *rand.Rand, f Features) *model.Instance {
	for {
		in := chain(r, f)
		for i := range in.Buffers {
			for j := range in.Buffers {
				pair(r, in, i, j)
			}
		}
		if len(in.Pairs) > 0 && in.Validate() == nil {
			return in
		}
	}
}

// chain is an instance in which most buffers die where another is born.
func chain(r *rand.Rand, f Features) *model.Instance {
	for {
		in := Random(r, f)
		for i := range in.Buffers {
			b := &in.Buffers[i]
			if b.Offset == nil && b.Gaps == nil && r.Intn(4) > 0 {
				b.Life.Start = int64(i)
				b.Life.End = b.Life.Start + 1 + int64(1+r.Intn(2))
			}
		}
		if len(in.Buffers) > 1 && in.Validate() == nil {
			return in
		}
	}
}

// pair lets j lie over i, perhaps.
func pair(r *rand.Rand, in *model.Instance, i, j int) {
	a, b := &in.Buffers[i], &in.Buffers[j]
	p := model.Pair{Over: j, Under: i, Distance: r.Int63n(3)}
	p.Equal = r.Intn(3) == 0
	both, any := a.FirstShared(b)
	switch {
	case i == j || !any:
		return
	case p.Equal && r.Intn(4) > 0, !p.Equal && r.Intn(3) == 0:
		return
	case p.Equal && r.Intn(2) == 0:
		p.Distance = 0
	case p.Equal:
	case both.Start != b.Life.Start || both.End != a.Life.End || both.End-both.Start != 1:
		return
	}
	in.Pairs = append(in.Pairs, p)
}

// Scaled is an instance with k bytes for each of them, alignments too.
func Scaled(in *model.Instance, k int64) *model.Instance {
	out := *in
	out.Buffers, out.Pairs = append([]model.Buffer(nil), in.Buffers...), append([]model.Pair(nil), in.Pairs...)
	for i := range out.Buffers {
		b := &out.Buffers[i]
		b.Size, b.Align = k*b.Size, k*b.Alignment()
		if b.Offset != nil {
			at := k * *b.Offset
			b.Offset = &at
		}
		if b.Tie != nil {
			b.Tie = &model.Tie{To: b.Tie.To, Delta: k * b.Tie.Delta}
		}
	}
	for i := range out.Pairs {
		out.Pairs[i].Distance *= k
	}
	return &out
}

// Paired is the instance of RandomPairs by a seed, with the other features by turns,
// and a plan of least peak.
func Paired(t testing.TB, seed int64) (*model.Instance, model.Plan) {
	t.Helper()
	in := RandomPairs(rand.New(rand.NewSource(seed)), Features{Align: seed%2 == 0, Pins: seed%3 == 0, Gaps: seed%5 < 2, Ties: seed%7 == 0})
	plan, ok := WithPairs(in)
	if !ok {
		t.Fatalf("seed %d: no optimum up to %d", seed, Highest)
	}
	return in, plan
}
