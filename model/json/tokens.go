package json

import (
	"bytes"
	"encoding/json"
	"io"
)

// A tokenizer gives the tokens of a JSON text one after the other, as
// json.Decoder does: numbers as json.Number, no commas or colons.
type tokenizer interface {
	Token() (json.Token, error) // io.EOF at the end
	More() bool                 // whether the list or object goes on
	InputOffset() int64         // the end of the last token
}

// newTokenizer is json.Decoder for what is not JSON, since it says where that
// breaks. Of each value it makes an error too, which it then drops: for what is
// JSON there is a simpler way, which takes a third of the time.
func newTokenizer(text []byte) tokenizer {
	if json.Valid(text) {
		return &tokens{text: text}
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	return dec
}

// tokens are those of a valid text.
type tokens struct {
	text []byte
	at   int // the end of the last token
}

// next is where the next token begins.
func (t *tokens) next() int {
	at := t.at
	for at < len(t.text) && between(t.text[at]) {
		at++
	}
	return at
}

// between reports whether a byte stands between tokens.
func between(c byte) bool {
	return c == ' ' || c == ',' || c == ':' || c == '\n' || c == '\r' || c == '\t'
}

func (t *tokens) InputOffset() int64 { return int64(t.at) }

func (t *tokens) More() bool {
	at := t.next()
	return at < len(t.text) && t.text[at] != ']' && t.text[at] != '}'
}

func (t *tokens) Token() (json.Token, error) {
	start := t.next()
	if start == len(t.text) {
		return nil, io.EOF
	}
	switch c := t.text[start]; c {
	case '{', '}', '[', ']':
		t.at = start + 1
		return json.Delim(c), nil
	case '"':
		return t.quoted(start)
	}
	t.at = start
	for t.at < len(t.text) && !between(t.text[t.at]) && t.text[t.at] != ']' && t.text[t.at] != '}' {
		t.at++
	}
	switch word := string(t.text[start:t.at]); word {
	case "null":
		return nil, nil
	case "true", "false":
		return word == "true", nil
	default:
		return json.Number(word), nil
	}
}

// quoted reads the string that begins at a quote.
func (t *tokens) quoted(start int) (text string, err error) {
	end, escaped := start+1, false
	for t.text[end] != '"' {
		if t.text[end] == '\\' {
			escaped = true
			end++
		}
		end++
	}
	t.at = end + 1
	if escaped {
		err = json.Unmarshal(t.text[start:t.at], &text)
		return text, err
	}
	return string(t.text[start+1 : end]), nil
}
