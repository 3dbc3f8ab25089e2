package iree

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// A token is a part of MLIR's text.
type token struct {
	kind       kind
	start, end int
}

type kind int

const (
	end    kind = iota
	value       // %name or %name#3
	symbol      // @name or @"name"
	word        // arith.constant; also a number, 64x96xf32
	text        // "..."
	other       // one character
)

// A lexer cuts a text into tokens; comments and space are left out.
type lexer struct {
	text string
	pos  int
}

var errOpen = errors.New("a quote that is never closed")

// next is the next token, of kind end behind the last one.
func (l *lexer) next() (token, error) {
	l.space()
	start := l.pos
	if start == len(l.text) {
		return token{end, start, start}, nil
	}
	t := token{other, start, start + 1}
	var err error
	switch c := l.text[start]; {
	case c == '%':
		t.kind, t.end = value, l.name(start+1, true)
		if t.end < len(l.text) && l.text[t.end] == '#' {
			if digits := l.digits(t.end + 1); digits > t.end+1 {
				t.end = digits
			}
		}
	case c == '@' && start+1 < len(l.text) && l.text[start+1] == '"':
		t.kind = symbol
		t.end, err = l.quoted(start + 1)
	case c == '@':
		t.kind, t.end = symbol, l.name(start+1, false)
	case c == '"':
		t.kind = text
		t.end, err = l.quoted(start)
	case letter(c) || digit(c):
		t.kind, t.end = word, l.name(start, false)
	}
	l.pos = t.end
	return t, err
}

// space goes past space and comments.
func (l *lexer) space() {
	for l.pos < len(l.text) {
		switch c := l.text[l.pos]; {
		case c == ' ' || c == '\n' || c == '\t' || c == '\r':
			l.pos++
		case c == '/' && strings.HasPrefix(l.text[l.pos:], "//"):
			n := strings.IndexByte(l.text[l.pos:], '\n')
			if n < 0 {
				n = len(l.text) - l.pos
			}
			l.pos += n
		default:
			return
		}
	}
}

// name is the end of a name that begins at pos; those of values may have
// hyphens.
func (l *lexer) name(pos int, hyphen bool) int {
	for pos < len(l.text) {
		c := l.text[pos]
		if !letter(c) && !digit(c) && c != '.' && c != '$' && !(hyphen && c == '-') {
			break
		}
		pos++
	}
	return pos
}

func (l *lexer) digits(pos int) int {
	for pos < len(l.text) && digit(l.text[pos]) {
		pos++
	}
	return pos
}

// quoted is the end of the text whose quote is at pos.
func (l *lexer) quoted(pos int) (int, error) {
	for i := pos + 1; i < len(l.text); i++ {
		switch l.text[i] {
		case '\\':
			i++
		case '"':
			return i + 1, nil
		}
	}
	return len(l.text), errOpen
}

func letter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' }
func digit(c byte) bool  { return c >= '0' && c <= '9' }

// of is the token's text.
func (l *lexer) of(t token) string { return l.text[t.start:t.end] }

// is reports whether the next token is this one, and goes past it if so.
func (l *lexer) is(want string) bool {
	at := l.pos
	if t, err := l.next(); err == nil && t.kind != text && l.of(t) == want {
		return true
	}
	l.pos = at
	return false
}

// number reads an integer that is not negative.
func (l *lexer) number() (int64, bool) {
	at := l.pos
	if t, err := l.next(); err == nil && t.kind == word {
		if n, err := strconv.ParseInt(l.of(t), 10, 64); err == nil {
			return n, true
		}
	}
	l.pos = at
	return 0, false
}

// value reads a value.
func (l *lexer) value() (string, bool) {
	at := l.pos
	if t, err := l.next(); err == nil && t.kind == value {
		return l.of(t), true
	}
	l.pos = at
	return "", false
}

// brackets goes past a part in brackets, from the opening one that stands next.
func (l *lexer) brackets() error {
	for depth := 0; ; {
		t, err := l.next()
		switch {
		case err != nil:
			return err
		case t.kind == end:
			return errors.New("a bracket that is never closed")
		case t.kind != other:
			continue
		}
		switch l.text[t.start] {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth--; depth <= 0 {
				return nil
			}
		}
	}
}

// line is the number of the line that pos is on.
func line(text string, pos int) int { return 1 + strings.Count(text[:pos], "\n") }

// at is an error of a place in a text.
func at(source string, pos int, format string, args ...any) error {
	return fmt.Errorf("%d: %w", line(source, pos), fmt.Errorf(format, args...))
}
