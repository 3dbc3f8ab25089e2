package json

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"memplan/model"
)

// A parser goes through one JSON text, value by value, and collects faults.
// Nothing recurses on the text's depth. After a fault of syntax every value
// reads as zero and every list as ended.
type parser struct {
	dec    *json.Decoder
	text   []byte
	faults model.Faults
	broken bool

	counted, lines int // the line feeds before text[counted]
}

func newParser(r io.Reader, file string) (*parser, error) {
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	p := &parser{dec: json.NewDecoder(bytes.NewReader(text)), text: text, faults: model.Faults{File: file}}
	p.dec.UseNumber()
	if !utf8.Valid(text) {
		p.faults.At(0, "not UTF-8")
	}
	if at := halfSurrogate(text); at >= 0 {
		p.faults.At(1+bytes.Count(text[:at], []byte("\n")), "half of a surrogate pair")
	}
	return p, p.faults.Err()
}

// halfSurrogate is the index of the first \u escape that stands for half a
// character, -1 without one. encoding/json reads all of them as U+FFFD, which
// would make two names one.
func halfSurrogate(text []byte) int {
	escape := func(at int) rune {
		if at+6 > len(text) || text[at] != '\\' || text[at+1] != 'u' {
			return 0
		}
		r, _ := strconv.ParseUint(string(text[at+2:at+6]), 16, 16)
		return rune(r)
	}
	for at := 0; at < len(text); at++ {
		if text[at] != '\\' {
			continue
		}
		r := escape(at)
		if utf16.IsSurrogate(r) {
			if utf16.DecodeRune(r, escape(at+6)) == utf8.RuneError {
				return at
			}
			at += 6
		}
		at++
	}
	return -1
}

// line is that of the last token read.
func (p *parser) line() int {
	at := min(int(p.dec.InputOffset()), len(p.text))
	p.lines += bytes.Count(p.text[p.counted:at], []byte("\n"))
	p.counted = at
	return p.lines + 1
}

func (p *parser) fault(format string, args ...any) { p.faults.At(p.line(), format, args...) }

// token reads the next token; nil after a fault of syntax.
func (p *parser) token() json.Token {
	if p.broken {
		return nil
	}
	tok, err := p.dec.Token()
	if err == nil {
		return tok
	}
	p.broken = true
	at := len(p.text)
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		at = min(int(syntax.Offset), at)
	}
	if errors.Is(err, io.EOF) {
		err = errors.New("the text ends too soon")
	}
	p.faults.At(1+bytes.Count(p.text[:at], []byte("\n")), "not JSON: %v", err)
	return nil
}

// end checks that nothing follows the value that was read.
func (p *parser) end() {
	if p.broken {
		return
	}
	if _, err := p.dec.Token(); !errors.Is(err, io.EOF) {
		p.fault("text after the end of the object")
	}
}

// more reports whether the current list or object goes on, and reads what ends
// it otherwise.
func (p *parser) more() bool {
	if p.broken || p.dec.More() {
		return !p.broken
	}
	p.token()
	return false
}

// opens reads the token that begins a list or an object; another value is
// skipped, with a fault.
func (p *parser) opens(delim json.Delim, what string) bool {
	tok := p.token()
	if tok == delim {
		return true
	}
	if tok != nil || !p.broken {
		p.fault("%s: want %v", what, map[json.Delim]string{'{': "an object", '[': "a list"}[delim])
		p.rest(tok)
	}
	return false
}

// rest skips what is left of the value that tok begins.
func (p *parser) rest(tok json.Token) {
	depth := 0
	for {
		switch tok {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
		if depth == 0 || p.broken {
			return
		}
		tok = p.token()
	}
}

// A member of an object: its key, and what reads its value.
type member struct {
	key  string
	read func()
}

// object reads an object that may have the given members, in any order, each
// at most once.
func (p *parser) object(what string, members ...member) {
	if !p.opens('{', what) {
		return
	}
	var seen uint64
	for p.more() {
		key, _ := p.token().(string)
		i := slices.IndexFunc(members, func(m member) bool { return m.key == key })
		switch {
		case p.broken:
			return
		case i < 0:
			p.unknown(what, key, members)
			p.rest(p.token())
		case seen&(1<<i) != 0:
			p.twice(what, key)
		default:
			seen |= 1 << i
			members[i].read()
		}
	}
}

func (p *parser) unknown(what, key string, members []member) {
	for _, m := range members {
		if strings.EqualFold(m.key, key) {
			p.fault("%s: unknown key %q; the key is %q", what, key, m.key)
			return
		}
	}
	p.fault("%s: unknown key %q", what, key)
}

// twice is the fault of a key that an object had before; its value is skipped.
func (p *parser) twice(what, key string) {
	p.fault("%s: key %q twice", what, key)
	p.rest(p.token())
}

// dictionary reads an object whose keys are names, each at most once.
func (p *parser) dictionary(what string, read func(key string)) {
	seen := make(map[string]bool)
	p.entries(what, func(key string) {
		if seen[key] {
			p.twice(what, key)
			return
		}
		seen[key] = true
		read(key)
	})
}

// entries reads an object whose keys are names, each value by read.
func (p *parser) entries(what string, read func(key string)) {
	if !p.opens('{', what) {
		return
	}
	for p.more() {
		key, _ := p.token().(string)
		if p.broken {
			return
		}
		read(key)
	}
}

// list reads a list, each element by read.
func (p *parser) list(what string, read func()) {
	if !p.opens('[', what) {
		return
	}
	for p.more() {
		read()
	}
}

// integer reads a number without fraction or exponent that fits in int64.
func (p *parser) integer(what string) int64 {
	tok := p.token()
	number, ok := tok.(json.Number)
	if !ok {
		p.want(what, "an integer", tok)
		return 0
	}
	n, err := strconv.ParseInt(number.String(), 10, 64)
	if errors.Is(err, strconv.ErrRange) {
		p.fault("%s: %s does not fit in int64", what, number)
	} else if err != nil {
		p.fault("%s: %s is not an integer", what, number)
	}
	return n
}

// str reads a string.
func (p *parser) str(what string) string {
	tok := p.token()
	text, ok := tok.(string)
	if !ok {
		p.want(what, "a string", tok)
	}
	return text
}

// choice reads one of the names, and returns which.
func (p *parser) choice(what string, names ...string) int {
	name := p.str(what)
	i := slices.Index(names, name)
	if i < 0 && !p.broken {
		p.fault("%s %q: want one of %s", what, name, strings.Join(names, ", "))
	}
	return max(i, 0)
}

func (p *parser) truth(what string) bool {
	tok := p.token()
	b, ok := tok.(bool)
	if !ok {
		p.want(what, "true or false", tok)
	}
	return b
}

// want reports a value of another type, and skips it.
func (p *parser) want(what, kind string, tok json.Token) {
	if p.broken {
		return
	}
	p.fault("%s: want %s", what, kind)
	p.rest(tok)
}

// pair reads a list of two.
func (p *parser) pair(what string, read func(k int)) {
	n := 0
	p.list(what, func() {
		if n < 2 {
			read(n)
		} else {
			p.rest(p.token())
		}
		n++
	})
	if n != 2 && !p.broken {
		p.fault("%s: want a list of two", what)
	}
}

// schema reads the version of the format.
func (p *parser) schema() {
	if v := p.integer("schema"); v != 1 && !p.broken {
		p.fault("schema %d: only 1 is known", v)
	}
}

// begins reports whether the next value begins with the byte.
func (p *parser) begins(c byte) bool {
	rest := bytes.TrimLeft(p.text[min(int(p.dec.InputOffset()), len(p.text)):], " \t\r\n,:")
	return !p.broken && len(rest) > 0 && rest[0] == c
}

// peekString reads the next value if it is a string.
func (p *parser) peekString() (string, bool) {
	if !p.begins('"') {
		return "", false
	}
	text, ok := p.token().(string)
	return text, ok
}

func quote(id string) string { return strconv.Quote(id) }
