package csv

import (
	"bytes"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"memplan/internal/shared"
	"memplan/model"

	"pgregory.net/rapid"
)

func read(t *testing.T, text string) *Document {
	t.Helper()
	d, err := Read(strings.NewReader(text), "f.csv")
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func written(t *testing.T, d *Document, p *model.Plan) string {
	t.Helper()
	var out bytes.Buffer
	if err := d.Write(&out, p); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestColumns(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       model.Buffer
	}{
		{"plain", "id,lower,upper,size\na,1,4,10\n", model.Buffer{Life: model.Interval{Start: 1, End: 4}, Size: 10, Align: 1}},
		{"any order", "size,upper,lower,id\n10,4,1,a\n", model.Buffer{Life: model.Interval{Start: 1, End: 4}, Size: 10, Align: 1}},
		{"synonyms", "buffer_id,start,upper,size\na,1,4,10\n", model.Buffer{Life: model.Interval{Start: 1, End: 4}, Size: 10, Align: 1}},
		{"more synonyms", "buffer,begin,upper,size\na,1,4,10\n", model.Buffer{Life: model.Interval{Start: 1, End: 4}, Size: 10, Align: 1}},
		{"case and space", " ID,Lower , UPPER,Size\na,1,4,10\n", model.Buffer{Life: model.Interval{Start: 1, End: 4}, Size: 10, Align: 1}},
		{"inclusive end", "id,lower,end,size\na,1,3,10\n", model.Buffer{Life: model.Interval{Start: 1, End: 4}, Size: 10, Align: 1}},
		{"one inclusive step", "id,lower,end,size\na,1,1,10\n", model.Buffer{Life: model.Interval{Start: 1, End: 2}, Size: 10, Align: 1}},
		{"inclusive gaps", "id,lower,end,size,gaps\na,1,9,10,2-3\n", model.Buffer{Life: model.Interval{Start: 1, End: 10}, Size: 10, Align: 1, Gaps: []model.Interval{{Start: 2, End: 4}}}},
		{"gaps in any order", "id,lower,upper,size,gaps\na,-9,9,10,2-3  -5--4\n", model.Buffer{Life: model.Interval{Start: -9, End: 9}, Size: 10, Align: 1, Gaps: []model.Interval{{Start: -5, End: -4}, {Start: 2, End: 3}}}},
		{"alignment", "id,lower,upper,size,alignment\na,1,4,10,64\n", model.Buffer{Life: model.Interval{Start: 1, End: 4}, Size: 10, Align: 64}},
		{"alignment left empty", "id,lower,upper,size,alignment\na,1,4,10,\n", model.Buffer{Life: model.Interval{Start: 1, End: 4}, Size: 10, Align: 1}},
		{"pinned", "id,lower,upper,offset,size\na,1,4,7,10\n", model.Buffer{Life: model.Interval{Start: 1, End: 4}, Size: 10, Align: 1, Offset: new(int64(7))}},
		{"free", "id,lower,upper,offset,size\na,1,4,,10\n", model.Buffer{Life: model.Interval{Start: 1, End: 4}, Size: 10, Align: 1}},
		{"extremes", "id,lower,upper,size\na,-9223372036854775808,9223372036854775807,9223372036854775807\n",
			model.Buffer{Life: model.Interval{Start: -1 << 63, End: 1<<63 - 1}, Size: 1<<63 - 1, Align: 1}},
		{"size 0", "id,lower,upper,size\na,0,1,0\n", model.Buffer{Life: model.Interval{Start: 0, End: 1}, Align: 1}},
		{"blank lines", "\n\nid,lower,upper,size\n\r\n  \na,1,4,10\n\n", model.Buffer{Life: model.Interval{Start: 1, End: 4}, Size: 10, Align: 1}},
		{"hint ignored", "id,lower,upper,size,hint\na,1,4,10,soon\n", model.Buffer{Life: model.Interval{Start: 1, End: 4}, Size: 10, Align: 1}},
	} {
		c.want.ID = "a"
		if d := read(t, c.text); len(d.Instance.Buffers) != 1 || !reflect.DeepEqual(d.Instance.Buffers[0], c.want) {
			t.Errorf("%s: %+v, want %+v", c.name, d.Instance.Buffers, c.want)
		}
	}
}

// Each fault is refused with its line, and where it has one, its buffer.
func TestFaults(t *testing.T) {
	const head = "id,lower,upper,size\n"
	for _, c := range []struct{ text, want string }{
		{"", "f.csv:1: no header"},
		{"\n \n", "f.csv:1: no header"},
		{"id,lower,upper\n", "f.csv:1: no column size"},
		{"id,size\n", "f.csv:1: no column lower or start or begin\nf.csv:1: no column upper or end"},
		{"name,first,last,bytes\na,0,1,2\n", "f.csv:1: no column id or buffer or buffer_id\nf.csv:1: no column lower or start or begin\n" +
			"f.csv:1: no column upper or end\nf.csv:1: no column size\nf.csv:1: its columns are \"name\", \"first\", \"last\", \"bytes\""},
		{"id;lower;upper;size\na;0;1;2\n", "f.csv:1: no column id or buffer or buffer_id\nf.csv:1: no column lower or start or begin\n" +
			"f.csv:1: no column upper or end\nf.csv:1: no column size\nf.csv:1: its fields are not apart by commas"},
		{"a,0,1,2\nb,0,1,2\n", "f.csv:1: no column id or buffer or buffer_id\nf.csv:1: no column lower or start or begin\n" +
			"f.csv:1: no column upper or end\nf.csv:1: no column size\nf.csv:1: the first line holds numbers; it is to name the columns"},
		{"id,lower,start,upper,size\n", `f.csv:1: column "start" has the same meaning as column "lower"`},
		{"id,lower,upper,end,size\n", "f.csv:1: both upper and end"},
		{head + "a,0,1\n", `f.csv:2: buffer "a": 3 fields under a header of 4`},
		{head + "a,0,1,2,3\n", `f.csv:2: buffer "a": 5 fields`},
		{head + "\na,0,1,x\n", `f.csv:3: buffer "a": size "x" is not an integer`},
		{head + "a,0,1,1.5\n", `f.csv:2: buffer "a": size "1.5" is not an integer`},
		{head + "a,0,1,0x10\n", "not an integer"},
		{head + "a,0,1,1_000\n", "not an integer"},
		{head + "a,0,1,\n", `f.csv:2: buffer "a": no size`},
		{head + "a,0,1,9223372036854775808\n", `f.csv:2: buffer "a": size 9223372036854775808 does not fit in int64`},
		{head + "a,5,2,1\n", `f.csv:2: buffer "a": lifetime [5,2) is reversed`},
		{head + "a,5,5,1\n", `f.csv:2: buffer "a": lifetime [5,5) is empty`},
		{head + "a,0,1,-1\n", `f.csv:2: buffer "a": size -1 is negative`},
		{head + ",0,1,1\n", `f.csv:2: buffer "": no id`},
		{head + "a,0,1,1\n\nb,0,1,1\na,0,1,1\n", `f.csv:5: buffer "a": duplicate id`},
		{head + "a,0,1,4611686018427387904\nb,0,1,4611686018427387904\n", "f.csv: the live bytes"},
		{head + "a\"b,0,1,1\n", "f.csv:2: a quote inside"},
		{head + "\"a\"b,0,1,1\n", "f.csv:2: text after a closing quote"},
		{head + "c,0,1,1\n\"a\n\"\"\n,0,1,1\n", "f.csv:3: a quote that is never closed"},
		{head + "a\xff,0,1,1\n", "f.csv:2: not UTF-8"},
		{"\xff\xfei\x00d\x00", "f.csv:1: not UTF-8"},
		{"id,lower,end,size\na,0,9223372036854775807,1\n", `f.csv:2: buffer "a": end 9223372036854775807 has no step after it`},
		{"id,lower,upper,size,alignment\na,0,1,1,0\n", `f.csv:2: buffer "a": alignment 0 is below 1`},
		{"id,lower,upper,size,alignment\na,0,1,1,-8\n", "alignment -8 is below 1"},
		{"id,lower,upper,size,offset\na,0,1,1,-8\n", `f.csv:2: buffer "a": pinned offset -8 is negative`},
		{"id,lower,upper,size,offset\na,0,1,1,one\n", "not an integer"},
		{"id,lower,upper,size,offset\na,0,1,9,9223372036854775807\n", "does not fit in int64"},
		{"id,lower,upper,size,gaps\na,0,4,1,3-9\n", `f.csv:2: buffer "a": gap [3,9) lies outside`},
		{"id,lower,upper,size,gaps\na,0,4,1,3\n", `f.csv:2: buffer "a": gap "3" is not A-B`},
		{"id,lower,upper,size,gaps\na,0,4,1,-\n", "is not A-B"},
		{"id,lower,upper,size,gaps\na,0,4,1,1-x\n", "is not an integer"},
		{"id,lower,upper,size,gaps\na,0,4,1,1-2@0:4\n", "such windows are not supported"},
		{"id,lower,upper,size,gaps\na,0,9,1,1-4 3-5\n", "overlaps the gap before"},
		{"id,lower,upper,size,gaps\na,0,9,1,1-1\n", "is empty or reversed"},
		{"id,lower,upper,size,gaps\na,0,9,1,0-9\n", "cover the whole lifetime"},
		{"id,lower,upper,size,tie\na,0,9,1,\nb,0,9,1,c+0\n", `f.csv:3: buffer "b": tied to "c"`},
		{"id,lower,upper,size,tie\na,0,9,1,\nb,0,9,1,a\n", "is not ROOT+DELTA"},
		{"id,lower,upper,size,tie\na,0,9,1,\nb,0,9,1,a+x\n", "not an integer"},
		{"id,lower,upper,size,tie\na,0,9,1,\nb,0,9,1,a+-1\n", "negative distance"},
	} {
		_, err := Read(strings.NewReader(c.text), "f.csv")
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %q", c.text, err, c.want)
		}
	}
}

// All faults come at once, in order of lines.
func TestAllFaults(t *testing.T) {
	_, err := Read(strings.NewReader("id,lower,upper,size\na,5,2,1\nb,0,1,x\nc,z,1,y\nd,0,1,-1\nd,0,1,1\n"), "f.csv")
	want := `f.csv:2: buffer "a": lifetime [5,2) is reversed
f.csv:3: buffer "b": size "x" is not an integer
f.csv:4: buffer "c": lower "z" is not an integer
f.csv:4: buffer "c": size "y" is not an integer
f.csv:5: buffer "d": size -1 is negative
f.csv:6: buffer "d": duplicate id`
	if err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("got\n%v\nwant\n%s", err, want)
	}
}

// What was read is written again: rows, columns, quotes; offset comes last.
func TestRowsAndColumnsAreKept(t *testing.T) {
	d := read(t, "\ufeff\"id\",offset,lower,note,end,size\r\n\"a,1\",,0,\"x\"\"y\",3,10\r\n\r\nb,16,0,,3,6")
	if got, want := written(t, d, &model.Plan{Offsets: []int64{3, 16}}), "\"id\",lower,note,end,size,offset\n\"a,1\",0,\"x\"\"y\",3,10,3\nb,0,,3,6,16\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := written(t, d, nil), "\"id\",lower,note,end,size,offset\n\"a,1\",0,\"x\"\"y\",3,10,\nb,0,,3,6,16\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestTies(t *testing.T) {
	d := read(t, "id,lower,upper,size,tie\npart,0,3,4,a+b+8\na+b,3,9,16,\n")
	if tie := d.Instance.Buffers[0].Tie; tie == nil || *tie != (model.Tie{To: 1, Delta: 8}) {
		t.Errorf("tie %v", tie)
	}
}

// The pool of each tensor goes with a plan of a graph.
func TestPools(t *testing.T) {
	in := read(t, "id,lower,upper,size\na,0,1,4\nb,0,1,4\n").Instance
	p := model.Plan{Offsets: []int64{0, 8}}
	var out bytes.Buffer
	if err := Write(&out, in, &p, []string{"near", "far"}); err != nil {
		t.Fatal(err)
	}
	if want := "id,lower,upper,size,pool,offset\na,0,1,4,near,0\nb,0,1,4,far,8\n"; out.String() != want {
		t.Errorf("got %q", out.String())
	}
	got, pools, err := ReadPlan(&out, "p.csv", in)
	if err != nil || !slices.Equal(got.Offsets, p.Offsets) || !slices.Equal(pools, []string{"near", "far"}) {
		t.Errorf("%v %v %v", got, pools, err)
	}
}

func TestName(t *testing.T) {
	for file, want := range map[string]struct {
		name     string
		capacity int64
	}{
		"x/A.1048576.csv": {"A", 1048576}, "input.12.csv": {"input", 12}, "input.csv": {"input", 0}, "-": {"-", 0},
		"a.b.csv": {"a.b", 0}, "a.-5.csv": {"a.-5", 0}, "a.99999999999999999999.csv": {"a.99999999999999999999", 0}, ".5.csv": {".5", 0}, "a.0.CSV": {"a", 0},
	} {
		if name, capacity := Name(file); name != want.name || capacity != want.capacity {
			t.Errorf("%s: %q %d", file, name, capacity)
		}
	}
}

// Whatever an instance holds comes back from what Write makes of it.
func TestWriteThenRead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := randomInstance(t)
		var out bytes.Buffer
		if err := Write(&out, in, nil, nil); err != nil {
			t.Fatal(err)
		}
		d, err := Read(&out, "x.csv")
		if err != nil {
			t.Fatal(err)
		}
		if len(d.Instance.Buffers) != len(in.Buffers) || len(in.Buffers) > 0 && !reflect.DeepEqual(d.Instance.Buffers, in.Buffers) {
			t.Fatalf("got %+v, want %+v", d.Instance.Buffers, in.Buffers)
		}
		// A plan of it comes back too, from either writer.
		p := model.Plan{Offsets: make([]int64, len(in.Buffers))}
		for i := range p.Offsets {
			p.Offsets[i] = rapid.Int64().Draw(t, "offset")
		}
		for _, write := range []func() error{func() error { return Write(&out, in, &p, nil) }, func() error { return d.Write(&out, &p) }} {
			out.Reset()
			if err := write(); err != nil {
				t.Fatal(err)
			}
			if got, _, err := ReadPlan(&out, "p.csv", in); err != nil || !slices.Equal(got.Offsets, p.Offsets) {
				t.Fatalf("plan %v, %v, want %v", got, err, p)
			}
		}
	})
}

func randomInstance(t *rapid.T) *model.Instance {
	in := &model.Instance{Name: "x"}
	ids := rapid.SliceOfNDistinct(rapid.StringN(1, 5, -1), 0, 6, rapid.ID[string]).Draw(t, "ids")
	for i, id := range ids {
		start := rapid.Int64Range(-9, 9).Draw(t, "start")
		b := model.Buffer{ID: id, Life: model.Interval{Start: start, End: start + rapid.Int64Range(1, 9).Draw(t, "life")}, Align: 1,
			Size: rapid.Int64Range(0, 1000).Draw(t, "size")}
		switch rapid.IntRange(0, 3).Draw(t, "kind") {
		case 0:
			b.Align = rapid.Int64Range(1, 64).Draw(t, "align")
			at, _ := model.AlignUp(int64(i)*100_000, b.Align)
			b.Offset = &at
		case 1:
			if b.Life.End-b.Life.Start > 2 {
				b.Gaps = []model.Interval{{Start: start + 1, End: start + 2}}
			}
		case 2:
			if i > 0 && in.Buffers[0].Tie == nil {
				b.Tie = &model.Tie{To: 0, Delta: 2000 * int64(i)}
			}
		}
		in.Buffers = append(in.Buffers, b)
	}
	return in
}

func TestPlanFaults(t *testing.T) {
	in := read(t, "id,lower,upper,size,alignment,gaps\na,0,9,64,64,2-3\nb,2,6,64,,\n").Instance
	for _, c := range []struct{ text, want string }{
		{"id,offset\na,0\nb,64\n", ""},
		{"offset,buffer,more\n0,b,x\n64,a,y\n", ""},
		{"id,lower,end,size,gaps,offset\na,0,8,64,2-2,0\nb,2,5,64,,64\n", ""},
		{"id,offset\na,0\n", `p.csv: buffer "b": no row`},
		{"id,offset\na,0\nb,1\na,0\n", `p.csv:4: buffer "a": row twice; line 2 has it too`},
		{"id,offset\na,0\nb,1\nc,0\n", `p.csv:4: buffer "c": the instance has no such buffer`},
		{"id,offset\na,12.5\nb,1\n", `p.csv:2: buffer "a": offset "12.5" is not an integer`},
		{"id,offset\na,\nb,1\n", `p.csv:2: buffer "a": no offset`},
		{"id\na\nb\n", "p.csv:1: no column offset"},
		{"id,offset,size\na,0,63\nb,1,64\n", `p.csv:2: buffer "a": size 63, where the instance has 64`},
		{"id,offset,upper\na,0,9\nb,1,5\n", `p.csv:3: buffer "b": upper 5, where the instance has 6`},
		{"id,offset,lower\na,1,1\nb,1,2\n", `p.csv:2: buffer "a": lower 1, where the instance has 0`},
		{"id,offset,alignment\na,0,1\nb,1,1\n", `p.csv:2: buffer "a": alignment 1, where the instance has 64`},
		{"id,offset,gaps\na,0,\nb,1,\n", `p.csv:2: buffer "a": gaps [], where the instance has [[2,3)]`},
		{"id,offset\na,x\nc,0\n", "p.csv: buffer \"b\": no row\np.csv:2: buffer \"a\": offset \"x\" is not an integer\np.csv:3: buffer \"c\": the instance"},
	} {
		_, _, err := ReadPlan(strings.NewReader(c.text), "p.csv", in)
		if err == nil != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %q", c.text, err, c.want)
		}
	}
}

// The cases of the whole kind: text encodings, intervals, ids, ends of int64.
func TestSharedCases(t *testing.T) {
	for _, c := range []struct {
		path string
		n    int
		load int64
	}{
		{"11-touching-intervals/input.csv", 3, 48}, {"13-csv-bom-crlf-quotes-unicode/input.csv", 9, 126},
		{"15-reversed-and-empty-intervals/negative-times.csv", 3, 20}, {"23-offset-overflow/input.csv", 4, 6917529027641081856},
		{"23-offset-overflow/max-size-aligned.csv", 1, 9223372036854775807}, {"25-empty-and-single/input.csv", 0, 0},
		{"25-empty-and-single/header-no-newline.csv", 0, 0}, {"25-empty-and-single/one.csv", 1, 100},
		{"27-alignment-larger-than-size/input.csv", 5, 131}, {"35-fixed-offsets/input.csv", 4, 196},
		{"35-fixed-offsets/over-2^31.csv", 2, 40}, {"35-fixed-offsets/touching-in-time.csv", 2, 32},
		{"31-big-M-and-tiny-sizes/input.csv", 11, 1<<40 + 27},
	} {
		d, err := Read(shared.Open(t, "cases/"+c.path), c.path)
		if err != nil || len(d.Instance.Buffers) != c.n || d.Instance.Load() != c.load {
			t.Errorf("%s: %v, %+v", c.path, err, d)
		}
	}
	for _, c := range []struct{ path, want string }{
		{"15-reversed-and-empty-intervals/reversed.csv", `:3: buffer "bad": lifetime [5,2) is reversed`},
		{"15-reversed-and-empty-intervals/equal.csv", `:2: buffer "a": lifetime [3,3) is empty`},
		{"17-duplicate-ids/rows.csv", `:4: buffer "a": duplicate id`}, {"23-offset-overflow/too-big.csv", "do not fit in int64"},
		{"25-empty-and-single/zero-bytes.csv", "no header"}, {"35-fixed-offsets/conflict.csv", `buffer "y": pinned onto "x"`},
		{"35-fixed-offsets/misaligned.csv", `buffer "x": pinned offset 10 is not a multiple`}, {"35-fixed-offsets/negative.csv", `buffer "x": pinned offset -8`},
	} {
		if _, err := Read(shared.Open(t, "cases/"+c.path), c.path); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.path, err, c.want)
		}
	}
}

// All ids of case 13 come back byte for byte.
func TestIDsByteForByte(t *testing.T) {
	ids := []string{"conv,1", `say "hi"`, "line\nbreak", "caf\u00e9", "cafe\u0301", "重み", "🧠", "relu;bias", " lead"}
	d, err := Read(shared.Open(t, "cases/13-csv-bom-crlf-quotes-unicode/input.csv"), "input.csv")
	if err != nil {
		t.Fatal(err)
	}
	p := model.Plan{Offsets: make([]int64, 9)}
	if _, _, err := ReadPlan(strings.NewReader(written(t, d, &p)), "p.csv", d.Instance); err != nil {
		t.Fatal(err)
	}
	for i, want := range ids {
		if got := d.Instance.Buffers[i].ID; got != want {
			t.Errorf("id %d: %q, want %q", i, got, want)
		}
	}
}

// The plans of case 37 that are no plans of its instance; the verifier answers
// for the rest.
func TestSharedPlans(t *testing.T) {
	d, err := Read(shared.Open(t, "cases/37-verifier-plans/input.csv"), "input.csv")
	if err != nil {
		t.Fatal(err)
	}
	refused := map[string]string{"bad-interval-changed": `"d": upper 2`, "bad-missing-row": `"d": no row`, "bad-offset-text": `"12.5"`,
		"bad-row-twice": `"d": row twice`, "bad-size-changed": `"d": size 4`, "bad-unknown-row": `"q": the instance has no such buffer`}
	files := shared.Glob(t, "cases/37-verifier-plans/plans/*.csv")
	if len(files) != 15 {
		t.Fatal(len(files))
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".csv")
		_, _, err := ReadPlan(shared.Open(t, "cases/37-verifier-plans/plans/"+name+".csv"), name, d.Instance)
		if want, refuse := refused[name]; refuse != (err != nil) || refuse && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// FuzzRead: no input panics; what is accepted is valid and, written, is read
// again as the same.
func FuzzRead(f *testing.F) {
	for _, text := range []string{"id,lower,upper,size\na,0,3,40\n", "\ufeff\"id\",start,end,size,gaps,offset,tie,x\r\n\"a\"\"\n\",-5,3,4,-1-0,8,,\r\n\r\nb,0,1,2,,,a+0,y"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		d, err := Read(strings.NewReader(text), "f.1.csv")
		if err != nil {
			return
		}
		if err := d.Instance.Validate(); err != nil {
			t.Fatal("accepted but not valid:", err)
		}
		again, err := Read(strings.NewReader(written(t, d, nil)), "f.1.csv")
		if err != nil || !reflect.DeepEqual(d.Instance, again.Instance) {
			t.Fatalf("written and read again: %v\n%+v\n%+v", err, d.Instance, again)
		}
		if once, twice := written(t, d, nil), written(t, again, nil); once != twice {
			t.Fatalf("%q then %q", once, twice)
		}
	})
}

// FuzzReadPlan: no input panics; an accepted plan has an offset a buffer.
func FuzzReadPlan(f *testing.F) {
	f.Add("id,offset\na,0\nb,64\n")
	f.Add("id,lower,end,size,gaps,alignment,offset\na,0,8,64,2-2,64,0\nb,2,5,64,,,64\n")
	d, err := Read(strings.NewReader("id,lower,upper,size,alignment,gaps\na,0,9,64,64,2-3\nb,2,6,64,,\n"), "f.csv")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if p, _, err := ReadPlan(strings.NewReader(text), "p.csv", d.Instance); err == nil && len(p.Offsets) != 2 {
			t.Fatal(p)
		}
	})
}

func BenchmarkReadMillion(b *testing.B) {
	var text strings.Builder
	text.WriteString("id,lower,upper,size\n")
	for i := range 1_000_000 {
		fmt.Fprintf(&text, "b%d,%d,%d,%d\n", i, i, i+1+i%50, 1024*(1+i%97))
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Read(strings.NewReader(text.String()), "m.csv"); err != nil {
			b.Fatal(err)
		}
	}
}
