package json

import (
	"bytes"
	"reflect"
	"strings"
	"testing"

	"memplan/model"
)

func TestCertificatesReadBack(t *testing.T) {
	in := &model.Instance{Name: "a <b>"}
	for _, c := range []*model.Certificate{
		{Proof: model.ProofLoad, Bound: 8, Step: -3},
		{Proof: model.ProofMIP, Bound: 1 << 62},
		{Proof: model.ProofSearch, Bound: 5, Refutation: &model.Refutation{Window: model.Interval{Start: -1, End: 5}, Height: 4, Buffers: []int{3, 0, 2},
			Flip:   &model.Claim{Relation: model.Below, Buffer: 0, Other: 2},
			Lemmas: [][]model.Claim{{{Relation: model.AtLeast, Buffer: 1, Offset: 1 << 60}, {Relation: model.Below, Buffer: 2, Other: 1}}, {{Relation: model.AtMost, Buffer: 2, Offset: 7}}, {}}}},
		{Proof: model.ProofSearch, Bound: 5, Refutation: &model.Refutation{Window: model.Interval{Start: 0, End: 5}, Height: 4, Buffers: []int{0}, Lemmas: [][]model.Claim{},
			Hints: &model.Hints{Cliques: [][]int{{0}, {}}, Steps: [][]model.Step{{{Rule: "suppose"}, {Rule: "sum_up", Args: []int64{0, 1 << 60, 2}}}, nil}}}},
	} {
		var out bytes.Buffer
		if err := (&Certificates{Schema: 1, List: []Certificate{{in.Name, c}}}).Write(&out); err != nil {
			t.Fatal(err)
		}
		back, err := ReadCertificates(bytes.NewReader(out.Bytes()), "c.json")
		if err != nil {
			t.Fatalf("%v\n%s", err, out.String())
		}
		if got := back.List[0]; got.Instance != in.Name || !reflect.DeepEqual(got.Certificate, c) {
			t.Errorf("read %+v, wrote %+v", got.Certificate, c)
		}
	}
}

func TestCertificateFaults(t *testing.T) {
	certificate := func(text string) string { return `{"schema":1,"certificates":[` + text + `]}` }
	refutation := func(text string) string {
		return certificate(`{"proof":"search","bound":1,"refutation":{"height":0,"buffers":[],` + text + `}}`)
	}
	lemmas := func(text string) string { return refutation(`"window":[1,2],"lemmas":` + text) }
	for text, want := range map[string]string{
		`{"schema":2,"certificates":[]}`:                             "schema 2",
		`{"certificates":[]}`:                                        "no schema",
		`{"schema":1}`:                                               "no certificates",
		`{"schema":1,"certificates":[]} {}`:                          "after the end",
		certificate(`{"prof":"load"}`):                               "prof",
		certificate(`{"Proof":"load"}`):                              "Proof",
		certificate(`{"proof":"load","proof":"mip","bound":1}`):      "twice",
		certificate(`{"proof":"load","bound":1}`):                    "a step comes with",
		certificate(`{"proof":"mip","bound":1,"step":1}`):            "a step comes with",
		certificate(`{"proof":"search","bound":1}`):                  "a refutation with",
		certificate(`{"proof":"load","bound":null,"step":0}`):        "bound: want an integer",
		certificate(`{"proof":"load","bound":1e2,"step":0}`):         "not an integer",
		lemmas(`[[["above",1,2]]]`):                                  "above",
		lemmas(`[[["below",1]]]`):                                    "claim",
		lemmas(`[[["below",1,2,3]]]`):                                "claim",
		lemmas(`[[["below",1,2.5]]]`):                                "claim",
		lemmas(`[],"hints":{"cliques":[]}`):                          "no steps",
		lemmas(`[],"hints":{"cliques":[[]],"steps":["1 order"]}`):    "no number",
		lemmas(`[],"hints":{"cliques":[[]],"steps":["order 1 +1"]}`): "no number",
		lemmas(`[],"hints":{"cliques":[[]],"steps":["order +1"]}`):   "no number",
		lemmas(`[],"hints":{"cliques":[[]],"steps":["order 1e3"]}`):  "no number",
		refutation(`"window":[1],"lemmas":[]`):                       "window",
		refutation(`"window":[1,2,3],"lemmas":[]`):                   "window",
		refutation(`"window":null,"lemmas":[]`):                      "window",
	} {
		if _, err := ReadCertificates(strings.NewReader(text), "c.json"); err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "c.json:") {
			t.Errorf("%s: %v, want one that names %s", text, err, want)
		}
	}
}
