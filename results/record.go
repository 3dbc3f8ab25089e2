package results

import (
	"bytes"
	stdjson "encoding/json"

	"memplan/model"
	"memplan/model/json"
)

// A Record is what one planner made of one task: one line of a results file,
// which says of the plan what `plan --format json` says, without its offsets. A
// run that failed or was interrupted is a record too.
type Record struct {
	json.Plan

	Family      string            `json:"family,omitempty"`
	Hash        string            `json:"hash,omitempty"` // of the instance's content, see Hash
	Hardness    *Hardness         `json:"hardness,omitempty"`
	Granularity int64             `json:"granularity,omitempty"` // that sizes were rounded up to, in bytes; 0: none
	Waste       int64             `json:"waste,omitempty"`       // bytes that rounding added, of all buffers together
	Seed        int64             `json:"seed,omitempty"`
	Params      map[string]string `json:"params,omitempty"`
	Certificate string            `json:"certificate,omitempty"` // file that holds the certificate
	Kept        []Kept            `json:"kept,omitempty"`        // the plan of each arena, where it was kept
	Placements  int64             `json:"placements,omitempty"`
	Nodes       int64             `json:"nodes,omitempty"`
	Conflicts   int64             `json:"conflicts,omitempty"`
	Error       string            `json:"error,omitempty"`
	Interrupted bool              `json:"interrupted,omitempty"`
	Nanoseconds int64             `json:"nanoseconds,omitempty"`
	Trace       []TracePoint      `json:"trace,omitempty"`
	Provenance  *Provenance       `json:"provenance,omitempty"`
}

// Kept names the file of an instance and that of a plan of it.
type Kept struct {
	Instance string `json:"instance"`
	Plan     string `json:"plan"`
}

// Replayed reports whether the bound rests on a search's certificate, which a
// checker replays.
func (r *Record) Replayed() bool { return r.Proof == model.ProofSearch }

// A TracePoint is one improvement of the best peak or of the bound.
type TracePoint struct {
	Nanoseconds int64  `json:"nanoseconds,omitempty"`
	Work        int64  `json:"work"`
	Peak        *int64 `json:"peak"` // null before the first plan
	Bound       int64  `json:"bound"`
	Source      string `json:"source,omitempty"`
}

// A Provenance says what made a record.
type Provenance struct {
	Revision string `json:"revision"` // of memplan
	Go       string `json:"go"`
	HiGHS    string `json:"highs"`
	CPU      string `json:"cpu"`
	Command  string `json:"command"`
}

// Hardness says in counts why an instance is easy or hard; see model.Hardness.
// Of several arenas: the largest buffer of all, and the sum of the rest.
type Hardness struct {
	Largest   int64 `json:"largest"` // bytes
	Conflicts int64 `json:"conflicts"`
	Pairs     int64 `json:"pairs"`
	Sizes     int   `json:"sizes"`
	Sections  int   `json:"sections"`
}

func (h *Hardness) add(m model.Hardness) {
	h.Largest = max(h.Largest, m.Largest)
	h.Conflicts += m.Conflicts
	h.Pairs += m.Pairs
	h.Sizes += m.Sizes
	h.Sections += m.Sections
}

// timeless is r without what differs from run to run.
func (r Record) timeless() Record {
	r.Nanoseconds = 0
	r.Provenance = nil
	r.Trace = nil
	return r
}

// Line is r as one line of JSON, with its newline.
func (r *Record) Line() ([]byte, error) {
	var line bytes.Buffer
	enc := stdjson.NewEncoder(&line)
	enc.SetEscapeHTML(false)
	err := enc.Encode(r)
	return line.Bytes(), err
}

// A Key tells records apart: two with the same key are the same experiment. The
// folder that an instance lies in is no part of it, unless nothing else says what
// the instance holds.
type Key struct {
	Family, Instance, Hash, Planner, Params string
	Granularity, Seed                       int64
}

// Key is r's identity.
func (r *Record) Key() Key {
	family := r.Family
	if r.Hash != "" {
		family = ""
	}
	return Key{family, r.Instance, r.Hash, r.Planner, r.Parameters(), r.Granularity, r.Seed}
}

// fill sets the figures of r from the results of a task's arenas.
func (r *Record) fill(arenas []*model.Instance, loads []int64, res []model.Result) {
	peak, planned := int64(0), true
	proof, status := model.ProofLoad, model.Optimal
	for i, in := range arenas {
		r.Buffers += len(in.Buffers)
		r.Load = model.SaturatingAdd(r.Load, loads[i])
		r.Bound = model.SaturatingAdd(r.Bound, res[i].Bound)
		r.Placements += res[i].Stats.Placements
		r.Nodes += res[i].Stats.Nodes
		r.Conflicts += res[i].Stats.Learnt
		if res[i].Plan == nil {
			planned = false
		} else {
			peak = model.SaturatingAdd(peak, res[i].Plan.Peak(in))
		}
		proof = weaker(proof, proofOf(res[i]))
		status = worse(status, res[i].Status(in))
	}
	if planned {
		r.Peak = &peak
	}
	r.Status, r.Proof = status.String(), proof
}

func proofOf(res model.Result) model.Proof {
	if res.Certificate == nil {
		return model.ProofNone
	}
	return res.Certificate.Proof
}

// strength ranks proofs: what a checker can replay comes before HiGHS's word.
func strength(p model.Proof) int {
	switch p {
	case model.ProofLoad:
		return 3
	case model.ProofSearch:
		return 2
	case model.ProofMIP:
		return 1
	}
	return 0
}

func weaker(a, b model.Proof) model.Proof {
	if strength(a) <= strength(b) {
		return a
	}
	return b
}

// worse combines the statuses of two arenas: one that is proven too small
// settles the matter, then one without a plan, then one not proven best.
func worse(a, b model.Status) model.Status {
	for _, s := range []model.Status{model.Infeasible, model.Unknown, model.Feasible} {
		if a == s || b == s {
			return s
		}
	}
	return model.Optimal
}
