package pte

import (
	"encoding/csv"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"

	"memplan/internal/shared"
	"memplan/model"
	"memplan/model/graph"
)

// An entry is what INDEX.csv says of a program.
type entry struct {
	file                  string
	tensors               int
	now, optimum, padding int64
}

func index(t *testing.T) []entry {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(string(shared.Read(t, "pte/INDEX.csv")))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	number := func(text string) int64 { n, _ := strconv.ParseInt(text, 10, 64); return n }
	var list []entry
	for _, row := range rows[1:] {
		list = append(list, entry{file: row[0], tensors: int(number(row[1])), now: number(row[2]), optimum: number(row[3]), padding: number(row[4])})
	}
	return list
}

// phantoms are tensors that the exporter plans and the program does not hold:
// one for each buffer that is changed, at the last step.
var phantoms = map[string]int{"slim_decoder.pte": 4}

// Every program has the tensors, the arena and the optimum that the index says,
// but for phantoms. The optimum is the load, padding included.
func TestIndex(t *testing.T) {
	for _, e := range index(t) {
		p := mustRead(t, shared.Read(t, path.Join("pte", e.file)))
		if got := p.Methods[0].Memories[1].Size; got != e.now {
			t.Errorf("%s: %d bytes, want %d", e.file, got, e.now)
		}
		a, err := p.Arenas(0)
		if e.optimum == 0 {
			if err == nil || !strings.Contains(err.Error(), "instruction 3 jumps") {
				t.Errorf("%s: %v", e.file, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", e.file, err)
			continue
		}
		in := lower(t, a, graph.LowerOptions{}).Arenas[0]
		if got := len(in.Buffers) + phantoms[e.file]; got != e.tensors {
			t.Errorf("%s: %d tensors, want %d", e.file, got, e.tensors)
		}
		if _, _, _, padding := a.Memory(0); in.Load()+padding != e.optimum || padding != e.padding {
			t.Errorf("%s: load %d and padding %d, want %d and %d in all", e.file, in.Load(), padding, e.optimum, e.padding)
		}
	}
}

// With all offsets 0 no program's plan holds, and both tensors are named.
func TestAllZero(t *testing.T) {
	for _, e := range index(t) {
		old := mustRead(t, shared.Read(t, path.Join("pte", e.file)))
		if old.Methods[0].straight() != nil {
			continue
		}
		p := with(t, old, planned(t, old, func(int, int, *model.Buffer) int64 { return 0 }))
		_, err := p.Arenas(0)
		if err == nil || !strings.Contains(err.Error(), "plan does not hold") || strings.Count(err.Error(), "value") < 2 {
			t.Errorf("%s: %v", e.file, err)
		}
		if err := p.Same(old, old.Unchanged()); err == nil {
			t.Errorf("%s: is the same program", e.file)
		}
	}
}

// Programs are read from front to back alike whatever is behind them.
func TestTail(t *testing.T) {
	data := shared.Read(t, "pte/slim_resnet.pte")
	p, q := mustRead(t, data), mustRead(t, slices.Concat(data, []byte("more")))
	if p.flat != q.flat || len(q.behind()) != len(p.behind())+4 {
		t.Errorf("%d and %d bytes behind", len(p.behind()), len(q.behind()))
	}
}
