package json

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"testing"
)

// A valid text's tokens are those that json.Decoder gives, and end where they do there.
func TestTokens(t *testing.T) {
	for _, text := range []string{
		`{}`, `[]`, ` [ ] `, `7`, `"x"`, ` null`, "\t{\"a\" : [1,-2.5e+3 ,\r\n[], {}],\"b\":null , \"c\":true,\"\":[false]}\n",
		`{"a\"]}":"\\","\u00e9\ud83d\ude00":"é\/\n,:[","x":["\\\\\"",0]}`, `[[[1],2],[{"a":{"b":[]}}],"",1e5,true]`,
	} {
		want := json.NewDecoder(bytes.NewReader([]byte(text)))
		want.UseNumber()
		got := newTokenizer([]byte(text))
		if _, plain := got.(*tokens); !plain {
			t.Fatalf("%s is taken for no JSON", text)
		}
		for {
			if got.More() != want.More() {
				t.Fatalf("%s: at byte %d more is %v", text, want.InputOffset(), got.More())
			}
			a, errA := want.Token()
			b, errB := got.Token()
			if fmt.Sprintf("%T %v %v", a, a, errA) != fmt.Sprintf("%T %v %v", b, b, errB) || want.InputOffset() != got.InputOffset() && errA == nil {
				t.Fatalf("%s: %T %v, %v, to byte %d; want %T %v, %v, to byte %d", text, b, b, errB, got.InputOffset(), a, a, errA, want.InputOffset())
			}
			if errA == io.EOF {
				break
			}
		}
	}
}
