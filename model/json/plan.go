package json

import (
	"bytes"
	"encoding/json"
	"io"

	"memplan/model"
)

// A Plan is what is written of a result: with offsets the plan itself, without
// them a line of a table. Sizes are in bytes.
type Plan struct {
	Schema      int             `json:"schema"` // 1
	Instance    string          `json:"instance"`
	Buffers     int             `json:"buffers"`
	Load        int64           `json:"load"`
	Peak        *int64          `json:"peak"` // null without a plan
	Bound       int64           `json:"bound"`
	Status      string          `json:"status"`
	Proof       model.Proof     `json:"proof"`
	Planner     string          `json:"planner"`
	Spaces      []Space         `json:"spaces,omitempty"`  // where a graph has several
	Weights     *int64          `json:"weights,omitempty"` // of the read-only region, for graphs
	Offsets     Offsets         `json:"offsets,omitempty"`
	Certificate json.RawMessage `json:"certificate,omitempty"`
}

// A Space is what is written of one of several memory spaces.
type Space struct {
	ID       string `json:"id"`
	Capacity int64  `json:"capacity"` // 0 = none
	Load     int64  `json:"load"`
	Peak     *int64 `json:"peak"`
	Bound    int64  `json:"bound"`
	Status   string `json:"status"`
}

// Offsets is written as an object, in its own order.
type Offsets []Offset

// An Offset places one buffer or tensor.
type Offset struct {
	ID    string
	Bytes int64
}

// Of returns a plan's offsets under the ids of the instance.
func Of(in *model.Instance, p *model.Plan) Offsets {
	list := make(Offsets, len(in.Buffers))
	for i := range in.Buffers {
		list[i] = Offset{in.Buffers[i].ID, p.Offsets[i]}
	}
	return list
}

func (o Offsets) MarshalJSON() ([]byte, error) {
	var out bytes.Buffer
	out.WriteByte('{')
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	for i, offset := range o {
		if i > 0 {
			out.WriteByte(',')
		}
		if err := enc.Encode(offset.ID); err != nil {
			return nil, err
		}
		out.Truncate(out.Len() - 1) // the encoder ends each value with a line feed
		out.WriteByte(':')
		if err := enc.Encode(offset.Bytes); err != nil {
			return nil, err
		}
		out.Truncate(out.Len() - 1)
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}

// Write writes the plan on one line.
func (p *Plan) Write(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(p)
}

// ReadPlan reads a plan of in: an object with offsets {id: bytes} for each
// buffer. What else the object says is not looked at, nor what the offsets are
// worth.
func ReadPlan(r io.Reader, file string, in *model.Instance) (model.Plan, error) {
	p, err := newParser(r, file)
	if err != nil {
		return model.Plan{}, err
	}
	plan := model.Plan{Offsets: make([]int64, len(in.Buffers))}
	index := make(map[string]int, len(in.Buffers))
	for i := range in.Buffers {
		index[in.Buffers[i].ID] = i
	}
	placed := make([]bool, len(in.Buffers))
	skip := func() { p.rest(p.token()) }
	offsets := func() {
		p.dictionary("offsets", func(id string) {
			i, known := index[id]
			if !known {
				p.fault("buffer %q: the instance has no such buffer", id)
				skip()
				return
			}
			plan.Offsets[i], placed[i] = p.integer("offset of "+quote(id)), true
		})
	}
	p.object("plan", member{"schema", p.schema}, member{"offsets", offsets},
		member{"instance", skip}, member{"buffers", skip}, member{"load", skip}, member{"peak", skip}, member{"bound", skip}, member{"status", skip},
		member{"proof", skip}, member{"planner", skip}, member{"spaces", skip}, member{"weights", skip}, member{"certificate", skip})
	p.end()
	for i, ok := range placed {
		if !ok && !p.broken {
			p.faults.At(0, "buffer %q: no offset", in.Buffers[i].ID)
		}
	}
	return plan, p.faults.Err()
}
