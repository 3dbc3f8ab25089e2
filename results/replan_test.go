package results_test

import (
	"context"
	"flag"
	"math/rand"
	"slices"
	"testing"

	"memplan/corpus"
	"memplan/internal/oracle"
	"memplan/model"
	"memplan/model/graph"
	"memplan/model/json"
	"memplan/results"
	"memplan/search/replan"
)

// changed is a graph with one layer larger by half, half as large, before a new one
// of its size, or read by nobody.
func changed(g *graph.Graph, r *rand.Rand) *graph.Graph {
	out := *g
	out.Tensors, out.Ops = slices.Clone(g.Tensors), slices.Clone(g.Ops)
	reads := func(from, to int) { // whoever reads the one reads the other, in its place where it may
		for k := range out.Ops {
			op := &out.Ops[k]
			op.Inputs, op.InPlace = slices.Clone(op.Inputs), slices.Clone(op.InPlace)
			for i := range op.Inputs {
				if op.Inputs[i] == from {
					op.Inputs[i] = to
				}
			}
			for i := range op.InPlace {
				if op.InPlace[i][0] == from {
					op.InPlace[i][0] = to
				}
			}
		}
	}
	k := 1 + r.Intn(len(g.Ops)-2)
	t := g.Ops[k].Outputs[0]
	switch kind := r.Intn(4); {
	case kind == 0:
		out.Tensors[t].Bytes += g.Tensors[t].Bytes / 2
	case kind == 1 || slices.Contains(g.Outputs, t):
		out.Tensors[t].Bytes -= g.Tensors[t].Bytes / 2
	case kind == 2:
		next := len(out.Tensors)
		reads(t, next)
		out.Tensors = append(out.Tensors, graph.Tensor{ID: "new layer", Bytes: g.Tensors[t].Bytes})
		out.Ops = slices.Insert(out.Ops, k+1, graph.Op{ID: "new layer", Inputs: []int{t}, Outputs: []int{next}})
	default:
		reads(t, g.Ops[k].Inputs[0])
		out.Ops[k] = g.Ops[k] // it stays, and nobody reads it
	}
	return &out
}

func lowered(t *testing.T, g *graph.Graph) *results.Task {
	t.Helper()
	l, err := g.Lower(graph.LowerOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return &results.Task{Name: g.Name, Arenas: l.Arenas}
}

// old is where an outcome has everything.
func old(t *results.Task, out results.Outcome) (places []model.Place) {
	for i, at := range out.Results[0].Plan.Offsets {
		places = append(places, model.Place{ID: t.Arenas[0].Buffers[i].ID, Offset: at})
	}
	return places
}

// changedLayers is how many pairs of graphs TestReplanning looks at.
var changedLayers = flag.Int64("layers", 20, "pairs of graphs that differ in one layer")

// A layer changes, and a plan is made anew, with the old one and without: the peak
// is the same, and of the buffers that would move most stay.
func TestReplanning(t *testing.T) {
	graphs := []string{"densenet121", "resnet50", "mobilenetv2", "unet", "prefill-4-512", "decode-4-2048", "randwire-32-5", "randwire-32-6", "randwire-60-7", "randwire-60-8"}
	s := results.Settings{Threads: 1, Limit: -1, Rounds: 3}
	exact, err := results.Find("exact", s)
	if err != nil {
		t.Fatal(err)
	}
	var with, without json.Moved
	for seed := range *changedLayers {
		g, err := corpus.Graph(graphs[seed%int64(len(graphs))])
		if err != nil {
			t.Fatal(err)
		}
		before, after := lowered(t, g), lowered(t, changed(g, rand.New(rand.NewSource(seed))))
		again := results.Replanning{Old: old(before, results.Run(context.Background(), before, exact))}
		fresh := results.Run(context.Background(), after, exact)
		kept := results.Run(context.Background(), after, again.Choice(exact, s))
		if fresh.Err != nil || kept.Err != nil {
			t.Fatal(fresh.Err, kept.Err)
		}
		if *kept.Record.Peak != *fresh.Record.Peak || kept.Record.Bound != fresh.Record.Bound {
			t.Errorf("seed %d, %s: peak %d, bound %d; afresh %d, %d", seed, g.Name, *kept.Record.Peak, kept.Record.Bound, *fresh.Record.Peak, fresh.Record.Bound)
		}
		one, other := again.Moved(after, kept.Results), again.Moved(after, fresh.Results)
		if one.Bytes > other.Bytes {
			t.Errorf("seed %d, %s: moved %d bytes, afresh %d", seed, g.Name, one.Bytes, other.Bytes)
		}
		for sum, m := range map[*json.Moved]json.Moved{&with: one, &without: other} {
			sum.Kept, sum.Moved, sum.New, sum.Bytes = sum.Kept+m.Kept, sum.Moved+m.Moved, sum.New+m.New, sum.Bytes+m.Bytes
		}
	}
	t.Logf("with the old plan %d moved, %d bytes; without %d, %d bytes; of %d", with.Moved, with.Bytes, without.Moved, without.Bytes, with.Moved+with.Kept)
	if 3*with.Moved > without.Moved {
		t.Errorf("with the old plan %d moved, without %d", with.Moved, without.Moved)
	}
}

// Small instances with every feature: the peak is the optimum, as afresh, and with
// HiGHS the bytes that move are those that must.
func TestReplanningAgainstBruteForce(t *testing.T) {
	s := results.Settings{Threads: 1, Limit: -1, Rounds: 3}
	exact, err := results.Find("exact", s)
	if err != nil {
		t.Fatal(err)
	}
	more, tried := 0, 0
	for seed := int64(0); tried < 120; seed++ {
		r := rand.New(rand.NewSource(seed))
		in := oracle.Random(r, oracle.All)
		best, _ := oracle.Optimum(in)
		peak := best.Peak(in)
		if len(in.Buffers) > 5 || peak > 9 || len(in.Buffers) == 0 {
			continue
		}
		var places []model.Place
		for i := range in.Buffers {
			if r.Intn(5) > 0 {
				places = append(places, model.Place{ID: in.Buffers[i].ID, Offset: r.Int63n(peak + 1)})
			}
		}
		fewest, was := int64(model.MaxBytes), replan.Old(in, places)
		for at := range oracle.Plans(in, peak, 1<<20) {
			fewest = min(fewest, model.Plan{Offsets: at}.Moved(in, was))
		}
		if fewest == model.MaxBytes { // one without bytes is pinned above the peak
			continue
		}
		tried++
		task := &results.Task{Name: "random", Arenas: []*model.Instance{in}}
		for _, solver := range []bool{false, true} {
			again := results.Replanning{Old: places, Fewest: solver}
			out := results.Run(context.Background(), task, again.Choice(exact, s))
			if out.Err != nil || *out.Record.Peak != peak || out.Record.Bound != peak {
				t.Fatalf("seed %d: %v, peak %d, bound %d, optimum %d", seed, out.Err, *out.Record.Peak, out.Record.Bound, peak)
			}
			switch m := again.Moved(task, out.Results); {
			case solver && (m.Bytes != fewest || *m.Least != fewest), m.Bytes < fewest:
				t.Errorf("seed %d: %+v, the fewest is %d", seed, m, fewest)
			case m.Bytes > fewest:
				more++
			}
		}
	}
	t.Logf("without HiGHS %d of %d moved more than they must", more, tried)
}
