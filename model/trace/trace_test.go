package trace

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"memplan/model"
)

func read(t testing.TB, text string) *File {
	t.Helper()
	if !Is([]byte(text)) {
		t.Fatalf("not taken for a trace: %.80s", text)
	}
	f, err := Read([]byte(text), "t")
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// lives is an arena's buffers, in short.
func lives(a model.Found) (list []string) {
	for _, b := range a.Instance.Buffers {
		list = append(list, fmt.Sprintf("%s %d %v", b.ID, b.Size, b.Life))
	}
	return list
}

// The same events in every form that they may have.
func TestForms(t *testing.T) {
	want := []string{"a 64 [0,1)", "b 32 [0,2)", "a#2 16 [1,3)", "c 8 [0,2)", "d 4 [2,3)"}
	for _, text := range []string{
		"alloc,a,64\nalloc,b,32\nfree,a\nalloc,a,16\nfree,b\nfree,c,8\nalloc,d,4\nfree,a\n",
		"\ufeffaction,id,size\r\nalloc,a,64\r\nalloc,b,32\r\nfree,a,\r\nalloc,a,16\r\n\r\nfree,b,32\r\nfree,c,8\r\nalloc,d,4\r\nfree,a,16",
		"Time, Bytes ,stream,op,id\n1,64,0,malloc,a\n1,32,0,calloc,b\n2,64,0,dealloc,a\n2,16,0,alloc,a\n3,32,0,free,b\n3,8,7,free,c\n4,4,0,alloc,d\n5,16,0,free,a\n",
		`{"action": "alloc", "id": "a", "size": 64, "frames": [{"x": 1}]}
{"event": "alloc", "id": "b", "bytes": 32}

{"action": "free", "id": "a"}
{"action": "alloc", "id": "a", "size": 16}
{"action": "free", "id": "b"}
{"action": "free", "id": "c", "size": 8}
{"action": "alloc", "id": "d", "size": 4}
{"action": "free", "id": "a", "stream": null}`,
	} {
		f := read(t, text)
		if got := lives(f.Arenas[0]); !slices.Equal(got, want) {
			t.Errorf("%.40s: %q, want %q", text, got, want)
		}
		if f.Arenas[0].Plan != nil || len(f.Notes) != 1 || !strings.Contains(f.Notes[0], "1 blocks were allocated before the trace begins") {
			t.Errorf("%v %q", f.Arenas[0].Plan, f.Notes)
		}
	}
}

// Where ids are addresses, they are the plan, without what nobody ever had.
func TestAddresses(t *testing.T) {
	want := []int64{0, 64, 0, 96}
	for _, text := range []string{
		"alloc,0x1000,64\nalloc,0x1040,32\nfree,0x1000\nalloc,0x1000,16\nalloc,0x8000,8\n",
		"action,size,ADDR\nalloc,64,4096\nalloc,32,4160\nfree,,4096\nalloc,16,4096\nalloc,8,32768\n",
		`{"action":"alloc","addr":4096,"size":64}` + "\n" + `{"action":"alloc","addr":4160,"size":32}` + "\n" + `{"action":"free","addr":4096}` + "\n" +
			`{"action":"alloc","addr":4096,"size":16}` + "\n" + `{"action":"alloc","addr":32768,"size":8}`,
	} {
		if f := read(t, text); f.Arenas[0].Plan == nil || !slices.Equal(f.Arenas[0].Plan.Offsets, want) {
			t.Errorf("%.20s: %v, want %v", text, f.Arenas[0].Plan, want)
		}
	}
	if f := read(t, "alloc,0x1000,64\nalloc,b,32\n"); f.Arenas[0].Plan != nil {
		t.Error(f.Arenas[0].Plan)
	}
	if f := read(t, "alloc,0x7fffffffffffffff,64\n"); f.Arenas[0].Plan != nil {
		t.Error(f.Arenas[0].Plan)
	}
}

// Blocks called alike are told apart from each other, and from those that are
// called so already.
func TestNames(t *testing.T) {
	f := read(t, "alloc,a,1\nfree,a\nalloc,a#2,1\nalloc,a,1\nfree,a\nalloc,a,1\n")
	var ids []string
	for _, b := range f.Arenas[0].Instance.Buffers {
		ids = append(ids, b.ID)
	}
	if want := []string{"a", "a#2", "a#3", "a#4"}; !slices.Equal(ids, want) {
		t.Errorf("%q, want %q", ids, want)
	}
}

func TestFaults(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"alloc,a,1\nalloc,b\n", `t:2: "b": allocated with no size`},
		{"alloc,a,1\nalloc,a,1\n", `t:2: "a": allocated while it is live, since line 1`},
		{"alloc,a,1\nfree,b\n", `t:2: "b": freed while it is not live, and with no size`},
		{"alloc,a,1\nfree,a\nfree,a\n", `t:3: "a": freed while it is not live`},
		{"alloc,a,1\nfree,a\nfree,a,1\n", `t:3: "a": live a second time with no second alloc; the first is on line 1`},
		{"alloc,a,-1\n", `t:1: "a": size "-1" is no number of bytes`},
		{"alloc,a,1.5\nalloc,b,x\n", "t:1: \"a\": size \"1.5\" is no number of bytes\nt:2: \"b\": size \"x\""},
		{"alloc,,1\n", "t:1: no id"},
		{"alloc,a,1\ngrow,a,2\n", `t:2: action "grow": want alloc or free`},
		{"alloc,a,1\n\"", "quote"},
		{"action,id\n", "t:1: no column size or bytes"},
		{"action,id,size\n", "t: no event in it"},
		{`{"action": "alloc", "id": "a", "size": 1}` + "\n{", "t:2: unexpected end"},
		{`{"action": "alloc", "id": "a", "addr": 1, "size": 1}`, "t:1: two keys for id or address"},
		{"alloc,a,9223372036854775807\nalloc,b,9223372036854775807\n", "do not fit in int64"},
	} {
		if _, err := Read([]byte(c.text), "t"); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %q", c.text, err, c.want)
		}
	}
	for _, text := range []string{"", "id,lower,upper,size\na,0,1,1\n", "id,offset\n", "{\n", `{"schema": 1, "tensors": []}`, "alloc", "a,b,c\n"} {
		if Is([]byte(text)) {
			t.Errorf("%q is taken for a trace", text)
		}
	}
}

// million is a trace of so many events, a thousand blocks live at once.
func million(events int) string {
	var text strings.Builder
	for i := range events / 2 {
		fmt.Fprintf(&text, "alloc,%#x,%d\n", 0x7f0000000000+512*i, 512*(1+i%97))
		if i >= 1000 {
			fmt.Fprintf(&text, "free,%#x\n", 0x7f0000000000+512*(i-1000))
		}
	}
	return text.String()
}

// A million events take memory for their buffers and little else: all that is
// ever allocated while they are read is less than five times the file.
func TestMillion(t *testing.T) {
	text := million(1_000_000)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f := read(t, text)
	runtime.ReadMemStats(&after)
	if all := after.TotalAlloc - before.TotalAlloc - uint64(len(text)); all > 5*uint64(len(text)) { // less the text as bytes
		t.Errorf("%d bytes for %d of text", all, len(text))
	}
	if in := f.Arenas[0].Instance; len(in.Buffers) != 500_000 || in.Load() < 1000*512 {
		t.Errorf("%d buffers, load %d", len(in.Buffers), in.Load())
	}
}

func BenchmarkMillion(b *testing.B) {
	text := million(1_000_000)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Read([]byte(text), "t"); err != nil {
			b.Fatal(err)
		}
	}
}

// FuzzRead: no input panics, and what is accepted is valid.
func FuzzRead(f *testing.F) {
	f.Add("alloc,0x1000,64\nalloc,0x1040,32\nfree,0x1000\nalloc,0x1000,16\nfree,c,8\n")
	f.Add("Time,Bytes,stream,op,addr\n1,64,0,malloc,12\n")
	f.Add(`{"action": "alloc", "id": "a", "size": 1}` + "\n" + `{"action": "free", "id": "a"}`)
	f.Fuzz(func(t *testing.T, text string) {
		Is([]byte(text))
		if file, err := Read([]byte(text), "t"); err == nil {
			valid(t, file)
		}
	})
}

func valid(t *testing.T, f *File) {
	t.Helper()
	for _, a := range f.Arenas {
		if err := a.Instance.Validate(); err != nil {
			t.Fatal("accepted but not valid:", err)
		}
		if a.Plan != nil && len(a.Plan.Offsets) != len(a.Instance.Buffers) {
			t.Fatal(a.Plan)
		}
	}
}
