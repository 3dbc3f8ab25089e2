package csv

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"memplan/model"
)

// Pairs are read as they are written, whatever the ids look like.
func TestOver(t *testing.T) {
	text := "id,lower,upper,size,over\na b+1,0,2,8,\n\"c=2\",1,3,8,\"a b+1+3\"\nd,2,4,8,a b+1=0  c=2+4\n"
	d, err := Read(strings.NewReader(text), "in.csv")
	if err != nil {
		t.Fatal(err)
	}
	want := []model.Pair{{Over: 1, Under: 0, Distance: 3}, {Over: 2, Under: 0, Equal: true}, {Over: 2, Under: 1, Distance: 4}}
	if !slices.Equal(d.Instance.Pairs, want) {
		t.Fatalf("%v, want %v", d.Instance.Pairs, want)
	}
	var out bytes.Buffer
	if err := Write(&out, d.Instance, nil, nil); err != nil {
		t.Fatal(err)
	}
	again, err := Read(&out, "in.csv")
	if err != nil || !slices.Equal(again.Instance.Pairs, want) {
		t.Errorf("read again: %v, %v", again, err)
	}
	for text, fault := range map[string]string{
		"x":         "is not X+LEAD or X=DISTANCE",
		"q+1":       `over "q", which no row without faults has`,
		"a+":        "is not an integer",
		"a+1 a+2":   `over "a" twice`,
		"b+1":       "over itself",
		"a+-1":      "negative distance -1",
		"a+1e3 c+1": "which no row without faults has",
	} {
		_, err := Read(strings.NewReader("id,lower,upper,size,over\na,0,2,8,\nb,1,3,8,"+text+"\nc,0,2,1,\n"), "in.csv")
		if err == nil || !strings.Contains(err.Error(), fault) || !strings.Contains(err.Error(), "in.csv:3: ") {
			t.Errorf("%q: %v, want %q", text, err, fault)
		}
	}
}
