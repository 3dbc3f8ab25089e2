package iree

import (
	"strconv"
	"strings"
)

// A walker goes through a text's tokens and knows the constants in force. It
// passes over the definitions of constants; packs are handed out whole.
type walker struct {
	lexer
	regions   []region
	function  string // the last one begun
	naming    bool   // its name is to come
	failed    int    // no definition begins before
	alignment int64  // the largest that the text gives; 0: none
	counted   int    // position up to which lines are counted
	lines     int    // ends of lines before it
}

// outside is where the region opens that everything is in.
const outside = -1

// A region is what stands in braces.
type region struct {
	open      int // position of its brace
	constants map[string]int64
}

func newWalker(source string) *walker {
	return &walker{lexer: lexer{text: source}, regions: []region{{open: outside}}}
}

// step is the next token, or a pack that begins there.
func (w *walker) step() (token, *Pack, error) {
	for {
		t, err := w.next()
		if err != nil {
			return t, nil, at(w.text, t.start, "%w", err)
		}
		switch t.kind {
		case value:
			if t.start < w.failed {
				return t, nil, nil
			}
			pack, defined, err := w.definition(t)
			if err != nil || pack != nil || !defined {
				return t, pack, err
			}
			continue
		case other:
			return t, nil, w.brace(t)
		case word:
			w.learn(t)
		case symbol:
			if w.naming {
				w.function, w.naming = w.of(t), false
			}
		case text:
			if w.of(t) == `"stream.resource.pack"` {
				return t, nil, at(w.text, t.start, "a stream.resource.pack in the generic form: memplan reads the pretty one, as IREE 3.13 prints it")
			}
		}
		return t, nil, nil
	}
}

// line is the number of the line that pos, never before the last asked for, is on.
func (w *walker) line(pos int) int {
	w.lines += strings.Count(w.text[w.counted:pos], "\n")
	w.counted = pos
	return w.lines + 1
}

// brace keeps the regions.
func (w *walker) brace(t token) error {
	switch w.text[t.start] {
	case '{':
		w.regions = append(w.regions, region{open: t.start})
	case '}':
		if len(w.regions) == 1 {
			return at(w.text, t.start, "a brace that was never opened")
		}
		w.regions = w.regions[:len(w.regions)-1]
	}
	return nil
}

// learn takes from a word what it tells.
func (w *walker) learn(t token) {
	switch w.of(t) {
	case "util.func", "func.func":
		w.naming = true
	case "util.initializer":
		w.function, w.naming = "util.initializer of line "+strconv.Itoa(w.line(t.start)), false
	case "min_buffer_offset_alignment":
		ahead := w.lexer
		if ahead.is("=") {
			if n, ok := ahead.number(); ok {
				w.alignment = max(w.alignment, n)
			}
		}
	}
}

// constant is a value's number, where it is known.
func (w *walker) constant(name string) (int64, bool) {
	for k := len(w.regions) - 1; k >= 0; k-- {
		if n, ok := w.regions[k].constants[name]; ok {
			return n, true
		}
	}
	return 0, false
}

// A result is a name that an operation gives to one of its results or to
// several.
type result struct {
	name  string
	count int64
}

// definition reads what defines the value t, where that is a constant or a
// pack; else it goes nowhere.
func (w *walker) definition(t token) (p *Pack, defined bool, err error) {
	ahead := *w
	results, ok := ahead.results(t)
	if !ok {
		w.failed = ahead.pos
		return nil, false, nil
	}
	switch {
	case ahead.is("arith.constant") && len(results) == 1:
		n, ok := ahead.number()
		if !ok || !ahead.is(":") || !ahead.is("index") {
			return nil, false, nil
		}
		if _, err := ahead.location(); err != nil {
			return nil, false, at(w.text, t.start, "%w", err)
		}
		here := &w.regions[len(w.regions)-1]
		if here.constants == nil {
			here.constants = make(map[string]int64)
		}
		here.constants[results[0].name] = n
	case ahead.is("stream.resource.pack"):
		if p, err = ahead.pack(t.start, results); err != nil {
			return nil, false, err
		}
	default:
		return nil, false, nil
	}
	w.pos = ahead.pos
	return p, true, nil
}

// results reads the names before an operation's equals sign, the first of which
// has been read.
func (w *walker) results(t token) (list []result, ok bool) {
	for {
		r := result{w.of(t), 1}
		if strings.Contains(r.name, "#") {
			return nil, false
		}
		if w.is(":") {
			if r.count, ok = w.number(); !ok {
				return nil, false
			}
		}
		list = append(list, r)
		if w.is("=") {
			return list, true
		}
		if !w.is(",") {
			return nil, false
		}
		var err error
		if t, err = w.next(); err != nil || t.kind != value {
			return nil, false
		}
	}
}

// defines reports whether the value t, which has been read, stands where an
// operation names its results.
func (w *walker) defines(t token) bool {
	ahead := *w
	if strings.Contains(w.of(t), "#") {
		return ahead.is("=")
	}
	if t.start < w.failed {
		return false
	}
	_, ok := ahead.results(t)
	if !ok {
		w.failed = ahead.pos
	}
	return ok
}

// location goes past the location that may stand behind an operation, and gives
// its text.
func (w *walker) location() (string, error) {
	before := w.lexer
	if !w.is("loc") {
		return "", nil
	}
	start := w.pos - len("loc")
	if ahead := w.lexer; !ahead.is("(") {
		w.lexer = before
		return "", nil
	}
	if err := w.brackets(); err != nil {
		return "", err
	}
	return " " + w.text[start:w.pos], nil
}
