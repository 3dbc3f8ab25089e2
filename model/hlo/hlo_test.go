package hlo

import (
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"memplan/internal/shared"
	"memplan/model"
)

func dump(t testing.TB, name string) *File {
	t.Helper()
	f, err := Read(shared.Open(t, "hlo/"+name+".hlo.pb"), name)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// The figures of six modules, compiled by jaxlib 0.10.2: buffers, how many of
// them have gaps, load, what XLA's plan takes.
func TestDumps(t *testing.T) {
	for name, want := range map[string]struct {
		buffers, gaps int
		load, peak    int64
	}{
		"inception_infer":   {54, 0, 3768320, 4145152},
		"linalg":            {35, 0, 863012, 941280},
		"transformer_infer": {69, 0, 2097152, 2097152},
		"lstm_scan_train":   {50, 3, 13377540, 13377540},
		"unet_infer":        {18, 0, 4718592, 4718592},
		"mlp_train":         {8, 0, 1310720, 1310720},
	} {
		f := dump(t, name)
		if len(f.Arenas) != 1 || len(f.Notes) > 0 {
			t.Fatalf("%s: %d arenas, %q", name, len(f.Arenas), f.Notes)
		}
		in, p := f.Arenas[0].Instance, f.Arenas[0].Plan
		gaps := 0
		for i := range in.Buffers {
			gaps += min(len(in.Buffers[i].Gaps), 1)
			if a := in.Buffers[i].Align; a != 64 {
				t.Errorf("%s: %s has alignment %d", name, in.Buffers[i].ID, a)
			}
		}
		if len(in.Buffers) != want.buffers || gaps != want.gaps || in.Load() != want.load || p.Peak(in) != want.peak {
			t.Errorf("%s: %d buffers, %d with gaps, load %d, plan %d; want %v", name, len(in.Buffers), gaps, in.Load(), p.Peak(in), want)
		}
	}
}

// The builders make dumps by hand.

func number(field protowire.Number, v int64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(nil, field, protowire.VarintType), uint64(v))
}

func message(field protowire.Number, parts ...[]byte) []byte {
	var all []byte
	for _, p := range parts {
		all = append(all, p...)
	}
	return protowire.AppendBytes(protowire.AppendTag(nil, field, protowire.BytesType), all)
}

func text(field protowire.Number, s string) []byte { return message(field, []byte(s)) }

func logical(id, size int64) []byte { return message(1, number(1, id), number(2, size)) }

func on(kind, id, with int64) []byte {
	return message(1, number(1, kind), number(2, id), text(4, "op"), number(5, with))
}

func at(id, offset int64) []byte { return message(9, number(1, id), number(2, offset)) }

func module(parts ...[]byte) []byte {
	return append(message(1, text(1, "module")), message(3, parts...)...)
}

func TestByHand(t *testing.T) {
	data := module(
		logical(1, 100), logical(2, 120), logical(3, 40), logical(4, 7), logical(5, 0),
		message(3, number(1, 9), at(1, 64), at(2, 64)), message(3, at(3, 0), at(4, 192)),
		message(4, on(alloc, 3, 0), on(alloc, 1, 0), on(free, 3, 0), // step 0
			on(free, 1, 0), on(alloc, 5, 0), on(alloc, 4, 0), on(free, 4, 0), // step 1
			on(shareWith, 2, 1), on(free, 5, 0))) // step 2; 2 is never freed
	f, err := Read(strings.NewReader(string(data)), "m")
	if err != nil {
		t.Fatal(err)
	}
	in := f.Arenas[0].Instance
	want := []model.Buffer{
		{ID: "op#1", Size: 120, Life: model.Interval{Start: 0, End: 3}, Gaps: []model.Interval{{Start: 1, End: 2}}, Ticks: &model.Ticks{First: 2, All: 6}},
		{ID: "op#3", Size: 40, Life: model.Interval{Start: 0, End: 1}, Ticks: &model.Ticks{First: 2, All: 2}},
		{ID: "op#4", Size: 7, Life: model.Interval{Start: 1, End: 2}, Ticks: &model.Ticks{First: 1, All: 1}},
	}
	if len(in.Buffers) != len(want) {
		t.Fatalf("%+v", in.Buffers)
	}
	for i, w := range want {
		b := in.Buffers[i]
		if b.ID != w.ID || b.Size != w.Size || b.Life != w.Life || len(b.Gaps) != len(w.Gaps) || len(b.Gaps) > 0 && b.Gaps[0] != w.Gaps[0] || *b.Ticks != *w.Ticks || b.Align != 64 {
			t.Errorf("%+v %v, want %+v %v", b, *b.Ticks, w, *w.Ticks)
		}
	}
	if p := f.Arenas[0].Plan; p == nil || p.Offsets[0] != 64 || p.Offsets[1] != 0 || p.Offsets[2] != 192 {
		t.Errorf("plan %v, %q", p, f.Notes)
	}
}

// A plan is given only where the file holds a whole one.
func TestNoPlan(t *testing.T) {
	trace := message(4, on(alloc, 1, 0), on(shareWith, 2, 1))
	for _, c := range []struct {
		parts [][]byte
		want  string
	}{
		{[][]byte{logical(1, 8), logical(2, 8), message(3, at(1, 0)), trace}, "no allocation holds all of op#1"},
		{[][]byte{logical(1, 8), logical(2, 8), message(3, at(1, 0), at(2, 8)), trace}, "not at one offset"},
		{[][]byte{logical(1, 8), message(1, number(1, 2), number(2, 8), number(4, 1)), message(3, at(1, 0), at(2, 0)), trace}, "memory space 1"},
		{[][]byte{logical(1, 8), logical(2, 8), message(3, at(1, 1<<63-8), at(2, 1<<63-8)), trace}, "beyond int64"},
	} {
		f, err := Read(strings.NewReader(string(module(c.parts...))), "m")
		if err != nil || f.Arenas[0].Plan != nil || len(f.Notes) != 1 || !strings.Contains(f.Notes[0], c.want) {
			t.Errorf("%v, %+v, want %q", err, f, c.want)
		}
	}
	two := module(logical(1, 8), logical(2, 8), message(3, at(1, 4), at(2, 12)), message(4, on(alloc, 1, 0)), message(4, on(alloc, 2, 0)))
	f, err := Read(strings.NewReader(string(two)), "m")
	if err != nil || len(f.Arenas) != 2 || f.Arenas[1].Instance.Name != "m:1" || f.Arenas[0].Instance.Buffers[0].Align != 4 {
		t.Errorf("%v, %+v", err, f)
	}
}

func TestFaults(t *testing.T) {
	for _, c := range []struct {
		data []byte
		want string
	}{
		{nil, "no trace of the heap simulator"},
		{message(1, text(1, "x")), "no trace of the heap simulator"},
		{[]byte{0x1a, 0xff, 0x01}, "m: not a dump of XLA's: field 3 at byte 0"},
		{number(3, 4), "field 3 is a number"},
		{module(logical(1, 8), logical(1, 8)), "logical buffer 1: it is there twice"},
		{module(logical(1, -8)), "no number of bytes"},
		{module(message(4, on(alloc, 7, 0))), "event 1 of the heap's trace, \"op\": there is no value 7"},
		{module(logical(1, 8), message(4, on(alloc, 1, 0), on(alloc, 1, 0))), "event 2 of the heap's trace, \"op\": value 1 is allocated a second time"},
		{module(logical(1, 8), message(4, on(free, 1, 0))), "value 1 is freed, and is not live"},
		{module(logical(1, 8), message(4, on(alloc, 1, 0), on(free, 1, 0), on(free, 1, 0))), "is not live"},
		{module(logical(1, 8), logical(2, 8), message(4, on(shareWith, 1, 2))), "value 1 shares with 2, which is not allocated"},
		{module(logical(1, 8), message(4, on(3, 1, 0))), "an event of kind 3"},
		{module(logical(1, 1<<62), logical(2, 1<<62), message(4, on(alloc, 1, 0), on(alloc, 2, 0))), "do not fit in int64"},
	} {
		if _, err := Read(strings.NewReader(string(c.data)), "m"); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %q", c.data, err, c.want)
		}
	}
}

// FuzzRead: no input panics, and what is accepted is valid.
func FuzzRead(f *testing.F) {
	f.Add(module(logical(1, 100), logical(2, 120), message(3, at(1, 64), at(2, 64)),
		message(4, on(alloc, 1, 0), on(free, 1, 0), on(shareWith, 2, 1), on(free, 2, 0))))
	f.Add([]byte{0x1a, 0xff, 0x01})
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := Read(strings.NewReader(string(data)), "m")
		if err != nil {
			return
		}
		for _, a := range file.Arenas {
			if err := a.Instance.Validate(); err != nil {
				t.Fatal("accepted but not valid:", err)
			}
			if a.Plan != nil {
				a.Plan.Peak(a.Instance)
			}
		}
	})
}
