package iree

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"memplan/internal/shared"
	"memplan/model"
)

func read(t testing.TB, text string) *File {
	t.Helper()
	f, err := Read(strings.NewReader(text), "f")
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// The figures of three models and of a module, made by iree-base-compiler
// 3.13.0: slices, load, what IREE's plan takes, of the transient slab. Its plan
// in a dump is what replaying its rule gives.
func TestDumps(t *testing.T) {
	for name, want := range map[string]struct {
		slices     int
		load, peak int64
		notes      int
	}{
		"mlp_train.ir.txt":         {18, 1971200, 1986560, 1},
		"squeezenet.ir.txt":        {30, 3928576, 3928576, 0},
		"transformer_infer.ir.txt": {61, 1572864, 1835008, 0},
		"tiny.sched.mlir":          {7, 57344, 73728, 1},
	} {
		f, err := Read(shared.Open(t, "iree/"+name), name)
		if err != nil {
			t.Fatal(err)
		}
		list, notes := f.Found(name)
		if len(list) != 1 || list[0].Plan == nil || len(notes) != want.notes {
			t.Fatalf("%s: %d arenas, %q", name, len(list), notes)
		}
		in := list[0].Instance
		if in.Name != name || len(in.Buffers) != want.slices || in.Load() != want.load || list[0].Plan.Peak(in) != want.peak {
			t.Errorf("%s: %d slices, load %d, plan %d; want %v", in.Name, len(in.Buffers), in.Load(), list[0].Plan.Peak(in), want)
		}
		for k, p := range f.Packs {
			if g := p.greedy(f.Align); !slices.Equal(g.Offsets, f.IREE(k).Offsets) {
				t.Errorf("%s: %s: replayed %v, in the dump %v", name, p.Name(), g.Offsets, f.IREE(k).Offsets)
			}
		}
	}
}

// several has packs of all kinds that a module may hold.
const several = `#a = #stream.resource_config<{min_buffer_offset_alignment = 16 : index, min_buffer_range_alignment = 16}>
#loc1 = loc("a {\" b":1:2)
module attributes {a = "} %5#1 // no comment"} {
  util.initializer {
    %c32 = arith.constant 32 : index loc(#loc1)
    %5:3 = stream.resource.pack slices({[0, 1] = %c32, [1, 1] = %c32}) : index loc(#loc1)
    %r, %t = stream.resource.alloca uninitialized : !stream.resource<transient>{%5#0} => !stream.timepoint
    do.it %5#2, %5#1, %5 : index
    util.return
  }
  util.func public @"quoted } name"(%arg0: index) {
    %c8 = arith.constant 8 : index
    // %5:12 = stream.resource.pack slices({}) : index
    %5:12 = stream.resource.pack on(#hal.device.affinity<@d>) slices({
      [0, 0] = %c8, [0, 0] = %c8, [0, 0] = %c8, [0, 0] = %c8, [0, 0] = %c8, [0, 0] = %c8,
      [0, 0] = %c8, [0, 0] = %c8, [0, 0] = %c8, [0, 0] = %c8, [0, 0] = %c8
    }) : index attributes {x = 1 : i32}
    use %5#1, %5#10, %5#11 {a = "%5#1"} : !stream.resource<external>{%5#0}
    %total, %at = stream.resource.pack slices({ [0, 3] = %c8 }) : index
    use %at : !stream.resource<transient>{%total}
    %9:2 = stream.resource.pack slices({ [0, 3] = %arg0 }) : index
    use %9#1 : !stream.resource<transient>{%9#0}
  }
  util.func private @last() {
    use %5#1 : index
  }
}
{-# dialect_resources: { builtin: { blob: "0x01" } } #-}
`

func TestSeveralPacks(t *testing.T) {
	f := read(t, several)
	type pack struct {
		name, kind string
		slices     int
		why        bool
	}
	want := []pack{{"util.initializer of line 4:6", "transient", 2, false}, {"quoted } name:14", "external", 11, false},
		{"quoted } name:19", "transient", 1, false}, {"quoted } name:21", "transient", 1, true}}
	var got []pack
	for _, p := range f.Packs {
		got = append(got, pack{p.Name(), p.Kind, len(p.Slices), p.Why != ""})
	}
	if !slices.Equal(got, want) || f.Align != 16 {
		t.Errorf("%+v at %d, want %+v", got, f.Align, want)
	}
	if want := "slice 1 has the size %arg0, which is no constant"; f.Packs[3].Why != want {
		t.Errorf("%s, want %s", f.Packs[3].Why, want)
	}
	list, notes := f.Found("m")
	if len(list) != 2 || list[0].Instance.Name != "m/util.initializer of line 4:6" || list[1].Instance.Buffers[0].ID != "%at" || len(notes) != 3 {
		t.Errorf("%+v %q", list, notes)
	}
}

// written has every pack at the ends of a slab of 1,000 bytes and more.
func written(f *File) []Written {
	list := make([]Written, len(f.Packs))
	for k, p := range f.Packs {
		if p.Why == "" {
			list[k] = Written{&model.Plan{Offsets: make([]int64, len(p.Slices))}, 1000 + int64(k)}
			for i := range p.Slices {
				list[k].Plan.Offsets[i] = int64(100*k + i)
			}
		}
	}
	return list
}

// Packs are replaced, and nothing else changes.
func TestWritten(t *testing.T) {
	f := read(t, several)
	plans := written(f)
	got, err := f.Planned(plans)
	if err != nil {
		t.Fatal(err)
	}
	want := strings.NewReplacer(
		`%5:3 = stream.resource.pack slices({[0, 1] = %c32, [1, 1] = %c32}) : index loc(#loc1)`,
		"%memplan0_0 = arith.constant 1000 : index loc(#loc1)\n    %memplan0_1 = arith.constant 0 : index loc(#loc1)\n    %memplan0_2 = arith.constant 1 : index loc(#loc1)",
		`{%5#0} => !stream.timepoint
    do.it %5#2, %5#1, %5 : index`, `{%memplan0_0} => !stream.timepoint
    do.it %memplan0_2, %memplan0_1, %memplan0_0 : index`,
		`use %5#1, %5#10, %5#11 {a = "%5#1"} : !stream.resource<external>{%5#0}`,
		`use %memplan1_1, %memplan1_10, %memplan1_11 {a = "%5#1"} : !stream.resource<external>{%memplan1_0}`,
		`%total, %at = stream.resource.pack slices({ [0, 3] = %c8 }) : index
    use %at : !stream.resource<transient>{%total}`, `%memplan2_0 = arith.constant 1002 : index
    %memplan2_1 = arith.constant 200 : index
    use %memplan2_1 : !stream.resource<transient>{%memplan2_0}`,
	).Replace(several)
	start := strings.Index(want, "    %5:12 = stream.resource.pack on")
	end := strings.Index(want, "x = 1 : i32}\n") + len("x = 1 : i32}\n")
	var constants strings.Builder
	for i := range 12 {
		n := 99 + i
		if i == 0 {
			n = 1001
		}
		fmt.Fprintf(&constants, "    %%memplan1_%d = arith.constant %d : index\n", i, n)
	}
	want = want[:start] + constants.String() + want[end:]
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	placed, err := f.Placed(got)
	if err != nil {
		t.Fatal(err)
	}
	for k := range placed {
		if (placed[k] == nil) != (plans[k].Plan == nil) {
			t.Fatalf("pack %d: %v", k, placed[k])
		}
	}
	if o := placed[0].Offsets; !slices.Equal(o, []int64{0, 1}) {
		t.Errorf("%v", o)
	}
	if o := placed[1].Offsets; o[0] != 100 || o[9] != 109 || o[10] != 110 {
		t.Errorf("%v", o)
	}
	again := read(t, got)
	if len(again.Packs) != 1 || again.Packs[0].Why == "" {
		t.Errorf("%+v", again.Packs)
	}
}

// What was not written by Planned is not taken for it.
func TestPlacedObjects(t *testing.T) {
	f := read(t, several)
	text, err := f.Planned(written(f))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ old, new, want string }{
		{"do.it", "do.that", `"do.that", where line 8 before it has "do.it"`},
		{"%memplan0_2, %memplan0_1, %memplan0_0 :", "%memplan0_2, %memplan0_2, %memplan0_0 :", ""}, // another plan, and read as such
		{"use %memplan2_1", "use %r", "%r is no constant"},
		{"  util.func private @last() {\n    use %5#1 : index\n  }\n", "", "where line"},
	} {
		changed := strings.Replace(text, c.old, c.new, 1)
		if changed == text {
			t.Fatalf("%q is not in the text", c.old)
		}
		placed, err := f.Placed(changed)
		switch {
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%q for %q: %v, want %q", c.new, c.old, err, c.want)
		case c.want == "" && (err != nil || !slices.Equal(placed[0].Offsets, []int64{1, 1})):
			t.Errorf("%q for %q: %v %v", c.new, c.old, placed, err)
		}
	}
}

func TestFaults(t *testing.T) {
	const pack = "util.func @f() {\n  %c1 = arith.constant 1 : index\n  "
	for _, c := range []struct{ text, want string }{
		{"", "f: no stream.resource.pack in it"},
		{"module {}", "expected a module as iree-opt prints it"},
		{"module {", "f:1: a brace that is never closed"},
		{"module {}}", "f:1: a brace that was never opened"},
		{"module {\n \"", "f:2: a quote that is never closed"},
		{pack + `%5:2 = "stream.resource.pack"(%c1)`, "f:3: a stream.resource.pack in the generic form"},
		{pack + "%5:2 = stream.resource.pack [0, 1] = %c1 : index }", "f:3: stream.resource.pack: expected slices({"},
		{pack + "%5:2 = stream.resource.pack slices({[0] = %c1}) : index }", "expected a slice, [FIRST, LAST] = %SIZE"},
		{pack + "%5:2 = stream.resource.pack slices({[0, 1] = %c1 [0, 1] = %c1}) : index }", "expected a comma or }"},
		{pack + "%5:2 = stream.resource.pack slices({[0, 1] = %c1}) : i64 }", "expected ) : index"},
		{pack + "%5:3 = stream.resource.pack slices({[0, 1] = %c1}) : index }", "3 results for a slab of 1 slices"},
		{pack + "%5:9999999999999 = stream.resource.pack slices({[0, 1] = %c1}) : index }", "has 9999999999999 results"},
		{pack + "%5:2 = stream.resource.pack on(x", "a bracket that is never closed"},
		{pack + "%5:2 = stream.resource.pack slices({[0, 1] = %c1}) : index\n use %5#2 }", "f:4: %5#2: the pack of line 3 has no such result"},
		{pack + "%5:2 = stream.resource.pack slices({[0, 1] = %c1}) : index\n %5 = y }", "f:4: %5 is defined a second time"},
		{pack + "%5:2 = stream.resource.pack slices({[0, 1] = %c1}) : index\n %5#1 = arith.constant 3 : index }", "f:4: %5#1 is defined a second time"},
		{"util.func @f() {\n %c1 = arith.constant 1 : index\n use %5#1\n %5:2 = stream.resource.pack slices({[0, 1] = %c1}) : index }",
			"f:3: %5#1 is used before the pack of line 4 makes it: expected the pack first"},
		{header + "Before X: y //\nutil.func @f() { }\n", "no dump of iree-stream-layout-slices in it"},
		{header + "Before X: " + layout + " //\nutil.func @f() { }\n", "none after it follows"},
		{header + "After X: " + layout + " //\nutil.func @f() { }\n", "without one before"},
		{header + "Before X: " + layout + "\n" + header + "After X: " + layout + "\n", "the program has no transient memory"},
	} {
		if _, err := Read(strings.NewReader(c.text), "f"); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %q", c.text, err, c.want)
		}
	}
}

// Packs that cannot be planned are named, and their module is read all the same.
func TestLeftPacks(t *testing.T) {
	for _, c := range []struct{ pack, want string }{
		{"%5:2 = stream.resource.pack slices({[0, 1] = %c2}) : index", "slice 1 has the size %c2, which is no constant"},
		{"%5:2 = stream.resource.pack slices({[3, 1] = %c1}) : index", "slice 1 is used from step 3 to step 1"},
		{"%5:2 = stream.resource.pack offset(%c1) slices({[0, 1] = %c1}) : index", "it begins at an offset that is worked out when the program runs"},
	} {
		f := read(t, "util.func @f() {\n  %c1 = arith.constant 1 : index\n  "+c.pack+"\n}")
		if f.Packs[0].Why != c.want || f.IREE(0) != nil {
			t.Errorf("%s: %q", c.pack, f.Packs[0].Why)
		}
	}
}

// A dump whose text after does not go with the one before gives no plan, and
// says why.
func TestDumpApart(t *testing.T) {
	before := "util.func @f() {\n  %c64 = arith.constant 64 : index\n  %5:3 = stream.resource.pack slices({[0, 1] = %c64, [0, 0] = %c64}) : index\n" +
		"  use %5#2, %5#1 : !stream.resource<transient>{%5#0}\n}\n"
	dump := func(after string) *File {
		return read(t, header+"Before P: "+layout+" //\n"+before+header+"After P: "+layout+" //\n"+after)
	}
	f := dump("util.func @f() {\n  %c = arith.constant 64 : index\n  %d = arith.constant 0 : index\n  %e = arith.constant 128 : index\n" +
		"  use %c, %d : !stream.resource<transient>{%e}\n}\n")
	if list, notes := f.Found("m"); len(list) != 1 || !slices.Equal(list[0].Plan.Offsets, []int64{0, 64}) || len(notes) > 0 {
		t.Errorf("%+v %q", list, notes)
	}
	for after, want := range map[string]string{
		"util.func @f() {\n  use %c, %d : !stream.resource<transient>{%e}\n}\n": "%c is no constant",
		"util.func @g() {\n}\n": `"@g", where line 2 before it has "@f"`,
		"util.func @f() {\n  %c = arith.constant 64 : index\n  use %c : !stream.resource<transient>{%c}\n}\n": `":", where`,
		"util.func @f() {\n  use {": "expected the same text",
	} {
		if list, notes := dump(after).Found("m"); len(list) != 1 || list[0].Plan != nil || len(notes) != 1 || !strings.Contains(notes[0], want) {
			t.Errorf("%q: %+v %q", after, list, notes)
		}
	}
}

// Lines of tens of megabytes, and lists that any operation might begin in: what
// took the square of the length would end the test by its limit.
func TestLongLines(t *testing.T) {
	const n = 1 << 21
	operands := strings.Repeat("%a, ", n)
	text := "util.func @f() {\n  %c64 = arith.constant 64 : index\n  %5:2 = stream.resource.pack slices({[0, 1] = %c64}) : index\n" +
		"  use " + operands + "%5#1 {x = dense<\"0x" + strings.Repeat("00", 20*n) + "\">} : !stream.resource<transient>{%5#0}\n" +
		strings.Repeat("util.initializer {}\n", 1<<16) + "}\n"
	f := read(t, text)
	if got, err := f.Planned(written(f)); err != nil || len(got) < len(text)-100 || !strings.Contains(got, "%a, %memplan0_1 {x") {
		t.Errorf("%v, %d bytes of %d", err, len(got), len(text))
	}
}

// FuzzRead: no input panics. What is accepted can be written and read back, and
// changes only where its packs are.
func FuzzRead(f *testing.F) {
	f.Add(several)
	f.Add(header + "Before P: " + layout + " //\nutil.func @f() { %c = arith.constant 4 : index\n%5:2 = stream.resource.pack slices({[0, 1] = %c}) : index use %5#1 }\n" +
		header + "After P: " + layout + " //\nutil.func @f() { %c = arith.constant 4 : index use %c }\n")
	f.Add("%5, %6 = stream.resource.pack slices({[0, 9223372036854775807] = %5}) : index loc(")
	f.Fuzz(func(t *testing.T, text string) {
		file, err := Read(strings.NewReader(text), "f")
		if err != nil {
			return
		}
		list, _ := file.Found("m")
		for _, a := range list {
			if err := a.Instance.Validate(); err != nil {
				t.Fatal("accepted but not valid:", err)
			}
		}
		if file.Dump {
			return
		}
		plans := written(file)
		out, err := file.Planned(plans)
		if err != nil {
			t.Fatal(err)
		}
		placed, err := file.Placed(out)
		if err != nil {
			t.Fatalf("%v\n%s\n%s", err, text, out)
		}
		for k, p := range placed {
			if (p == nil) != (plans[k].Plan == nil) {
				t.Fatal(k)
			}
			for i := range file.Packs[k].Slices {
				if p != nil && p.Offsets[i] != unused && p.Offsets[i] != plans[k].Plan.Offsets[i] {
					t.Fatalf("%v, want %v", p, plans[k].Plan)
				}
			}
		}
	})
}
