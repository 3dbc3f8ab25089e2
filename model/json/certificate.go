package json

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"memplan/model"
)

// Certificates are what a file of certificates holds: one for each arena.
//
//	{"schema": 1, "certificates": [
//	  {"instance": "A", "proof": "load", "bound": 8, "step": 3},
//	  {"instance": "B", "proof": "search", "bound": 5, "refutation":
//	    {"window": [0, 5], "height": 4, "buffers": [0, 1, 2],
//	     "flip": ["below", 0, 1], "lemmas": [[["below", 1, 2], ["at_least", 0, 2]], []]}}]}
//
// Buffers of a refutation are indexes into the instance, from 0; those of claims
// are positions in the refutation's buffers. A claim is ["below", BUFFER, OTHER],
// ["at_least", BUFFER, BYTES] or ["at_most", BUFFER, BYTES]. A proof by cases has
// "tree": a list of numbers, and no lemmas.
type Certificates struct {
	Schema int           `json:"schema"` // 1
	List   []Certificate `json:"certificates"`
}

// A Certificate is one arena's.
type Certificate struct {
	Instance   string      `json:"instance"`
	Proof      model.Proof `json:"proof"`
	Bound      int64       `json:"bound"`          // bytes
	Step       *int64      `json:"step,omitempty"` // proof load: where so many bytes are live
	Refutation *Refutation `json:"refutation,omitempty"`
}

// A Refutation is model.Refutation as a file has it.
type Refutation struct {
	Window  window    `json:"window"`
	Height  int64     `json:"height"`
	Buffers []int     `json:"buffers"`
	Flip    *claim    `json:"flip,omitempty"`
	Lemmas  [][]claim `json:"lemmas"`
	Tree    []int     `json:"tree,omitempty"`
}

type window model.Interval

func (w window) MarshalJSON() ([]byte, error) {
	return fmt.Appendf(nil, "[%d,%d]", w.Start, w.End), nil
}

func (w *window) UnmarshalJSON(data []byte) error {
	var ends []int64
	if err := json.Unmarshal(data, &ends); err != nil || len(ends) != 2 {
		return fmt.Errorf("window %s: want [first step, step after the last]", data)
	}
	*w = window{Start: ends[0], End: ends[1]}
	return nil
}

type claim model.Claim

// relations are the names of model's relations, in their order.
var relations = [...]string{model.Below: "below", model.AtLeast: "at_least", model.AtMost: "at_most"}

func (c claim) MarshalJSON() ([]byte, error) {
	second := c.Offset
	if c.Relation == model.Below {
		second = int64(c.Other)
	}
	return fmt.Appendf(nil, "[%q,%d,%d]", relations[c.Relation], c.Buffer, second), nil
}

func (c *claim) UnmarshalJSON(data []byte) error {
	var name string
	var buffer int
	var second int64
	parts := []any{&name, &buffer, &second}
	if err := json.Unmarshal(data, &parts); err != nil || len(parts) != 3 {
		return fmt.Errorf("claim %s: want [relation, buffer, other or bytes]", data)
	}
	for r, known := range relations {
		if known == name {
			*c = claim{Relation: model.Relation(r), Buffer: buffer, Offset: second}
			if c.Relation == model.Below {
				c.Other, c.Offset = int(second), 0
			}
			return nil
		}
	}
	return fmt.Errorf("claim %s: no relation %q", data, name)
}

// NewCertificate is an arena's certificate as a file has it.
func NewCertificate(in *model.Instance, c *model.Certificate) Certificate {
	out := Certificate{Instance: in.Name, Proof: c.Proof, Bound: c.Bound}
	if c.Proof == model.ProofLoad {
		out.Step = &c.Step
	}
	if r := c.Refutation; r != nil {
		out.Refutation = &Refutation{Window: window(r.Window), Height: r.Height, Buffers: r.Buffers,
			Flip: (*claim)(r.Flip), Lemmas: make([][]claim, len(r.Lemmas)), Tree: r.Tree}
		for k, lemma := range r.Lemmas {
			out.Refutation.Lemmas[k] = make([]claim, len(lemma))
			for j, one := range lemma {
				out.Refutation.Lemmas[k][j] = claim(one)
			}
		}
	}
	return out
}

// Model is the certificate as the model has it. What it is worth is not looked at.
func (c *Certificate) Model() *model.Certificate {
	out := &model.Certificate{Proof: c.Proof, Bound: c.Bound}
	if c.Step != nil {
		out.Step = *c.Step
	}
	if r := c.Refutation; r != nil {
		out.Refutation = &model.Refutation{Window: model.Interval(r.Window), Height: r.Height, Buffers: r.Buffers,
			Flip: (*model.Claim)(r.Flip), Lemmas: make([][]model.Claim, len(r.Lemmas)), Tree: r.Tree}
		for k, lemma := range r.Lemmas {
			out.Refutation.Lemmas[k] = make([]model.Claim, len(lemma))
			for j, one := range lemma {
				out.Refutation.Lemmas[k][j] = model.Claim(one)
			}
		}
	}
	return out
}

// PlanCertificates are the certificates that a plan's file holds, one for each
// arena; none where it holds none. What they are worth is not looked at.
func PlanCertificates(plan []byte) ([]*model.Certificate, error) {
	var file struct{ Certificate Certificates }
	if err := json.Unmarshal(plan, &file); err != nil {
		return nil, err
	}
	list := make([]*model.Certificate, len(file.Certificate.List))
	for k := range list {
		list[k] = file.Certificate.List[k].Model()
	}
	return list, nil
}

// Write writes the certificates on one line.
func (c *Certificates) Write(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(c)
}

// ReadCertificates reads a file of certificates. Unknown keys are errors.
func ReadCertificates(r io.Reader, file string) (*Certificates, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	c := &Certificates{}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(c); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: more than one object", file)
	}
	if c.Schema != 1 {
		return nil, fmt.Errorf("%s: schema %d: this program reads 1", file, c.Schema)
	}
	return c, nil
}
