package graph_test

import (
	"fmt"
	"strings"
	"testing"

	"memplan/internal/shared"
	"memplan/model/graph"
	"memplan/model/json"
	"memplan/model/schedule"
)

// graphOf reads a graph of the shared cases.
func graphOf(t *testing.T, path string) *graph.Graph {
	t.Helper()
	d, err := json.Read(shared.Open(t, "cases/"+path), path)
	if err != nil {
		t.Fatal(err)
	}
	return d.Graph
}

// parse reads a graph from text.
func parse(t testing.TB, text string) *graph.Graph {
	t.Helper()
	d, err := json.Read(strings.NewReader(text), "g.json")
	if err != nil {
		t.Fatal(err)
	}
	return d.Graph
}

// foundGraph reads a graph of those on which something was wrong once.
func foundGraph(t *testing.T, path string) *graph.Graph {
	t.Helper()
	d, err := json.Read(shared.Open(t, "found/"+path), path)
	if err != nil {
		t.Fatal(err)
	}
	return d.Graph
}

// A state that an operator reads and writes is there throughout.
func TestStateReadAndWritten(t *testing.T) {
	l, err := foundGraph(t, "69-state-read-and-written/r27g.json").Lower(graph.LowerOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := lifetimes(l.Arenas[0]), "s [0,2) 40, x [0,1) 16, y [0,2) 8"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// Operators that write a base piece by piece: it is live from the first of them,
// and whoever reads it waits for all.
func TestSlicesOfOneBuffer(t *testing.T) {
	g := foundGraph(t, "73-slices-of-one-buffer/r13b.json")
	for kind := schedule.Given; kind <= schedule.Optimal; kind++ {
		l, err := g.Lower(graph.LowerOptions{Schedule: kind, CopyViews: true})
		if err != nil {
			t.Fatal(err)
		}
		if got, want := lifetimes(l.Arenas[0]), "a [0,3) 16, x [0,2) 16, y [2,4) 8"; got != want || l.Order.Load != 32 {
			t.Errorf("%v: %s, load %d, want %s, load 32", kind, got, l.Order.Load, want)
		}
	}
	const graphs = `{"tensors": [{"id": "x", "bytes": 16}, {"id": "v", "bytes": %d, "alias_of": "w"}, {"id": "w", "bytes": 12, "alias_of": "a"},
 {"id": "u", "bytes": 8, "alias_of": "a", "alias_offset": 8%s}, {"id": "a", "bytes": 16}, {"id": "y", "bytes": 8}],
 "ops": [{"id": "e", "inputs": ["a"], "outputs": ["y"]}, {"id": "m2", "inputs": ["x", "v"], "outputs": ["u"]}, {"id": "m1", "inputs": ["x"], "outputs": ["v"]}], "inputs": ["x"], "outputs": ["y", "w"]}`
	for _, c := range []struct {
		bytes             int
		more, want, fault string
	}{
		{8, "", "a [0,4) 16, x [0,2) 16, y [2,4) 8", ""},
		{6, "", "a [0,4) 16, x [0,2) 16, y [2,4) 8", `unwritten tensor "a": no operator writes its bytes [6,8)`},
		{9, "", "", `tensor "u": bytes [8,16) of "a", which "m1" writes as "v", too: [0,9)`},
		{8, `, "alignment": 16`, "", `tensor "u": a view of "a" that no operator can copy: its alignment does not hold there`},
	} {
		d, err := json.Read(strings.NewReader(fmt.Sprintf(graphs, c.bytes, c.more)), "g.json")
		var l *graph.Lowered
		if err == nil {
			l, err = d.Graph.Lower(graph.LowerOptions{})
		}
		got, said := "", fmt.Sprint(err)
		if err == nil {
			got = lifetimes(l.Arenas[0])
			for _, n := range l.Notes {
				said += fmt.Sprintf("\n%v %s", n.Kind, n.Text)
			}
		}
		if got != c.want || !strings.Contains(said, c.fault) {
			t.Errorf("%d bytes%s: %s, %s", c.bytes, c.more, got, said)
		}
	}
}

// The shared cases of liveness: the load of the instance that the graph must
// become, and lifetimes, as they were worked out by hand there.
func TestSharedGraphs(t *testing.T) {
	type life struct {
		id         string
		start, end int64
	}
	for _, c := range []struct {
		path    string
		options graph.LowerOptions
		buffers int
		load    int64
		lives   []life
	}{
		{"01-unread-op-output/input.json", graph.LowerOptions{}, 4, 256, []life{{"x", 0, 1}, {"y", 0, 2}, {"dead", 0, 1}, {"z", 1, 3}}},
		{"03-same-tensor-twice-one-op/input.json", graph.LowerOptions{}, 6, 210, []life{{"x", 0, 4}}},
		{"05-input-is-also-output/input.json", graph.LowerOptions{}, 3, 224, []life{{"p", 0, 3}}},
		{"05-input-is-also-output/output-twice.json", graph.LowerOptions{}, 2, 128, nil},
		{"05-input-is-also-output/passthrough-no-ops.json", graph.LowerOptions{}, 1, 64, []life{{"p", 0, 1}}},
		{"07-inplace-view-operand/input.json", graph.LowerOptions{}, 4, 128, nil},
		{"07-inplace-view-operand/same-operand.json", graph.LowerOptions{}, 3, 80, nil},
		{"09-view-chain-root-lifetime/input.json", graph.LowerOptions{}, 4, 224, []life{{"base", 0, 5}}},
		{"09-view-chain-root-lifetime/input.json", graph.LowerOptions{CopyViews: true}, 6, 288, nil},
		{"09-view-chain-root-lifetime/view-is-output.json", graph.LowerOptions{}, 4, 256, nil},
		{"09-view-chain-root-lifetime/view-alignment.json", graph.LowerOptions{}, 4, 210, nil},
		{"11-touching-intervals/chain.json", graph.LowerOptions{}, 4, 80, nil},
		{"13-csv-bom-crlf-quotes-unicode/input.json", graph.LowerOptions{}, 9, 35, nil},
		{"19-unsorted-and-cyclic/input.json", graph.LowerOptions{}, 3, 120, []life{{"y", 0, 2}}},
		{"21-fusion/input.json", graph.LowerOptions{}, 3, 160, nil},
		{"21-fusion/input.json", graph.LowerOptions{Fuse: graph.FuseNone}, 4, 240, nil},
		{"21-fusion/escaping.json", graph.LowerOptions{}, 4, 240, nil},
		{"21-fusion/escaping.json", graph.LowerOptions{Fuse: graph.FuseNone}, 4, 220, nil},
		{"21-fusion/not-adjacent.json", graph.LowerOptions{}, 4, 200, nil},
		{"25-empty-and-single/empty.json", graph.LowerOptions{}, 0, 0, nil},
		{"37-verifier-plans/graph.json", graph.LowerOptions{}, 3, 80, nil},
		{"43-tflite-traps/input.json", graph.LowerOptions{}, 4, 64, []life{{"state", 0, 3}}},
	} {
		l, err := graphOf(t, c.path).Lower(c.options)
		if err != nil {
			t.Errorf("%s: %v", c.path, err)
			continue
		}
		in := l.Merged().Arenas[0]
		if in.Load() != c.load || len(in.Buffers) != c.buffers {
			t.Errorf("%s %+v: %d buffers, load %d, want %d, %d\n%v\n%v", c.path, c.options, len(in.Buffers), in.Load(), c.buffers, c.load, in.Buffers, l.Notes)
		}
		for _, want := range c.lives {
			for _, b := range in.Buffers {
				if b.ID == want.id && (b.Life.Start != want.start || b.Life.End != want.end) {
					t.Errorf("%s: %s lives %v, want %v", c.path, b.ID, b.Life, want)
				}
			}
		}
	}
}
