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
	} {
		var out bytes.Buffer
		if err := (&Certificates{Schema: 1, List: []Certificate{NewCertificate(in, c)}}).Write(&out); err != nil {
			t.Fatal(err)
		}
		back, err := ReadCertificates(bytes.NewReader(out.Bytes()), "c.json")
		if err != nil {
			t.Fatalf("%v\n%s", err, out.String())
		}
		if got := back.List[0]; got.Instance != in.Name || !reflect.DeepEqual(got.Model(), c) {
			t.Errorf("read %+v, wrote %+v", got.Model(), c)
		}
	}
}

func TestCertificateFaults(t *testing.T) {
	for text, want := range map[string]string{
		`{"schema":2}`: "schema 2",
		`{"schema":1,"certificates":[{"prof":"load"}]}`:                                                "prof",
		`{"schema":1,"certificates":[{"proof":"search","refutation":{"lemmas":[[["above",1,2]]]}}]}`:   "above",
		`{"schema":1,"certificates":[{"proof":"search","refutation":{"lemmas":[[["below",1]]]}}]}`:     "claim",
		`{"schema":1,"certificates":[{"proof":"search","refutation":{"lemmas":[[["below",1,2.5]]]}}]}`: "claim",
		`{"schema":1,"certificates":[{"proof":"search","refutation":{"window":[1]}}]}`:                 "window [1]",
		`{"schema":1,"certificates":[{"proof":"search","refutation":{"window":[1,2,3]}}]}`:             "window [1,2,3]",
		`{"schema":1,"certificates":[{"proof":"search","refutation":{"window":null}}]}`:                "window null",
		`{"schema":1} {}`: "more than one",
	} {
		if _, err := ReadCertificates(strings.NewReader(text), "c.json"); err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "c.json: ") {
			t.Errorf("%s: %v, want one that names %s", text, err, want)
		}
	}
}
