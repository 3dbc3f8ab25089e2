package main

import (
	"encoding/json"
	"fmt"
	"io"

	"memplan/model"
)

// A certificateFile holds, for each arena, why no plan has a peak below a bound.
type certificateFile struct {
	Schema int                `json:"schema"` // 1
	Arenas []arenaCertificate `json:"arenas"`
}

type arenaCertificate struct {
	Instance string      `json:"instance"`
	Proof    model.Proof `json:"proof"`
	Bound    int64       `json:"bound"`          // bytes
	Step     *int64      `json:"step,omitempty"` // proof load: where so many bytes are live
}

func (e *env) writeCertificates(arenas []*model.Instance, res []model.Result, path string) error {
	file := certificateFile{Schema: 1}
	for k, in := range arenas {
		c := res[k].Certificate
		if c == nil {
			return fail(exitLimit, "%s: no bound was proven", in.Name)
		}
		a := arenaCertificate{Instance: in.Name, Proof: c.Proof, Bound: c.Bound}
		if c.Proof == model.ProofLoad {
			a.Step = &c.Step
		}
		file.Arenas = append(file.Arenas, a)
	}
	return e.write(path, func(w io.Writer) error { return json.NewEncoder(w).Encode(file) })
}

// verifyCertificates checks the certificates of a file, and that the plans are
// as good as they allow.
func (e *env) verifyCertificates(path string, arenas []*model.Instance, plans []model.Plan) error {
	return fmt.Errorf("%s: certificates cannot be read yet", path)
}
