package json

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"

	"memplan/model"
)

// Certificates are what a file of certificates holds: one for each arena.
//
//	{"schema": 1, "certificates": [
//	  {"instance": "A", "proof": "load", "bound": 8, "step": 3},
//	  {"instance": "B", "proof": "search", "bound": 5, "refutation":
//	    {"window": [0, 5], "height": 4, "buffers": [0, 1, 2],
//	     "flip": ["below", 0, 1], "lemmas": [[["below", 1, 2], ["at_least", 0, 2]], []],
//	     "hints": {"cliques": [[0, 1], [1, 2]], "steps": ["suppose order 1 2", "suppose", "lemma 1"]}}}]}
//
// Buffers of a refutation are indexes into the instance, from 0; those of claims,
// cliques and steps are positions in the refutation's buffers. A claim is
// ["below", BUFFER, OTHER], ["at_least", BUFFER, BYTES] or ["at_most", BUFFER,
// BYTES]. A step is a rule's name and its numbers; each text has those of one
// lemma, in order, and the last those of the contradiction. A proof by cases has
// "tree", a list of numbers, and no lemmas. A proof of what is moved at least is of
// kind traffic and has "traffic". verify/PROOFS.md says what they mean.
type Certificates struct {
	Schema int           `json:"schema"` // 1
	List   []Certificate `json:"certificates"`
}

// A Certificate is one arena's.
type Certificate struct {
	Instance string
	*model.Certificate
}

// The shapes are certificates as they are written.
type (
	shape struct {
		Instance   string           `json:"instance"`
		Proof      model.Proof      `json:"proof"`
		Bound      int64            `json:"bound"`          // bytes
		Step       *int64           `json:"step,omitempty"` // proof load: where so many bytes are live
		Refutation *refutationShape `json:"refutation,omitempty"`
		Traffic    *trafficShape    `json:"traffic,omitempty"` // proof traffic
	}
	refutationShape struct {
		Window  [2]int64     `json:"window"`
		Height  int64        `json:"height"`
		Buffers []int        `json:"buffers"`
		Flip    *claimShape  `json:"flip,omitempty"`
		Lemmas  []lemmaShape `json:"lemmas"`
		Hints   *hintsShape  `json:"hints,omitempty"`
		Tree    []int        `json:"tree,omitempty"`
	}
	hintsShape struct {
		Cliques [][]int      `json:"cliques"`
		Steps   []stepsShape `json:"steps"`
	}
	claimShape model.Claim
	lemmaShape []model.Claim
	stepsShape []model.Step
)

// relations are the names of model's relations, in their order.
var relations = [...]string{model.Below: "below", model.AtLeast: "at_least", model.AtMost: "at_most"}

func (c claimShape) append(text []byte) []byte {
	second := c.Offset
	if c.Relation == model.Below {
		second = int64(c.Other)
	}
	return fmt.Appendf(text, "[%q,%d,%d]", relations[c.Relation], c.Buffer, second)
}

func (c claimShape) MarshalJSON() ([]byte, error) { return c.append(nil), nil }

func (l lemmaShape) MarshalJSON() ([]byte, error) {
	text := []byte{'['}
	for k, c := range l {
		if k > 0 {
			text = append(text, ',')
		}
		text = claimShape(c).append(text)
	}
	return append(text, ']'), nil
}

func (l stepsShape) MarshalText() (text []byte, err error) {
	for k, s := range l {
		if k > 0 {
			text = append(text, ' ')
		}
		text = append(text, s.Rule...)
		for _, x := range s.Args {
			text = strconv.AppendInt(append(text, ' '), x, 10)
		}
	}
	return text, nil
}

// MarshalJSON implements json.Marshaler.
func (c Certificate) MarshalJSON() ([]byte, error) {
	out := shape{Instance: c.Instance, Proof: c.Proof, Bound: c.Bound}
	if c.Proof == model.ProofLoad {
		out.Step = &c.Step
	}
	if c.Traffic != nil {
		out.Traffic = shapeOf(c.Traffic)
	}
	if r := c.Refutation; r != nil {
		out.Refutation = &refutationShape{Window: [2]int64{r.Window.Start, r.Window.End}, Height: r.Height,
			Buffers: nonNil(r.Buffers), Flip: (*claimShape)(r.Flip), Lemmas: make([]lemmaShape, len(r.Lemmas)), Tree: r.Tree}
		for k, lemma := range r.Lemmas {
			out.Refutation.Lemmas[k] = lemma
		}
		if h := r.Hints; h != nil {
			out.Refutation.Hints = &hintsShape{Cliques: append([][]int{}, h.Cliques...), Steps: make([]stepsShape, len(h.Steps))}
			for k, steps := range h.Steps {
				out.Refutation.Hints.Steps[k] = steps
			}
		}
	}
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	err := enc.Encode(&out)
	return text.Bytes(), err
}

// Write writes the certificates on one line.
func (c *Certificates) Write(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(c)
}

// ReadCertificates reads a file of certificates. Unknown, missing and doubled
// keys are errors. What the certificates are worth is not looked at.
func ReadCertificates(r io.Reader, file string) (*Certificates, error) {
	p, err := newParser(r, file)
	if err != nil {
		return nil, err
	}
	c := certificateReader{p, map[string]string{}}.file()
	p.end()
	return c, p.faults.Err()
}

// PlanCertificates are the certificates that a plan's file holds, one for each
// arena; none where it holds none. What they are worth is not looked at.
func PlanCertificates(r io.Reader, file string) (*Certificates, error) {
	p, err := newParser(r, file)
	if err != nil {
		return nil, err
	}
	c := &Certificates{}
	p.dictionary("plan", func(key string) {
		if key == "certificate" {
			c = certificateReader{p, map[string]string{}}.file()
		} else {
			p.rest(p.token())
		}
	})
	p.end()
	return c, p.faults.Err()
}

// A certificateReader reads certificates.
type certificateReader struct {
	*parser
	rules map[string]string // their names, each once
}

// all reads an object of which every member is needed, but for those in brackets.
func (p certificateReader) all(what string, members ...member) {
	var seen uint64
	for k := range members {
		read := members[k].read
		members[k].read = func() { seen |= 1 << k; read() }
		if name, optional := strings.CutPrefix(members[k].key, "?"); optional {
			members[k].key = name
			seen |= 1 << k
		}
	}
	p.object(what, members...)
	for k, m := range members {
		if seen&(1<<k) == 0 && !p.broken {
			p.fault("%s: no %s", what, m.key)
		}
	}
}

func (p certificateReader) file() *Certificates {
	c := &Certificates{Schema: 1}
	p.all("certificates", member{"schema", p.schema}, member{"certificates", func() {
		p.list("certificates", func() { c.List = append(c.List, p.certificate(true)) })
	}})
	return c
}

// certificate reads one, of what is moved only where that is allowed.
func (p certificateReader) certificate(moved bool) Certificate {
	c := Certificate{Certificate: &model.Certificate{}}
	step := false
	members := []member{{"?instance", func() { c.Instance = p.str("instance") }},
		{"proof", func() { c.Proof = model.Proof(p.str("proof")) }},
		{"bound", func() { c.Bound = p.integer("bound") }},
		{"?step", func() { c.Step, step = p.integer("step"), true }},
		{"?refutation", func() { c.Refutation = p.refutation() }}}
	if moved {
		members = append(members, member{"?traffic", func() { c.Traffic = p.traffic() }})
	}
	p.all("certificate", members...)
	if (c.Proof == model.ProofLoad) != step || (c.Proof == model.ProofSearch) != (c.Refutation != nil) || moved && (c.Proof == model.ProofTraffic) != (c.Traffic != nil) {
		p.fault("certificate: a step comes with proof load, a refutation with proof search, traffic with proof traffic")
	}
	return c
}

func (p certificateReader) refutation() *model.Refutation {
	r := &model.Refutation{Lemmas: [][]model.Claim{}}
	p.all("refutation", member{"window", func() {
		p.pair("window", func(k int) { *[]*int64{&r.Window.Start, &r.Window.End}[k] = p.integer("window") })
	}}, member{"height", func() { r.Height = p.integer("height") }},
		member{"buffers", func() { r.Buffers = p.integers("buffers") }},
		member{"?flip", func() { flip := p.claim(); r.Flip = &flip }},
		member{"lemmas", func() { p.list("lemmas", func() { r.Lemmas = append(r.Lemmas, p.lemma()) }) }},
		member{"?hints", func() { r.Hints = p.hints() }},
		member{"?tree", func() { r.Tree = p.integers("tree") }})
	return r
}

func (p certificateReader) integers(what string) (list []int) {
	list = []int{}
	p.list(what, func() { list = append(list, int(p.integer(what))) })
	return list
}

func (p certificateReader) lemma() (claims []model.Claim) {
	claims = []model.Claim{}
	p.list("lemma", func() { claims = append(claims, p.claim()) })
	return claims
}

// claim reads a relation, a buffer, and another or an offset.
func (p certificateReader) claim() (c model.Claim) {
	n := 0
	p.list("claim", func() {
		switch n {
		case 0:
			c.Relation = model.Relation(p.choice("relation", relations[:]...))
		case 1:
			c.Buffer = int(p.integer("claim"))
		case 2:
			c.Offset = p.integer("claim")
		default:
			p.rest(p.token())
		}
		n++
	})
	if n != 3 && !p.broken {
		p.fault("claim: want [relation, buffer, other or bytes]")
	}
	if c.Relation == model.Below {
		c.Other, c.Offset = int(c.Offset), 0
	}
	return c
}

func (p certificateReader) hints() *model.Hints {
	h := &model.Hints{Cliques: [][]int{}, Steps: [][]model.Step{}}
	p.all("hints", member{"cliques", func() {
		p.list("cliques", func() { h.Cliques = append(h.Cliques, p.integers("clique")) })
	}}, member{"steps", func() { p.list("steps", func() { h.Steps = append(h.Steps, p.steps()) }) }})
	return h
}

// steps reads the steps of a lemma: names and their numbers, with a space between.
func (p certificateReader) steps() []model.Step {
	text := p.str("steps")
	if text == "" {
		return nil
	}
	list := make([]model.Step, 0, strings.Count(text, " ")/3)
	args := make([]int64, 0, strings.Count(text, " "))
	for word := range strings.SplitSeq(text, " ") {
		if word != "" && word[0] <= '9' {
			x, err := strconv.ParseUint(word, 10, 63)
			if err != nil || len(list) == 0 {
				p.fault("steps: %q is no number of a rule", word)
				return nil
			}
			args = append(args, int64(x))
			list[len(list)-1].Args = args
			continue
		}
		if _, met := p.rules[word]; !met {
			p.rules[strings.Clone(word)] = strings.Clone(word)
		}
		list, args = append(list, model.Step{Rule: p.rules[word]}), args[len(args):]
	}
	return list
}
