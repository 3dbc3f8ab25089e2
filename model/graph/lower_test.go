package graph_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"memplan/heuristics"
	"memplan/model"
	"memplan/model/graph"
	"memplan/model/schedule"
)

// lifetimes writes an instance's buffers as text, by id.
func lifetimes(in *model.Instance) string {
	var words []string
	for _, b := range in.Buffers {
		word := fmt.Sprintf("%s %v %d", b.ID, b.Life, b.Size)
		if b.Align > 1 {
			word += fmt.Sprintf(" /%d", b.Align)
		}
		if b.Tie != nil {
			word += fmt.Sprintf(" in %s+%d", in.Buffers[b.Tie.To].ID, b.Tie.Delta)
		}
		if b.Offset != nil {
			word += fmt.Sprintf(" at %d", *b.Offset)
		}
		words = append(words, word)
	}
	slices.Sort(words)
	return strings.Join(words, ", ")
}

// The named hazards of liveness and aliasing, each with the buffers that it
// must come to, worked out by hand, where all is shared that may be.
func TestHazards(t *testing.T) {
	// A chain x -f-> a -g-> b -h-> y, to be varied.
	const chain = `{"tensors": [{"id": "x", "bytes": 4}, {"id": "a", "bytes": 8}, {"id": "b", "bytes": 8}, {"id": "y", "bytes": 4}%s],
 "ops": [{"id": "f", "inputs": ["x"], "outputs": ["a"]}, {"id": "g", "inputs": ["a"], "outputs": ["b"]%s}, {"id": "h", "inputs": ["b"%s], "outputs": ["y"]}],
 "inputs": ["x"], "outputs": ["y"%s]}`
	vary := func(tensors, g, h, outputs string) string { return fmt.Sprintf(chain, tensors, g, h, outputs) }
	const inPlace = `, "in_place": [["a", "b"]]`
	for _, c := range []struct {
		name, graph string
		options     graph.LowerOptions
		want        string
		note        string // part of one of the notes, if any is wanted
	}{
		{"operands and results of one operator are live together", vary("", "", "", ""), graph.LowerOptions{},
			"a [0,2) 8, b [1,3) 8, x [0,1) 4, y [2,4) 4", ""},
		{"in place: one buffer", vary("", inPlace, "", ""), graph.LowerOptions{},
			"a [0,3) 8, x [0,1) 4, y [2,4) 4", ""},
		{"in place, read later: two", vary("", inPlace, `, "a"`, ""), graph.LowerOptions{},
			"a [0,3) 8, b [1,3) 8, x [0,1) 4, y [2,4) 4", `refused "b" in place of "a" by "g": "a" is read later`},
		{"in place of an output: two", vary("", inPlace, "", `, "a"`), graph.LowerOptions{},
			"a [0,4) 8, b [1,3) 8, x [0,1) 4, y [2,4) 4", `the operand is the caller's`},
		{"an output in place of an operand", vary("", inPlace, "", `, "b"`), graph.LowerOptions{},
			"a [0,4) 8, x [0,1) 4, y [2,4) 4", ""},
		{"in place, larger result: as large as the larger", strings.Replace(vary("", inPlace, "", ""), `"id": "b", "bytes": 8`, `"id": "b", "bytes": 10`, 1), graph.LowerOptions{},
			"a [0,3) 10, x [0,1) 4, y [2,4) 4", ""},
		{"in place of the caller's input: two", `{"tensors": [{"id": "x", "bytes": 4}, {"id": "y", "bytes": 4}],
 "ops": [{"id": "f", "inputs": ["x"], "outputs": ["y"], "in_place": [["x", "y"]]}], "inputs": ["x"], "outputs": ["y"]}`, graph.LowerOptions{},
			"x [0,1) 4, y [0,2) 4", `the operand is the caller's`},
		{"in place of a weight: two", `{"tensors": [{"id": "x", "bytes": 4, "kind": "weight"}, {"id": "y", "bytes": 4}],
 "ops": [{"id": "f", "inputs": ["x"], "outputs": ["y"], "in_place": [["x", "y"]]}], "outputs": ["y"]}`, graph.LowerOptions{},
			"y [0,2) 4", `the operand is a weight`},
		{"in place chain: one buffer of three", `{"tensors": [{"id": "x", "bytes": 4}, {"id": "a", "bytes": 8}, {"id": "b", "bytes": 8}, {"id": "c", "bytes": 8}, {"id": "y", "bytes": 4}],
 "ops": [{"id": "f", "inputs": ["x"], "outputs": ["a"]}, {"id": "g", "inputs": ["a"], "outputs": ["b"], "in_place": [["a", "b"]]},
         {"id": "h", "inputs": ["b"], "outputs": ["c"], "in_place": [["b", "c"]]}, {"id": "i", "inputs": ["c"], "outputs": ["y"]}],
 "inputs": ["x"], "outputs": ["y"]}`, graph.LowerOptions{}, "a [0,4) 8, x [0,1) 4, y [3,5) 4", ""},
		{"a view of the operand is read later: two", vary(`, {"id": "v", "bytes": 2, "alias_of": "a", "alias_offset": 6}`, inPlace, `, "v"`, ""), graph.LowerOptions{},
			"a [0,3) 8, b [1,3) 8, x [0,1) 4, y [2,4) 4", `"v" is read later`},
		{"a base lives as long as its views", vary(`, {"id": "v", "bytes": 2, "alias_of": "a", "alias_offset": 6}`, "", `, "v"`, ""), graph.LowerOptions{},
			"a [0,3) 8, b [1,3) 8, x [0,1) 4, y [2,4) 4", ""},
		{"a view that is an output makes its base one", vary(`, {"id": "v", "bytes": 2, "alias_of": "a", "alias_offset": 6}`, "", "", `, "v"`), graph.LowerOptions{},
			"a [0,4) 8, b [1,3) 8, x [0,1) 4, y [2,4) 4", ""},
		{"halves of one buffer, each overwritten in place", `{"tensors": [{"id": "x", "bytes": 4}, {"id": "a", "bytes": 8}, {"id": "l", "bytes": 4, "alias_of": "a"}, {"id": "r", "bytes": 4, "alias_of": "a", "alias_offset": 4},
  {"id": "p", "bytes": 4}, {"id": "q", "bytes": 4}, {"id": "y", "bytes": 4}],
 "ops": [{"id": "f", "inputs": ["x"], "outputs": ["a"]}, {"id": "g", "inputs": ["l"], "outputs": ["p"], "in_place": [["l", "p"]]}, {"id": "h", "inputs": ["r"], "outputs": ["q"], "in_place": [["r", "q"]]},
         {"id": "i", "inputs": ["p", "q"], "outputs": ["y"]}], "inputs": ["x"], "outputs": ["y"]}`, graph.LowerOptions{}, "a [0,4) 8, x [0,1) 4, y [3,5) 4", ""},
		{"two results in place of one operand: the first", `{"tensors": [{"id": "x", "bytes": 4}, {"id": "a", "bytes": 8}, {"id": "b", "bytes": 8}, {"id": "c", "bytes": 8}],
 "ops": [{"id": "f", "inputs": ["x"], "outputs": ["a"]}, {"id": "g", "inputs": ["a"], "outputs": ["b", "c"], "in_place": [["a", "b"], ["a", "c"]]}],
 "inputs": ["x"], "outputs": ["b", "c"]}`, graph.LowerOptions{}, "a [0,3) 8, c [1,3) 8, x [0,1) 4", ""},
		{"a view that nobody uses", vary(`, {"id": "v", "bytes": 2, "alias_of": "x"}`, "", "", ""), graph.LowerOptions{},
			"a [0,2) 8, b [1,3) 8, x [0,1) 4, y [2,4) 4", `unused tensor "v"`},
		{"a view made without its base: a copy", `{"tensors": [{"id": "x", "bytes": 4}, {"id": "z", "bytes": 4}, {"id": "v", "bytes": 4, "alias_of": "z"}],
 "ops": [{"id": "f", "inputs": ["x"], "outputs": ["v"]}], "inputs": ["x", "z"], "outputs": ["v"]}`, graph.LowerOptions{},
			"v [0,2) 4, x [0,1) 4, z [0,1) 4", `refused view "v" of "z": its operator "f" does not read that; it is a copy`},
		{"a view at a byte that its alignment cannot have: a copy", `{"tensors": [{"id": "x", "bytes": 8}, {"id": "v", "bytes": 4, "alias_of": "x", "alias_offset": 4, "alignment": 8}],
 "ops": [{"id": "f", "inputs": ["x"], "outputs": ["v"]}], "inputs": ["x"], "outputs": ["v"]}`, graph.LowerOptions{},
			"v [0,2) 4 /8, x [0,1) 8", "its alignment does not hold there"},
		{"alignments of views meet in the base", `{"tensors": [{"id": "x", "bytes": 48, "alignment": 4}, {"id": "v", "bytes": 4, "alias_of": "x", "alias_offset": 24, "alignment": 6}],
 "ops": [{"id": "f", "inputs": ["x"], "outputs": ["v"]}], "inputs": ["x"], "outputs": ["v"]}`, graph.LowerOptions{}, "x [0,2) 48 /12", ""},
		{"copied views", `{"tensors": [{"id": "x", "bytes": 8}, {"id": "v", "bytes": 4, "alias_of": "x"}],
 "ops": [{"id": "f", "inputs": ["x"], "outputs": ["v"]}], "inputs": ["x"], "outputs": ["v"]}`, graph.LowerOptions{CopyViews: true}, "v [0,2) 4, x [0,1) 8", ""},
		{"inputs outside", vary("", inPlace, "", ""), graph.LowerOptions{Inputs: graph.External}, "a [0,3) 8, y [2,4) 4", ""},
		{"outputs outside", vary("", inPlace, "", ""), graph.LowerOptions{Outputs: graph.External}, "a [0,3) 8, x [0,1) 4", ""},
		{"both kept", vary("", inPlace, "", ""), graph.LowerOptions{Inputs: graph.Kept, Outputs: graph.Kept}, "a [0,3) 8, x [0,4) 4, y [0,4) 4", ""},
		{"in place, and a view of the result is kept: two", vary(`, {"id": "v", "bytes": 2, "alias_of": "b", "alias_offset": 6}`, inPlace, "", `, "v"`), graph.LowerOptions{Outputs: graph.Kept},
			"a [0,2) 8, b [0,4) 8, x [0,1) 4, y [0,4) 4", `refused "b" in place of "a" by "g": the result is kept`},
		{"an unread input, and an unread result", `{"tensors": [{"id": "x", "bytes": 4}, {"id": "y", "bytes": 4}, {"id": "z", "bytes": 4}],
 "ops": [{"id": "f", "inputs": ["y"], "outputs": []}, {"id": "g", "inputs": ["y"], "outputs": ["z"]}], "inputs": ["x", "y"]}`, graph.LowerOptions{},
			"x [0,1) 4, y [0,2) 4, z [1,2) 4", `unread input "x": nobody reads it; it occupies step 0`},
		{"a variable is live throughout", `{"tensors": [{"id": "s", "bytes": 4, "kind": "variable"}, {"id": "y", "bytes": 4}, {"id": "z", "bytes": 4}],
 "ops": [{"id": "f", "inputs": ["s"], "outputs": ["y"]}, {"id": "g", "inputs": ["y"], "outputs": ["z"]}], "outputs": ["z"]}`, graph.LowerOptions{},
			"s [0,3) 4, y [0,2) 4, z [1,3) 4", ""},
		{"workspaces live at their step alone", `{"tensors": [{"id": "x", "bytes": 4}, {"id": "y", "bytes": 4}],
 "ops": [{"id": "f", "inputs": ["x"], "outputs": ["y"], "scratch": [7]}, {"id": "g", "inputs": ["y"], "outputs": [], "scratch": [5, 6]}], "inputs": ["x"]}`, graph.LowerOptions{},
			"f.scratch [0,1) 7, g.scratch0 [1,2) 5, g.scratch1 [1,2) 6, x [0,1) 4, y [0,2) 4", ""},
		{"reserved addresses are pinned", `{"tensors": [{"id": "x", "bytes": 4, "pool": "p"}], "inputs": ["x"], "pools": [{"id": "p", "capacity": 99, "reserved": [[16, 24]]}]}`, graph.LowerOptions{},
			"reserved 16-24 [0,1) 8 at 16, x [0,1) 4", ""},
		{"a concat's operands inside its result", `{"tensors": [{"id": "x", "bytes": 4}, {"id": "a", "bytes": 8}, {"id": "b", "bytes": 8}, {"id": "c", "bytes": 16}, {"id": "y", "bytes": 4}],
 "ops": [{"id": "f", "inputs": ["x"], "outputs": ["a"]}, {"id": "g", "inputs": ["x"], "outputs": ["b"]}, {"id": "cat", "inputs": ["a", "b"], "outputs": ["c"], "layout": "concat"}, {"id": "h", "inputs": ["c", "a"], "outputs": ["y"]}],
 "inputs": ["x"], "outputs": ["y"]}`, graph.LowerOptions{Concat: true}, "a [0,2) 8 in c+0, b [1,2) 8 in c+8, c [2,4) 16, x [0,2) 4, y [3,5) 4", ""},
		{"concats of concats", `{"tensors": [{"id": "x", "bytes": 4}, {"id": "a", "bytes": 8}, {"id": "c", "bytes": 16}, {"id": "d", "bytes": 24}, {"id": "e", "bytes": 8}, {"id": "b", "bytes": 8}],
 "ops": [{"id": "f", "inputs": ["x"], "outputs": ["a"]}, {"id": "g", "inputs": ["x"], "outputs": ["b"]}, {"id": "cat", "inputs": ["a", "b"], "outputs": ["c"], "layout": "concat"},
         {"id": "i", "inputs": ["c"], "outputs": ["e"]}, {"id": "dog", "inputs": ["e", "c"], "outputs": ["d"], "layout": "concat"}],
 "inputs": ["x"], "outputs": ["d"]}`, graph.LowerOptions{Concat: true}, "a [0,2) 8 in d+8, b [1,2) 8 in d+16, c [2,4) 16 in d+8, d [4,6) 24, e [3,4) 8 in d+0, x [0,2) 4", ""},
		{"an operand of two concats lies in the first that takes it", `{"tensors": [{"id": "x", "bytes": 4}, {"id": "a", "bytes": 8}, {"id": "c", "bytes": 8}, {"id": "d", "bytes": 16}],
 "ops": [{"id": "f", "inputs": ["x"], "outputs": ["a"]}, {"id": "cat", "inputs": ["a"], "outputs": ["c"], "layout": "concat"}, {"id": "dog", "inputs": ["a", "a"], "outputs": ["d"], "layout": "concat"}],
 "inputs": ["x"], "outputs": ["d"]}`, graph.LowerOptions{Concat: true}, "a [0,1) 8 in c+0, c [1,3) 8, d [2,4) 16, x [0,1) 4", ""},
		{"a split's results inside its operand", `{"tensors": [{"id": "x", "bytes": 4}, {"id": "a", "bytes": 8}, {"id": "l", "bytes": 2}, {"id": "r", "bytes": 6}, {"id": "y", "bytes": 4}],
 "ops": [{"id": "f", "inputs": ["x"], "outputs": ["a"]}, {"id": "cut", "inputs": ["a"], "outputs": ["l", "r"], "layout": "split"}, {"id": "g", "inputs": ["l"], "outputs": ["y"]}],
 "inputs": ["x"], "outputs": ["y"]}`, graph.LowerOptions{Concat: true}, "a [0,3) 8, x [0,1) 4, y [2,4) 4", ""},
		{"a concat that is no whole", `{"tensors": [{"id": "x", "bytes": 4}, {"id": "a", "bytes": 8}, {"id": "c", "bytes": 9}],
 "ops": [{"id": "f", "inputs": ["x"], "outputs": ["a"]}, {"id": "cat", "inputs": ["a"], "outputs": ["c"], "layout": "concat"}],
 "inputs": ["x"], "outputs": ["c"]}`, graph.LowerOptions{Concat: true}, "a [0,2) 8, c [1,3) 9, x [0,1) 4", "not as many bytes as the whole"},
		{"a concat whose parts move with a dimension", `{"tensors": [{"id": "x", "dtype": "int8", "shape": ["n"]}, {"id": "a", "bytes": 8}, {"id": "b", "dtype": "int8", "shape": ["n"]}, {"id": "c", "dtype": "int8", "shape": [12]}],
 "ops": [{"id": "f", "inputs": ["x"], "outputs": ["b"]}, {"id": "g", "inputs": ["x"], "outputs": ["a"]}, {"id": "cat", "inputs": ["b", "a"], "outputs": ["c"], "layout": "concat"}],
 "inputs": ["x"], "outputs": ["c"], "dims": {"n": [1, 4]}}`, graph.LowerOptions{Concat: true}, "a [1,3) 8, b [0,3) 4, c [2,4) 12, x [0,2) 4", "depends on the dimensions"},
		{"a fusion that cannot be", `{"tensors": [{"id": "x", "bytes": 4}, {"id": "a", "bytes": 8}, {"id": "b", "bytes": 8}, {"id": "y", "bytes": 4}],
 "ops": [{"id": "f", "inputs": ["x"], "outputs": ["a"]}, {"id": "g", "inputs": ["a"], "outputs": ["b"]}, {"id": "h", "inputs": ["b", "a"], "outputs": ["y"]}],
 "inputs": ["x"], "outputs": ["y"], "fuse": [["f", "h"]]}`, graph.LowerOptions{},
			"a [0,3) 8, b [1,3) 8, x [0,1) 4, y [2,4) 4", `refused fusing "f", "h"`},
		{"elementwise neighbours fuse, and compute in place", `{"tensors": [{"id": "x", "bytes": 4}, {"id": "a", "bytes": 8}, {"id": "b", "bytes": 8}, {"id": "c", "bytes": 8}, {"id": "y", "bytes": 4}],
 "ops": [{"id": "f", "inputs": ["x"], "outputs": ["a"]}, {"id": "g", "inputs": ["a"], "outputs": ["b"], "elementwise": true, "in_place": [["a", "b"]]},
         {"id": "h", "inputs": ["b"], "outputs": ["c"], "elementwise": true, "in_place": [["b", "c"]]}, {"id": "i", "inputs": ["c"], "outputs": ["y"]}],
 "inputs": ["x"], "outputs": ["y"]}`, graph.LowerOptions{Fuse: graph.FuseElementwise}, "a [0,3) 8, x [0,1) 4, y [2,4) 4", `removed tensor "b", 8 bytes`},
		{"equal ids of foreign formats stay apart", "", graph.LowerOptions{}, "#4 [0,1) 2, t [0,1) 1, t#2 [0,1) 3, u [0,2) 4", ""},
	} {
		g := &graph.Graph{Tensors: []graph.Tensor{{ID: "t", Bytes: 1}, {ID: "t", Bytes: 3}, {ID: "u", Bytes: 4}, {ID: "", Bytes: 2}}, Inputs: []int{0, 1, 3},
			Ops: []graph.Op{{Inputs: []int{0, 1, 3}, Outputs: []int{2}}}, Outputs: []int{2}}
		if c.graph != "" {
			g = parse(t, c.graph)
		}
		l, err := g.Lower(c.options)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		l = l.Merged()
		if got := lifetimes(l.Arenas[0]); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s\n%s", c.name, got, c.want, dump(l))
		}
		noted := c.note == ""
		for _, n := range l.Notes {
			noted = noted || strings.Contains(fmt.Sprintf("%v %s", n.Kind, n.Text), c.note)
		}
		if !noted {
			t.Errorf("%s: no note %q in %v", c.name, c.note, l.Notes)
		}
		if err := execute(l, planOf(t, l)); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func planOf(t *testing.T, l *graph.Lowered) []model.Plan {
	t.Helper()
	var plans []model.Plan
	for _, in := range l.Arenas {
		r, err := heuristics.ByArea{}.Plan(context.Background(), in)
		if err != nil {
			t.Fatal(err)
		}
		plans = append(plans, *r.Plan)
	}
	return plans
}

// What fusion, a schedule and the choice of spaces came to is said.
func TestSummaries(t *testing.T) {
	pools := `{"tensors": [{"id": "x", "bytes": 60, "pool": ["near", "far"]}, {"id": "y", "bytes": 50, "pool": ["near", "far"]}],
 "ops": [{"id": "f", "inputs": ["x"], "outputs": ["y"]}], "inputs": ["x"], "outputs": ["y"], "pools": [{"id": "near", "capacity": %d}, {"id": "far", "capacity": %d}]}`
	for name, c := range map[string]struct {
		graph   *graph.Graph
		options graph.LowerOptions
		want    string
	}{
		"fusion saves": {graphOf(t, "21-fusion/input.json"), graph.LowerOptions{}, "fusion load 160; 240 without fusion"},
		"fusion costs": {graphOf(t, "21-fusion/escaping.json"), graph.LowerOptions{}, "fusion load 240; 220 without fusion"},
		"proven order": {branches(3, 20), graph.LowerOptions{Schedule: schedule.Optimal}, "schedule optimal: load 26, the least of any order"},
		"open order":   {branches(3, 20), graph.LowerOptions{Schedule: schedule.Memory}, "schedule memory: load 36, no order has less than"},
		"preferred":    {parse(t, fmt.Sprintf(pools, 110, 50)), graph.LowerOptions{}, ""},
		"outside":      {parse(t, fmt.Sprintf(pools, 109, 50)), graph.LowerOptions{}, "spaces 50 bytes outside the preferred pools"},
		"traffic":      {parse(t, strings.Replace(fmt.Sprintf(pools, 109, 60), `"bytes": 50,`, `"bytes": 50, "traffic": 700,`, 1)), graph.LowerOptions{}, "spaces 60 bytes of traffic outside the preferred pools"},
		"over":         {parse(t, fmt.Sprintf(pools, 59, 50)), graph.LowerOptions{}, "spaces the capacities are exceeded by"},
	} {
		l, err := c.graph.Lower(c.options)
		if err != nil {
			t.Fatal(name, err)
		}
		said := ""
		for _, n := range l.Notes {
			if text := fmt.Sprintf("%v %s", n.Kind, n.Text); n.Kind >= graph.Fusion {
				said += text
			}
		}
		if c.want == "" && said != "" || !strings.HasPrefix(said, c.want) {
			t.Errorf("%s: %q, want %q", name, said, c.want)
		}
	}
}

// Weights are laid out apart, once each, aligned; views of them lie in them.
func TestWeights(t *testing.T) {
	l, err := parse(t, `{"tensors": [{"id": "w1", "bytes": 3, "kind": "weight"}, {"id": "w2", "bytes": 5, "kind": "weight", "alignment": 16}, {"id": "w3", "bytes": 4, "kind": "weight", "alignment": 4},
  {"id": "v", "bytes": 2, "alias_of": "w2", "alias_offset": 3}, {"id": "x", "bytes": 1}, {"id": "y", "bytes": 1}],
 "ops": [{"id": "f", "inputs": ["x", "w1", "w2", "w2", "v"], "outputs": ["y"]}, {"id": "g", "inputs": ["w2", "w1"], "outputs": []}],
 "inputs": ["x", "w1"], "outputs": ["y"]}`).Lower(graph.LowerOptions{})
	if err != nil {
		t.Fatal(err)
	}
	// w2 at 0..5, w3 at 8..12, w1 at 12..15.
	want := []graph.Place{{Where: graph.InWeights, Offset: 12}, {Where: graph.InWeights}, {Where: graph.InWeights, Offset: 8}, {Where: graph.InWeights, Offset: 3}}
	if !slices.Equal(l.Places[:4], want) || l.Weights != (graph.Region{Bytes: 15, Align: 16}) {
		t.Errorf("places %v, region %+v", l.Places[:4], l.Weights)
	}
	if got := lifetimes(l.Arenas[0]); got != "x [0,1) 1, y [0,3) 1" {
		t.Error(got)
	}
}

// The largest sizes' plan holds for all: with every dimension anywhere in its
// range, each tensor is a prefix of what the plan gave it.
func TestDimensions(t *testing.T) {
	g := parse(t, `{"tensors": [{"id": "x", "dtype": "float32", "shape": ["n", 3]}, {"id": "a", "dtype": "int8", "shape": ["n", "m"]}, {"id": "b", "dtype": "int4", "shape": ["m", 5]}, {"id": "y", "dtype": "int8", "shape": [2, "n"]}],
 "ops": [{"id": "f", "inputs": ["x"], "outputs": ["a"]}, {"id": "g", "inputs": ["a"], "outputs": ["b"], "in_place": [["a", "b"]]}, {"id": "h", "inputs": ["b", "x"], "outputs": ["y"]}],
 "inputs": ["x"], "outputs": ["y"], "dims": {"n": [0, 6], "m": [1, 4]}}`)
	worst, err := g.Lower(graph.LowerOptions{})
	if err != nil {
		t.Fatal(err)
	}
	plans := planOf(t, worst)
	for n := range int64(7) {
		for m := int64(1); m < 5; m++ {
			bound, err := g.Bind([]int64{n, m})
			if err != nil {
				t.Fatal(err)
			}
			if sizes := []int64{bound.Tensors[0].Bytes, bound.Tensors[1].Bytes, bound.Tensors[2].Bytes, bound.Tensors[3].Bytes}; !slices.Equal(sizes, []int64{12 * n, n * m, (5*m + 1) / 2, 2 * n}) {
				t.Fatalf("n %d, m %d: %v", n, m, sizes)
			}
			small := *worst
			small.Graph = bound
			if err := execute(&small, plans); err != nil {
				t.Errorf("n %d, m %d: %v", n, m, err)
			}
		}
	}
	if _, err := g.Bind([]int64{7, 1}); err == nil {
		t.Error("a dimension outside its range was bound")
	}
}

func TestRounded(t *testing.T) {
	life := model.Interval{Start: 0, End: 2}
	in := &model.Instance{Buffers: []model.Buffer{
		{ID: "a", Life: life, Size: 10}, {ID: "b", Life: life, Size: 20}, {ID: "c", Life: life}, {ID: "d", Life: life, Size: 16},
		{ID: "e", Life: model.Interval{Start: 2, End: 3}, Size: 3, Tie: &model.Tie{To: 1, Delta: 4}},
	}}
	rounded, waste, err := in.Rounded(16)
	if err != nil || !slices.Equal(waste, []int64{6, 12, 0, 0, 0}) || rounded.Load() != 64 || in.Load() != 46 {
		t.Errorf("%v %v", waste, err)
	}
	in.Buffers[0].Size = 1<<63 - 2
	if _, _, err := in.Rounded(16); err == nil {
		t.Error("a size beyond int64")
	}
	in.Buffers[0].Size, in.Buffers[0].Offset, in.Buffers[3].Offset = 10, new(int64(0)), new(int64(10))
	if _, _, err := in.Rounded(16); err == nil || !strings.Contains(err.Error(), "pinned onto") {
		t.Errorf("a rounded buffer that reaches into a pinned one: %v", err)
	}
}

// What has effects keeps its order: operators that say so, and those that read
// one variable, which may change it.
func TestEffectsKeepTheirOrder(t *testing.T) {
	g := parse(t, `{"tensors": [{"id": "s", "bytes": 1, "kind": "variable"}, {"id": "x", "bytes": 1}, {"id": "a", "bytes": 9}, {"id": "b", "bytes": 8}, {"id": "c", "bytes": 7}, {"id": "d", "bytes": 6}],
 "ops": [{"id": "f", "inputs": ["s", "x"], "outputs": ["a"]}, {"id": "g", "inputs": ["s"], "outputs": ["b"]}, {"id": "h", "inputs": ["x"], "outputs": ["c"], "after": ["g"]}, {"id": "i", "inputs": ["x"], "outputs": ["d"]}],
 "inputs": ["x"], "outputs": ["a", "b", "c", "d"]}`)
	for kind := schedule.Given; kind <= schedule.Optimal; kind++ {
		l, err := g.Lower(graph.LowerOptions{Schedule: kind})
		if err != nil {
			t.Fatal(err)
		}
		step := make([]int, 4)
		for k, ops := range l.Steps {
			step[ops[0]] = k
		}
		if step[0] > step[1] || step[1] > step[2] {
			t.Errorf("%v: %v", kind, l.Steps)
		}
	}
	g.Schedule = []int{3, 1, 2, 0} // the order given decides which reads the variable first
	if l, err := g.Lower(graph.LowerOptions{Schedule: schedule.Kahn}); err != nil || l.Steps[0][0] != 1 {
		t.Errorf("%v, %v", err, l.Steps)
	}
	// One that writes it keeps its place among them, whether it reads it or not.
	for _, reads := range []bool{false, true} {
		w := parse(t, `{"tensors": [{"id": "s", "bytes": 1, "kind": "variable"}, {"id": "v", "bytes": 1, "alias_of": "s"}, {"id": "a", "bytes": 9}, {"id": "b", "bytes": 8}, {"id": "c", "bytes": 7}],
 "ops": [{"id": "f", "inputs": ["v"], "outputs": ["a"]}, {"id": "g", "inputs": ["s"], "outputs": ["b"]}, {"id": "h", "inputs": ["s"], "outputs": ["c"]}], "outputs": ["a", "c", "b"]}`)
		w.Ops[1].Outputs = []int{3, 0}
		if !reads {
			w.Ops[1].Inputs = nil
		}
		for kind := schedule.Given; kind <= schedule.Optimal; kind++ {
			l, err := w.Lower(graph.LowerOptions{Schedule: kind})
			if err != nil || !slices.EqualFunc(l.Steps, [][]int{{0}, {1}, {2}}, slices.Equal[[]int]) {
				t.Errorf("%v, reads %v: %v, %v", kind, reads, l.Steps, err)
			}
		}
	}
	g.Ops[1].After = []int{2}
	if _, err := g.Lower(graph.LowerOptions{}); err == nil || !strings.Contains(err.Error(), "wait for each other") {
		t.Error(err)
	}
}

// What computes in place may go from one space to another, and a view may be a
// copy in another: that sharing is a choice makes nothing fit worse. Said to fit
// nowhere, by 10 bytes, before spaces were chosen tensor by tensor.
func TestSharingLeavesSpacesOpen(t *testing.T) {
	const pools = `"pools": [{"id": "near", "capacity": 10}, {"id": "far", "capacity": 10}]`
	for _, between := range []string{`{"id": "y", "bytes": 10, "pool": ["near", "far"]}`, `{"id": "y", "bytes": 10, "pool": ["near", "far"], "alias_of": "x"}`} {
		inPlace := `, "in_place": [["x", "y"]]`
		if strings.Contains(between, "alias") {
			inPlace = ""
		}
		l, err := parse(t, `{"tensors": [{"id": "p", "bytes": 10, "pool": "far"}, {"id": "x", "bytes": 10, "pool": ["near", "far"]}, `+between+`,
 {"id": "q", "bytes": 10, "pool": "near"}, {"id": "o", "bytes": 1, "pool": "far"}],
 "ops": [{"id": "a", "inputs": ["p"], "outputs": ["x"]}, {"id": "f", "inputs": ["x"], "outputs": ["y"]`+inPlace+`}, {"id": "g", "inputs": ["y"], "outputs": ["q"]}, {"id": "h", "inputs": ["q"], "outputs": ["o"]}],
 "inputs": ["p"], "outputs": ["o"], `+pools+`}`).Lower(graph.LowerOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if l.Assigned.Over != 0 || l.Places[1].Space != 0 || l.Places[2].Space != 1 {
			t.Errorf("%+v, %+v", l.Assigned, l.Places)
		}
		if err := execute(l, planOf(t, l)); err != nil {
			t.Error(err)
		}
	}
	// One that a result replaces, or that a view is of, counts once where both are.
	for _, y := range []string{`"bytes": 4`, `"bytes": 10, "alias_of": "x"`} {
		l, err := parse(t, `{"tensors": [{"id": "x", "bytes": 10, "pool": ["near", "far"]}, {"id": "y", "pool": ["near", "far"], `+y+`}, {"id": "i", "bytes": 1, "pool": "far"}, {"id": "o", "bytes": 1, "pool": "far"}],
 "ops": [{"id": "e", "inputs": ["i"], "outputs": ["x"]}, {"id": "f", "inputs": ["x"], "outputs": ["y"]`+map[bool]string{true: "", false: `, "in_place": [["x", "y"]]`}[strings.Contains(y, "alias")]+`}, {"id": "g", "inputs": ["y"], "outputs": ["o"]}],
 "inputs": ["i"], "outputs": ["o"], `+pools+`}`).Lower(graph.LowerOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if l.Assigned.Outside != 0 || l.Assigned.Over != 0 || len(l.Arenas[0].Pairs) != 1 || l.Arenas[0].Load() != 10 {
			t.Errorf("%+v, %+v", l.Assigned, l.Arenas[0])
		}
	}
}

// A view that no operator can copy is aligned wherever its base's copy lies: a copy
// of v, 4 bytes into b, would move w off its 8.
func TestAlignedViewOfACopy(t *testing.T) {
	l, err := parse(t, `{"tensors": [{"id": "x", "bytes": 4}, {"id": "b", "bytes": 16, "alignment": 8}, {"id": "v", "bytes": 12, "alias_of": "b", "alias_offset": 4},
 {"id": "w", "bytes": 8, "alias_of": "v", "alias_offset": 4, "alignment": 8}, {"id": "y", "bytes": 1}, {"id": "z", "bytes": 1}],
 "ops": [{"id": "f", "inputs": ["x"], "outputs": ["b"]}, {"id": "g", "inputs": ["b"], "outputs": ["v"]}, {"id": "h", "inputs": ["v"], "outputs": ["y"]}, {"id": "i", "inputs": ["w", "y"], "outputs": ["z"]}],
 "inputs": ["x"], "outputs": ["z"]}`).Lower(graph.LowerOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := lifetimes(l.Arenas[0]), "b [0,4) 16 /8, x [0,1) 4, y [2,4) 1, z [3,5) 1"; got != want || l.Places[3].Offset != 8 {
		t.Errorf("%s, want %s; %+v", got, want, l.Places[3])
	}
}

// A result and an operand that go to different spaces are no pair, whatever the
// kernel lets them.
func TestLeadAcrossSpaces(t *testing.T) {
	for capacity, pairs := range map[int64]int{4: 0, 8: 1} {
		g := &graph.Graph{
			Spaces: []graph.Space{{ID: "near", Capacity: capacity}, {ID: "far"}},
			Tensors: []graph.Tensor{
				{ID: "in", Bytes: 1, Spaces: []int{1}}, {ID: "x", Bytes: 4, Spaces: []int{0, 1}}, {ID: "y", Bytes: 4, Spaces: []int{0, 1}}, {ID: "out", Bytes: 1, Spaces: []int{1}},
			},
			Inputs: []int{0}, Outputs: []int{3},
			Ops: []graph.Op{
				{ID: "a", Inputs: []int{0}, Outputs: []int{1}},
				{ID: "b", Inputs: []int{1}, Outputs: []int{2}, Overlap: []graph.Lead{{Under: 1, Over: 2, Bytes: 1}}},
				{ID: "c", Inputs: []int{2}, Outputs: []int{3}},
			},
		}
		l, err := g.Lower(graph.LowerOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if got := len(l.Arenas[0].Pairs) + len(l.Arenas[1].Pairs); got != pairs {
			t.Errorf("capacity %d: %d pairs, want %d: %+v", capacity, got, pairs, l.Places)
		}
	}
}

// A view of a view that nothing touches is where both say, also where sharing is
// left open.
func TestViewOfAnUntouchedView(t *testing.T) {
	g := &graph.Graph{
		Tensors: []graph.Tensor{
			{ID: "x", Bytes: 6}, {ID: "middle", Bytes: 5, View: &graph.View{Of: 0, Offset: 1}}, {ID: "end", Bytes: 2, View: &graph.View{Of: 1, Offset: 3}},
			{ID: "a", Bytes: 4}, {ID: "b", Bytes: 4}, {ID: "out", Bytes: 4},
		},
		Inputs: []int{0}, Outputs: []int{5},
		Ops: []graph.Op{
			{ID: "first", Inputs: []int{0}, Outputs: []int{3}},
			{ID: "second", Inputs: []int{3}, Outputs: []int{4}, InPlace: [][2]int{{3, 4}}},
			{ID: "third", Inputs: []int{4, 2}, Outputs: []int{5}},
		},
	}
	l, err := g.Lower(graph.LowerOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if len(l.Arenas[0].Pairs) != 1 {
		t.Fatalf("pairs %v", l.Arenas[0].Pairs)
	}
	r, err := heuristics.NoReuse{}.Plan(t.Context(), l.Arenas[0].Apart())
	if err != nil {
		t.Fatal(err)
	}
	plans := []model.Plan{*r.Plan}
	values := l.ValuePlan(plans).Offsets
	if values[1] != values[0]+1 || values[2] != values[0]+4 {
		t.Errorf("%v", values)
	}
	if err := executeValues(l, plans); err != nil {
		t.Error(err)
	}
}

// A tensor that nothing touches but views without an operator of their own has
// bytes, which are theirs: whether the views are inputs, or are read through
// another view.
func TestViewsOfWhatNothingTouches(t *testing.T) {
	view := func(id string, bytes int64, of int, at int64) graph.Tensor {
		return graph.Tensor{ID: id, Bytes: bytes, View: &graph.View{Of: of, Offset: at}}
	}
	for _, g := range []*graph.Graph{
		{Tensors: []graph.Tensor{{ID: "x", Bytes: 6}, view("v", 2, 0, 0), view("w", 2, 0, 3), {ID: "y", Bytes: 5}, {ID: "z", Bytes: 2}},
			Ops:    []graph.Op{{ID: "f", Inputs: []int{2}, Outputs: []int{3}}, {ID: "g", Inputs: []int{1, 3}, Outputs: []int{4}, InPlace: [][2]int{{3, 4}}}},
			Inputs: []int{1, 2}, Outputs: []int{4}},
		{Tensors: []graph.Tensor{{ID: "x", Bytes: 6}, view("v", 4, 0, 1), view("w", 1, 1, 3), {ID: "y", Bytes: 5}, {ID: "z", Bytes: 2}},
			Ops:    []graph.Op{{ID: "f", Inputs: []int{0}, Outputs: []int{3}}, {ID: "g", Inputs: []int{2, 3}, Outputs: []int{4}, InPlace: [][2]int{{3, 4}}}},
			Inputs: []int{0}, Outputs: []int{4}},
	} {
		l, err := g.Lower(graph.LowerOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for _, in := range []*model.Instance{l.Arenas[0], l.Merged().Arenas[0]} {
			if b := in.Buffers[0]; b.ID != "x" || b.Size != 6 || b.Life != (model.Interval{Start: 0, End: 2}) {
				t.Errorf("x is %+v", b)
			}
			if len(in.Buffers) > 3 {
				t.Errorf("its views have buffers of their own: %+v", in.Buffers)
			}
		}
	}
}
