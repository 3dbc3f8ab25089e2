package picture

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"image/png"
	"io"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"memplan/heuristics"
	"memplan/model"
	"memplan/model/json"
	"memplan/results"
)

func ptr(v int64) *int64 { return &v }

// random is a random instance with gaps, alignments and empty buffers.
func random(r *rand.Rand, n int) *model.Instance {
	in := &model.Instance{Name: "a <b> & \"c\""}
	for i := range n {
		s := r.Int63n(int64(n) + 20)
		b := model.Buffer{ID: fmt.Sprintf("<%d>", i), Life: model.Interval{Start: s, End: s + 1 + r.Int63n(20)}, Size: r.Int63n(9), Align: 1 << r.Intn(3)}
		if w := b.Life.End - b.Life.Start; w > 4 && r.Intn(3) == 0 {
			b.Gaps = []model.Interval{{Start: s + 1, End: s + 2}}
		}
		in.Buffers = append(in.Buffers, b)
	}
	return in
}

// planned is a random instance with a plan.
func planned(t *testing.T, n int) (*model.Instance, model.Plan) {
	t.Helper()
	in := random(rand.New(rand.NewSource(1)), n)
	res, err := heuristics.Decreasing{}.Plan(context.Background(), in)
	if err != nil {
		t.Fatal(err)
	}
	return in, *res.Plan
}

// stacked is a random instance with gaps and a plan that wastes nothing below
// any buffer: each lies as low as those before it let it.
func stacked(r *rand.Rand, n int) (*model.Instance, model.Plan) {
	in := random(r, n)
	p := model.Plan{Offsets: make([]int64, n)}
	for i := range n {
		for moved := true; moved; {
			moved = false
			for j := range i {
				a, b := p.Offsets[i], p.Offsets[j]
				if in.Buffers[i].Conflicts(&in.Buffers[j]) && a < b+in.Buffers[j].Size && b < a+in.Buffers[i].Size {
					p.Offsets[i], _ = model.AlignUp(b+in.Buffers[j].Size, in.Buffers[i].Align)
					moved = true
				}
			}
		}
	}
	return in, p
}

// The path leads from the peak down to the bottom, each buffer on the next.
func TestCriticalPath(t *testing.T) {
	r := rand.New(rand.NewSource(3))
	for range 500 {
		in, p := stacked(r, 1+r.Intn(30))
		path := CriticalPath(in, p)
		if len(path) == 0 {
			if p.Peak(in) > 0 && in.Load() > 0 {
				t.Fatalf("no path, peak %d", p.Peak(in))
			}
			continue
		}
		for k, i := range path {
			if k == 0 {
				continue
			}
			above := path[k-1]
			low := p.Offsets[i] + in.Buffers[i].Size
			at, _ := model.AlignUp(low, in.Buffers[above].Align)
			if at != p.Offsets[above] || !in.Buffers[above].Conflicts(&in.Buffers[i]) {
				t.Fatalf("%d does not rest on %d", above, i)
			}
		}
		if last := path[len(path)-1]; p.Offsets[last] != 0 {
			t.Fatalf("the path ends at %d", p.Offsets[last])
		}
	}
	if len(CriticalPath(&model.Instance{}, model.Plan{})) != 0 {
		t.Error("a path where there is nothing")
	}
}

// SVG is well-formed, and has a title for each live part of each buffer.
func TestPlanSVG(t *testing.T) {
	for _, n := range []int{0, 1, 5, 400, 5000} {
		in, p := planned(t, n)
		pic := Plan{In: in, Of: p, Bound: in.Load() + 1}
		var out, again bytes.Buffer
		if err := pic.Write(&out, SVG); err != nil {
			t.Fatal(err)
		}
		if err := pic.Write(&again, SVG); err != nil || !bytes.Equal(out.Bytes(), again.Bytes()) {
			t.Errorf("n %d: two drawings differ, %v", n, err)
		}
		titles := 0
		for d := xml.NewDecoder(bytes.NewReader(out.Bytes())); ; {
			token, err := d.Token()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatalf("n %d: %v", n, err)
			}
			if e, ok := token.(xml.StartElement); ok && e.Name.Local == "title" {
				titles++
			}
		}
		want := 0
		for i := range in.Buffers {
			if in.Buffers[i].Size == 0 {
				continue
			}
			for range in.Buffers[i].Live() {
				want++
			}
		}
		for _, i := range CriticalPath(in, p) { // drawn once more, on top
			for range in.Buffers[i].Live() {
				want++
			}
		}
		if titles != want {
			t.Errorf("n %d: %d titles, want %d", n, titles, want)
		}
		if s := out.String(); strings.Contains(s, "NaN") || strings.Contains(s, "Inf") || n > 1 && !strings.Contains(s, "&lt;1&gt;: ") {
			t.Errorf("n %d: a number that is none, or a name that is not there", n)
		}
	}
}

func TestPlanPNG(t *testing.T) {
	for _, n := range []int{0, 5, 500} {
		in, p := planned(t, n)
		var out bytes.Buffer
		if err := (&Plan{In: in, Of: p, Width: 400, Height: 300}).Write(&out, PNG); err != nil {
			t.Fatal(err)
		}
		img, err := png.Decode(&out)
		if err != nil {
			t.Fatal(err)
		}
		if b := img.Bounds(); b.Dx() != 800 || b.Dy() != 600 {
			t.Errorf("n %d: %v", n, b)
		}
		seen := make(map[string]bool)
		for x := range 800 {
			for y := range 600 {
				r, g, b, _ := img.At(x, y).RGBA()
				seen[fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)] = true
			}
		}
		if n > 0 && !slices.ContainsFunc(colours, func(c string) bool { return seen[c] }) || !seen["#ffffff"] {
			t.Errorf("n %d: no buffer, or no ground, in the picture", n)
		}
	}
}

func records() []results.Record {
	rec := func(instance, planner string, buffers int, peak, ns int64) results.Record {
		r := results.Record{Plan: json.Plan{Schema: 1, Instance: instance, Planner: planner, Buffers: buffers, Load: 10, Peak: &peak, Bound: 10, Proof: "load"}, Nanoseconds: ns}
		if peak < 0 {
			r.Peak = nil
		}
		return r
	}
	a := rec("a", "exact", 10, 10, 5000)
	a.Trace = []results.TracePoint{{Work: 0, Bound: 10}, {Work: 3, Nanoseconds: 1000, Peak: ptr(15), Bound: 10}, {Work: 9, Nanoseconds: 2000, Peak: ptr(10), Bound: 10}}
	return []results.Record{a, rec("a", "no-reuse", 10, 25, 100), rec("b", "exact", 100, 11, 70000), rec("b", "no-reuse", 100, -1, 0), rec("c", "no-reuse", 100, 12, 900)}
}

func TestDiagrams(t *testing.T) {
	profile := Profile(results.Compare(records()))
	for k, want := range []Curve{
		{Name: "exact", X: []float64{1, 1, 1.1, 2}, Y: []float64{0, 1. / 3, 2. / 3, 2. / 3}},
		{Name: "no-reuse", X: []float64{1, 1.2, 2}, Y: []float64{0, 1. / 3, 1. / 3}},
	} {
		if got := profile.Curves[k]; got.Name != want.Name || fmt.Sprint(got.X, got.Y) != fmt.Sprint(want.X, want.Y) {
			t.Errorf("profile %v, want %v", got, want)
		}
	}
	gap := Gap(records(), false)
	if got := fmt.Sprint(gap.Curves); got != "[{a exact [3 9] [50 0] true} {b exact [0] [10.000000000000009] true} {c no-reuse [0] [19.999999999999996] true} {a no-reuse [0] [100] true}]" {
		t.Errorf("gap %s", got)
	}
	gap = Gap(records(), true)
	if got := fmt.Sprint(gap.Curves[0].X); got != "[1e-06 2e-06 5e-06]" {
		t.Errorf("gap over seconds %s", got)
	}
	growth := Growth(records())
	if got := fmt.Sprint(growth.Curves); got != "[{no-reuse [10 100] [0.1 0.9] false} {exact [10 100] [5 70] false}]" {
		t.Errorf("growth %s", got)
	}
	spread := Spread(results.Compare(records()))
	if got := fmt.Sprint(spread.Lanes); got != "[exact no-reuse]" {
		t.Errorf("lanes %s", got)
	}
	if got := fmt.Sprint(spread.Curves); got != "[{no-reuse: mean 1.732 of 2 [19.999999999999996 150] [1 1] false} {exact: mean 1.049 of 2 [0 10.000000000000009] [0 0] false}]" {
		t.Errorf("spread %s", got)
	}
	stacked := lane{"x", []float64{1, 1, 1.001, 1.5}}.dots(3, 0.5)
	if got := fmt.Sprint(stacked.Y); got != "[3 3.09 3.18 3]" {
		t.Errorf("stacked %s", got)
	}
	for _, d := range []Diagram{profile, gap, growth, spread, {}, Profile(results.Compare(nil)), Gap(nil, true), Growth(nil), Spread(results.Compare(nil))} {
		for _, format := range Formats {
			var one, two bytes.Buffer
			if err := d.Write(&one, format); err != nil {
				t.Fatal(err)
			}
			if err := d.Write(&two, format); err != nil || !bytes.Equal(one.Bytes(), two.Bytes()) {
				t.Errorf("%s: two drawings differ, %v", d.Title, err)
			}
			if format == SVG && (strings.Contains(one.String(), "NaN") || !strings.Contains(one.String(), "</svg>")) {
				t.Errorf("%s: not a picture", d.Title)
			}
		}
	}
}

// A name stands beside the line at the step of the load, in the larger part, not
// on it; where neither part has room, in the middle.
func TestNamesBesideTheLoad(t *testing.T) {
	for _, c := range []struct{ load, from, to, width, want float64 }{
		{50, 60, 100, 30, 80}, {50, 0, 50, 30, 25}, {50, 0, 80, 30, 25}, {50, 30, 100, 30, 75}, {50, 0, 100, 60, 50},
	} {
		if got := (&frame{loadX: c.load}).beside(c.from, c.to, c.width); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

// Of many curves the first stand out and have names; the others are faint.
func TestManyCurves(t *testing.T) {
	var d Diagram
	for k := range maxNames + 3 {
		d.Curves = append(d.Curves, Curve{Name: fmt.Sprintf("curve %d.", k), X: []float64{0, 1}, Y: []float64{0, float64(k)}})
	}
	var out bytes.Buffer
	if err := d.Write(&out, SVG); err != nil {
		t.Fatal(err)
	}
	svg := out.String()
	for name, want := range map[string]bool{"curve 0.": true, fmt.Sprintf("curve %d.", maxNames-1): true, fmt.Sprintf("curve %d.", maxNames): false, "and 3 more": true} {
		if strings.Contains(svg, name) != want {
			t.Errorf("%s: %v, want %v", name, !want, want)
		}
	}
	if got := strings.Count(svg, strings.ToUpper(pale)) + strings.Count(svg, pale); got < 4 { // three, and the sample beside the names
		t.Errorf("%d faint lines", got)
	}
}

// Of one instance the gap of every planner is in the picture: those of one pass
// are points, and work from one placement to a million takes a logarithm.
func TestGapOfManyPlanners(t *testing.T) {
	var list []results.Record
	for k := range 44 {
		peak := int64(1000 + 3*k)
		list = append(list, results.Record{Plan: json.Plan{Schema: 1, Instance: "a", Planner: fmt.Sprintf("planner-%d", k), Peak: &peak, Bound: 1000}, Placements: int64(1) << (k / 2)})
	}
	d := Gap(list, false)
	if len(d.Curves) != 44 || !d.LogX || d.Curves[0].Name != "planner-0" || d.Curves[43].Name != "planner-43" {
		t.Errorf("%d curves, a logarithm: %v, from %s", len(d.Curves), d.LogX, d.Curves[0].Name)
	}
	for _, height := range []int{0, 300} {
		d.Height = height
		var out bytes.Buffer
		if err := d.Write(&out, SVG); err != nil {
			t.Fatal(err)
		}
		if want := fmt.Sprintf("and %d more", 44-d.names()); !strings.Contains(out.String(), want) {
			t.Errorf("at a height of %d: no %q", height, want)
		}
	}
}

// Every format is what it says, of the size asked for, and the same bytes again.
func TestFormats(t *testing.T) {
	in, p := planned(t, 4)
	begins := map[Format]string{SVG: "<", PNG: "\x89PNG", PDF: "%PDF", PGF: "%% gonum"}
	sizes := map[Format]string{SVG: "300", PDF: "/MediaBox [0 0 300.00 225.00]", PGF: `{300pt}{225pt}`}
	d := Diagram{Title: `100 % of a_b & {c} \ #`, Curves: []Curve{{Name: "a_1", X: []float64{0, 1}, Y: []float64{0, 1}}}, Width: 400, Height: 300}
	for _, format := range Formats {
		for _, write := range []func(io.Writer, Format) error{d.Write, (&Plan{In: in, Of: p, Width: 400, Height: 300}).Write} {
			var one, two bytes.Buffer
			if err := errors.Join(write(&one, format), write(&two, format)); err != nil {
				t.Fatal(err)
			}
			if text := one.String(); !strings.HasPrefix(text, begins[format]) || !strings.Contains(text, sizes[format]) || text != two.String() {
				t.Errorf("%s: begins with %.20q, holds its size: %v; the same again: %v", format, text, strings.Contains(text, sizes[format]), text == two.String())
			}
		}
	}
	var out bytes.Buffer
	if err := d.Write(&out, PGF); err != nil || !strings.Contains(out.String(), `100 \% of a\_b \& \{c\} \textbackslash{} \#`) || strings.Contains(out.String(), `\pgflineto`) {
		t.Errorf("%v\n%s", err, out.String())
	}
	for name, want := range map[string]Format{"x.pdf": PDF, "x.PNG": PNG, "x": SVG, "x.tex": PGF, "x.tikz": PGF, "x.pgf": PGF, "x.jpg": "", "x.": ""} {
		if got, err := FormatOf(name); got != want || (err != nil) != (want == "") {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}
