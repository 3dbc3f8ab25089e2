package results

import (
	"fmt"
	"math/rand"
	"testing"

	"memplan/internal/oracle"
	"memplan/internal/shared"
	"memplan/model"
	"memplan/model/graph"
	"memplan/verify"
)

// Sharing that a graph leaves open is chosen: the exact planner and its proof
// beside brute force over all sharings of random small graphs, each with brute
// force over all offsets; and the same with a thousand million times the bytes.
// More of it: go test ./results -run AllSharings -v -times 20.
func TestAllSharings(t *testing.T) {
	graphs := shared.Many(150)
	var choices, unequal, gain, above int
	judge := newJudge(t)
	for seed := range int64(graphs) {
		r := rand.New(rand.NewSource(seed))
		g := randomGraph(r, 1)
		want, apart, all := bestSharing(t, g)
		scale := int64(1)
		if seed%4 == 3 {
			scale = 1_000_000_000
			g = randomGraph(rand.New(rand.NewSource(seed)), scale)
		}
		l, err := g.Lower(graph.LowerOptions{})
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		in := l.Arenas[0]
		res, err := Solve(t.Context(), race(Settings{Threads: 1, Rounds: 8}, "exact", searches), in)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if peak := res.Plan.Peak(in); peak != want*scale || res.Bound != peak {
			t.Fatalf("seed %d: [%d, %d], want %d\n%+v\n%+v", seed, res.Bound, peak, want*scale, g, in)
		}
		if err := verify.Certificate(in, res.Certificate); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
		judge.add(in, res.Certificate)
		choices += btoi(all > 1)
		gain += btoi(want < apart)
		above += btoi(res.Bound > in.Load())
		for _, p := range in.Pairs {
			unequal += btoi(in.Buffers[p.Over].Size != in.Buffers[p.Under].Size)
		}
	}
	t.Logf("%d graphs, %d with a choice, %d pairs of unequal sizes, %d below what is best apart, %d optima above the load; %d certificates",
		graphs, choices, unequal, gain, above, judge.done())
	if choices < graphs/4 || unequal < graphs/8 || gain < graphs/10 || above == 0 {
		t.Error("the test has lost its point")
	}
}

// randomGraph has a handful of tensors, of which some are views that operators
// make and some may take their operands' place.
func randomGraph(r *rand.Rand, scale int64) *graph.Graph {
	g := &graph.Graph{Name: "random"}
	tensor := func(bytes int64) int {
		g.Tensors = append(g.Tensors, graph.Tensor{ID: fmt.Sprint("t", len(g.Tensors)), Bytes: bytes * scale})
		return len(g.Tensors) - 1
	}
	g.Inputs = []int{tensor(1 + r.Int63n(3))}
	for o := range 2 + r.Intn(5) {
		x := r.Intn(len(g.Tensors))
		if r.Intn(3) > 0 {
			x = len(g.Tensors) - 1
		}
		op := graph.Op{ID: fmt.Sprint("o", o), Inputs: []int{x}}
		bytes := g.Tensors[x].Bytes / scale
		switch r.Intn(4) {
		case 0: // a view
			at := r.Int63n(bytes)
			y := tensor(1 + r.Int63n(bytes-at))
			g.Tensors[y].View = &graph.View{Of: x, Offset: at * scale}
			op.Outputs = []int{y}
		case 1:
			op.Outputs = []int{tensor(1 + r.Int63n(4))}
		default:
			if z := r.Intn(len(g.Tensors)); z != x && r.Intn(2) == 0 {
				op.Inputs = append(op.Inputs, z)
			}
			if r.Intn(2) == 0 {
				bytes = 1 + r.Int63n(4)
			}
			y := tensor(bytes)
			op.Outputs = []int{y}
			for _, x := range op.Inputs {
				if r.Intn(4) > 0 {
					op.InPlace = append(op.InPlace, [2]int{x, y})
				}
			}
		}
		g.Ops = append(g.Ops, op)
	}
	g.Outputs = []int{len(g.Tensors) - 1}
	if k := r.Intn(len(g.Tensors)); k > 0 && r.Intn(3) == 0 && k != g.Outputs[0] {
		g.Outputs = append(g.Outputs, k)
	}
	return g
}

// A share is one sharing that a graph allows: over lies so far inside under.
type share struct {
	over, under int
	at          int64
	view        bool
}

// bestSharing is the least peak over all sharings of a graph in its own order,
// that without any, and how many there are. It works lifetimes and rights out
// anew: a view holds its base's bytes; a result may replace an operand that is
// neither the caller's nor read later. Whatever else would overlap may not.
func bestSharing(t *testing.T, g *graph.Graph) (best, apart int64, count int) {
	n := len(g.Tensors)
	birth, death := make([]int64, n), make([]int64, n)
	callers := make([]bool, n)
	for k, o := range g.Ops {
		for _, y := range o.Outputs {
			birth[y], death[y] = int64(k), int64(k)+1
		}
		for _, x := range o.Inputs {
			death[x] = int64(k) + 1
		}
	}
	for _, x := range g.Inputs {
		callers[x], death[x] = true, max(death[x], 1)
	}
	for _, y := range g.Outputs {
		callers[y], death[y] = true, int64(len(g.Ops))+1
	}
	var shares []share
	for k, o := range g.Ops {
		for _, y := range o.Outputs {
			if v := g.Tensors[y].View; v != nil {
				shares = append(shares, share{y, v.Of, v.Offset, true})
			}
		}
		for _, p := range o.InPlace {
			if !callers[p[0]] && death[p[0]] == int64(k)+1 {
				shares = append(shares, share{p[1], p[0], 0, false})
			}
		}
	}
	in := &model.Instance{}
	for i := range n {
		in.Buffers = append(in.Buffers, model.Buffer{ID: g.Tensors[i].ID, Life: model.Interval{Start: birth[i], End: death[i]}, Size: g.Tensors[i].Bytes})
	}
	plan, _ := oracle.Optimum(in)
	best, apart = plan.Peak(in), plan.Peak(in)
	for set := 1; set < 1<<len(shares); set++ {
		tied, ok := resolve(in, shares, set)
		if !ok {
			continue
		}
		count++
		if plan, ok := oracle.WithPairs(tied); ok {
			best = min(best, plan.Peak(tied))
		}
	}
	return best, apart, count + 1
}

// resolve ties what a set of sharings puts at fixed distances, and lets those
// overlap that it says: views of the same bytes, and a result and its operand.
func resolve(in *model.Instance, shares []share, set int) (*model.Instance, bool) {
	n := len(in.Buffers)
	root, at, content := model.Identity(n), make([]int64, n), model.Identity(n)
	in2 := *in
	in2.Buffers = append([]model.Buffer(nil), in.Buffers...)
	join := func(label []int, a, b int, d int64, where []int64) {
		from := label[a]
		for i := range label {
			if label[i] == from {
				label[i] = label[b]
				if where != nil {
					where[i] += d
				}
			}
		}
	}
	for k, s := range shares {
		if set>>k&1 == 0 {
			continue
		}
		d := at[s.under] + s.at - at[s.over]
		if root[s.over] == root[s.under] && d != 0 {
			return nil, false
		}
		if root[s.over] != root[s.under] {
			join(root, s.over, s.under, d, at)
		}
		if s.view {
			join(content, s.over, s.under, 0, nil)
		}
	}
	may := map[[2]int]bool{}
	for k, s := range shares {
		if set>>k&1 == 1 && !s.view {
			may[[2]int{s.over, s.under}] = true
		}
	}
	lowest := map[int]int{}
	for i := range n {
		if j, seen := lowest[root[i]]; !seen || at[i] < at[j] {
			lowest[root[i]] = i
		}
	}
	for i := range n {
		if j := lowest[root[i]]; j != i {
			in2.Buffers[i].Tie = &model.Tie{To: j, Delta: at[i] - at[j]}
		}
		for j := range n {
			if i != j && root[i] == root[j] && at[i] >= at[j] && (content[i] == content[j] || may[[2]int{i, j}] || may[[2]int{j, i}]) {
				in2.Pairs = append(in2.Pairs, model.Pair{Over: i, Under: j, Distance: at[i] - at[j], Equal: true})
			}
		}
	}
	return &in2, in2.Validate() == nil
}
