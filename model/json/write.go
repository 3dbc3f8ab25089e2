package json

import (
	"encoding/json"
	"fmt"
	"io"

	"memplan/model"
	"memplan/model/graph"
)

// A graphFile is a graph as Read takes it.
type graphFile struct {
	Schema   int          `json:"schema"`
	Name     string       `json:"name"`
	Dims     dims         `json:"dims,omitempty"`
	Pools    []poolFile   `json:"pools,omitempty"`
	Tensors  []tensorFile `json:"tensors"`
	Ops      []opFile     `json:"ops"`
	Inputs   []string     `json:"inputs,omitempty"`
	Outputs  []string     `json:"outputs,omitempty"`
	Fuse     [][]string   `json:"fuse,omitempty"`
	Schedule []string     `json:"schedule,omitempty"`
}

// dims are written as an object, in their own order.
type dims []graph.Dim

func (d dims) MarshalJSON() ([]byte, error) {
	return object(len(d), func(i int) (string, any) { return d[i].ID, [2]int64{d[i].Min, d[i].Max} })
}

type poolFile struct {
	ID       string     `json:"id"`
	Capacity int64      `json:"capacity,omitempty"`
	Reserved [][2]int64 `json:"reserved,omitempty"`
}

type tensorFile struct {
	ID          string   `json:"id"`
	Bytes       *int64   `json:"bytes,omitempty"`
	DType       string   `json:"dtype,omitempty"`
	Shape       *[]any   `json:"shape,omitempty"`
	Alignment   int64    `json:"alignment,omitempty"`
	AliasOf     string   `json:"alias_of,omitempty"`
	AliasOffset int64    `json:"alias_offset,omitempty"`
	Pool        []string `json:"pool,omitempty"`
	Traffic     int64    `json:"traffic,omitempty"`
	Kind        string   `json:"kind,omitempty"`
}

type opFile struct {
	ID          string      `json:"id"`
	Inputs      []string    `json:"inputs"`
	Outputs     []string    `json:"outputs"`
	InPlace     [][2]string `json:"in_place,omitempty"`
	Overlap     [][3]any    `json:"overlap,omitempty"`
	Accesses    [][]any     `json:"accesses,omitempty"`
	Elementwise bool        `json:"elementwise,omitempty"`
	Layout      string      `json:"layout,omitempty"`
	Scratch     []int64     `json:"scratch,omitempty"`
	After       []string    `json:"after,omitempty"`
}

// typeOf names types of so many bits, for shapes with named dimensions.
var typeOf = map[int64]string{4: "int4", 8: "int8", 16: "int16", 32: "int32", 64: "int64", 128: "complex128"}

// WriteGraph writes a graph on one line, so that Read gives it back. Tensors and
// operators are referred to by their ids: one that is empty, or there twice, is
// an error.
func WriteGraph(w io.Writer, g *graph.Graph) error {
	tensors, err := unique("tensor", len(g.Tensors), func(i int) string { return g.Tensors[i].ID })
	if err != nil {
		return err
	}
	ops, err := unique("operator", len(g.Ops), func(i int) string { return g.Ops[i].ID })
	if err != nil {
		return err
	}
	f := graphFile{Schema: 1, Name: g.Name, Dims: g.Dims, Inputs: tensors(g.Inputs), Outputs: tensors(g.Outputs), Schedule: ops(g.Schedule),
		Tensors: []tensorFile{}, Ops: []opFile{}}
	for _, s := range g.Spaces {
		f.Pools = append(f.Pools, poolFile{s.ID, s.Capacity, pairs(s.Reserved)})
	}
	for _, group := range g.Fuse {
		f.Fuse = append(f.Fuse, ops(group))
	}
	for i := range g.Tensors {
		t, err := tensorOf(g, i, tensors)
		if err != nil {
			return err
		}
		f.Tensors = append(f.Tensors, t)
	}
	for i := range g.Ops {
		o := &g.Ops[i]
		file := opFile{ID: o.ID, Inputs: nonNil(tensors(o.Inputs)), Outputs: nonNil(tensors(o.Outputs)), Elementwise: o.Elementwise,
			Layout: [...]string{"", "concat", "split"}[o.Layout], Scratch: o.Scratch, After: ops(o.After)}
		for _, p := range o.InPlace {
			file.InPlace = append(file.InPlace, [2]string(tensors(p[:])))
		}
		for _, p := range o.Overlap {
			both := tensors([]int{p.Under, p.Over})
			file.Overlap = append(file.Overlap, [3]any{both[0], both[1], p.Bytes})
		}
		for _, a := range o.Accesses {
			file.Accesses = append(file.Accesses, []any{g.Tensors[a.Operand].ID, a.Times, a.Of}[:min(a.Of, 2)+1])
		}
		f.Ops = append(f.Ops, file)
	}
	return encode(w, f)
}

// tensorOf is the tensor i as a file has it.
func tensorOf(g *graph.Graph, i int, ids func([]int) []string) (tensorFile, error) {
	t := &g.Tensors[i]
	file := tensorFile{ID: t.ID, Alignment: t.Align, Traffic: t.Traffic, Kind: [...]string{"", "weight", "variable", "mutable"}[t.Kind]}
	if t.View != nil {
		file.AliasOf, file.AliasOffset = g.Tensors[t.View.Of].ID, t.View.Offset
	}
	for _, s := range t.Spaces {
		file.Pool = append(file.Pool, g.Spaces[s].ID)
	}
	if t.Shape == nil {
		file.Bytes = &t.Bytes
		return file, nil
	}
	file.DType = typeOf[t.Shape.Bits]
	if file.DType == "" {
		return file, fmt.Errorf("tensor %q: no type has %d bits", t.ID, t.Shape.Bits)
	}
	shape := []any{}
	for _, e := range t.Shape.Extents {
		if e.Dim > 0 {
			shape = append(shape, g.Dims[e.Dim-1].ID)
		} else {
			shape = append(shape, e.Size)
		}
	}
	file.Shape = &shape
	return file, nil
}

// unique gives the ids of several, which must tell them apart.
func unique(what string, n int, id func(int) string) (func([]int) []string, error) {
	seen := make(map[string]bool, n)
	for i := range n {
		if id(i) == "" || seen[id(i)] {
			return nil, fmt.Errorf("%s %d: the id %q does not tell it from others", what, i, id(i))
		}
		seen[id(i)] = true
	}
	return func(list []int) (ids []string) {
		for _, i := range list {
			ids = append(ids, id(i))
		}
		return ids
	}, nil
}

// nonNil is a list that is written as one, however short.
func nonNil[T any](list []T) []T { return append([]T{}, list...) }

func pairs(list []model.Interval) (out [][2]int64) {
	for _, in := range list {
		out = append(out, [2]int64{in.Start, in.End})
	}
	return out
}

// A bufferFile is a buffer as Read takes it.
type bufferFile struct {
	ID        string     `json:"id"`
	Lower     int64      `json:"lower"`
	Upper     int64      `json:"upper"`
	Size      int64      `json:"size"`
	Alignment int64      `json:"alignment,omitempty"`
	Offset    *int64     `json:"offset,omitempty"`
	Gaps      [][2]int64 `json:"gaps,omitempty"`
	Tie       *tieFile   `json:"tie,omitempty"`
}

type tieFile struct {
	To    string `json:"to"`
	Delta int64  `json:"delta"`
}

// WriteInstance writes buffers on one line, so that Read gives them back, and the
// order of the operators that they come from, nil where there are none.
func WriteInstance(w io.Writer, in *model.Instance, schedule []string) error {
	f := struct {
		Schema   int          `json:"schema"`
		Name     string       `json:"name"`
		Capacity int64        `json:"capacity,omitempty"`
		Buffers  []bufferFile `json:"buffers"`
		Schedule []string     `json:"schedule,omitempty"`
	}{1, in.Name, in.Capacity, make([]bufferFile, len(in.Buffers)), schedule}
	for i := range in.Buffers {
		b := &in.Buffers[i]
		f.Buffers[i] = bufferFile{ID: b.ID, Lower: b.Life.Start, Upper: b.Life.End, Size: b.Size, Offset: b.Offset, Gaps: pairs(b.Gaps)}
		if b.Align > 1 {
			f.Buffers[i].Alignment = b.Align
		}
		if b.Tie != nil {
			f.Buffers[i].Tie = &tieFile{in.Buffers[b.Tie.To].ID, b.Tie.Delta}
		}
	}
	return encode(w, f)
}

func encode(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}
