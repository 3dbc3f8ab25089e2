package json

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"memplan/internal/shared"
	"memplan/model"
	"memplan/model/csv"
	"memplan/model/graph"
)

func TestGraph(t *testing.T) {
	d, err := Read(strings.NewReader("\ufeff"+`{"schema": 1, "name": "net",
 "ops": [{"id": "f", "inputs": ["x", "w"], "outputs": ["t"], "in_place": [["x", "t"]], "elementwise": true, "scratch": [512, 8]},
         {"id": "v", "inputs": ["t"], "outputs": ["u"], "layout": "split"}],
 "inputs": ["x", "w"], "outputs": ["u"], "fuse": [["f"]], "schedule": ["f", "v"],
 "tensors": [{"id": "u", "alias_of": "t", "alias_offset": 8, "bytes": 8},
  {"id": "x", "dtype": "float32", "shape": ["n", 3], "alignment": 64}, {"id": "w", "bytes": 4, "kind": "weight"},
  {"id": "t", "bytes": 96, "pool": ["sram", "dram"]}, {"id": "s", "dtype": "int4", "shape": [7], "kind": "variable", "pool": "dram"}],
 "pools": [{"id": "sram", "capacity": 1024, "reserved": [[0, 16]]}, {"id": "dram"}],
 "dims": {"n": [1, 8]}}`), "dir/file.json")
	if err != nil {
		t.Fatal(err)
	}
	want := &graph.Graph{
		Name: "net",
		Tensors: []graph.Tensor{
			{ID: "u", Bytes: 8, View: &graph.View{Of: 3, Offset: 8}},
			{ID: "x", Bytes: 96, Align: 64, Shape: &graph.Shape{Bits: 32, Extents: []graph.Extent{{Dim: 1}, {Size: 3}}}},
			{ID: "w", Bytes: 4, Kind: graph.Weight},
			{ID: "t", Bytes: 96, Spaces: []int{0, 1}},
			{ID: "s", Bytes: 4, Kind: graph.Variable, Spaces: []int{1}, Shape: &graph.Shape{Bits: 4, Extents: []graph.Extent{{Size: 7}}}},
		},
		Ops: []graph.Op{
			{ID: "f", Inputs: []int{1, 2}, Outputs: []int{3}, InPlace: [][2]int{{1, 3}}, Elementwise: true, Scratch: []int64{512, 8}},
			{ID: "v", Inputs: []int{3}, Outputs: []int{0}, Layout: graph.Split},
		},
		Inputs: []int{1, 2}, Outputs: []int{0}, Fuse: [][]int{{0}}, Schedule: []int{0, 1},
		Spaces: []graph.Space{{ID: "sram", Capacity: 1024, Reserved: []model.Interval{{Start: 0, End: 16}}}, {ID: "dram"}},
		Dims:   []graph.Dim{{ID: "n", Min: 1, Max: 8}},
	}
	if d.Instance != nil || !reflect.DeepEqual(d.Graph, want) {
		t.Errorf("got %+v\nwant %+v", d.Graph, want)
	}
	bound, err := d.Graph.Bind([]int64{2})
	if err != nil || bound.Tensors[1].Bytes != 24 || d.Graph.Tensors[1].Bytes != 96 {
		t.Errorf("bound to n = 2: %v", err)
	}
}

func TestBuffers(t *testing.T) {
	d, err := Read(strings.NewReader(`{"capacity": 100, "buffers": [
 {"id": "a", "lower": -1, "upper": 4, "size": 10, "alignment": 8, "offset": 16, "gaps": [[1, 2]]},
 {"id": "b", "size": 4, "upper": 2, "lower": 1, "tie": {"to": "a", "delta": 0}}]}`), "dir/file.json")
	want := &model.Instance{Name: "file", Capacity: 100, Buffers: []model.Buffer{
		{ID: "a", Life: model.Interval{Start: -1, End: 4}, Size: 10, Align: 8, Offset: new(int64(16)), Gaps: []model.Interval{{Start: 1, End: 2}}},
		{ID: "b", Life: model.Interval{Start: 1, End: 2}, Size: 4, Align: 1, Tie: &model.Tie{To: 0}},
	}}
	if err != nil || d.Graph != nil || !reflect.DeepEqual(d.Instance, want) {
		t.Errorf("%v: got %+v", err, d)
	}
}

// Each fault is refused with its line and names.
func TestFaults(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{``, "f.json:1: not JSON: the text ends too soon"},
		{`{}`, "f.json: neither a graph"},
		{`{"schema": 1}`, "f.json: neither a graph"},
		{`[]`, "f.json:1: file: want an object"},
		{`tensors: []`, "f.json:1: not JSON"},
		{"{\"tensors\": [\n{\"id\": \"x\" \"bytes\": 1}]}", "f.json:2: not JSON"},
		{`{"tensors": []} {}`, "f.json:1: text after the end"},
		{`{"tensors": [`, "the text ends too soon"},
		{`{"tensors": [], "buffers": []}`, `key "buffers" is that of a list of buffers, but this is a graph`},
		{`{"schema": 2, "tensors": []}`, "f.json:1: schema 2: only 1 is known"},
		{"{\"tensors\": [{\"id\": \"x\", \"bytes\": 1,\n\"aligment\": 4}]}", `f.json:2: tensor: unknown key "aligment"`},
		{"{\"tensors\": [],\n\"tensors\": []}", `f.json:2: file: key "tensors" twice`},
		{`{"Tensors": []}`, `unknown key "Tensors"; the key is "tensors"`},
		{`{"tensors": [{"id": "x"}]}`, `tensor "x": neither bytes, nor dtype and shape`},
		{`{"tensors": [{"id": "x", "dtype": "int8"}]}`, `tensor "x": neither bytes, nor dtype and shape`},
		{`{"tensors": [{"id": "x", "bytes": 1, "dtype": "int8", "shape": []}]}`, `tensor "x": both bytes, and dtype or shape`},
		{`{"tensors": [{"bytes": 1}]}`, "tensor: no id"},
		{`{"tensors": [{"id": "x", "bytes": -1}]}`, `f.json:1: tensor "x": -1 bytes`},
		{`{"tensors": [{"id": "x", "bytes": 1.5}]}`, "bytes: 1.5 is not an integer"},
		{`{"tensors": [{"id": "x", "bytes": 1e3}]}`, "bytes: 1e3 is not an integer"},
		{`{"tensors": [{"id": "x", "bytes": 9223372036854775808}]}`, "does not fit in int64"},
		{`{"tensors": [{"id": "x", "bytes": "4"}]}`, "bytes: want an integer"},
		{`{"tensors": [{"id": 4, "bytes": 4}]}`, "id: want a string"},
		{`{"tensors": [{"id": "x", "bytes": null}]}`, "bytes: want an integer"},
		{`{"tensors": {"id": "x"}}`, "tensors: want a list"},
		{`{"tensors": [{"id": "x", "bytes": 4, "alignment": 0}]}`, "alignment 0 is below 1"},
		{`{"tensors": [{"id": "x", "bytes": 4, "kind": "wieght"}]}`, `kind "wieght"`},
		{`{"tensors": [{"id": "x", "bytes": 4, "pool": "p"}]}`, `tensor "x": there is no pool "p"`},
		{`{"tensors": [{"id": "x", "bytes": 4, "alias_of": "y"}]}`, `tensor "x": there is no tensor "y"`},
		{`{"tensors": [{"id": "x", "bytes": 4, "alias_offset": 1}]}`, "alias_offset without alias_of"},
		{`{"tensors": [{"id": "x", "bytes": 4, "alias_of": "x"}]}`, `tensor "x": a view of itself`},
		{`{"tensors": [{"id": "x", "bytes": 4, "alias_of": "y"}, {"id": "y", "bytes": 4, "alias_of": "x"}]}`, "a view of itself, through 2 views"},
		{`{"tensors": [{"id": "x", "bytes": 4}, {"id": "y", "bytes": 4, "alias_of": "x", "alias_offset": 1}]}`, `tensor "y": bytes [1,5) of "x", which has 4`},
		{`{"tensors": [{"id": "x", "dtype": "float31", "shape": [4]}]}`, `dtype "float31"`},
		{`{"tensors": [{"id": "x", "dtype": "int8", "shape": ["n"]}]}`, `dimension "n" is not in dims`},
		{"{\"tensors\": [{\"id\": \"x\", \"bytes\": 1},\n{\"id\": \"x\", \"bytes\": 2}]}", `f.json:2: tensor "x": duplicate id; line 1 has it too`},
		{`{"tensors": [], "ops": [{"id": "f", "inputs": ["x"], "outputs": []}]}`, `op "f": there is no tensor "x"`},
		{`{"tensors": [{"id": "x", "bytes": 1}], "ops": [{"id": "f", "inputs": ["x"], "outputs": []}]}`, `tensor "x": read by "f", but no operator writes it`},
		{`{"tensors": [{"id": "x", "bytes": 1}], "outputs": ["x"]}`, `tensor "x": a graph output, but no operator writes it`},
		{`{"tensors": [{"id": "x", "bytes": 1}], "ops": [{"id": "f", "inputs": [], "outputs": ["x", "x"]}]}`, `op "f": output "x" named twice`},
		{`{"tensors": [{"id": "x", "bytes": 1}], "ops": [{"id": "f", "outputs": ["x"]}], "schedule": []}`, `op "f": not in the schedule`},
		{`{"tensors": [{"id": "x", "bytes": 1}], "ops": [{"id": "f", "outputs": ["x"]}], "schedule": ["f", "f"]}`, `op "f": twice in the schedule`},
		{`{"tensors": [{"id": "x", "bytes": 1}], "ops": [{"id": "f", "outputs": ["x"]}, {"id": "g", "inputs": ["x"]}], "schedule": ["g", "f"]}`, `op "g": scheduled before "f"`},
		{`{"tensors": [{"id": "x", "bytes": 1}], "ops": [{"id": "f", "outputs": ["x"], "in_place": [["x", "x"]]}]}`, `in-place pair "x", "x"`},
		{`{"tensors": [{"id": "x", "bytes": 1}, {"id": "y", "bytes": 1}], "ops": [{"id": "f", "outputs": ["x"], "accesses": [["y", 2]]}]}`, `op "f": accesses of "y", which is no operand of it`},
		{`{"tensors": [{"id": "x", "bytes": 1}], "ops": [{"id": "f", "outputs": ["x"], "accesses": [["x", -1]]}]}`, `op "f": accesses of "x": -1/1 times; want 0 or more, of 1 or more`},
		{`{"tensors": [{"id": "x", "bytes": 1}], "ops": [{"id": "f", "outputs": ["x"], "accesses": [["x", 1, 0]]}]}`, `accesses of "x": 1/0 times`},
		{`{"tensors": [{"id": "x", "bytes": 1}], "ops": [{"id": "f", "outputs": ["x"], "accesses": [["x", 1], ["x", 2]]}]}`, `accesses of "x" are given twice`},
		{`{"tensors": [{"id": "x", "bytes": 1}], "ops": [{"id": "f", "outputs": ["x"], "accesses": [["x"]]}]}`, `accesses: 1 entries; want [operand, times] or [operand, times, of]`},
		{`{"tensors": [{"id": "x", "bytes": 1}], "ops": [{"id": "f", "outputs": ["x"], "in_place": [["x"]]}]}`, "in_place: want a list of two"},
		{`{"tensors": [], "fuse": [["f"]]}`, `fuse: there is no op "f"`},
		{`{"tensors": [], "ops": [{"id": "f"}], "fuse": [["f"], ["f"]]}`, `op "f": in fusion groups 1 and 2`},
		{`{"tensors": [], "pools": [{"id": "p"}, {"id": "p", "capacity": -1}]}`, `pool "p": there are two`},
		{`{"tensors": [], "dims": {"n": [2, 1]}}`, `dimension "n": range [2, 1]`},
		{`{"tensors": [], "dims": {"n": [1, 1], "n": [1, 2]}}`, `dims: key "n" twice`},
		{`{"tensors": [], "dims": {"n": [1, 2, 3]}}`, "dims: want a list of two"},
		{`{"buffers": [{"id": "a"}]}`, `buffer "a": id, lower, upper and size are needed`},
		{"{\"buffers\": [{\"id\": \"a\", \"size\": 1,\n \"lower\": 3, \"upper\": 2}]}", `f.json:1: buffer "a": lifetime [3,2) is reversed`},
		{`{"buffers": [{"id": "a", "size": 1, "lower": 1, "upper": 2, "tie": {"to": "b", "delta": 1}}]}`, `buffer "a": tied to "b"`},
		{"{\"tensors\": [{\"id\": \"\xff\"}]}", "f.json: not UTF-8"},
		{`{"tensors": [{"id": "\ud800"}]}`, "f.json:1: half of a surrogate pair"},
		{`{"tensors": [{"id": "\ud83d\ude00 \\ud800", "bytes": 1}, {"id": "\ude00"}]}`, "f.json:1: half of a surrogate pair"},
		{strings.Repeat("[", 100000), "f.json:1: file: want an object"},
		{`{"tensors": [{"id": "x", "bytes": ` + strings.Repeat(`{"a":`, 100000) + "1" + strings.Repeat("}", 100000) + `}]}`, "bytes: want an integer"},
	} {
		_, err := Read(strings.NewReader(c.text), "f.json")
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.80q: %v, want %q", c.text, err, c.want)
		}
	}
}

// All faults come at once, in order of lines.
func TestAllFaults(t *testing.T) {
	_, err := Read(strings.NewReader("{\"tensors\": [\n{\"id\": \"x\", \"byte\": 1},\n{\"id\": \"y\", \"bytes\": true},\n{\"id\": \"y\", \"bytes\": 1}],\n\"inputs\": [\"z\"]}"), "f.json")
	want := `f.json:2: tensor: unknown key "byte"
f.json:2: tensor "x": neither bytes, nor dtype and shape
f.json:3: bytes: want an integer
f.json:4: tensor "y": duplicate id; line 3 has it too
f.json:5: inputs: there is no tensor "z"`
	if err == nil || err.Error() != want {
		t.Errorf("got\n%v\nwant\n%s", err, want)
	}
}

// The faults of the shared cases name what is wrong.
func TestSharedFaults(t *testing.T) {
	for path, want := range map[string]string{
		"17-duplicate-ids/input-produced.json":  `tensor "x": a graph input, but written by "g"`,
		"17-duplicate-ids/op-ids.json":          `op "f": duplicate id`,
		"17-duplicate-ids/tensors.json":         `tensor "y": duplicate id`,
		"17-duplicate-ids/two-producers.json":   `tensor "y": written by two operators, "f" and "g"`,
		"17-duplicate-ids/json-key-twice.json":  `key "bytes" twice`,
		"17-duplicate-ids/json-key-case.json":   `unknown key "Bytes"; the key is "bytes"`,
		"19-unsorted-and-cyclic/cycle.json":     `op "f": needs its own result: "f", "g" wait`,
		"19-unsorted-and-cyclic/self-loop.json": `op "f": needs its own result: "f" wait`,
		"25-empty-and-single/not-json.json":     "not JSON",
		"25-empty-and-single/no-keys.json":      "neither a graph",
	} {
		if _, err := Read(shared.Open(t, "cases/"+path), path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
	}
}

// Every other graph of the shared cases can be read.
func TestSharedGraphs(t *testing.T) {
	for _, file := range shared.Glob(t, "cases/*/*.json") {
		dir := filepath.Base(filepath.Dir(file))
		if strings.HasPrefix(dir, "17-") || strings.Contains(file, "cycl") && !strings.HasSuffix(file, "input.json") || strings.HasSuffix(file, "no-keys.json") || strings.HasSuffix(file, "not-json.json") {
			continue
		}
		f, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if _, err := Read(f, file); err != nil {
			t.Error(err)
		}
	}
}

// Case 41: bytes from dtype and shape, row by row.
func TestShapes(t *testing.T) {
	rows := strings.Split(strings.TrimSpace(string(shared.Read(t, "cases/41-shape-to-bytes/input.csv"))), "\n")[1:]
	if len(rows) != 13 {
		t.Fatalf("%d rows", len(rows))
	}
	for _, row := range rows {
		cells := strings.SplitN(row, ",", 4)
		graph := `{"tensors": [{"id": "it", "dtype": "` + cells[0] + `", "shape": ` + strings.ReplaceAll(cells[1], ";", ",") + `}]}`
		d, err := Read(strings.NewReader(graph), "f.json")
		if cells[2] == "error" {
			if err == nil || !strings.Contains(err.Error(), `tensor "it": `) {
				t.Errorf("%s: %v", row, err)
			}
			continue
		}
		if err != nil || strconv.FormatInt(d.Graph.Tensors[0].Bytes, 10) != cells[2] {
			t.Errorf("%s: %v", row, err)
		}
	}
}

func TestShapeEnds(t *testing.T) {
	for _, c := range []struct {
		bits, n, want int64 // -1: does not fit
	}{
		{8, 1<<63 - 1, 1<<63 - 1}, {4, 1<<63 - 1, 1 << 62}, {2, 1<<63 - 1, 1 << 61}, {16, 1 << 62, -1}, {12, 3, 5}, {64, 1 << 59, 1 << 62}, {64, 1 << 60, -1}, {1, 9, 2},
	} {
		shape := graph.Shape{Bits: c.bits, Extents: []graph.Extent{{Size: c.n}}}
		if got, err := shape.Bytes(nil); (err != nil) != (c.want < 0) || err == nil && got != c.want {
			t.Errorf("%d elements of %d bits: %d, %v", c.n, c.bits, got, err)
		}
	}
}

func TestPlan(t *testing.T) {
	d, err := csv.Read(strings.NewReader("id,lower,upper,size\n\"<a>\",0,4,64\n\"b\"\"\",2,6,64\n"), "f.csv")
	if err != nil {
		t.Fatal(err)
	}
	p := model.Plan{Offsets: []int64{64, 0}}
	peak := p.Peak(d.Instance)
	out := Plan{Schema: 1, Instance: "f", Buffers: 2, Load: 128, Peak: &peak, Bound: 128, Status: "optimal", Proof: model.ProofLoad, Planner: "exact", Offsets: Of(d.Instance, &p)}
	var text bytes.Buffer
	if err := out.Write(&text); err != nil {
		t.Fatal(err)
	}
	want := `{"schema":1,"instance":"f","buffers":2,"load":128,"peak":128,"bound":128,"status":"optimal","proof":"load","planner":"exact","offsets":{"<a>":64,"b\"":0}}` + "\n"
	if text.String() != want {
		t.Errorf("got  %swant %s", text.String(), want)
	}
	if got, _, err := ReadPlan(&text, "p.json", d.Instance); err != nil || !slices.Equal(got.Offsets, p.Offsets) {
		t.Errorf("read again: %v, %v", got, err)
	}
	out.Pools = Pools{{"<a>", "near"}, {"b\"", "far"}}
	text.Reset()
	if err := out.Write(&text); err != nil {
		t.Fatal(err)
	}
	if got, pools, err := ReadPlan(&text, "p.json", d.Instance); err != nil || !slices.Equal(got.Offsets, p.Offsets) || !slices.Equal(pools, []string{"near", "far"}) {
		t.Errorf("read again: %v, %v, %v", got, pools, err)
	}
	for text, want := range map[string]string{
		`{"offsets": {"<a>": 1}, "pools": {"c": "near"}}`: `p.json:1: buffer "c": the instance has no such buffer`,
		`{"offsets": {"<a>": 1}}`:                         `p.json: buffer "b\"": no offset`,
		`{}`:                                              `p.json: buffer "<a>": no offset`,
		`{"offsets": {"<a>": 1, "b\"": 2, "c": 3}}`:       `p.json:1: buffer "c": the instance has no such buffer`,
		`{"offsets": {"<a>": 1, "b\"": 2, "b\u0022": 3}}`: `key "b\"" twice`,
		`{"offsets": {"<a>": 1.5, "b\"": 2}}`:             `offset of "<a>": 1.5 is not an integer`,
		`{"offsets": {"<a>": 1, "b\"": 2}, "Peak": 3}`:    `unknown key "Peak"`,
		`{"schema": 2, "offsets": {"<a>": 1, "b\"": 2}}`:  "schema 2",
		`{"offsets": {"<a>": 1, "b\"": 2}`:                "not JSON",
	} {
		if _, _, err := ReadPlan(strings.NewReader(text), "p.json", d.Instance); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

// FuzzRead: no input panics, and what is accepted is valid.
func FuzzRead(f *testing.F) {
	for _, text := range []string{
		`{"schema":1,"tensors":[{"id":"x","dtype":"int4","shape":["n",3],"alignment":64},{"id":"y","bytes":8,"alias_of":"x","alias_offset":0,"pool":["p"],"kind":"activation"}],"ops":[{"id":"f","inputs":["x"],"outputs":["y"],"in_place":[["x","y"]],"elementwise":true,"layout":"concat","scratch":[1]}],"inputs":["x"],"outputs":["y"],"fuse":[["f"]],"schedule":["f"],"pools":[{"id":"p","capacity":9,"reserved":[[0,1]]}],"dims":{"n":[1,8]}}`,
		`{"name":"a","capacity":9,"buffers":[{"id":"a","lower":0,"upper":4,"size":4,"alignment":2,"offset":0,"gaps":[[1,2]]},{"id":"b","lower":1,"upper":2,"size":1,"tie":{"to":"a","delta":0}}]}`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		d, err := Read(strings.NewReader(text), "f.json")
		if err != nil {
			return
		}
		if d.Graph != nil {
			err = d.Graph.Validate()
		} else {
			err = d.Instance.Validate()
		}
		if err != nil {
			t.Fatal("accepted but not valid:", err)
		}
	})
}
