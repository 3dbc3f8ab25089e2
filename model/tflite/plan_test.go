package tflite

import (
	"bytes"
	"errors"
	"fmt"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"memplan/heuristics"
	"memplan/internal/shared"
	"memplan/model"
	"memplan/verify"
)

// A plan comes back as it was written; the old bytes follow it unchanged; a
// second plan takes the first one's place.
func TestWithPlan(t *testing.T) {
	all := map[string][]byte{}
	for name, m := range selfMade() {
		all[name] = m.build()
	}
	m := uneven()
	m.metadata = map[string][]byte{"min_runtime_version": []byte("1.5.0")}
	all["with metadata"] = m.build()
	for _, pattern := range []string{"tflite/*.tflite", "cases/43-*/*.tflite"} {
		for name, data := range files(t, pattern) {
			if _, err := Read(data); err == nil {
				all[name] = data
			}
		}
	}
	for name, data := range all {
		f, err := Read(data)
		if err != nil {
			t.Fatal(err)
		}
		first := write(t, name, f, data, 16)
		g, err := Read(first)
		if err != nil {
			t.Fatal(err)
		}
		second := write(t, name, g, data, 48) // in place of the first, not before it
		if len(second) != len(first) {
			t.Errorf("%s: %d bytes with a plan, %d with another", name, len(first), len(second))
		}
		h, err := Read(second)
		if err != nil {
			t.Fatal(err)
		}
		plans := 0
		for _, m := range h.metadata {
			if m.name == PlanName {
				plans++
			}
		}
		other := func(m metadata) bool { return m.name != PlanName }
		if kept := len(slices.DeleteFunc(slices.Clone(f.metadata), func(m metadata) bool { return !other(m) })); plans != 1 || len(h.metadata) != kept+1 {
			t.Errorf("%s: %d plans and %d entries after two plans, %d other entries before", name, plans, len(h.metadata), kept)
		}
	}
}

// write writes a plan with offsets that are multiples of step and checks all
// that the result must be.
func write(t *testing.T, name string, f *File, data []byte, step int32) []byte {
	t.Helper()
	offsets := make([]int32, f.Tensors())
	for i := range offsets {
		offsets[i] = int32(i)*step - step/16
	}
	out, err := f.WithPlan(offsets, nil)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if front := len(out) - len(data); front%16 != 0 || !bytes.Equal(out[front:], data) {
		t.Errorf("%s: the old bytes are not at a multiple of 16 at the end", name)
	}
	g, err := Read(out)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	got, err := g.Plan()
	if err != nil || !slices.Equal(got, offsets) {
		t.Errorf("%s: the plan is %v, want %v: %v", name, got, offsets, err)
	}
	if m := g.metadata[len(g.metadata)-1]; g.buffers[m.buffer].pos%16 != 0 || g.buffers[m.buffer].size != int64(12+4*len(offsets)) {
		t.Errorf("%s: the plan's %d bytes are at %d", name, g.buffers[m.buffer].size, g.buffers[m.buffer].pos)
	}
	if fmt.Sprint(g.Subgraphs) != fmt.Sprint(f.Subgraphs) {
		t.Errorf("%s: the model is another one", name)
	}
	return out
}

// Plans that TFLM would refuse, or read beyond their end.
func TestBadPlans(t *testing.T) {
	for _, data := range [][]byte{nil, words(0, 1), words(0, 1, 6, 0, 0, 0, 0, 0, 0, 0), words(0, 1, 7, 0, 0, 0), words(0, 1, -1)} {
		m := uneven()
		m.metadata = map[string][]byte{PlanName: data}
		f, err := Read(m.build())
		if err != nil {
			t.Fatal(err)
		}
		if offsets, err := f.Plan(); err == nil {
			t.Errorf("%d bytes are the plan %v", len(data), offsets)
		}
	}
}

// Files on which a plan would go wrong are refused, and the reason named.
func TestRefused(t *testing.T) {
	for _, c := range []struct {
		name, reason string
		spoil        func(*testModel)
		root         func(*testModel) []byte
	}{
		{name: "a variable in a body", reason: "variable of a later subgraph", spoil: func(m *testModel) { m.subs[1].tensors[1].variable = true }},
		{name: "ethos-u", reason: "command stream", spoil: func(m *testModel) { m.subs[0].ops[0].kind, m.subs[0].ops[0].custom = Custom, ethosU }},
		{name: "compressed", reason: "compressed", spoil: func(m *testModel) { m.metadata = map[string][]byte{compression: {0}} }},
		{name: "large buffer", reason: "absolute position", root: func(m *testModel) []byte {
			m.buffers = append(m.buffers, []byte("0123456789abcdef"))
			data := m.build()
			at := bytes.Index(data, []byte("0123456789abcdef"))
			return m.outside(uint64(at), 16)
		}},
		{name: "large buffer beyond the end", reason: "outside the file", root: func(m *testModel) []byte { return m.outside(1<<40, 16) }},
		{name: "large buffer that wraps", reason: "outside the file", root: func(m *testModel) []byte { return m.outside(16, 1<<63) }},
	} {
		m := branches()
		if c.spoil != nil {
			c.spoil(m)
		}
		data := m.build()
		if c.root != nil {
			data = c.root(m)
		}
		err := func() error {
			f, err := Read(data)
			if err != nil {
				return err
			}
			_, err = f.Arena(Options{})
			return errors.Join(err, f.Rewritable())
		}()
		if err == nil || !strings.Contains(err.Error(), c.reason) {
			t.Errorf("%s: %v, want it refused for %q", c.name, err, c.reason)
		}
	}
}

// outside is the model with one more buffer, by absolute position.
func (m *testModel) outside(at, size uint64) []byte {
	m.extra = tableOf(nil, at, size)
	return m.build()
}

// A plan inside a file is checked: Vela's overlaps are those of operands of an
// Ethos-U inside its scratch, and nothing explains others.
func TestVela(t *testing.T) {
	data := shared.Read(t, "tflite/tflm__person_detect_vela.tflite")
	f, err := Read(data)
	if err != nil {
		t.Fatal(err)
	}
	offsets, err := f.Plan()
	if err != nil || !slices.Equal(offsets, []int32{0, -1, -1, 0, 0, 0}) {
		t.Fatalf("Vela's plan is %v: %v", offsets, err)
	}
	a, err := f.Arena(Options{})
	if err != nil {
		t.Fatal(err)
	}
	layout, err := a.Layout(t.Context(), heuristics.TFLMGreedy{}, offsets)
	if err != nil {
		t.Fatal(err)
	}
	faults := (*verify.Faults)(nil)
	if !errors.As(verify.Plan(a.Apart, layout), &faults) || len(faults.List) != 6 {
		t.Errorf("Vela's plan has the overlaps %v, want all pairs of four", faults)
	}
	if err := unexplained(a, layout); err != nil {
		t.Errorf("Vela's overlaps are not explained: %v", err)
	}
	if _, notes := a.Shared(layout); len(notes) != 3 {
		t.Errorf("what is shared: %q", notes)
	}
	if head := a.Head(layout); head != 74464 {
		t.Errorf("head %d, want the scratch's 74464", head)
	}
	offsets[0] = 74464 - 1 // the output now ends beyond the scratch
	layout, err = a.Layout(t.Context(), heuristics.TFLMGreedy{}, offsets)
	if err != nil {
		t.Fatal(err)
	}
	if unexplained(a, layout) == nil {
		t.Error("an operand that sticks out of the scratch is explained")
	}
}

// What a plan shares on purpose is no fault, what it does not is.
func TestShared(t *testing.T) {
	// An Ethos-U between two operators; k is live beside it.
	m := &testModel{subs: []testSub{{
		tensors: []testTensor{floats("x", 4), floats("k", 4), floats("a", 4), floats("scratch", 32), floats("fast", 32), floats("y", 4), floats("z", 4)},
		in:      []int{0}, out: []int{6},
		ops: []testOp{
			unary(relu, 0, 1), unary(relu, 0, 2),
			{kind: Custom, custom: ethosU, in: []int{-1, -1, 3, 4, 2}, out: []int{5}},
			binaryOp(add, addOptions, 1, 5, 6),
		},
	}}}
	for _, c := range []struct {
		name    string
		m       *testModel
		offsets []int32
		holds   bool
	}{
		{"nothing shared", m, []int32{0, 16, 32, 48, 176, 304, 320}, true},
		{"operands in scratch, x where it will be", m, []int32{16, 128, 0, 0, 0, 112, 0}, true},
		{"k in scratch", m, []int32{16, 96, 0, 0, 0, 112, 0}, false},
		{"y beyond scratch", m, []int32{16, 128, 0, 0, 0, 124, 0}, false},
		{"a on x", m, []int32{0, 128, 0, 0, 0, 112, 0}, false},
		{"views", views(), []int32{2400, 0, 0, 800, 800, 1600, 2400, 2400, 3200, 3200, -1, -1}, true},
		{"a view 16 bytes off", views(), []int32{2400, 0, 16, 800, 800, 1600, 2400, 2400, 3200, 3200, -1, -1}, false},
		{"a view on another's input", views(), []int32{2400, 0, 800, 800, 800, 1600, 2400, 2400, 3200, 3200, -1, -1}, false},
		{"z where a was", views(), []int32{2400, 0, 0, 800, 800, 1600, 2400, 2400, 0, 0, -1, -1}, true},
		{"z on what y is made from", views(), []int32{2400, 0, 0, 800, 800, 1600, 2400, 2400, 1600, 1600, -1, -1}, false},
	} {
		f, err := Read(c.m.build())
		if err != nil {
			t.Fatal(err)
		}
		a, err := f.Arena(Options{})
		if err != nil {
			t.Fatal(err)
		}
		layout, err := a.Layout(t.Context(), heuristics.TFLMGreedy{}, c.offsets)
		if err != nil {
			t.Fatal(err)
		}
		if err := unexplained(a, layout); (err == nil) != c.holds {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// A variable that a plan puts into the head, and a negative offset, are errors.
func TestLayoutRefuses(t *testing.T) {
	m := uneven()
	m.subs[0].tensors = append(m.subs[0].tensors, testTensor{name: "state", shape: []int{4}, variable: true})
	f, err := Read(m.build())
	if err != nil {
		t.Fatal(err)
	}
	a, err := f.Arena(Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, offsets := range [][]int32{{0, 480, 0, 480, -1, -1, -1, 64}, {-2, -1, -1, -1, -1, -1, -1, -1}} {
		if layout, err := a.Layout(t.Context(), heuristics.TFLMGreedy{}, offsets); err == nil {
			t.Errorf("%v gives %v", offsets, layout)
		}
	}
	if layout, err := a.Layout(t.Context(), heuristics.TFLMGreedy{}, []int32{0, 480, 0, 400, 7, 7, 7, -1}); err != nil || layout.Offsets[3] != 400 {
		t.Errorf("offsets of constants are not skipped: %v, %v", layout, err)
	}
}

// The header holds an offset for each buffer of the head in TFLM's order, and
// is C.
func TestHeader(t *testing.T) {
	data := scratchModels()["mean int8"].build()
	a, c, _ := planned(t, data, Options{})
	var out strings.Builder
	if err := a.Header(&out, c, "1 mean/int8\n"); err != nil {
		t.Fatal(err)
	}
	text := out.String()
	var got []int64
	for _, m := range regexp.MustCompile(`\{(\d+)\}`).FindAllStringSubmatch(text, -1) {
		n, err := strconv.ParseInt(m[1], 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, n)
	}
	if !slices.Equal(got, c.Whole.Offsets) || len(got) != 5 {
		t.Errorf("offsets %v, want those of two tensors and three requests, %v", got, c.Whole.Offsets)
	}
	if err := verify.Plan(a.Apart, model.Plan{Offsets: got}); err != nil {
		t.Error(err)
	}
	for _, want := range []string{"model_1_mean_int8__plan = {\n  5,", fmt.Sprintf("MODEL_1_MEAN_INT8__HEAD_BYTES %d\n", c.Head)} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	compile(t, text)
}

// compile has a C compiler, where there is one, read the header.
func compile(t *testing.T, header string) {
	t.Helper()
	cc, err := exec.LookPath("cc")
	if err != nil {
		t.Log("NOT RUN: there is no cc to read the header")
		return
	}
	cmd := exec.Command(cc, "-std=c99", "-Wall", "-Wno-unused-variable", "-Werror", "-fsyntax-only", "-x", "c", "-")
	cmd.Stdin = strings.NewReader(header)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
