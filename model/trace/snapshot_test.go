package trace

import (
	"encoding/binary"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"memplan/internal/shared"
)

// A pickler writes pickles of protocol 4 by hand.
type pickler struct{ strings.Builder }

type pairs []any // key, value, key, value

func (p *pickler) put(v any) {
	switch v := v.(type) {
	case string:
		p.WriteString(string([]byte{opShortText, byte(len(v))}) + v + string([]byte{opMemoize}))
	case int:
		b := binary.LittleEndian.AppendUint64([]byte{opLong1, 8}, uint64(v))
		p.Write(b)
	case []any:
		p.Write([]byte{opEmptyList, opMemoize, opMark})
		for _, item := range v {
			p.put(item)
		}
		p.WriteByte(opAppends)
	case pairs:
		p.Write([]byte{opEmptyDict, opMemoize, opMark})
		for _, item := range v {
			p.put(item)
		}
		p.WriteByte(opSetItems)
	}
}

func pickled(v any) string {
	var p pickler
	p.Write([]byte{opProto, 4})
	p.put(v)
	p.WriteByte(opStop)
	return p.String()
}

func happens(action string, addr, size int) pairs {
	return pairs{"action", action, "addr", addr, "size", size, "stream", 0, "frames", []any{pairs{"name", "f"}}}
}

func block(size int, state string) pairs { return pairs{"size", size, "state", state} }

// small is a snapshot of two devices, the second idle, in which one block is
// older than the trace, and one is not freed yet.
var small = pairs{
	"segments", []any{
		pairs{"address", 0x10000, "total_size", 8192, "device", 0, "stream", 0, "blocks", []any{
			block(1024, "active_allocated"), block(512, "active_pending_free"), block(512, "inactive"), block(6144, "inactive")}},
		pairs{"address", 0x90000, "total_size", 4096, "device", 0, "blocks", []any{block(4096, "active_allocated")}},
		pairs{"address", 0x10000, "total_size", 512, "device", 1, "blocks", []any{}},
	},
	"device_traces", []any{[]any{
		happens("segment_alloc", 0x10000, 8192),
		happens("alloc", 0x10000, 1000),
		happens("alloc", 0x10400, 1),
		happens("alloc", 0x10600, 512),
		happens("free_requested", 0x10400, 1),
		happens("free_requested", 0x10600, 512),
		happens("free_completed", 0x10600, 512),
		happens("snapshot", 0, 0),
		happens("segment_alloc", 0x50000, 2048),
		happens("alloc", 0x50000, 2048),
		happens("free_completed", 0x50000, 2048),
		happens("segment_free", 0x50000, 2048),
		happens("free_completed", 0x10800, 700),
	}, []any{}},
	"allocator_settings", pairs{"x", []any{}},
}

func snapshotOf(t testing.TB, data string) (*File, error) {
	t.Helper()
	if !IsSnapshot([]byte(data)) {
		t.Fatalf("not taken for a pickle: %.20q", data)
	}
	return ReadSnapshot([]byte(data), "s")
}

func TestSnapshot(t *testing.T) {
	f, err := snapshotOf(t, pickled(small))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"0x10000 1024 [0,2)", "0x10400 512 [0,2)", "0x10600 512 [0,1)", "0x50000 2048 [1,2)", "0x10800 1024 [0,2)", "0x90000 4096 [0,2)"}
	if len(f.Arenas) != 1 || f.Arenas[0].Instance.Name != "s/device 0" || !slices.Equal(lives(f.Arenas[0]), want) {
		t.Errorf("%q, want %q", lives(f.Arenas[0]), want)
	}
	if want := []int64{0, 1024, 1536, 8192, 2048, 10240}; !slices.Equal(f.Arenas[0].Plan.Offsets, want) {
		t.Errorf("plan %v, want %v", f.Arenas[0].Plan.Offsets, want)
	}
	notes := []string{"s/device 0: 2 blocks were allocated before the trace begins: they live from its start", "s/device 0: at the end 12288 bytes are reserved in 2 segments"}
	if !slices.Equal(f.Notes, notes) {
		t.Errorf("%q", f.Notes)
	}
}

// Python's own pickles of every protocol from 2 on are read, and all that could
// run something is refused.
func TestPythonsPickles(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		shared.Missing(t, "there is no python3")
	}
	dump := func(script string) string {
		t.Helper()
		out, err := exec.Command(python, "-c", "import pickle,sys,collections,datetime\n"+script).Output()
		if err != nil {
			t.Fatal(err)
		}
		return string(out)
	}
	const root = `
names = ['alloc', 'free_completed']
frame = {'name': 'f' * 300, 'line': -7, 'deep': [None, True, False, 1.5, 10**30, -10**30, (), (1,), (1, 2), (1, 2, 3), (1, 2, 3, 4)]}
def event(k, addr, size): return {'action': names[k], 'addr': addr, 'size': size, 'frames': [frame, frame], 'time_us': 1 << 50}
base = 0x7f0123456000
root = {'device_traces': [[event(0, base + 4096 * i, 512 * i + 1) for i in range(2000)] + [event(1, base + 4096 * i, 512 * i + 1) for i in range(1000)]],
        'segments': [{'address': base, 'total_size': 1 << 24, 'device': 0, 'blocks': []}]}
`
	for _, protocol := range []string{"2", "3", "4", "5"} {
		f, err := snapshotOf(t, dump(root+"sys.stdout.buffer.write(pickle.dumps(root, "+protocol+"))"))
		if err != nil {
			t.Fatalf("protocol %s: %v", protocol, err)
		}
		in := f.Arenas[0].Instance
		if len(in.Buffers) != 2000 || in.Buffers[1999].Size != 512*2000 || in.Buffers[1999].ID != "0x7f0123c25000" || f.Arenas[0].Plan == nil {
			t.Errorf("protocol %s: %d buffers, %+v", protocol, len(in.Buffers), in.Buffers[len(in.Buffers)-1])
		}
	}
	for object, want := range map[string]string{
		"print":                                 "GLOBAL",
		"datetime.date(2020, 1, 1)":             "GLOBAL",
		"collections.OrderedDict(a=1)":          "GLOBAL",
		"[1, 2, collections.Counter('a')]":      "GLOBAL",
		"{1, 2}":                                "opcode 0x8f",
		"b'bytes'":                              "opcode 0x43",
		"{'device_traces': 1}":                  "no device_traces",
		"[]":                                    "no device_traces",
		"{'device_traces': [], 'segments': []}": "no alloc in any of its 0 traces",
	} {
		_, err := snapshotOf(t, dump("sys.stdout.buffer.write(pickle.dumps("+object+", 4))"))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", object, err, want)
		}
	}
}

// Every opcode that could run something is refused by its name.
func TestRefused(t *testing.T) {
	for op, name := range runs {
		_, err := snapshotOf(t, "\x80\x04]"+string([]byte{op})+"os\nsystem\n.")
		if err == nil || !strings.Contains(err.Error(), "opcode "+name+", which could run something") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestPickleFaults(t *testing.T) {
	for _, c := range []struct{ data, want string }{
		{"\x80\x04N", "the pickle has no end"},
		{"\x80\x04.", "leaves 0 values"},
		{"\x80\x04N.x", "1 bytes behind the pickle's end"},
		{"\x80\x04J\x01", "ends within an opcode"},
		{"\x80\x04X\xff\xff\xff\xff.", "4294967295 bytes, where 1 are left"},
		{"\x80\x04\x8d\xff\xff\xff\xff\xff\xff\xff\xff.", "18446744073709551615 bytes, where 1 are left"},
		{"\x80\x04h\x07.", "no memoized value 7"},
		{"\x80\x04\x94.", "nothing to memoize"},
		{"\x80\x04]\x94q\x01.", "memoized in two ways"},
		{"\x80\x04u.", "there is no mark"},
		{"\x80\x04(N\x85u.", "no container below"},
		{"\x80\x04]NNs.", "no container below"},
		{"\x80\x04](N]u.", "no container below"},
		{"\x80\x04}(Nu.", "a key without a value"},
		{"\x80\x04N(\x85.", "too few values for a tuple"},
		{"\x80\x04t.", "there is no mark"},
		{"\x80\x04\x80\x06N.", "protocol 6"},
		{"\x80\x04" + strings.Repeat("N", maxStack+1) + ".", "too many values at once"},
		{"\x80\x04" + strings.Repeat("(", maxStack+1) + ".", "too many marks at once"},
		{"\x80\x04" + strings.Repeat("]", 1<<19) + ".", "it builds more than a file of this length should"},
		{"\x80\x04](" + strings.Repeat("K\x01", 1) + "e" + strings.Repeat("h\x00", 10) + ".", "no memoized value 0"},
		{pickled(pairs{"device_traces", []any{[]any{happens("alloc", 4096, 1), happens("alloc", 4096, 1)}}}), "event 2 of device 0: 0x1000 is allocated a second time"},
		{pickled(pairs{"device_traces", []any{[]any{happens("alloc", 4096, 1), happens("free_completed", 4096, 1), happens("free_completed", 4096, 1)}}}), `s:3: "0x1000": live a second time with no second alloc; the first is on line 1`},
		{pickled(pairs{"device_traces", []any{[]any{happens("alloc", -4096, 1)}}}), "it has no address and size"},
		{pickled(pairs{"device_traces", []any{[]any{pairs{"addr", 1}}}}), "it has no action"},
		{pickled(pairs{"device_traces", []any{[]any{happens("segment_alloc", 1<<62, 1<<62)}}}), "do not fit in int64"},
		{pickled(pairs{"segments", []any{pairs{"address", 1}}, "device_traces", []any{[]any{happens("alloc", 1, 1)}}}), "it has no address and total_size"},
		{pickled(pairs{"segments", []any{pairs{"address", 1, "total_size", 1, "blocks", []any{pairs{}}}}, "device_traces", []any{[]any{}}}), "has no size"},
	} {
		if _, err := snapshotOf(t, c.data); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.40q: %v, want %q", c.data, err, c.want)
		}
	}
}

// A list may hold itself: nothing goes round in it.
func TestLoop(t *testing.T) {
	if _, err := snapshotOf(t, "\x80\x04]\x94h\x00a."); err == nil || !strings.Contains(err.Error(), "no device_traces") {
		t.Error(err)
	}
}

// FuzzSnapshot: no input panics, and what is accepted is valid.
func FuzzSnapshot(f *testing.F) {
	f.Add([]byte(pickled(small)))
	f.Add([]byte("\x80\x02]q\x00(h\x00)\x85\x86\x87tNe\x88\x89G12345678J1234M12\x8a\x0212\x8b\x00\x00\x00\x00X\x01\x00\x00\x00a}(NNus."))
	f.Fuzz(func(t *testing.T, data []byte) {
		if file, err := ReadSnapshot(data, "s"); err == nil {
			valid(t, file)
		}
	})
}
