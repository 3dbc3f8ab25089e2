package spill_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"memplan/ilp/highs"
	"memplan/internal/shared"
	"memplan/model"
	"memplan/model/graph"
	"memplan/results"
	"memplan/spill"
	"memplan/verify/copies"
)

var tools = spill.Tools{Solver: highs.Solver{}, Pack: func(ctx context.Context, in *model.Instance) (model.Result, error) {
	c, err := results.Find("exact", results.Settings{Threads: 1, Limit: -1})
	if err != nil {
		return model.Result{}, err
	}
	return results.Solve(ctx, c.Planner, in)
}}

// drawGraph is a small graph of plain tensors and reshapes, in order.
func drawGraph(rnd *rand.Rand, ops int) *graph.Graph {
	g := &graph.Graph{Name: "drawn"}
	var ready []int
	value := func() int {
		g.Tensors = append(g.Tensors, graph.Tensor{ID: fmt.Sprint("t", len(g.Tensors)), Bytes: 1 + rnd.Int64N(3)})
		return len(g.Tensors) - 1
	}
	for range 1 + rnd.IntN(2) {
		g.Inputs = append(g.Inputs, value())
	}
	ready = append(ready, g.Inputs...)
	for o := range ops {
		op := graph.Op{ID: fmt.Sprint("op", o)}
		for range 1 + rnd.IntN(2) {
			op.Inputs = append(op.Inputs, ready[rnd.IntN(len(ready))])
		}
		y := value()
		op.Outputs = []int{y}
		switch x := op.Inputs[0]; rnd.IntN(8) {
		case 0: // a reshape
			op.Inputs = op.Inputs[:1]
			g.Tensors[y].Bytes, g.Tensors[y].View = g.Tensors[x].Bytes, &graph.View{Of: x}
			for k, r := range ready {
				if r == x {
					ready = append(ready[:k], ready[k+1:]...)
					break
				}
			}
		case 1, 2:
			op.InPlace = [][2]int{{x, y}}
		case 3:
			op.Overlap = []graph.Lead{{Under: x, Over: y, Bytes: rnd.Int64N(3)}}
		case 4:
			op.Scratch = []int64{1 + rnd.Int64N(3)}
		case 5:
			z := value()
			op.Outputs = append(op.Outputs, z)
			ready = append(ready, z)
		}
		ready = append(ready, y)
		if rnd.IntN(3) == 0 {
			op.Accesses = []graph.Access{{Operand: []int{op.Inputs[0], y}[rnd.IntN(2)], Times: rnd.Int64N(6), Of: 1 + rnd.Int64N(3)}}
		}
		g.Ops = append(g.Ops, op)
	}
	g.Outputs = []int{ready[len(ready)-1]}
	if rnd.IntN(2) == 0 {
		g.Outputs = append(g.Outputs, ready[rnd.IntN(len(ready))])
	}
	return g
}

// What is found is the least that a search over the memories' contents finds.
// Two thousand graphs: go test ./spill -run Reference -v -times 4.
func TestAgainstReference(t *testing.T) {
	c := counts{both: startCheckers(t)}
	for n := range shared.Many(500) {
		rnd := rand.New(rand.NewPCG(uint64(n), 1))
		g := drawGraph(rnd, 2+rnd.IntN(3))
		c.ask(t, n, rnd, g, load(t, g))
	}
	c.both = checkers{}
	t.Logf("%+v", c)
	if c.none < 40 || c.moved < 200 || c.proven < c.moved/4 {
		t.Errorf("too few that are hard: %+v", c)
	}
}

// The same for graphs with states, some of them written, some of them all at once.
func TestAgainstReferenceWithStates(t *testing.T) {
	c := counts{both: startCheckers(t)}
	for n := 0; c.graphs < shared.Many(40); n++ {
		rnd := rand.New(rand.NewPCG(uint64(n), 4))
		g := drawGraph(rnd, 2+rnd.IntN(3))
		addState(rnd, g)
		if capacity := load(t, g); capacity < 6 { // where a state may be at the start is tried out
			c.ask(t, n, rnd, g, capacity)
		}
	}
	t.Logf("%+v", c)
	if c.none < 10 || c.moved < 40 || c.come < 10 || c.proven < c.moved/4 {
		t.Errorf("too few that are hard: %+v", c)
	}
}

// A state that is read, and written at the end, is there from run to run at one
// place, and in slow memory while what lies between takes its room: stored once and
// loaded once. At the first capacity it need not move, at the last it cannot stay.
func TestStateAround(t *testing.T) {
	g := &graph.Graph{
		Tensors: []graph.Tensor{{ID: "s", Bytes: 4, Kind: graph.Variable}, {ID: "a", Bytes: 1}, {ID: "b", Bytes: 5}, {ID: "c", Bytes: 1}, {ID: "d", Bytes: 1}},
		Ops: []graph.Op{{ID: "f", Inputs: []int{0}, Outputs: []int{1}}, {ID: "g", Inputs: []int{1}, Outputs: []int{2}}, {ID: "h", Inputs: []int{2}, Outputs: []int{3}},
			{ID: "i", Inputs: []int{3, 0}, Outputs: []int{4, 0}}},
		Outputs: []int{4},
	}
	for capacity, want := range map[int64]int64{10: 0, 9: 8, 6: 8} {
		q := &spill.Question{Graph: g, Capacity: capacity, Way: spill.Staged}
		a, err := spill.Solve(context.Background(), q, tools)
		if err != nil || a.Fitted == nil || a.Fitted.Cost() != want {
			t.Fatalf("capacity %d: %v, %+v, want %d", capacity, err, a, want)
		}
		if cost, _ := newReference(&spill.Question{Graph: g, Capacity: capacity, Way: spill.Staged, Read: 1, Write: 1}).least(); cost != want {
			t.Errorf("capacity %d: %d by search, want %d", capacity, cost, want)
		}
		if err := copies.Check(g, a.Fitted.Graph); err != nil {
			t.Error(err)
		}
		around := false
		for _, b := range a.Fitted.Lowered.Arenas[0].Buffers {
			around = around || b.ID == "s" && len(b.Gaps) == 1 && b.Life == model.Interval{Start: 0, End: b.Life.End} && b.Live() != nil
		}
		if around != (want > 0) {
			t.Errorf("capacity %d: in fast memory from run to run %v", capacity, around)
		}
	}
}

// Where a result might take the place of a state's copy, which is not tried, nothing is
// said to be impossible, and no bound is above what that would cost: f could run in 2
// bytes, after a load of 2.
func TestPlacesOfStates(t *testing.T) {
	g := &graph.Graph{
		Tensors: []graph.Tensor{{ID: "s", Bytes: 2, Kind: graph.Variable}, {ID: "y", Bytes: 1}},
		Ops: []graph.Op{{ID: "f", Inputs: []int{0}, Outputs: []int{1}, InPlace: [][2]int{{0, 1}}, Accesses: []graph.Access{{Operand: 0, Times: 3, Of: 1}, {Operand: 1, Times: 9, Of: 1}}},
			{ID: "g", Inputs: []int{1}}},
	}
	for _, c := range []struct {
		capacity     int64
		way          spill.Way
		overlap      bool
		cost         int64 // -1: none found
		bound        int64
		none, states bool
	}{
		{3, spill.Staged, true, 0, 0, false, false},
		{2, spill.Staged, true, -1, 2, false, true},
		{2, spill.Staged, false, -1, 0, true, false},
		{1, spill.Staged, true, -1, 0, true, false},
		{2, spill.Pieces, true, 6, 2, false, false},
		{2, spill.Pieces, false, 6, 6, false, false},
		{2, spill.Whole, true, 6, 6, false, false},
	} {
		q := &spill.Question{Graph: g, Capacity: c.capacity, Way: c.way, Overlap: c.overlap}
		a, err := spill.Solve(context.Background(), q, tools)
		if err != nil {
			t.Fatalf("%+v: %v", c, err)
		}
		cost := int64(-1)
		if a.Fitted != nil {
			cost = a.Fitted.Cost()
		}
		if cost != c.cost || a.Bound != c.bound || (a.None != nil) != c.none || a.States != c.states {
			t.Errorf("%+v: cost %d, %+v", c, cost, a)
		}
	}
}

// No bound is above, and nothing is called impossible, but what a search finds that has
// results take the places of states' copies, and copies those of operands.
func TestPlacesOfStatesAgainstReference(t *testing.T) {
	c := counts{both: startCheckers(t)}
	var less, open int
	for n := 0; c.graphs < shared.Many(40); n++ {
		rnd := rand.New(rand.NewPCG(uint64(n), 9))
		g := drawGraph(rnd, 2+rnd.IntN(2))
		addState(rnd, g)
		capacity := load(t, g)
		if in := drawAbove(rnd); n%2 == 0 {
			g, capacity = around(rnd, in), in.Load()
		}
		if !addPlaces(rnd, g) || capacity > 5 { // where a state may be at the start is tried out
			continue
		}
		c.graphs++
		for _, way := range []spill.Way{spill.Whole, spill.Pieces, spill.Staged} {
			q := &spill.Question{Graph: g, Capacity: capacity, Way: way, Overlap: true, Read: 1 + rnd.Int64N(3), Write: 1 + rnd.Int64N(3)}
			want, fits := newReference(q).least()
			a, err := spill.Solve(context.Background(), q, tools)
			if err != nil {
				t.Fatal(err)
			}
			c.count(want, fits, a)
			if fits && (a.None != nil || a.Bound > want) || a.Fitted != nil && (!fits || a.Fitted.Cost() < want) {
				t.Fatalf("%d %v capacity %d: %+v, want %d, %v: %+v", n, way, capacity, a, want, fits, g)
			}
			switch {
			case a.Fitted == nil:
			case a.Optimal() && want > 0:
				c.prove(t, q, a)
			case a.Fitted.Cost() > want:
				less++
			case !a.Optimal():
				open++
			}
		}
	}
	c.both = checkers{}
	t.Logf("%+v, %d in which copies' places make it less, %d open", c, less, open)
	if less == 0 || c.proven < 20 || c.none == 0 {
		t.Error("the test has lost its point")
	}
}

// addPlaces lets results take the places of states, and states those of operands. It
// reports whether any do.
func addPlaces(rnd *rand.Rand, g *graph.Graph) (any bool) {
	for o := range g.Ops {
		op := &g.Ops[o]
		if len(op.Inputs) == 0 || len(op.Outputs) == 0 {
			continue
		}
		under, over := op.Inputs[rnd.IntN(len(op.Inputs))], op.Outputs[rnd.IntN(len(op.Outputs))]
		if a, b := g.Tensors[under].Kind.Rewritten(), g.Tensors[over].Kind.Rewritten(); a == b || slices.Contains(op.Outputs, under) || slices.Contains(op.Inputs, over) {
			continue
		}
		if any = true; rnd.IntN(2) == 0 {
			op.InPlace = [][2]int{{under, over}}
		} else {
			op.Overlap = []graph.Lead{{Under: under, Over: over, Bytes: rnd.Int64N(3)}}
		}
	}
	return any
}

// addState adds a state that some operators read, write, or both.
func addState(rnd *rand.Rand, g *graph.Graph) {
	s := len(g.Tensors)
	g.Tensors = append(g.Tensors, graph.Tensor{ID: fmt.Sprint("t", s), Bytes: 1 + rnd.Int64N(3), Kind: graph.Variable})
	for o := range g.Ops {
		op := &g.Ops[o]
		if y := op.Outputs[0]; g.Tensors[y].View != nil {
			continue // a reshape alone
		}
		touch := rnd.IntN(6)
		if touch == 0 || touch == 1 {
			op.Inputs = append(op.Inputs, s)
		}
		if touch == 1 || touch == 2 {
			op.Outputs = append(op.Outputs, s)
		}
	}
}

// The same for graphs whose load fits and whose buffers do not.
func TestAgainstReferenceWithCuts(t *testing.T) {
	c := counts{both: startCheckers(t)}
	for n := 0; c.graphs < shared.Many(150); n++ {
		rnd := rand.New(rand.NewPCG(uint64(n), 2))
		in := drawAbove(rnd)
		res, err := tools.Pack(context.Background(), in)
		if err != nil {
			t.Fatal(err)
		}
		if res.Bound > in.Load() {
			c.ask(t, n, rnd, graphOf(rnd, in), in.Load())
		}
	}
	c.both = checkers{}
	t.Logf("%+v", c)
	if c.cut < 300 || c.provenCuts < 100 || c.proven < c.moved/4 {
		t.Errorf("too few with cuts: %+v", c)
	}
}

func load(t *testing.T, g *graph.Graph) int64 {
	t.Helper()
	l, err := g.Lower(graph.LowerOptions{})
	if err != nil {
		t.Fatal(err)
	}
	bytes := l.Arenas[0].Load()
	return max(1, bytes-int64(len(g.Tensors))%(bytes/3+1))
}

// drawAbove is a list of buffers like the smallest whose optimum is above the
// load.
func drawAbove(rnd *rand.Rand) *model.Instance {
	in := &model.Instance{Name: "drawn"}
	for k, b := range [][3]int64{{0, 1, 2}, {0, 2, 2}, {1, 3, 1}, {1, 4, 1}, {2, 4, 1}, {3, 5, 2}, {4, 5, 2}} {
		if rnd.IntN(3) == 0 {
			b[rnd.IntN(3)] += rnd.Int64N(3) - 1
		}
		if b[0] >= 0 && b[0] < b[1] && b[1] <= 5 && b[2] > 0 {
			in.Buffers = append(in.Buffers, model.Buffer{ID: fmt.Sprint("b", k), Life: model.Interval{Start: b[0], End: b[1]}, Size: b[2]})
		}
	}
	return in
}

// graphOf is a graph whose tensors live as buffers do.
func graphOf(rnd *rand.Rand, in *model.Instance) *graph.Graph {
	g := &graph.Graph{Name: in.Name}
	for k := range int64(5) {
		g.Ops = append(g.Ops, graph.Op{ID: fmt.Sprint("op", k)})
	}
	for i, b := range in.Buffers {
		g.Tensors = append(g.Tensors, graph.Tensor{ID: b.ID, Bytes: b.Size})
		first := &g.Ops[b.Life.Start]
		first.Outputs = append(first.Outputs, i)
		for s := b.Life.Start + 1; s < b.Life.End; s++ {
			if s == b.Life.End-1 || rnd.IntN(3) == 0 {
				g.Ops[s].Inputs = append(g.Ops[s].Inputs, i)
			}
		}
	}
	for k := 1; k < len(g.Ops); k++ {
		g.Ops[k].After = []int{k - 1}
	}
	return g
}

// counts are what a test has seen.
type counts struct {
	graphs, asked, none, moved, cut, cuts int
	come, around                          int // answers with states that come and go; that are in fast memory from run to run
	proven, provenCuts, rounded, leaves   int

	both checkers
}

// ask compares all ways for a graph.
func (c *counts) ask(t *testing.T, n int, rnd *rand.Rand, g *graph.Graph, capacity int64) {
	t.Helper()
	c.graphs++
	for _, way := range []spill.Way{spill.Whole, spill.Pieces, spill.Staged} {
		q := &spill.Question{Graph: g, Capacity: capacity, Way: way, Overlap: rnd.IntN(2) == 0, Read: 1 + rnd.Int64N(3), Write: 1 + rnd.Int64N(3)}
		want, fits := newReference(q).least()
		a, err := spill.Solve(context.Background(), q, tools)
		if err != nil {
			t.Fatalf("%d %v overlap %v capacity %d: %v: %+v", n, q.Way, q.Overlap, q.Capacity, err, q.Graph)
		}
		c.count(want, fits, a)
		switch {
		case !fits && a.None == nil:
			t.Fatalf("%d %v overlap %v capacity %d: found a cost of %d, nothing fits", n, q.Way, q.Overlap, q.Capacity, a.Fitted.Cost())
		case fits && a.None != nil:
			t.Fatalf("%d %v overlap %v capacity %d: nothing fits, and %d does", n, q.Way, q.Overlap, q.Capacity, want)
		case fits && (a.Fitted == nil || a.Fitted.Cost() != want || a.Bound != want):
			t.Fatalf("%d %v overlap %v capacity %d: %+v, want %d: %+v", n, q.Way, q.Overlap, q.Capacity, a, want, q.Graph)
		}
		if fits && want > 0 && c.moved%4 == 0 {
			c.prove(t, q, a)
		}
	}
}

func (c *counts) count(cost int64, fits bool, a *spill.Answer) {
	c.asked++
	c.cuts += a.Cuts
	if a.Fitted != nil {
		come, around := false, false
		for t, p := range a.Fitted.Lowered.Places {
			if a.Fitted.Graph.Tensors[t].Kind == graph.Mutable {
				b := &a.Fitted.Lowered.Arenas[0].Buffers[p.Buffer]
				come, around = true, around || len(b.Gaps) > 0 && b.Life.Start == 0
			}
		}
		if come {
			c.come++
		}
		if around {
			c.around++
		}
	}
	if !fits {
		c.none++
	}
	if fits && cost > 0 {
		c.moved++
	}
	if a.Cuts > 0 {
		c.cut++
	}
}

// Where the planner does not decide what is tight, the answer is one that it can
// place, no less than the least, with a bound that is no more; never that nothing
// fits.
func TestPlannerThatGivesUp(t *testing.T) {
	shy := tools
	shy.Pack = func(ctx context.Context, in *model.Instance) (model.Result, error) {
		if in.Load() > in.Capacity-in.Capacity/5 {
			return model.Result{}, nil
		}
		return tools.Pack(ctx, in)
	}
	var found, above int
	for n := range shared.Many(36) {
		rnd := rand.New(rand.NewPCG(uint64(n), 6))
		g := drawGraph(rnd, 4)
		q := &spill.Question{Graph: g, Capacity: load(t, g), Way: spill.Way(n % 2), Overlap: n%3 == 0, Read: 1, Write: 1}
		best, err := spill.Solve(context.Background(), q, tools)
		if err != nil {
			t.Fatal(err)
		}
		a, err := spill.Solve(context.Background(), q, shy)
		if err != nil {
			t.Fatal(err)
		}
		if (a.None == nil) != (best.None == nil) || best.Fitted != nil && a.Bound > best.Fitted.Cost() {
			t.Fatalf("%d: %+v, and without giving up %+v", n, a, best)
		}
		if a.Fitted == nil {
			continue
		}
		in := a.Fitted.Lowered.Arenas[0]
		if res, err := shy.Pack(context.Background(), in); err != nil || in.Capacity != q.Capacity || res.Plan == nil || res.Plan.Peak(in) > q.Capacity || a.Fitted.Cost() < best.Fitted.Cost() {
			t.Fatalf("%d: costs %d, the least is %d: %v, %+v", n, a.Fitted.Cost(), best.Fitted.Cost(), err, res)
		}
		if found++; !a.Optimal() {
			above++
		}
	}
	t.Logf("%d found, %d of them above the bound", found, above)
	if found < 10 || above < 3 {
		t.Error("the test has lost its point")
	}
}

// A result may take the place of what an operator before it, in the same step, read:
// what lies between has no memory.
func TestPlacesThroughFusion(t *testing.T) {
	g := &graph.Graph{
		Tensors: []graph.Tensor{{ID: "x", Bytes: 4}, {ID: "a", Bytes: 10}, {ID: "b", Bytes: 10}, {ID: "c", Bytes: 10}, {ID: "y", Bytes: 4}},
		Ops: []graph.Op{{ID: "p", Inputs: []int{0}, Outputs: []int{1}}, {ID: "q", Inputs: []int{1}, Outputs: []int{2}, InPlace: [][2]int{{1, 2}}, Elementwise: true},
			{ID: "r", Inputs: []int{2}, Outputs: []int{3}, InPlace: [][2]int{{2, 3}}, Elementwise: true}, {ID: "s", Inputs: []int{3}, Outputs: []int{4}}},
		Inputs: []int{0}, Outputs: []int{4}, Fuse: [][]int{{1, 2}},
	}
	c := counts{both: startCheckers(t)}
	for _, way := range []spill.Way{spill.Whole, spill.Pieces} {
		q := &spill.Question{Graph: g, Capacity: 13, Way: way, Overlap: true, Lowering: graph.LowerOptions{Fuse: graph.FuseDeclared}}
		a, err := spill.Solve(context.Background(), q, tools)
		if err != nil || a.Fitted == nil || a.Fitted.Cost() != 8 || !a.Optimal() {
			t.Fatalf("%v: %v, %+v, want 8", way, err, a)
		}
		if c.prove(t, q, a) == nil {
			t.Errorf("%v: no proof", way)
		}
	}
}

// The same for graphs whose load fits and whose buffers do not, some of which are
// states, as lives that go around the end of a run are.
func TestAgainstReferenceWithCutsAndStates(t *testing.T) {
	c := counts{both: startCheckers(t)}
	for n := 0; c.graphs < shared.Many(20); n++ {
		rnd := rand.New(rand.NewPCG(uint64(n), 8))
		in := drawAbove(rnd)
		res, err := tools.Pack(context.Background(), in)
		if err != nil {
			t.Fatal(err)
		}
		if res.Bound <= in.Load() || in.Load() > 5 { // where a state may be at the start is tried out
			continue
		}
		c.ask(t, n, rnd, around(rnd, in), in.Load())
	}
	c.both = checkers{}
	t.Logf("%+v", c)
	if c.cut < 30 || c.come < 30 || c.around < 20 || c.proven < c.moved/4 || c.provenCuts < 5 {
		t.Errorf("too few with cuts and states: %+v", c)
	}
}

// around is a graph whose tensors live as buffers do, but that its runs begin at
// another step: what is live there is a state, and so is one more at times.
func around(rnd *rand.Rand, in *model.Instance) *graph.Graph {
	g := &graph.Graph{Name: in.Name}
	const steps = 5
	for k := range steps {
		g.Ops = append(g.Ops, graph.Op{ID: fmt.Sprint("op", k)})
		if k > 0 {
			g.Ops[k].After = []int{k - 1}
		}
	}
	begin := rnd.Int64N(steps)
	for i, b := range in.Buffers {
		x := graph.Tensor{ID: b.ID, Bytes: b.Size}
		if b.Life.Start < begin && b.Life.End > begin || rnd.IntN(8) == 0 {
			x.Kind = graph.Variable
		}
		g.Tensors = append(g.Tensors, x)
		first := &g.Ops[(b.Life.Start+steps-begin)%steps]
		first.Outputs = append(first.Outputs, i)
		for s := b.Life.Start + 1; s < b.Life.End; s++ {
			if op := &g.Ops[(s+steps-begin)%steps]; s == b.Life.End-1 || rnd.IntN(3) == 0 {
				op.Inputs = append(op.Inputs, i)
				if x.Kind == graph.Variable && rnd.IntN(4) == 0 {
					op.Outputs = append(op.Outputs, i)
				}
			}
		}
		if op := &g.Ops[(b.Life.Start+steps-begin)%steps]; rnd.IntN(3) == 0 {
			op.Accesses = append(op.Accesses, graph.Access{Operand: i, Times: rnd.Int64N(6), Of: 1 + rnd.Int64N(3)})
		}
	}
	return g
}
