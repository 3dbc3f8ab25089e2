package graph_test

import (
	"context"
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"

	"memplan/heuristics"
	"memplan/ilp/highs"
	"memplan/model"
	"memplan/model/graph"
	"memplan/results"
	"memplan/verify"

	"pgregory.net/rapid"
)

// checks runs a property on n random inputs.
func checks(t *testing.T, n string, property func(*rapid.T)) {
	t.Helper()
	f := flag.Lookup("rapid.checks")
	before := f.Value.String()
	defer f.Value.Set(before)
	if err := f.Value.Set(n); err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, property)
}

func planAll(t *rapid.T, l *graph.Lowered, planner model.Planner) []model.Plan {
	var plans []model.Plan
	for _, in := range l.Arenas {
		in.Capacity = 0 // heuristics may exceed it
		r, err := planner.Plan(context.Background(), in)
		if err != nil || r.Plan == nil {
			t.Fatalf("%s: %v on %v", planner.Name(), err, in.Buffers)
		}
		if err := verify.Plan(in, *r.Plan); err != nil {
			t.Fatalf("%s: %v\n%+v\n%+v", planner.Name(), err, in, *r.Plan)
		}
		plans = append(plans, *r.Plan)
	}
	return plans
}

// dump is a lowered graph as text.
func dump(l *graph.Lowered) string {
	var text strings.Builder
	for i, x := range l.Graph.Tensors {
		fmt.Fprintf(&text, "%d: %d bytes, align %d, kind %d, view %v, spaces %v: %+v\n", i, x.Bytes, x.Align, x.Kind, x.View, x.Spaces, l.Places[i])
	}
	fmt.Fprintf(&text, "inputs %v, outputs %v, steps %v\n", l.Graph.Inputs, l.Graph.Outputs, l.Steps)
	for _, o := range l.Graph.Ops {
		fmt.Fprintf(&text, "%+v\n", o)
	}
	for _, in := range l.Arenas {
		for i, b := range in.Buffers {
			fmt.Fprintf(&text, "%d: %s %v %d bytes, tie %v\n", i, b.ID, b.Life, b.Size, b.Tie)
		}
	}
	for _, n := range l.Notes {
		fmt.Fprintf(&text, "%v: %s\n", n.Kind, n.Text)
	}
	return text.String()
}

// exactLimit is up to how many buffers the integer program takes part: beyond,
// a program takes too long for thousands of them.
const exactLimit = 8

// Whatever the graph and the options, the planned arena computes what the
// graph means, with every planner: the heuristics, the searches, and on small
// arenas the integer program.
func TestRandomGraphsComputeTheSame(t *testing.T) {
	planners := results.Planners(results.Settings{Threads: 1, Rounds: 1})
	_, _, err := highs.Find()
	solver := err == nil
	took := make(map[string]int)
	checks(t, "10000", func(t *rapid.T) {
		l := lower(t, randomOptions(t))
		if rapid.Bool().Draw(t, "merged") {
			l = l.Merged()
		}
		planner := planners[rapid.IntRange(0, len(planners)-1).Draw(t, "planner")].Planner
		if name := planner.Name(); name == "ilp" || name == "exact" {
			for _, in := range l.Arenas {
				if !solver || len(in.Buffers) > exactLimit {
					planner = heuristics.ByArea{}
				}
			}
		}
		if err := execute(l, planAll(t, l, planner)); err != nil {
			t.Fatalf("%s: %v\n%s", planner.Name(), err, dump(l))
		}
		took[planner.Name()]++
	})
	t.Log(took)
	for _, p := range planners {
		if name := p.Planner.Name(); took[name] < 50 && (solver || name != "ilp" && name != "exact") {
			t.Errorf("%s planned only %d graphs", name, took[name])
		}
	}
}

// lower draws a graph and lowers it as the options say.
func lower(t *rapid.T, o graph.LowerOptions) *graph.Lowered {
	l, err := randomGraph(t).Lower(o)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// Whatever the graph and the options, what may be shared computes what the graph
// means, with every planner that makes use of it: results over operands that die,
// as far as the kernels let them, among it.
func TestRandomPairsComputeTheSame(t *testing.T) {
	var planners []model.Planner
	for _, c := range results.Planners(results.Settings{Threads: 1, Rounds: 1}) {
		if slices.Contains([]string{"search", "anytime", "exact"}, c.Planner.Name()) {
			planners = append(planners, c.Planner)
		}
	}
	overlaps := make(map[string]int)
	checks(t, "2500", func(t *rapid.T) {
		l := lower(t, randomOptions(t))
		planner := planners[rapid.IntRange(0, len(planners)-1).Draw(t, "planner")]
		var plans []model.Plan
		for _, in := range l.Arenas {
			in.Capacity = 0
			if len(in.Buffers) > exactLimit {
				planner = planners[0]
			}
			r, err := planner.Plan(t.Context(), in)
			if err != nil || r.Plan == nil {
				t.Fatalf("%s: %v on %v", planner.Name(), err, in.Buffers)
			}
			if err := verify.Plan(in, *r.Plan); err != nil {
				t.Fatal(err)
			}
			plans = append(plans, *r.Plan)
			overlaps[planner.Name()] += used(in, *r.Plan)
		}
		if err := executeValues(l, plans); err != nil {
			t.Fatalf("%s: %v\n%s", planner.Name(), err, dump(l))
		}
	})
	t.Log(overlaps)
	for _, p := range planners {
		if overlaps[p.Name()] < 30 {
			t.Errorf("%s laid only %d results over operands", p.Name(), overlaps[p.Name()])
		}
	}
}

// used counts the leads that a plan makes use of.
func used(in *model.Instance, plan model.Plan) (n int) {
	for _, p := range in.Pairs {
		x, y := plan.Offsets[p.Under], plan.Offsets[p.Over]
		if !p.Equal && x < y+in.Buffers[p.Over].Size && y < x+in.Buffers[p.Under].Size {
			n++
		}
	}
	return n
}

// A result may lie over an operand at the lead; the machine and the verifier
// object to one byte less.
func TestMachineObjectsBelowTheLead(t *testing.T) {
	at, below := 0, 0
	checks(t, "2000", func(t *rapid.T) {
		l := lower(t, graph.LowerOptions{Fuse: graph.FuseNone})
		for s, in := range l.Arenas {
			in.Capacity = 0
			for _, p := range in.Pairs {
				if p.Equal {
					continue
				}
				plans := apart(t, l)
				y := &plans[s].Offsets[p.Over]
				*y, _ = model.AlignUp(plans[s].Peak(in), in.Buffers[p.Over].Alignment())
				for less := range min(2, 1+p.Distance) {
					if plans[s].Offsets[p.Under] = *y + p.Distance - less; plans[s].Offsets[p.Under]%in.Buffers[p.Under].Alignment() != 0 {
						continue
					}
					fault, wrong := verify.Plan(in, plans[s]), executeValues(l, plans)
					if (fault == nil) != (less == 0) || (wrong == nil) != (less == 0) {
						t.Fatalf("%d bytes below the lead of %d: %v; %v\n%s", less, p.Distance, fault, wrong, dump(l))
					}
					at, below = at+int(1-less), below+int(less)
				}
			}
		}
	})
	t.Logf("%d at the lead, %d below", at, below)
	if at < 500 || below < 200 {
		t.Errorf("%d at the lead, %d below it", at, below)
	}
}

// Whatever a pair lets share bytes may do so by itself; the machine and the verifier
// object where it lies a byte off: mostly, for what is there may be the same again.
func TestMachineObjectsBesidePairs(t *testing.T) {
	at, beside, objections := 0, 0, 0
	checks(t, "3000", func(t *rapid.T) {
		l := lower(t, graph.LowerOptions{Concat: rapid.Bool().Draw(t, "concat"), Fuse: graph.FuseNone})
		for s, in := range l.Arenas {
			in.Capacity = 0
			for _, p := range in.Pairs {
				over, under := &in.Buffers[p.Over], &in.Buffers[p.Under]
				if !p.Equal || p.Distance%over.Alignment() != 0 {
					continue
				}
				plans := apart(t, l)
				x, y := &plans[s].Offsets[p.Under], &plans[s].Offsets[p.Over]
				*x, _ = model.AlignUp(plans[s].Peak(in), model.LCM(under.Alignment(), over.Alignment()))
				*y = *x + p.Distance
				if fault, wrong := verify.Plan(in, plans[s]), executeValues(l, plans); fault != nil || wrong != nil {
					t.Fatalf("%q over %q at %d: %v; %v\n%s", over.ID, under.ID, p.Distance, fault, wrong, dump(l))
				}
				at++
				if *y++; over.Alignment() > 1 || over.Size < 2 || p.Distance+1 >= under.Size {
					continue
				}
				beside++
				if verify.Plan(in, plans[s]) == nil {
					t.Fatalf("%q over %q at %d: no objection\n%s", over.ID, under.ID, p.Distance+1, dump(l))
				}
				if executeValues(l, plans) != nil {
					objections++
				}
			}
		}
	})
	t.Logf("%d at the distance of a pair, %d beside it, %d objections", at, beside, objections)
	if at < 1000 || beside < 500 || objections*20 < beside*19 {
		t.Errorf("%d at the distance of a pair, %d beside it, only %d objections", at, beside, objections)
	}
}

// apart are plans of the arenas in which nothing shares bytes.
func apart(t *rapid.T, l *graph.Lowered) (plans []model.Plan) {
	for _, in := range l.Arenas {
		in.Capacity = 0
		r, err := heuristics.NoReuse{}.Plan(t.Context(), in.Apart())
		if err != nil {
			t.Fatal(err)
		}
		plans = append(plans, *r.Plan)
	}
	return plans
}

// The machine must object when a rule of liveness is broken: each of these
// changes the lifetimes, and what is then planned is found wrong often.
func TestMachineObjectsToBrokenLifetimes(t *testing.T) {
	own := func(l *graph.Lowered, space, buffer int) (life model.Interval) {
		if b := &l.Arenas[space].Buffers[buffer]; b.Tie != nil {
			return b.Life // it ends as what it is tied to begins, and would lie over that
		}
		for i, p := range l.Places {
			if p.Where == graph.InArena && p.Space == space && p.Buffer == buffer {
				for _, v := range l.Values.Buffers {
					if v.ID == l.Graph.Tensors[i].ID {
						return v.Life
					}
				}
			}
		}
		return l.Arenas[space].Buffers[buffer].Life
	}
	for name, breakIt := range map[string]func(l *graph.Lowered, space, buffer int) model.Interval{
		"an operand dies as its last reader starts": func(l *graph.Lowered, s, b int) model.Interval {
			life := l.Arenas[s].Buffers[b].Life
			return model.Interval{Start: life.Start, End: max(life.Start+1, life.End-1)}
		},
		"a result is born after its operator": func(l *graph.Lowered, s, b int) model.Interval {
			life := l.Arenas[s].Buffers[b].Life
			return model.Interval{Start: min(life.Start+1, life.End-1), End: life.End}
		},
		"a base dies before its views, an in-place result before its readers": own,
	} {
		objections, graphs := 0, 0
		checks(t, "2000", func(t *rapid.T) {
			l := lower(t, graph.LowerOptions{}).Merged()
			changed := false
			for s, in := range l.Arenas {
				for b := range in.Buffers {
					life := breakIt(l, s, b)
					changed = changed || life != in.Buffers[b].Life
					in.Buffers[b].Life = life
				}
			}
			if !changed {
				return
			}
			graphs++
			if execute(l, planAll(t, l, heuristics.ByArea{})) != nil {
				objections++
			}
		})
		t.Logf("%s: %d objections in %d graphs", name, objections, graphs)
		if objections*20 < graphs || graphs < 200 {
			t.Errorf("%s: only %d objections in %d graphs", name, objections, graphs)
		}
	}
}

// The machine must object whenever a result is laid over an operand that is
// still read, or that is the caller's to read.
func TestMachineObjectsToBrokenSharing(t *testing.T) {
	broken := 0
	checks(t, "3000", func(t *rapid.T) {
		l := lower(t, graph.LowerOptions{Fuse: graph.FuseNone}).Merged()
		g := l.Graph
		step := make([]int, len(g.Ops))
		for k, ops := range l.Steps {
			step[ops[0]] = k
		}
		for o := range g.Ops {
			for _, pair := range g.Ops[o].InPlace {
				x, y := pair[0], pair[1]
				p, q := l.Places[x], l.Places[y]
				later := slices.Contains(g.Outputs, x)
				renewed := false // these bytes are written again, perhaps before anybody reads them
				for r := range g.Ops {
					later = later || step[r] > step[o] && slices.Contains(g.Ops[r].Inputs, x)
					renewed = renewed || step[r] >= step[o] && slices.ContainsFunc(g.Ops[r].Outputs, func(z int) bool { return z != y && shareBytes(l, x, z) })
				}
				if !later || renewed || p.Where != graph.InArena || q.Where != graph.InArena || p == q || min(g.Tensors[x].Bytes, g.Tensors[y].Bytes) == 0 {
					continue
				}
				bad := *l
				bad.Places = slices.Clone(l.Places)
				bad.Places[y] = p
				bad.Arenas = make([]*model.Instance, len(l.Arenas))
				for s, in := range l.Arenas {
					bad.Arenas[s] = &model.Instance{Name: in.Name, Buffers: slices.Clone(in.Buffers)}
				}
				b, life := &bad.Arenas[p.Space].Buffers[p.Buffer], l.Arenas[q.Space].Buffers[q.Buffer].Life
				b.Size = max(b.Size, p.Offset+g.Tensors[y].Bytes)
				b.Life = model.Interval{Start: min(b.Life.Start, life.Start), End: max(b.Life.End, life.End)}
				broken++
				if execute(&bad, planAll(t, &bad, heuristics.NoReuse{})) == nil {
					t.Fatalf("no objection to %q over %q\n%s", g.Tensors[y].ID, g.Tensors[x].ID, dump(&bad))
				}
			}
		}
	})
	t.Logf("%d broken pairs, an objection to each", broken)
	if broken < 300 {
		t.Errorf("only %d pairs were broken", broken)
	}
}

// shareBytes reports whether two tensors of a lowered graph have a byte in common.
func shareBytes(l *graph.Lowered, x, y int) bool {
	p, q := l.Places[x], l.Places[y]
	return p.Where == q.Where && p.Space == q.Space && p.Buffer == q.Buffer &&
		p.Offset < q.Offset+l.Graph.Tensors[y].Bytes && q.Offset < p.Offset+l.Graph.Tensors[x].Bytes
}

// What the random graphs exercise: each kind of sharing and each kind of note
// must come up often, or the tests above show little.
func TestRandomGraphsShare(t *testing.T) {
	counts := make(map[string]int)
	checks(t, "2000", func(t *rapid.T) {
		l := lower(t, graph.LowerOptions{Concat: true, Fuse: graph.FuseElementwise})
		for _, in := range l.Arenas {
			for _, p := range in.Pairs {
				counts[fmt.Sprintf("equal: %v", p.Equal)]++
			}
		}
		l = l.Merged()
		for _, n := range l.Notes {
			counts[n.Kind.String()]++
		}
		for _, in := range l.Arenas {
			for _, b := range in.Buffers {
				if b.Offset != nil {
					counts["reserved"]++
				}
			}
		}
		for _, o := range l.Graph.Ops {
			for _, p := range o.InPlace {
				if l.Places[p[0]] == l.Places[p[1]] && l.Places[p[0]].Where == graph.InArena {
					counts["in place"]++
				}
			}
			for _, t := range o.Inputs {
				if o.Layout == graph.Concat && shareBytes(l, t, o.Outputs[0]) && l.Places[t].Where == graph.InArena {
					counts["in a concat"]++
				}
			}
		}
		for i, x := range l.Graph.Tensors {
			if x.View != nil && l.Places[i].Where == graph.InArena && l.Places[i].Buffer == l.Places[x.View.Of].Buffer {
				counts["view"]++
			}
		}
	})
	t.Log(counts)
	for _, what := range []string{"reordered", "unread", "unused", "refused", "removed", "equal: true", "equal: false", "in a concat", "reserved", "in place", "view"} {
		if counts[what] < 20 {
			t.Errorf("%s: only %d", what, counts[what])
		}
	}
}

// Sizes and alignments near the ends of int64 give valid instances or an error,
// with every option; nothing wraps around.
func TestHugeGraphs(t *testing.T) {
	fits := 0
	checks(t, "5000", func(t *rapid.T) {
		g := randomGraph(t)
		factor := int64(1) << rapid.IntRange(50, 62).Draw(t, "factor")
		for i := range g.Tensors {
			x := &g.Tensors[i]
			if product, ok := model.Mul(x.Bytes, factor); ok {
				x.Bytes = product
			} else {
				x.Bytes = model.MaxBytes
			}
			if x.View != nil {
				x.View.Offset = min(x.View.Offset*(factor>>3), model.MaxBytes-x.Bytes)
			}
			if rapid.Bool().Draw(t, "aligned") {
				x.Align = rapid.Int64Range(1, model.MaxBytes).Draw(t, "alignment")
			}
		}
		for i := range g.Ops {
			for k := range g.Ops[i].Scratch {
				g.Ops[i].Scratch[k] *= factor
			}
		}
		l, err := g.Lower(randomOptions(t))
		if err != nil {
			return
		}
		fits++
		for _, in := range l.Arenas {
			if err := in.Validate(); err != nil {
				t.Fatal(err)
			}
			if in.Load() < 0 {
				t.Fatal("a load below zero")
			}
		}
		if l.Order.Load < 0 || l.Order.Bound < 0 || l.Order.Bound > l.Order.Load {
			t.Fatalf("%+v\n%s", l.Order, dump(l))
		}
	})
	if fits < 500 {
		t.Errorf("only %d graphs fit", fits)
	}
}
