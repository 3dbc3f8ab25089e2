package json

import (
	"io"
	"path/filepath"
	"slices"
	"strings"

	"memplan/model"
	"memplan/model/graph"
)

// A Document is what a file holds: a graph or an instance, the other is nil.
type Document struct {
	Graph    *graph.Graph
	Instance *model.Instance
}

// Read reads a graph or buffers. The file's name is used in messages, and as
// the name of a graph or instance that gives none. Cost: linear in the text,
// but for the validation.
func Read(r io.Reader, file string) (*Document, error) {
	p, err := newParser(r, file)
	if err != nil {
		return nil, err
	}
	name := filepath.Base(file)
	if ext := filepath.Ext(name); strings.EqualFold(ext, ".json") {
		name = strings.TrimSuffix(name, ext)
	}
	g := graphReader{parser: p, g: &graph.Graph{}, dims: make(map[string]int)}
	b := instanceReader{parser: p, in: &model.Instance{}, when: make(map[int]model.When)}
	experiment := false
	var kind string // the first key that only one of the two has
	of := func(k string, members ...member) []member {
		for i := range members {
			read, key := members[i].read, members[i].key
			members[i].read = func() {
				if kind == "" {
					kind = k
				} else if kind != k {
					p.fault("key %q is that of %s, but this is %s", key, k, kind)
				}
				read()
			}
		}
		return members
	}
	p.object("file", slices.Concat(
		[]member{{"schema", p.schema}, {"name", func() { name = p.str("name") }},
			{"instances", func() { experiment = true; p.unknown("file", "instances", nil); p.rest(p.token()) }},
			{"schedule", func() { g.schedule, g.scheduled = p.refs("schedule"), true }}}, // of buffers, where they come from: not looked at
		of("a graph", g.members()...), of("a list of buffers", b.members()...))...)
	p.end()
	g.g.Name, b.in.Name = name, name
	d := &Document{Graph: g.g}
	switch {
	case p.broken:
	case kind == "" && experiment:
		p.faults.At(0, "an experiment, which bench -f runs, and no instance")
	case kind == "":
		p.faults.At(0, "neither a graph (tensors and ops) nor buffers")
	case kind == "a graph":
		g.finish()
	default:
		b.finish()
		d = &Document{Instance: b.in}
	}
	if err := p.faults.Err(); err != nil {
		return nil, err
	}
	return d, nil
}

// An instanceReader reads buffers.
type instanceReader struct {
	*parser
	in    *model.Instance
	lines []int // of each buffer
	ties  []tie
	overs []over
	when  map[int]model.When
}

type tie struct {
	buffer, line int
	to           string
	delta        int64
}

// An over is a pair before all ids are known.
type over struct {
	buffer, line int
	under        string
	distance     int64
	equal        bool
}

func (r *instanceReader) members() []member {
	return []member{
		{"capacity", func() { r.in.Capacity = r.integer("capacity") }},
		{"buffers", func() { r.list("buffers", r.buffer) }},
	}
}

func (r *instanceReader) buffer() {
	var b model.Buffer
	b.Align = 1
	t := tie{buffer: len(r.in.Buffers), line: r.line()}
	var w model.When
	complete := 0
	need := func(read func()) func() { return func() { complete++; read() } }
	r.object("buffer", []member{
		{"id", need(func() { b.ID = r.str("id"); t.line = r.line() })},
		{"lower", need(func() { b.Life.Start, w.Start = r.clock("lower") })},
		{"upper", need(func() { b.Life.End, w.End = r.clock("upper") })},
		{"size", need(func() { b.Size = r.integer("size") })},
		{"alignment", func() { b.Align = r.alignment() }},
		{"offset", func() { offset := r.integer("offset"); b.Offset = &offset }},
		{"gaps", func() { b.Gaps = r.intervals("gaps") }},
		{"exclusive", func() {
			r.dictionary("exclusive", func(group string) { w.Arms = append(w.Arms, model.Arm{Group: group, Name: r.str("arm")}) })
		}},
		{"tie", func() {
			r.object("tie", member{"to", func() { t.to = r.str("to") }}, member{"delta", func() { t.delta = r.integer("delta") }})
			r.ties = append(r.ties, t)
		}},
		{"over", func() { r.list("over", func() { r.overs = append(r.overs, r.over(t.buffer)) }) }},
	}...)
	if complete < 4 && !r.broken {
		r.fault("buffer %q: id, lower, upper and size are needed", b.ID)
	}
	if w.Start != nil || w.End != nil || w.Arms != nil {
		r.when[len(r.in.Buffers)] = w
	}
	r.in.Buffers = append(r.in.Buffers, b)
	r.lines = append(r.lines, t.line)
}

// clock reads a step, or a vector clock: a list of numbers.
func (r *instanceReader) clock(what string) (step int64, clock []int64) {
	if !r.begins('[') {
		return r.integer(what), nil
	}
	clock = []int64{}
	r.list(what, func() { clock = append(clock, r.integer(what)) })
	return 0, clock
}

// over reads {"under": ID, "lead": BYTES} or {"under": ID, "equal": BYTES}.
func (r *instanceReader) over(buffer int) over {
	o := over{buffer: buffer, line: r.line()}
	given := 0
	r.object("over",
		member{"under", func() { o.under = r.str("under") }},
		member{"lead", func() { o.distance = r.integer("lead"); given++ }},
		member{"equal", func() { o.distance, o.equal = r.integer("equal"), true; given++ }})
	if given != 1 && !r.broken {
		r.fault("over %q: either lead or equal is needed", o.under)
	}
	return o
}

// alignment reads an alignment, which 0 is none.
func (p *parser) alignment() int64 {
	align := p.integer("alignment")
	if align < 1 && !p.broken {
		p.fault("alignment %d is below 1", align)
		return 1
	}
	return align
}

// intervals reads a list of [start, end] pairs, half-open.
func (p *parser) intervals(what string) []model.Interval {
	var list []model.Interval
	p.list(what, func() {
		var ends [2]int64
		p.pair(what, func(k int) { ends[k] = p.integer(what) })
		list = append(list, model.Interval{Start: ends[0], End: ends[1]})
	})
	return list
}

// finish resolves the ties and pairs and validates.
func (r *instanceReader) finish() {
	if !r.faults.Empty() {
		return
	}
	find := model.NewFinder(r.in)
	for _, t := range r.ties {
		to, known := find.Buffer(t.to)
		if !known {
			r.faults.At(t.line, "buffer %q: tied to %q, which there is not", r.in.Buffers[t.buffer].ID, t.to)
			continue
		}
		r.in.Buffers[t.buffer].Tie = &model.Tie{To: to, Delta: t.delta}
	}
	for _, o := range r.overs {
		under, known := find.Buffer(o.under)
		if !known {
			r.faults.At(o.line, "buffer %q: over %q, which there is not", r.in.Buffers[o.buffer].ID, o.under)
			continue
		}
		r.in.Pairs = append(r.in.Pairs, model.Pair{Over: o.buffer, Under: under, Distance: o.distance, Equal: o.equal})
	}
	line := func(i int) int { return r.lines[i] }
	if r.faults.Coexist(r.in, r.when, line); r.faults.Empty() || len(r.when) == 0 {
		r.faults.Validate(r.in, line)
	}
}
