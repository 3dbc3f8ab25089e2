package json

import (
	"strings"

	"memplan/model/graph"
)

// A graphReader reads a graph. Names are resolved once all of it is read, since
// the keys come in any order.
type graphReader struct {
	*parser
	g *graph.Graph

	tensors         []rawTensor
	ops             []rawOp
	inputs, outputs []ref
	fuse            [][]ref
	schedule        []ref
	scheduled       bool
	dims            map[string]int // index of each dimension
	largest         []int64        // size of each
}

// A ref is a name, and the line it stands on.
type ref struct {
	name string
	line int
}

// A rawTensor holds a tensor's references before they are resolved.
type rawTensor struct {
	line   int
	base   *ref
	offset int64
	pools  []ref
	dtype  *ref
	shape  []rawExtent
	shaped bool
	sized  bool
}

type rawExtent struct {
	ref
	size int64
}

type rawOp struct {
	line            int
	inputs, outputs []ref
	after           []ref
	inPlace         [][2]ref
	overlap         []rawLead
	accesses        []rawAccess
}

// A rawAccess is an access whose operand is a name.
type rawAccess struct {
	operand   ref
	times, of int64
}

// A rawLead is an overlap whose tensors are names.
type rawLead struct {
	pair  []ref
	bytes int64
}

func (r *graphReader) members() []member {
	return []member{
		{"tensors", func() { r.list("tensors", r.tensor) }},
		{"ops", func() { r.list("ops", r.op) }},
		{"inputs", func() { r.inputs = r.refs("inputs") }},
		{"outputs", func() { r.outputs = r.refs("outputs") }},
		{"fuse", func() { r.list("fuse", func() { r.fuse = append(r.fuse, r.refs("fuse")) }) }},
		{"pools", func() { r.list("pools", r.pool) }},
		{"dims", func() { r.dictionary("dims", r.dim) }},
	}
}

func (p *parser) ref(what string) ref {
	name := p.str(what)
	return ref{name, p.line()}
}

func (p *parser) refs(what string) []ref {
	var list []ref
	p.list(what, func() { list = append(list, p.ref(what)) })
	return list
}

func (r *graphReader) tensor() {
	var t graph.Tensor
	raw := rawTensor{line: r.line()}
	named := false
	r.object("tensor", []member{
		{"id", func() { id := r.ref("id"); t.ID, raw.line, named = id.name, id.line, true }},
		{"bytes", func() { t.Bytes, raw.sized = r.integer("bytes"), true }},
		{"dtype", func() { dtype := r.ref("dtype"); raw.dtype = &dtype }},
		{"shape", func() { raw.shaped = true; r.list("shape", func() { raw.shape = append(raw.shape, r.extent()) }) }},
		{"alignment", func() { t.Align = r.alignment() }},
		{"alias_of", func() { base := r.ref("alias_of"); raw.base = &base }},
		{"alias_offset", func() { raw.offset = r.integer("alias_offset") }},
		{"pool", func() { raw.pools = r.pools() }},
		{"traffic", func() { t.Traffic = r.integer("traffic") }},
		{"kind", func() { t.Kind = graph.Kind(r.choice("kind", "activation", "weight", "variable", "mutable")) }},
	}...)
	if !named && !r.broken {
		r.fault("tensor: no id")
	}
	r.g.Tensors = append(r.g.Tensors, t)
	r.tensors = append(r.tensors, raw)
}

// extent reads a number or the name of a dimension.
func (r *graphReader) extent() rawExtent {
	if name, ok := r.peekString(); ok {
		return rawExtent{ref: ref{name, r.line()}}
	}
	return rawExtent{size: r.integer("shape")}
}

// pools reads one name, or a list of them.
func (r *graphReader) pools() []ref {
	if name, ok := r.peekString(); ok {
		return []ref{{name, r.line()}}
	}
	return r.refs("pool")
}

func (r *graphReader) op() {
	var o graph.Op
	raw := rawOp{line: r.line()}
	named := false
	r.object("op", []member{
		{"id", func() { id := r.ref("id"); o.ID, raw.line, named = id.name, id.line, true }},
		{"inputs", func() { raw.inputs = r.refs("inputs") }},
		{"outputs", func() { raw.outputs = r.refs("outputs") }},
		{"after", func() { raw.after = r.refs("after") }},
		{"in_place", func() {
			r.list("in_place", func() {
				var pair [2]ref
				r.pair("in_place", func(k int) { pair[k] = r.ref("in_place") })
				raw.inPlace = append(raw.inPlace, pair)
			})
		}},
		{"overlap", func() {
			r.list("overlap", func() {
				var lead rawLead
				k := 0
				r.list("overlap", func() {
					if k++; k <= 2 {
						lead.pair = append(lead.pair, r.ref("overlap"))
					} else {
						lead.bytes = r.integer("overlap")
					}
				})
				if k != 3 && !r.broken {
					r.fault("overlap: %d entries; want [input, output, lead]", k)
				}
				raw.overlap = append(raw.overlap, lead)
			})
		}},
		{"accesses", func() { r.list("accesses", func() { raw.accesses = append(raw.accesses, r.access()) }) }},
		{"elementwise", func() { o.Elementwise = r.truth("elementwise") }},
		{"layout", func() { o.Layout = graph.Layout(r.choice("layout", "apart", "concat", "split")) }},
		{"scratch", func() { r.list("scratch", func() { o.Scratch = append(o.Scratch, r.integer("scratch")) }) }},
	}...)
	if !named && !r.broken {
		r.fault("op: no id")
	}
	r.g.Ops = append(r.g.Ops, o)
	r.ops = append(r.ops, raw)
}

// access reads an operand, how often, and of how many times, 1 where it is left
// out.
func (r *graphReader) access() rawAccess {
	a := rawAccess{of: 1}
	k := 0
	r.list("accesses", func() {
		switch k++; k {
		case 1:
			a.operand = r.ref("accesses")
		case 2:
			a.times = r.integer("accesses")
		default:
			a.of = r.integer("accesses")
		}
	})
	if k != 2 && k != 3 && !r.broken {
		r.fault("accesses: %d entries; want [operand, times] or [operand, times, of]", k)
	}
	return a
}

func (r *graphReader) pool() {
	var s graph.Space
	r.object("pool", []member{
		{"id", func() { s.ID = r.str("id") }},
		{"capacity", func() { s.Capacity = r.integer("capacity") }},
		{"reserved", func() { s.Reserved = r.intervals("reserved") }},
	}...)
	r.g.Spaces = append(r.g.Spaces, s)
}

func (r *graphReader) dim(name string) {
	d := graph.Dim{ID: name}
	r.pair("dims", func(k int) {
		if n := r.integer("dims"); k == 0 {
			d.Min = n
		} else {
			d.Max = n
		}
	})
	r.dims[name] = len(r.g.Dims)
	r.g.Dims = append(r.g.Dims, d)
	r.largest = append(r.largest, d.Max)
}

// finish resolves all names and validates the graph.
func (r *graphReader) finish() {
	tensors := r.index("tensor", len(r.g.Tensors), func(i int) (string, int) { return r.g.Tensors[i].ID, r.tensors[i].line })
	ops := r.index("op", len(r.g.Ops), func(i int) (string, int) { return r.g.Ops[i].ID, r.ops[i].line })
	pools := make(map[string]int)
	for i, s := range r.g.Spaces {
		pools[s.ID] = i
	}
	for i := range r.g.Tensors {
		r.resolveTensor(i, tensors, pools)
	}
	for i := range r.g.Ops {
		o, raw := &r.g.Ops[i], &r.ops[i]
		what := "op " + quote(o.ID)
		o.Inputs = r.resolve(what, raw.inputs, tensors, "tensor")
		o.Outputs = r.resolve(what, raw.outputs, tensors, "tensor")
		o.After = r.resolve(what, raw.after, ops, "op")
		for _, pair := range raw.inPlace {
			if both := r.resolve(what, pair[:], tensors, "tensor"); len(both) == 2 {
				o.InPlace = append(o.InPlace, [2]int(both))
			}
		}
		for _, a := range raw.accesses {
			if a.operand.line == 0 {
				continue // a fault already
			}
			if t := r.resolve(what, []ref{a.operand}, tensors, "tensor"); len(t) == 1 {
				o.Accesses = append(o.Accesses, graph.Access{Operand: t[0], Times: a.times, Of: a.of})
			}
		}
		for _, lead := range raw.overlap {
			if both := r.resolve(what, lead.pair, tensors, "tensor"); len(both) == 2 {
				o.Overlap = append(o.Overlap, graph.Lead{Under: both[0], Over: both[1], Bytes: lead.bytes})
			}
		}
	}
	r.g.Inputs = r.resolve("inputs", r.inputs, tensors, "tensor")
	r.g.Outputs = r.resolve("outputs", r.outputs, tensors, "tensor")
	for _, group := range r.fuse {
		r.g.Fuse = append(r.g.Fuse, r.resolve("fuse", group, ops, "op"))
	}
	if r.scheduled {
		r.g.Schedule = append([]int{}, r.resolve("schedule", r.schedule, ops, "op")...)
	}
	if r.faults.Empty() {
		r.g.Report(&r.faults, func(t int) int { return r.tensors[t].line }, func(o int) int { return r.ops[o].line })
	}
}

// index finds what has an id by it, and reports ids that come twice.
func (r *graphReader) index(what string, n int, of func(i int) (id string, line int)) map[string]int {
	index := make(map[string]int, n)
	for i := range n {
		id, line := of(i)
		if before, seen := index[id]; seen {
			_, first := of(before)
			r.faults.At(line, "%s %q: duplicate id; line %d has it too", what, id, first)
			continue
		}
		index[id] = i
	}
	return index
}

// resolve looks names up; those that are not there are faults.
func (r *graphReader) resolve(what string, refs []ref, index map[string]int, kind string) []int {
	var list []int
	for _, ref := range refs {
		if i, known := index[ref.name]; known {
			list = append(list, i)
		} else {
			r.faults.At(ref.line, "%s: there is no %s %q", what, kind, ref.name)
		}
	}
	return list
}

func (r *graphReader) resolveTensor(i int, tensors, pools map[string]int) {
	t, raw := &r.g.Tensors[i], &r.tensors[i]
	what := "tensor " + quote(t.ID)
	if raw.base != nil {
		if of := r.resolve(what, []ref{*raw.base}, tensors, "tensor"); len(of) == 1 {
			t.View = &graph.View{Of: of[0], Offset: raw.offset}
		}
	} else if raw.offset != 0 {
		r.faults.At(raw.line, "%s: alias_offset without alias_of", what)
	}
	t.Spaces = r.resolve(what, raw.pools, pools, "pool")
	switch shaped := raw.dtype != nil && raw.shaped; {
	case raw.sized && (raw.dtype != nil || raw.shaped):
		r.faults.At(raw.line, "%s: both bytes, and dtype or shape", what)
	case shaped:
		r.resolveShape(i, what)
	case !raw.sized:
		r.faults.At(raw.line, "%s: neither bytes, nor dtype and shape", what)
	}
}

func (r *graphReader) resolveShape(i int, what string) {
	t, raw := &r.g.Tensors[i], &r.tensors[i]
	shape := &graph.Shape{Bits: graph.ElementBits(strings.ToLower(raw.dtype.name))}
	if shape.Bits == 0 {
		r.faults.At(raw.dtype.line, "%s: dtype %q has no size that is known", what, raw.dtype.name)
		return
	}
	for _, e := range raw.shape {
		if e.line == 0 {
			shape.Extents = append(shape.Extents, graph.Extent{Size: e.size})
		} else if d, known := r.dims[e.name]; known {
			shape.Extents = append(shape.Extents, graph.Extent{Dim: d + 1})
		} else {
			r.faults.At(e.line, "%s: dimension %q is not in dims: give its range", what, e.name)
			return
		}
	}
	bytes, err := shape.Bytes(r.largest)
	if err != nil {
		r.faults.At(raw.line, "%s: %v", what, err)
		return
	}
	t.Bytes, t.Shape = bytes, shape
}
