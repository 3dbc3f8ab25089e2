package json

import (
	"bytes"
	"reflect"
	"slices"
	"strings"
	"testing"

	"memplan/model"
	"memplan/model/graph"
)

// Every key of a graph, and named dimensions in an order of their own.
const wholeGraph = `{"schema": 1, "name": "net", "dims": {"tokens": [1, 100], "batch": [1, 8]},
"pools": [{"id": "sram", "capacity": 262144, "reserved": [[0, 256]]}, {"id": "dram"}],
"tensors": [{"id": "x", "dtype": "float16", "shape": ["batch", 3, "tokens"], "alignment": 64, "pool": "sram"},
 {"id": "w", "bytes": 12, "kind": "weight"}, {"id": "s", "bytes": 0, "kind": "variable"},
 {"id": "v", "bytes": 16, "alias_of": "y", "alias_offset": 8}, {"id": "y", "bytes": 4096, "pool": ["sram", "dram"], "traffic": 12288}, {"id": "z", "dtype": "int4", "shape": []}],
"ops": [{"id": "f", "inputs": ["x", "w"], "outputs": ["y"], "in_place": [["x", "y"]], "overlap": [["x", "y", 8]], "accesses": [["x", 9, 4], ["w", 64]], "elementwise": true, "scratch": [512, 0]},
 {"id": "g", "inputs": ["y"], "outputs": ["v"]}, {"id": "h", "inputs": ["v"], "outputs": ["z"], "layout": "concat", "after": ["f"]}],
"inputs": ["x"], "outputs": ["z"], "fuse": [["f", "g"]], "schedule": ["f", "g", "h"]}`

// What is written is read back as it was.
func TestWriteGraph(t *testing.T) {
	first, err := Read(bytes.NewReader([]byte(wholeGraph)), "net.json")
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := WriteGraph(&out, first.Graph); err != nil {
		t.Fatal(err)
	}
	again, err := Read(bytes.NewReader(out.Bytes()), "other.json")
	if err != nil || !reflect.DeepEqual(again.Graph, first.Graph) {
		t.Errorf("%v\n%+v\nwant\n%+v\nfrom %s", err, again, first.Graph, out.Bytes())
	}
}

// Ids that do not tell tensors or operators apart cannot be written.
func TestWriteGraphRefuses(t *testing.T) {
	for _, g := range []*graph.Graph{
		{Tensors: []graph.Tensor{{ID: "x"}, {ID: "x"}}},
		{Ops: []graph.Op{{ID: "f"}, {ID: "f"}}},
		{Ops: []graph.Op{{}}},
	} {
		if err := WriteGraph(&bytes.Buffer{}, g); err == nil {
			t.Errorf("%+v is written", g)
		}
	}
}

// Buffers are read back as they were, and the schedule beside them is no fault.
func TestWriteInstance(t *testing.T) {
	offset := int64(64)
	in := &model.Instance{Name: "in", Capacity: 4096, Buffers: []model.Buffer{
		{ID: "a", Life: model.Interval{Start: -2, End: 4}, Size: 8, Align: 16, Offset: &offset, Gaps: []model.Interval{{Start: 0, End: 1}}},
		{ID: "<b>\"", Life: model.Interval{Start: 4, End: 5}, Size: 0, Align: 1, Tie: &model.Tie{To: 0, Delta: 3}},
	}}
	var out bytes.Buffer
	if err := WriteInstance(&out, in, []string{"f", "g"}); err != nil {
		t.Fatal(err)
	}
	doc, err := Read(bytes.NewReader(out.Bytes()), "x.json")
	if err != nil || !reflect.DeepEqual(doc.Instance, in) {
		t.Errorf("%v\n%+v\nwant\n%+v\nfrom %s", err, doc, in, out.Bytes())
	}
}

// Clocks and arms are read as from a table.
func TestClocksAndArms(t *testing.T) {
	lives := func(text string) (list [][]model.Interval) {
		d, err := Read(strings.NewReader(text), "in.json")
		if err != nil {
			t.Fatal(err)
		}
		for i := range d.Instance.Buffers {
			list = append(list, slices.Collect(d.Instance.Buffers[i].Live()))
		}
		return list
	}
	step := func(t int64) []model.Interval { return []model.Interval{{Start: t, End: t + 1}} }
	got := lives(`{"buffers": [{"id": "a", "lower": [0, 0], "upper": [1, 0], "size": 8}, {"id": "b", "lower": [1, 0], "upper": [2, 3], "size": 8}]}`)
	if want := [][]model.Interval{step(0), step(1)}; !reflect.DeepEqual(got, want) {
		t.Errorf("clocks: %v, want %v", got, want)
	}
	got = lives(`{"buffers": [{"id": "a", "lower": 0, "upper": 5, "size": 8, "exclusive": {"g": "x"}}, {"id": "b", "lower": 0, "upper": 5, "size": 8, "exclusive": {"h": "x", "g": "y"}}]}`)
	if want := [][]model.Interval{step(0), step(1)}; !reflect.DeepEqual(got, want) {
		t.Errorf("arms: %v, want %v", got, want)
	}
	for text, fault := range map[string]string{
		`{"buffers": [{"id": "a", "lower": [0, 0], "upper": 1, "size": 8}]}`:                               "in.json:1: buffer \"a\": clocks of 2 and 1 components",
		`{"buffers": [{"id": "a", "lower": [0, "x"], "upper": [1, 1], "size": 8}]}`:                        "want an integer",
		`{"buffers": [{"id": "a", "lower": 0, "upper": 1, "size": 8, "exclusive": {"g": "x", "g": "y"}}]}`: `key "g" twice`,
	} {
		if _, err := Read(strings.NewReader(text), "in.json"); err == nil || !strings.Contains(err.Error(), fault) {
			t.Errorf("%s: %v, want %q", text, err, fault)
		}
	}
}
