package iree

import (
	"fmt"
	"math"
	"strings"

	"memplan/model"
)

// A Pack is one stream.resource.pack: slices in one slab.
type Pack struct {
	Function string // that it is in, as the text names it
	Line     int
	Kind     string // transient, external, ...: of the slab, "" where the text does not say
	Why      string // its sizes are not known, or its place is not: why; "" otherwise
	Slices   []Slice

	results    []result
	start, end int    // of its text
	region     int    // the brace that opens the region that it is in
	location   string // behind it, as it stands there
}

// A Slice is a part of the slab.
type Slice struct {
	First, Last int64 // steps, both included
	Size        int64 // bytes

	size string // as it stands in the text
}

// pack reads a pack from behind its name; start and results are of its text.
func (w *walker) pack(start int, results []result) (*Pack, error) {
	p := &Pack{Function: w.function, Line: w.line(start), results: results, start: start, region: w.regions[len(w.regions)-1].open}
	expected := func(what string) error {
		return at(w.text, w.pos, "stream.resource.pack: expected %s, as IREE 3.13 prints it", what)
	}
	if w.is("on") {
		if err := w.brackets(); err != nil {
			return nil, at(w.text, start, "%w", err)
		}
	}
	if w.is("offset") {
		if err := w.brackets(); err != nil {
			return nil, at(w.text, start, "%w", err)
		}
		p.Why = "it begins at an offset that is worked out when the program runs"
	}
	if !w.is("slices") || !w.is("(") || !w.is("{") {
		return nil, expected("slices({")
	}
	for !w.is("}") {
		if len(p.Slices) > 0 && !w.is(",") {
			return nil, expected("a comma or } behind a slice")
		}
		s, ok := w.slice()
		if !ok {
			return nil, expected("a slice, [FIRST, LAST] = %SIZE")
		}
		p.add(w, s)
	}
	if !w.is(")") || !w.is(":") || !w.is("index") {
		return nil, expected(") : index")
	}
	var err error
	if w.is("attributes") {
		if err = w.brackets(); err != nil {
			return nil, at(w.text, start, "%w", err)
		}
	}
	if p.location, err = w.location(); err != nil {
		return nil, at(w.text, start, "%w", err)
	}
	p.end = w.pos
	return p, p.count(w.text)
}

// slice reads one slice.
func (w *walker) slice() (s Slice, ok bool) {
	if !w.is("[") {
		return s, false
	}
	if s.First, ok = w.number(); !ok || !w.is(",") {
		return s, false
	}
	if s.Last, ok = w.number(); !ok || !w.is("]") || !w.is("=") {
		return s, false
	}
	s.size, ok = w.value()
	return s, ok
}

// add adds a slice; the walker knows the constants.
func (p *Pack) add(w *walker, s Slice) {
	var known bool
	s.Size, known = w.constant(s.size)
	switch {
	case p.Why != "":
	case !known:
		p.Why = fmt.Sprintf("slice %d has the size %s, which is no constant", len(p.Slices)+1, s.size)
	case s.Last < s.First || s.Last == math.MaxInt64:
		p.Why = fmt.Sprintf("slice %d is used from step %d to step %d", len(p.Slices)+1, s.First, s.Last)
	}
	p.Slices = append(p.Slices, s)
}

// count checks that there is a result for the slab, and one a slice.
func (p *Pack) count(source string) error {
	results := int64(0)
	for _, r := range p.results {
		if r.count > int64(len(source)) {
			return at(source, p.start, "%s has %d results", r.name, r.count)
		}
		results += r.count
	}
	if results != int64(len(p.Slices))+1 {
		return at(source, p.start, "%d results for a slab of %d slices: expected one for the slab's size and one a slice", results, len(p.Slices))
	}
	return nil
}

// result is which result of the pack a value is; false where it is none.
func (p *Pack) result(name string, number int64) (int64, bool) {
	from := int64(0)
	for _, r := range p.results {
		if r.name == name {
			return from + number, number < r.count
		}
		from += r.count
	}
	return 0, false
}

// Name is what the pack is called in reports.
func (p *Pack) Name() string { return fmt.Sprintf("%s:%d", strings.Trim(p.Function, `@"`), p.Line) }

// id is what a slice's buffer is called: as the text calls its offset.
func (p *Pack) id(slice int) string {
	at := int64(slice) + 1
	for _, r := range p.results {
		if at < r.count {
			if r.count == 1 {
				return r.name
			}
			return fmt.Sprintf("%s#%d", r.name, at)
		}
		at -= r.count
	}
	return ""
}

// Instance is the pack as buffers to place at multiples of an alignment, in the
// order of its slices; their sizes as they are, or as IREE reserves them,
// rounded up to the alignment. An error where it has none: see Why.
func (p *Pack) Instance(name string, align int64, rounded bool) (*model.Instance, error) {
	if p.Why != "" {
		return nil, fmt.Errorf("%s: %s", p.Name(), p.Why)
	}
	in := &model.Instance{Name: name, Buffers: make([]model.Buffer, len(p.Slices))}
	for i, s := range p.Slices {
		size := s.Size
		if rounded {
			var ok bool
			if size, ok = model.AlignUp(size, align); !ok {
				return nil, fmt.Errorf("%s: slice %d does not fit in int64", p.Name(), i+1)
			}
		}
		in.Buffers[i] = model.Buffer{ID: p.id(i), Life: model.Interval{Start: s.First, End: s.Last + 1}, Size: size, Align: align}
	}
	if err := in.Validate(); err != nil {
		return nil, fmt.Errorf("%s: %w", p.Name(), err)
	}
	return in, nil
}
